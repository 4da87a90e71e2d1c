// β of one position as a chance: how likely the right answer would be, if all attention were on it.
import type { Looks } from "../engine/looks";

// β is a logit for the right one of two classes, elsewhere a logarithm of the chance.
const is_logit = (training: Looks) => training.axes.rows === "example" && training.class_count <= 2;
export const chance_of = (training: Looks, beta: number) =>
  is_logit(training) ? 1 / (1 + Math.exp(-beta)) : Math.exp(beta);
const beta_of = (training: Looks, chance: number) =>
  is_logit(training) ? Math.log(chance / (1 - chance)) : Math.log(chance);

const digits = (percents: number) => String(+percents.toPrecision(percents > 99 ? 4 : 2));
const chance_percent = (chance: number) =>
  chance > 0.99999 ? "100 %" : chance < 1e-6 ? "less than 0.0001 %" : `${digits(100 * chance)} %`;

// What is said of one position.
export function chance_text(training: Looks, beta: number | undefined, answer: string): string {
  if (beta === undefined || !Number.isFinite(beta)) return "";
  const of = answer ? `“${answer}”` : "the right answer";
  return ` The chance of ${of} by this position alone (β): ${chance_percent(chance_of(training, beta))}.`;
}

// Round chances between two values of β, each with its β, no closer than a part of them.
export function chance_ticks(training: Looks, low: number, high: number): { beta: number; says: string }[] {
  const decades = [1e-8, 1e-6, 1e-5, 1e-4, 1e-3, 0.01, 0.1];
  const all = is_logit(training)
    ? [...decades, 0.5, ...decades.map(chance => 1 - chance).reverse()]
    : [1, ...decades.reverse()];
  const ticks: { beta: number; says: string }[] = [];
  for (const chance of all) {
    const beta = beta_of(training, chance);
    const room = Math.abs(beta - (ticks.at(-1)?.beta ?? Infinity));
    if (beta >= low && beta <= high && room >= (high - low) / 5)
      ticks.push({ beta, says: `${+(100 * chance).toPrecision(8)} %` });
  }
  return ticks;
}
