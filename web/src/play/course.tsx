// What the trainings have come to, as curves over their steps with the two stages marked, and in words.
import { useMemo } from "preact/hooks";
import { useWord } from "../address";
import type { Mark } from "../curves";
import type { Training } from "../engine/training";
import { Figure } from "../figure";
import { Lines } from "../lines";
import { rules_room } from "../rules";
import { useScreen } from "../screen";
import { as_it_works, came_at, lacking, measured_of } from "../start/effect";
import { rungs_of } from "../start/rungs_told";
import { Explained } from "../term";
import { marks_of_interventions } from "./acts";
import { curves_of, table_of } from "./curves_of";
import { Loss, not_yet } from "./loss";
import type { Player } from "./player";
import { CurveTable, Stages } from "./stages";
import { ghost, type State } from "./state";
import { first_curves, label_of } from "./task_metrics";
import type { Task } from "./tasks";
import { Verdict } from "./verdict";

interface Props {
  player: Player<State>;
  task: Task;
  until: number; // what comes after this step is hidden
  presented: boolean;
  embedded: boolean;
  bets: Map<string, number>; // the step of each stage's metric
  file: string;
  names?: [string, string] | undefined; // what the two runs are called
  hold_uniform: (of: string, until: number) => void; // holds attention uniform, or a head of it, from the start
}

export function Course({ player, task, until, presented, embedded, bets, file, names, hold_uniform }: Props) {
  const { trainings, at, progress, total } = player;
  const untouched = player.of?.beside === ghost ? trainings[1] : undefined;
  const curves = useMemo(
    () => curves_of(trainings, task.metrics, until, untouched, series_of, task),
    [trainings, progress, task, until, untouched],
  );
  const marked = untouched ? trainings.slice(0, 1) : trainings; // the untouched run has no marks
  const { wide } = useScreen(); // else there is no room above the curves, and the steps stand below them
  const marks = useMemo(
    () => marks_of(marked, task, presented, wide, until, bets),
    [trainings, progress, task, until, presented, wide, bets],
  );
  const mark_rows = mark_rows_of(marked, task, presented || !wide) + (presented ? 0 : bets.size);
  const [shown, toggle] = useShownCurves(task);
  const plateaus = rungs_of(trainings[0]);
  const rungs = (presented || !embedded) && plateaus.length > 0;
  const room = useHeight(marked.length, mark_rows, presented, embedded);
  const height = presented
    ? Math.max(190, room * (rungs ? 0.55 : 1))
    : Math.max(rungs ? 225 + 16 * mark_rows : 0, room * (rungs ? 0.6 : 1)); // what marks say leaves the curves their room
  const letters = presented ? 22 : 12;
  const in_words = !presented && !embedded;
  return (
    <div class="course">
      <Figure title="What is learned when" file={file} table={() => table_of(curves)} empty={at === 0 && !untouched}>
        <Lines
          curves={curves}
          label="share"
          empty={not_yet}
          now={at}
          range={unit}
          steps={total}
          marks={marks}
          mark_rows={mark_rows}
          letters={letters}
          height={height}
          shown={shown}
          toggle={toggle}
          {...(rungs && { right: rules_room(plateaus, letters) })}
        />
      </Figure>
      {task.attention && in_words && <Verdict player={player} task={task} bets={bets} hold_uniform={hold_uniform} />}
      {task.attention && in_words && <CurveTable player={player} task={task} bets={bets} shown={shown} />}
      {rungs && (
        <div class="loss-part">
          <Loss
            player={player}
            until={until}
            file={file}
            {...(presented && { room: { letters, height: Math.max(190, room * 0.5) } })}
          />
        </div>
      )}
      {task.attention && !in_words && <Stages player={player} task={task} bets={bets} names={names} />}
      {!presented && task.note && (
        <p class="soft">
          <Explained text={task.note} />
        </p>
      )}
    </div>
  );
}

// The answers are of the model as it works.
const series_of = (training: Training, metric: string) =>
  metric === "accuracy" ? as_it_works(training, metric) : measured_of(training, metric);

const unit: [number, number] = [0, 1];

// The curves that are shown stand in the address.
function useShownCurves(task: Task): [shown: Set<string>, toggle: (like: string) => void] {
  const [chosen, choose] = useWord("curves", first_curves(task).join());
  const shown = useMemo(() => new Set(chosen.split(",").map(metric => label_of(metric, task))), [chosen, task]);
  const toggle = (like: string) => {
    const on = new Set(shown);
    if (!on.delete(like)) on.add(like);
    choose(task.metrics.filter(metric => on.has(label_of(metric, task))).join());
  };
  return [shown, toggle];
}

// What the screen leaves beside the maps and the controls.
function useHeight(runs: number, mark_rows: number, presented: boolean, embedded: boolean): number {
  const screen = useScreen();
  if (screen.wide) {
    const others = presented ? (runs > 1 ? 600 : 370) : embedded ? 300 : runs > 1 ? 560 : 530;
    return Math.max(190, Math.min(440, screen.height - others));
  }
  const rest = Math.max(embedded ? 140 : 150, Math.min(260, screen.height - (embedded ? 480 : 680)));
  return rest + (embedded ? 0 : (runs > 1 ? 12 : 6) * mark_rows);
}

// As many as there can be, so that nothing moves when one comes.
function mark_rows_of(trainings: Training[], task: Task, alone: boolean): number {
  const steps = trainings.flatMap(({ interventions }) => interventions.flatMap(one => [one.from, one.until]));
  const acted = new Set(steps.filter(step => Number(step) > 0)).size;
  const flags = trainings.flatMap(training => predicted.filter(([name]) => training.predicted_step(name)));
  const stages = [task.knowledge, task.attention].filter(Boolean).length;
  return Math.max(1, acted) + (alone ? 0 : trainings.length * stages + flags.length);
}

// Steps that are predicted before training.
const predicted: [time: string, says: string][] = [
  ["predicted_time_to_knowledge_half", "predicted: β half-way to sure"],
  ["predicted_time_to_attention_half", "predicted: α half-way to the keyword"],
  ["causal_time", "predicted: an induction head"],
];

// Where each run reaches the two stages, and where what was done to its attention began and ended; what all of them
// share is said once. Before a room, and on a small screen, the stages are said under the curves alone.
function marks_of(
  trainings: Training[],
  task: Task,
  presented: boolean,
  wide: boolean,
  until: number,
  bets: Map<string, number>,
): Mark[] {
  const alone = presented || !wide;
  const all: Mark[] = presented
    ? []
    : [...bets].map(([metric, step]) => {
        const stage = [task.knowledge, task.attention].find(one => one?.metric === metric);
        return { step, says: `your bet: ${stage?.what ?? metric}` };
      });
  for (const training of trainings) {
    const mark = (step: number, says: string) => {
      if (!all.some(other => other.step === step && other.says === says))
        all.push({ step, says: says + (training.title && `, ${training.title}`) });
    };
    for (const stage of alone ? [] : [task.knowledge, task.attention]) {
      const step = stage && came_at(training, stage.metric, stage.level, until);
      if (stage && step !== undefined && lacking(training, stage.metric, step, until) <= 0) mark(step, stage.says);
    }
    for (const [name, says] of alone ? [] : predicted) {
      const step = training.predicted_step(name);
      if (step !== undefined) mark(step, says);
    }
    for (const { step, says } of marks_of_interventions(training.interventions))
      if (step !== training.steps) mark(step, says);
  }
  return all;
}
