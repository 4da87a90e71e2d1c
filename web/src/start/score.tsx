// What each curve is now, when its level was reached, and what was bet: a row for each, which is the legend, too.
import type { Training } from "../engine/training";
import { Term } from "../term";
import { came_at, free, is_free, watched_until } from "./effect";
import { type Curve, level_text } from "./flags";
import { flags_of, type Scene } from "./scenes";
import { nearer, not_come, now_of, predicted_at } from "./told";

interface Props {
  scene: Scene;
  runs: Training[]; // the second is untouched
  bets: (number | undefined)[];
  at: number;
  acts_now: boolean; // something is done to attention at this step
  whole: boolean; // to all of it
}

export function Score({ scene, runs, bets, at, acts_now, whole }: Props) {
  const flags = flags_of(scene);
  const [training, ghost] = runs;
  const set = flags.find(({ metric }) => training && is_free(training, metric));
  const predicts = flags.some(curve => predicted_at(ghost ?? training, curve) !== undefined);
  const bets_put = predicts && bets.some(bet => bet !== undefined);
  const reached = (run: Training | undefined, curve: Curve, until = at) => {
    const { level } = curve.flag!,
      step = until > 0 && run ? came_at(run, curve.metric, level, until) : undefined;
    return step === undefined
      ? not_come(run, curve, until)
      : `${one_level ? "" : `${level_text(level)}: `}step ${step}`;
  };
  const levels = [...new Set(flags.map(({ flag }) => flag!.level))];
  const one_level = levels.length === 1;
  return (
    <table class="score">
      <caption class="soft">
        Curves: means over many texts. Picture: one text.
        {ghost && " Bets count for the untouched training."}
        {acts_now &&
          (whole
            ? ` In the shaded steps “${scene.curves.at(-1)!.name}” is of the model with the change. The other curves are of the ${free}.`
            : ` In the shaded steps all curves are of the model with the change${set ? `, except “${set.name}” (${free})` : ""}.`)}
      </caption>
      <thead>
        <tr>
          <th scope="col">Curve</th>
          <th scope="col">now</th>
          <th scope="col">{one_level ? `passed ${level_text(levels[0]!)} at` : "passed"}</th>
          {ghost && <th scope="col">untouched</th>}
          <th scope="col">your bet</th>
          {predicts && <th scope="col">Fovea's</th>}
          {bets_put && <th scope="col">nearer</th>}
        </tr>
      </thead>
      <tbody>
        {scene.curves.map(curve => {
          const { metric, name, means, colour, flag } = curve;
          const bet = bets[flags.indexOf(curve)],
            predicted = predicted_at(ghost ?? training, curve);
          const bet_on = ghost ?? training;
          const came = flag && bet_on && at > 0 ? came_at(bet_on, metric, flag.level, at) : undefined;
          const judged = came !== undefined && bet !== undefined && predicted !== undefined;
          return (
            <tr key={metric}>
              <th scope="row">
                <i style={{ background: colour }} aria-hidden="true" />{" "}
                <Term word={name} means={means}>
                  {name}
                </Term>
              </th>
              <td>{now_of(training, curve, at)}</td>
              <td>{flag ? reached(training, curve) : ""}</td>
              {ghost && <td>{flag ? reached(ghost, curve, watched_until(ghost, at)) : ""}</td>}
              <td>{flag ? (bet ?? "none") : ""}</td>
              {predicts && <td>{predicted ?? ""}</td>}
              {bets_put && <td class="nearer">{judged ? nearer(came, bet, predicted) : ""}</td>}
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}
