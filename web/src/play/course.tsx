// What the trainings have come to, as curves over their steps with the two stages marked, and in words.
import { useMemo } from "preact/hooks";
import { useWord } from "../address";
import type { Curve, Mark } from "../curves";
import type { Training } from "../engine/training";
import { Figure } from "../figure";
import { type Rule, rungs_among } from "../line_looks";
import { Lines } from "../lines";
import { rules_room } from "../rules";
import { recent_mean, rung_text } from "../rungs";
import { useScreen } from "../screen";
import { watched_until } from "../start/effect";
import { never } from "../start/told";
import { Explained } from "../term";
import { marks_of_interventions } from "./acts";
import type { Player } from "./player";
import { ghost, type State } from "./state";
import { first_curves, labels } from "./task_metrics";
import type { Task } from "./tasks";
import { Verdict } from "./verdict";

const not_yet = "Press Play: curves appear here.";

interface Props {
  player: Player<State>;
  task: Task;
  until: number; // what comes after this step is hidden
  presented: boolean;
  embedded: boolean;
  bets: Map<string, number>; // the step of each stage's metric
  file: string;
  names?: [string, string] | undefined; // what the two runs are called
}

export function Course({ player, task, until, presented, embedded, bets, file, names }: Props) {
  const { trainings, at, progress, total } = player;
  const untouched = player.of?.beside === ghost ? trainings[1] : undefined;
  const curves = useMemo(
    () => curves_of(trainings, task.metrics, until, untouched),
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
  const rungs = !presented && !embedded && plateaus.length > 0;
  const height = Math.max(
    rungs ? 150 + 16 * mark_rows : 0,
    useHeight(marked.length, mark_rows, presented, embedded) * (rungs ? 0.6 : 1),
  );
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
          letters={presented ? 22 : 12}
          height={height}
          shown={shown}
          toggle={toggle}
          {...(rungs && { right: rules_room(plateaus) })}
        />
      </Figure>
      {rungs && <Loss player={player} until={until} file={file} />}
      {task.attention && !presented && !embedded && <Verdict player={player} task={task} bets={bets} />}
      {task.attention && <Stages trainings={trainings} task={task} at={at} bets={bets} names={names} />}
      {!presented && task.note && (
        <p class="soft">
          <Explained text={task.note} />
        </p>
      )}
    </div>
  );
}

export function Loss({ player, until, file }: { player: Player<State>; until: number; file: string }) {
  const { trainings, progress } = player;
  const rungs = useMemo(() => rungs_of(trainings[0]), [trainings[0]]);
  const losses = useMemo(() => {
    const untouched = player.of?.beside === ghost ? trainings[1] : undefined;
    return curves_of(trainings, rungs.length > 0 ? ["loss", "loss_held"] : ["train_loss"], until, untouched);
  }, [trainings, progress, until, rungs]);
  return (
    <Figure title="Loss" file={`${file}-loss`} table={() => table_of(losses)} empty={player.at === 0}>
      {rungs.length > 0 && (
        <div class="rung-told" style={{ minHeight: `${1.5 * trainings.length}em` }}>
          {rungs_told(trainings, rungs, player.at).map(says => (
            <p>{says}</p>
          ))}
        </div>
      )}
      <Lines
        curves={losses}
        label="loss"
        empty={not_yet}
        now={player.at}
        steps={player.total}
        rules={rungs}
        {...(rungs.length > 0 && { height: 230 })}
      />
      {rungs.length > 0 && (
        <p class="soft">
          Named lines, the rungs: losses that are predicted from the data, before any training. The sentence has the
          mean loss of the last evaluations.
          {trainings.some(training => training.series.has("loss_held")) &&
            " “loss while attention is changed” is of the model as it trains. “loss” is of the same model if it were released."}
        </p>
      )}
    </Figure>
  );
}

// The rung that the loss of each training has come to at a step, of the model as it trains.
function rungs_told(trainings: Training[], rungs: Rule[], at: number): string[] {
  if (at === 0) return [];
  return trainings.flatMap(training => {
    const changed = training.interventions.some(
      ({ from, until }) => Number(from ?? 0) <= at && (until === undefined || at <= Number(until)),
    );
    const recent = (metric: string) => {
      const series = training.series.get(metric);
      return series && recent_mean(series, at);
    };
    const held = changed ? recent("loss_held") : undefined,
      loss = held ?? recent("loss");
    if (loss === undefined) return [];
    const end = training.state === "done" ? training.step : training.steps;
    const where = `${at < end ? "is" : "stops"} ${rung_text(rungs, loss)}`;
    if (trainings.length === 1) return [`The loss ${where}`];
    const whose = training.interventions.length === 0 ? training.title : "with the change";
    return [`${whose.charAt(0).toUpperCase()}${whose.slice(1)} the loss ${where}`];
  });
}

// The plateaus of the loss that are computed from the data alone: they are there before training.
export function rungs_of(training: Training | undefined): Rule[] {
  return rungs_among([...(training?.series ?? [])].map(([metric, { values }]) => [metric, values[0]]));
}

const unit: [number, number] = [0, 1];

// The curves that are shown stand in the address.
function useShownCurves(task: Task): [shown: Set<string>, toggle: (like: string) => void] {
  const [chosen, choose] = useWord("curves", first_curves(task).join());
  const shown = useMemo(() => new Set(chosen.split(",").map(metric => labels[metric] ?? metric)), [chosen]);
  const toggle = (like: string) => {
    const on = new Set(shown);
    if (!on.delete(like)) on.add(like);
    choose(task.metrics.filter(metric => on.has(labels[metric] ?? metric)).join());
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

// As far as a step; of the untouched training, as far as it was trained.
function curves_of(trainings: Training[], metrics: string[], at: number, untouched: Training | undefined): Curve[] {
  return trainings.flatMap((training, i) =>
    metrics.flatMap(metric => {
      const series = training.series.get(metric);
      const like = labels[metric] ?? metric;
      const title = like + (training.title && `, ${training.title}`);
      const until = training === untouched ? watched_until(training, at) : at;
      if (!series) return [];
      const seen = until === Infinity ? series.steps.length : series.steps.filter(step => step <= until).length;
      return [
        {
          name: title,
          group: title,
          steps: series.steps.slice(0, seen),
          values: series.values.slice(0, seen),
          like,
          dashed: i > 0,
        },
      ];
    }),
  );
}

function table_of(curves: Curve[]) {
  return {
    columns: ["line", "step", "value"],
    rows: curves.flatMap(curve => curve.steps.map((step, i) => [curve.name, step, curve.values[i] ?? null])),
  };
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
    : [...bets].map(([metric, step]) => ({ step, says: `your bet: ${metric === task.attention?.metric ? "α" : "β"}` }));
  for (const training of trainings) {
    const mark = (step: number, says: string) => {
      if (!all.some(other => other.step === step && other.says === says))
        all.push({ step, says: says + (training.title && `, ${training.title}`) });
    };
    for (const stage of alone ? [] : [task.knowledge, task.attention]) {
      const step = stage && training.step_of(stage.metric, stage.level);
      if (stage && step !== undefined && step <= until) mark(step, stage.says);
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

// The same in words.
function Stages(props: {
  trainings: Training[];
  task: Task;
  at: number;
  bets: Map<string, number>;
  names: [string, string] | undefined;
}) {
  const { trainings, task, at, bets, names } = props;
  const name_of = ({ title }: Training, i: number) =>
    names
      ? `${names[i]!.charAt(0).toUpperCase()}${names[i]!.slice(1)}: `
      : title
        ? `With ${title}: `
        : task.knowledge
          ? "Two stages: "
          : "So far: ";
  const told = (training: Training) => {
    if (training.examples === 0) return "this model has no attention";
    return [task.knowledge, task.attention]
      .filter(stage => stage !== undefined && training.series.has(stage.metric))
      .map(stage => {
        const step = training.step_of(stage!.metric, stage!.level);
        const bet = bets.get(stage!.metric);
        const your_bet = bet === undefined ? "" : `, your bet was ${bet}`;
        const end = training.state === "done" ? training.step : training.steps;
        return `${stage!.says}${step === undefined || step > at ? `: ${never(at, end)}` : ` from step ${step}`}${your_bet}`;
      })
      .join("; ");
  };
  return (
    <p class="stages">
      {trainings.map((training, i) => (
        <span>
          {name_of(training, i)}
          <Explained text={`${told(training)}. `} />
        </span>
      ))}
    </p>
  );
}
