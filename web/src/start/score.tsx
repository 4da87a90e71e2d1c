// What each curve is now, when its level was reached, and what was bet: a row for each, which is the legend, too.
import type { Training } from "../engine/training";
import { Term } from "../term";
import { flags_of, type Scene } from "./scenes";
import { came_at, percent } from "./told";

interface Props {
  scene: Scene;
  runs: Training[]; // the second is untouched
  bets: (number | undefined)[];
  at: number;
}

export function Score({ scene, runs, bets, at }: Props) {
  const flags = flags_of(scene);
  const [training, ghost] = runs;
  const reached = (run: Training | undefined, metric: string, level: number) => {
    const step = at > 0 && run ? came_at(run, metric, level, at) : undefined;
    return step === undefined ? "not yet" : `step ${step}`;
  };
  return (
    <table class="score">
      <thead>
        <tr>
          <th scope="col">Curve</th>
          <th scope="col">now</th>
          <th scope="col">reached</th>
          <th scope="col">your bet</th>
          {ghost && <th scope="col">untouched</th>}
        </tr>
      </thead>
      <tbody>
        {scene.curves.map(({ metric, name, means, colour, flag }) => {
          const value = training?.value_at(metric, at);
          return (
            <tr key={metric}>
              <th scope="row">
                <i style={{ background: colour }} aria-hidden="true" />{" "}
                <Term word={name} means={means}>
                  {name}
                </Term>
              </th>
              <td>{typeof value === "number" ? percent(value) : "–"}</td>
              <td>{flag ? reached(training, metric, flag.level) : ""}</td>
              <td>{flag ? (bets[flags.findIndex(one => one.metric === metric)] ?? "none") : ""}</td>
              {ghost && <td>{flag ? reached(ghost, metric, flag.level) : ""}</td>}
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}
