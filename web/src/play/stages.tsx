// The curves of a task in words: what each measures, what it is now, and when it passed its level.
import { capital } from "../capital";
import type { Training } from "../engine/training";
import { role_colour } from "../roles";
import { came_at, changed_at, free, is_free, never, untouched_at, watched_until } from "../start/effect";
import { level_text } from "../start/flags";
import { now_of } from "../start/told";
import { Explained } from "../term";
import { flags_of } from "./bet";
import type { Player } from "./player";
import { ghost, type State } from "./state";
import { label_of, measure_of } from "./task_metrics";
import type { Task } from "./tasks";

interface Props {
  player: Player<State>;
  task: Task;
  bets: Map<string, number>;
}

export function CurveTable({ player, task, bets, shown }: Props & { shown: Set<string> }) {
  const { trainings, at } = player;
  const [training, other] = trainings;
  if (!training) return null;
  const untouched = player.of?.beside === ghost ? other : undefined;
  const flags = flags_of(task);
  const others = task.metrics.filter(
    metric => shown.has(label_of(metric, task)) && !flags.some(flag => flag.metric === metric),
  );
  const change = changed_at(training, at),
    set = flags.find(({ metric }) => is_free(training, metric));
  const passed = (run: Training, metric: string, level: number) => {
    const step = run === untouched ? untouched_at(run, metric, level, at) : came_at(run, metric, level, at);
    const until = run === untouched ? watched_until(run, at) : at;
    if (!run.series.has(metric)) return "not measured";
    return step === undefined || (at === 0 && run !== untouched) ? never(until, run.steps) : `step ${step}`;
  };
  return (
    <table class="score stages">
      <thead>
        <tr>
          <th scope="col">Curve</th>
          <th scope="col">now</th>
          <th scope="col">level</th>
          <th scope="col">{other && !untouched ? "passed: solid" : "passed at"}</th>
          {other && <th scope="col">{untouched ? "untouched" : "dashed"}</th>}
          {bets.size > 0 && <th scope="col">your bet</th>}
        </tr>
      </thead>
      <tbody>
        {flags.map(curve => (
          <tr key={curve.metric}>
            <th scope="row">
              <i style={{ background: curve.colour }} aria-hidden="true" /> {label_of(curve.metric, task)}
              <small>
                {capital(curve.flag!.what)}: {measure_of(curve.metric, task)}
              </small>
            </th>
            <td>{now_of(training, curve, at)}</td>
            <td>{level_text(curve.flag!.level)}</td>
            <td>{passed(training, curve.metric, curve.flag!.level)}</td>
            {other && <td>{passed(other, curve.metric, curve.flag!.level)}</td>}
            {bets.size > 0 && <td>{bets.get(curve.metric) ?? "none"}</td>}
          </tr>
        ))}
        {others.map(metric => (
          <tr key={metric}>
            <th scope="row">
              <i style={{ background: role_colour(metric) }} aria-hidden="true" /> {label_of(metric, task)}
              <small>{measure_of(metric, task)}</small>
            </th>
            <td>{now_of(training, { metric, name: "", means: "", colour: "" }, at)}</td>
            <td />
            <td />
            {other && <td />}
            {bets.size > 0 && <td />}
          </tr>
        ))}
      </tbody>
      {change && (
        <caption class="soft">
          {change.whole
            ? `Attention is ${change.done} at this step. ${flags.map(({ metric }) => `“${label_of(metric, task)}”`).join(" and ")}: ${flags.length > 1 ? "both are" : "it is"} of the ${free}. Accuracy is of the model with the change.`
            : `A head is ${change.done} at this step. All curves are of the model with the change${set ? `, except “${label_of(set.metric, task)}” (${free})` : ""}.`}
        </caption>
      )}
    </table>
  );
}

interface ToldProps extends Props {
  names: [string, string] | undefined;
}

// The same in a sentence, where there is no room for a table.
export function Stages({ player, task, bets, names }: ToldProps) {
  const { trainings, at } = player;
  const name_of = ({ title }: Training, i: number) =>
    names ? `${capital(names[i]!)}: ` : title ? `With ${title}: ` : task.knowledge ? "Two stages: " : "So far: ";
  const of_run = (training: Training) => {
    if (training.examples === 0) return "this model has no attention";
    return [task.knowledge, task.attention]
      .filter(stage => stage !== undefined && training.series.has(stage.metric))
      .map(stage => {
        const step = came_at(training, stage!.metric, stage!.level, at);
        const bet = bets.get(stage!.metric);
        const your_bet = bet === undefined ? "" : `, your bet was ${bet}`;
        const end = training.state === "done" ? training.step : training.steps;
        return `${stage!.says}${step === undefined ? `: ${never(at, end)}` : ` from step ${step}`}${your_bet}`;
      })
      .join("; ");
  };
  return (
    <p class="stages">
      {trainings.map((training, i) => (
        <span>
          {name_of(training, i)}
          <Explained text={`${of_run(training)}. `} />
        </span>
      ))}
    </p>
  );
}
