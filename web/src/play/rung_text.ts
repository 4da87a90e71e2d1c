// Where a loss is among the plateaus that were predicted for it, in words.
import type { Rule } from "../line_looks";

const near = 0.15; // of the way to the next rung

// "at the rung unigram (1.01)."
export function rung_text(rungs: Rule[], loss: number): string {
  const named = ({ name, value }: Rule) => `${name} (${+value.toPrecision(3)})`;
  const sorted = [...rungs].sort((a, b) => a.value - b.value);
  const above = sorted.find(({ value }) => value > loss),
    below = sorted.filter(({ value }) => value <= loss).at(-1);
  if (!above || !below) {
    const [end, side] = above ? [above, "below the lowest rung"] : [below!, "above the highest rung"];
    const gap = sorted.length > 1 ? (sorted.at(-1)!.value - sorted[0]!.value) / (sorted.length - 1) : 0;
    return Math.abs(loss - end.value) <= near * gap ? `at the rung ${named(end)}.` : `${side}, ${named(end)}.`;
  }
  const way = (loss - below.value) / (above.value - below.value);
  if (way <= near || way >= 1 - near) return `at the rung ${named(way <= near ? below : above)}.`;
  return `between the rungs ${named(below)} and ${named(above)}.`;
}
