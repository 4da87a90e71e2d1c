// The sentences of Start on the step that is shown. They use the steps that have been watched, and no later one.
import { capital } from "../capital";
import { type Series, value_in } from "../engine/looks";
import type { Training } from "../engine/training";
import type { Pointed, Seen } from "./arcs";
import { as_it_works, came_at, changed_at, effect_of, is_free, measured_of, never, untouched_text } from "./effect";
import { type Curve, level_text, percent } from "./flags";
import { flags_of, type Scene } from "./scenes";

// A curve as it is drawn: what the model writes is measured with the change.
export const series_of = (run: Training, { metric, flag }: Curve): Series | undefined =>
  flag ? measured_of(run, metric) : as_it_works(run, metric);

// What a curve is at a step. Changed attention is named, and beside it what the same model does with its attention free.
export function now_of(run: Training | undefined, curve: Curve, at: number): string {
  const series = run && series_of(run, curve),
    value = series && value_in(series, at);
  if (typeof value !== "number") return "–";
  const change = curve.attends && is_free(run!, curve.metric) && changed_at(run!, at);
  return change ? `${change.is} (attention free: ${percent(value)})` : percent(value);
}

// A level of a curve that was not reached.
export function not_come(run: Training | undefined, curve: Curve, at: number): string {
  const change = curve.attends && run && is_free(run, curve.metric) && changed_at(run, at);
  return change ? change.is : never(at, run?.steps ?? Infinity);
}

// The step that Fovea predicts for a flag, if it predicts one.
export function predicted_at(training: Training | undefined, curve: Curve): number | undefined {
  const time = curve.flag?.predicted;
  return time === undefined ? undefined : training?.predicted_step(time);
}

// Who was nearer to the step at which it came.
export function nearer(came: number, bet: number, predicted: number): string {
  const own = Math.abs(bet - came),
    other = Math.abs(predicted - came);
  const [who, by] = own < other ? ["you", other - own] : ["Fovea", own - other];
  return by === 0 ? "both alike" : `${who}, ${by} ${by === 1 ? "step" : "steps"} closer`;
}

interface Arrived {
  what: string;
  came: number;
  level: string;
  bet: number | undefined;
}

const alike = (flags: Curve[]) => new Set(flags.map(({ flag }) => flag!.level)).size === 1;

// Whether the order of two flags says something: they have one level, or each is half of the way of its own curve.
export const ordered = (flags: Curve[]) => alike(flags) || flags.every(({ flag }) => flag!.halfway);

// When each flag came in a training, in the order of arrival; the flags that have not come are left out.
function arrived(flags: Curve[], training: Training, bets: (number | undefined)[], at: number): Arrived[] {
  return flags
    .flatMap(({ metric, flag }, i) => {
      const came = came_at(training, metric, flag!.level, at);
      return came === undefined ? [] : [{ what: flag!.what, came, level: level_text(flag!.level), bet: bets[i] }];
    })
    .sort((a, b) => a.came - b.came);
}

// One sentence for the order, if it says something, and one for the bets. If attention was changed: the effect on each flag.
export function verdict(
  flags: Curve[],
  training: Training | undefined,
  ghost: Training | undefined,
  bets: (number | undefined)[],
  at: number,
): string {
  if (!training || at === 0)
    return bets.every(bet => bet !== undefined)
      ? "Both flags are set. Now train it."
      : "Put each flag on the step at which you expect it, then train.";
  if (ghost) return effect_of(flags, training, ghost, at).join(" ");
  const come = arrived(flags, training, bets, at);
  const [first, second] = come;
  if (flags.length === 1) return of_one(flags[0]!, come, training, at);
  if (!first) return at < training.steps ? "Neither has come yet." : `Neither came within ${at} steps.`;
  const other = flags[flags[0]!.flag!.what === first.what ? 1 : 0]!;
  const in_order = ordered(flags),
    level = alike(flags) ? () => "" : (one: Arrived) => `${one.level} at `;
  const begins = in_order
    ? `${capital(first.what)} first (${level(first)}step ${first.came})`
    : passed(first, capital(first.what));
  if (!second) return `${begins}, ${other.flag!.what}: ${never(at, training.steps)}.`;
  const came = !in_order
    ? `${begins}, ${passed(second, second.what)}. The levels differ, so no order is judged.`
    : first.came === second.came
      ? `Both at step ${first.came}.`
      : `${begins}, then ${second.what} (${level(second)}step ${second.came}).`;
  return [came, judged(come, in_order)].filter(Boolean).join(" ");
}

const passed = ({ level, came }: Arrived, what: string) => `${what} passed ${level} at step ${came}`;

// The same of a task with one flag.
function of_one({ flag }: Curve, [one]: Arrived[], training: Training, at: number): string {
  const what = capital(flag!.what);
  if (!one) return `${what}: ${never(at, training.steps)}.`;
  return [`${what} came at step ${one.came}.`, judged([one], false)].filter(Boolean).join(" ");
}

// The order of the bets, if that of the flags says something, and the distance of each, in the order of arrival.
function judged(come: Arrived[], in_order: boolean): string {
  const off = come.flatMap(({ what, came, bet }) => (bet === undefined ? [] : [{ what, by: bet - came }]));
  const off_by = (by: number) => {
    if (by === 0) return "exact";
    const steps = Math.abs(by) === 1 ? "step" : "steps";
    return `${Math.abs(by)} ${steps} ${by > 0 ? "too late" : "too early"}`;
  };
  const [one, two] = off;
  if (!one) return "";
  if (!two) return `Your bet on ${one.what}: ${off_by(one.by)}.`;
  const [a, b] = come;
  const order =
    !in_order || a!.came === b!.came
      ? ""
      : a!.bet === b!.bet
        ? "You bet on one step for both; "
        : `Your order was ${a!.bet! < b!.bet! ? "right" : "wrong"}; `;
  const distances =
    one.by === two.by ? `${off_by(one.by)} for both` : off.map(({ what, by }) => `${what} ${off_by(by)}`).join(", ");
  return order ? `${order}${distances}.` : in_order ? `${capital(distances)}.` : `Your bets: ${distances}.`;
}

export function told(
  scene: Scene,
  training: Training,
  ghost: Training | undefined,
  bets: (number | undefined)[],
  at: number,
): string {
  if (at === 0) return "Nothing has been trained yet. Put each flag on the step at which you expect it, then train.";
  const now = scene.curves.map(curve => `${curve.name} ${now_of(training, curve, at)}`);
  const flags = flags_of(scene).map((curve, i) => {
    const { metric, flag } = curve;
    const came = came_at(training, metric, flag!.level, at),
      bet = bets[i];
    const untouched = ghost ? ` (${untouched_text(ghost, metric, flag!.level, at)})` : "";
    if (came === undefined) return `${flag!.short}: ${not_come(training, curve, at)}${untouched}.`;
    const fovea = predicted_at(ghost ?? training, curve);
    const off = bet === undefined ? "" : bet === came ? ", exactly your bet" : `, your bet was ${bet}`;
    const of_fovea = fovea === undefined ? "" : `, predicted: ${fovea}`;
    return `${flag!.short}: step ${came}${off}${of_fovea}${untouched}.`;
  });
  return `Step ${at}: ${now.join(", ")}. ${flags.join(" ")}`;
}

// What is pointed at, in words and numbers.
export function reading(scene: Scene, seen: Seen | undefined, { row, column }: Pointed): string {
  if (!seen) return "";
  const { inputs, outputs, weights } = seen;
  const count = inputs.length;
  const word = (all: string[], i: number) => `“${all[i]}” (${i + 1})`;
  if (row !== undefined && row < outputs.length) {
    const own = weights.subarray(row * count, (row + 1) * count);
    const first = [...own.keys()].sort((a, b) => own[b]! - own[a]!).slice(0, 3);
    if (column !== undefined && !first.includes(column)) first[2] = column;
    return `${word(outputs, row)} looks at ${first.map(i => `${word(inputs, i)} ${percent(own[i]!)}`).join(", ")}.`;
  }
  if (column !== undefined && column < count) {
    const shares = outputs.map((_, i) => weights[i * count + column]!);
    if (outputs.length === 1) return `${word(inputs, column)} has ${percent(shares[0]!)} of the attention.`;
    const most = shares.indexOf(Math.max(...shares));
    return `Of all ${scene.row}s, ${word(outputs, most)} looks most at ${word(inputs, column)}: ${percent(shares[most]!)}.`;
  }
  const equal = scene.causal ? "" : ` Equal weights would be ${percent(1 / count)} each.`;
  const divides = outputs.length === 1 ? `The ${scene.row}` : `Each ${scene.row}`;
  return `${divides} divides 100 % of attention among the ${scene.left}.${equal} Point at a word for its weights.`;
}
