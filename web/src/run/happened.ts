// What a run was, and what happened in it, in sentences.
import { rungs_among } from "../line_looks";
import { flat_settings, type WholeRun } from "../model";
import { interventions_text, none } from "../play/acts";
import { recent_mean, rung_text } from "../rungs";
import { released } from "./as_trained";
import { nearest_at_end, rungs_of_last } from "./events";
import { series_of } from "./kept";

const percent = (share: number) => `${+(100 * share).toPrecision(3)} %`;
const short = (value: number) => String(+value.toPrecision(3));

// What was trained: "A transformer with 2 layers and 1 head learned the task birth: 900 steps from seed 0."
export function trained_in(run: WholeRun): string {
  const settings = flat_settings(run.settings);
  const count = (name: string, one: string) => {
    const text = settings.get(`model.${name}`) ?? "";
    return /^[1-9]\d*$/.test(text) ? [`${text} ${one}${text === "1" ? "" : "s"}`] : [];
  };
  const listed = /^\[(.+)\]$/.exec(settings.get("model.heads") ?? "")?.[1]; // heads by their numbers
  const heads = listed ? [`the heads ${listed.replaceAll(",", ", ")}`] : count("heads", "head");
  const parts = [...count("layers", "layer"), ...heads].join(" and ");
  const model = `${settings.get("model.name") ?? "model"}${parts && ` with ${parts}`}`;
  const task = settings.get("task.name");
  const what = `The model ${model} was trained${task ? ` on the task ${task}` : ""}: ${run.steps} steps from seed ${run.seed}.`;
  const done = interventions_text(run.settings.intervene);
  return done === none ? what : `${what} Intervention: ${done}.`;
}

function first_step(run: WholeRun, metric: string, level: number): number | undefined {
  const { steps, values } = series_of(run.series[metric] ?? []);
  return steps[values.findIndex(value => value !== null && value >= level)];
}

function accuracy_text(run: WholeRun): string[] {
  const last = run.metrics.accuracy;
  if (typeof last !== "number") return [];
  const reached = first_step(run, "accuracy", 0.9);
  const running = run.state === "running";
  if (reached === undefined) {
    const highest = series_of(run.series.accuracy ?? []).values.reduce<number>(
      (most, one) => Math.max(most, one ?? 0),
      last,
    );
    return [
      `Accuracy ${running ? "is now" : "ended at"} ${percent(last)}${highest > last ? `, its highest was ${percent(highest)}` : ""}.`,
    ];
  }
  return [
    `Accuracy first reached 90 % at step ${reached}. ${running ? "It is now" : "At the end it was"} ${percent(last)}.`,
  ];
}

function loss_text(run: WholeRun): string[] {
  const name = run.series.loss ? "loss" : "train_loss";
  const series = series_of(run.series[name] ?? []);
  const [first, last] = [series.values[0], series.values.at(-1)];
  if (typeof first !== "number" || typeof last !== "number") return [];
  const [from, to] = [short(first), short(last)];
  const went = from === to ? `stayed at ${to}` : `${last < first ? "fell" : "rose"} from ${from} to ${to}`;
  const ended = run.state === "running" ? "It is now" : "It ended";
  const rungs = name === "loss" ? rungs_among(Object.entries(run.metrics)) : [];
  const recent = recent_mean(series) ?? last;
  const loss = `${name === "loss" ? "Loss" : "Loss in training"} ${went}.`;
  if (rungs.length === 0) return [loss];
  if (!rungs_of_last(run)) return [loss, `${ended} ${rung_text(rungs, recent)}`];
  const nearest = nearest_at_end(run);
  const ended_near = run.state === "running" ? "The model is now" : "The model ended";
  return nearest ? [loss, `${ended_near} nearest to the rung ${nearest}, by KL divergence.`] : [loss];
}

// What the same model measures without the change of attention, if that acts at the end.
function released_text(run: WholeRun): string[] {
  const { [`accuracy${released}`]: accuracy, [`loss${released}`]: loss } = run.metrics;
  const parts = [
    ...(typeof accuracy === "number" ? [`accuracy ${percent(accuracy)}`] : []),
    ...(typeof loss === "number" ? [`loss ${short(loss)}`] : []),
  ];
  return parts.length === 0
    ? []
    : [`These numbers are under the intervention. If attention were released: ${parts.join(", ")}.`];
}

// Which came first, knowing or looking.
function order_text(run: WholeRun): string[] {
  const half = (metric: string) => first_step(run, metric, 0.5);
  if (!run.series.beta_points_right || !run.series.attention_points_right) return [];
  const never = run.state === "running" ? "not yet" : "never";
  const at = (step: number | undefined) => (step === undefined ? never : `at step ${step}`);
  return [
    `β pointed to the right word in half of the rows ${at(half("beta_points_right"))}, attention ${at(half("attention_points_right"))}.`,
  ];
}

// What came of it.
export function happened_in(run: WholeRun): string {
  const ended = { running: "It is still running.", done: "", stopped: "It was stopped.", failed: "It failed." };
  return [ended[run.state], ...accuracy_text(run), ...loss_text(run), ...released_text(run), ...order_text(run)]
    .filter(Boolean)
    .join(" ");
}
