// Where a loss is among the plateaus that were predicted for it: one rule for the page of a run and the Playground.
import type { Rule } from "./line_looks";

// Shares of the distance between the two rungs around a loss; beyond the ends, of the last distance.
const at = 0.1,
  near = 0.25;

// The mean over the last tenth of the evaluations until a step, since one evaluation is noise: over three at least where
// there are six or more. Nothing if there is no evaluation.
export function recent_mean(
  { steps, values }: { steps: number[]; values: (number | null)[] },
  until = Infinity,
): number | undefined {
  const seen = values.filter((value, i): value is number => value !== null && steps[i]! <= until);
  const count = Math.max(1, Math.ceil(seen.length / 10), Math.min(3, Math.floor(seen.length / 2)));
  const last = seen.slice(-count);
  return last.length === 0 ? undefined : last.reduce((sum, value) => sum + value, 0) / last.length;
}

export const nearest_rung = (rungs: Rule[], loss: number): Rule =>
  rungs.reduce((near, one) => (Math.abs(one.value - loss) < Math.abs(near.value - loss) ? one : near));

// "at the rung unigram (1.01).", "0.014 above the rung bigram (0.936).", else the two rungs around it.
export function rung_text(rungs: Rule[], loss: number): string {
  const named = ({ name, value }: Rule) => `${name} (${+value.toPrecision(3)})`;
  const sorted = [...rungs].sort((a, b) => a.value - b.value);
  const under = sorted.filter(({ value }) => value <= loss).length;
  const from = Math.max(0, Math.min(sorted.length - 2, under - 1));
  const [below, above = below] = sorted.slice(from, from + 2);
  const nearest = Math.abs(loss - below!.value) <= Math.abs(loss - above!.value) ? below! : above!;
  const way = Math.abs(loss - nearest.value) / (above!.value - below!.value);
  if (way <= at || loss === nearest.value) return `at the rung ${named(nearest)}.`;
  const side = loss < nearest.value ? "below" : "above";
  if (way <= near) return `${+Math.abs(loss - nearest.value).toPrecision(2)} ${side} the rung ${named(nearest)}.`;
  if (loss < below!.value) return `below the lowest rung, ${named(below!)}.`;
  if (loss > above!.value) return `above the highest rung, ${named(above!)}.`;
  return `between the rungs ${named(below!)} and ${named(above!)}.`;
}
