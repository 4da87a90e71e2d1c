// What a change of attention has done to each flag: computed from the changed training and the untouched one.
import { capital } from "../capital";
import type { Series } from "../engine/looks";
import type { Training } from "../engine/training";
import { act_of, act_text, changed_head } from "../play/acts";
import { type Curve, level_text, percent } from "./flags";

const steps_text = (count: number) => `${count} ${count === 1 ? "step" : "steps"}`;

// Up to which step a run has been watched. The untouched one was watched further, if it was trained before the change.
export const watched_until = (run: Training, at: number) => Math.max(at, run.step);

// What is measured in the steps of a change, with attention as it is by itself.
export const free = "same model, attention free";

interface Changed {
  whole: boolean; // all of attention, not one head
  is: string; // "held"
  done: string; // "held uniform"
}

// What is done to attention in the step that led to this evaluation: attention that is only not trained is the model's own.
export function changed_at(run: Training, at: number): Changed | undefined {
  const [change] = run.interventions,
    act = change && act_of(change);
  if (!change || !act || act.word === "freeze") return undefined;
  if (at <= Number(change.from ?? 0) || at > Number(change.until ?? run.steps)) return undefined;
  const held = act.word === "hold";
  return {
    whole: changed_head(run.interventions) === "",
    is: held ? "held" : act.title,
    done: act_text(act.name, Number(change[act.word])),
  };
}

// A metric as it is with the change, in the steps of the change. In the first of them, no update was made with the change yet.
export function as_it_works(run: Training, metric: string): Series | undefined {
  const series = run.series.get(metric),
    held = run.series.get(`${metric}_held`);
  if (!series || !held) return series;
  const of = new Map(held.steps.map((step, i) => [step, held.values[i]!]));
  return { steps: series.steps, values: series.steps.map((step, i) => of.get(step) ?? series.values[i]!) };
}

// The metrics that a hold of one head determines, whatever the model has learned.
const sets: { [hold: string]: string[] } = {
  previous: ["weight_on_previous"],
  truth: ["weight_on_needed", "attention_points_right"],
};

// Whether α or β is what the same model does with its attention free: if all of attention is changed, or a hold sets it.
export const is_free = ({ interventions }: Training, metric: string): boolean =>
  !changed_head(interventions) || sets[String(interventions[0]!.hold)]?.includes(metric) === true;

// α or β. If one head is changed, the others are measured with the change, since they get what this head passes.
export const measured_of = (run: Training, metric: string): Series | undefined =>
  is_free(run, metric) ? run.series.get(metric) : as_it_works(run, metric);

export const stays = 3; // evaluations that a level has to be kept, as far as there are as many

// The step at which a level was passed: the first evaluation that is not below it, and neither are the next ones. None
// after `at` is used.
export function came_at(run: Training, metric: string, level: number, at: number): number | undefined {
  const { steps = [], values = [] } = measured_of(run, metric) ?? {};
  const seen = values.slice(0, steps.filter(step => step <= at).length);
  const is_kept = (i: number) => seen.slice(i, i + stays).every(value => (value ?? level) >= level);
  return steps.find((_, i) => typeof seen[i] === "number" && is_kept(i));
}

// How many more evaluations a passing needs before it counts.
export const lacking = (run: Training, metric: string, came: number, at: number) =>
  stays - measured_of(run, metric)!.steps.filter(step => step >= came && step <= at).length;

// The step at which the untouched training reached a level, of the steps that were watched.
export const untouched_at = (ghost: Training, metric: string, level: number, at: number) =>
  came_at(ghost, metric, level, watched_until(ghost, at));

// The same in words.
export function untouched_text(ghost: Training, metric: string, level: number, at: number): string {
  const step = untouched_at(ghost, metric, level, at);
  return `untouched training: ${step === undefined ? never(watched_until(ghost, at), ghost.steps) : `step ${step}`}`;
}

// A level that was not reached, in words.
export const never = (at: number, steps: number) => (at < steps ? "not yet" : `not within ${at} steps`);

// A sentence for each flag, in the order of the flags.
export function effect_of(flags: Curve[], training: Training, ghost: Training, at: number): string[] {
  const [change] = training.interventions,
    act = change && act_of(change);
  if (!change || !act) return [];
  const from = Number(change.from ?? 0),
    until = Math.min(training.steps, Number(change.until ?? training.steps)),
    done = act_text(act.name, Number(change[act.word])),
    spares = ["uniform", "ablate"].includes(act.name); // it shows no position
  const now = changed_at(training, at);
  let named = false; // what is done to attention
  return flags.map(({ metric, flag, attends }) => {
    const { level, what } = flag!;
    const step = came_at(training, metric, level, at),
      untouched = untouched_text(ghost, metric, level, at);
    const value = training.value_at(metric, at);
    if (step === undefined && attends && now && is_free(training, metric) && typeof value === "number") {
      const begins = named ? "" : `${now.whole ? "Attention" : "The head"} is ${now.done}. `;
      named = true;
      return `${begins}${capital(what)} is at ${percent(value)} (${free}), below ${level_text(level)} (${untouched}).`;
    }
    if (step === undefined)
      return at < training.steps
        ? `${capital(what)}: not yet (${untouched}).`
        : `${capital(what)} did not come within ${at} steps (${untouched}).`;
    const inside = step > from && step < until;
    const when = inside
      ? `${spares ? " all the same" : ""}, while ${changed_head(training.interventions) ? "the head" : "attention"} was ${done}`
      : step <= from
        ? ", before the change"
        : step === until
          ? ", at the end of the change"
          : `, ${steps_text(step - until)} after the ${act.word === "hold" ? "release" : "change"}`;
    const measured = inside && attends && now && is_free(training, metric) ? `, measured in the ${free}` : "";
    return `${capital(what)} came at step ${step}${when}${measured} (${untouched}).`;
  });
}
