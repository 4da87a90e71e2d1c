// The step at which runs are compared: the table, the comparisons of groups and what is saved have the values there.
import type { Line, Run, Table } from "../model";
import { expression_at } from "../run/as_trained";

// The step that the address names; nothing: the end of each run.
export function step_in(text: string): number | undefined {
  return /^\d+$/.test(text) ? Number(text) : undefined;
}

// The value at the last evaluation up to a step, as at() of expressions has it; none of a run that ends before.
export function value_at({ steps, values }: Pick<Line, "steps" | "values">, step: number): number | null {
  if ((steps.at(-1) ?? -1) < step) return null;
  return values[steps.filter(one => one <= step).length - 1] ?? null;
}

// Runs whose metric has its value at the step.
export function runs_at(runs: Run[], lines: Line[], metric: string, step: number | undefined): Run[] {
  if (step === undefined) return runs;
  const of = new Map(lines.map(line => [line.run, value_at(line, step)]));
  return runs.map(run => ({ ...run, metrics: { ...run.metrics, [metric]: of.get(run.run) ?? null } }));
}

// Lines of one value each, at the step; null for a run that has none there.
export const lines_at = (lines: Line[], step: number | undefined): Line[] =>
  step === undefined
    ? lines
    : lines.map(line => {
        const value = value_at(line, step);
        const evaluated = value === null ? step : line.steps.filter(one => one <= step).at(-1)!;
        return { ...line, steps: [evaluated], values: [value] };
      });

// Which of these lines have no value at the step, as a note; "" if all have one.
export function without_value_text(lines: Line[], step: number | undefined): string {
  const without = lines_at(lines, step).filter(({ values }) => step !== undefined && values[0] === null);
  if (without.length === 0) return "";
  const runs = without.map(({ run }) => run).join(", ");
  return without.length === 1
    ? `Run ${runs} has no value at step ${step}. Its cell in the CSV is empty.`
    : `Runs ${runs} have no value at step ${step}. Their cells in the CSV are empty.`;
}

export const at_text = (step: number | undefined) => (step === undefined ? "at the end" : `at step ${step}`);
export const step_text = (step: number | undefined) => (step === undefined ? "" : ` ${at_text(step)}`);

// What a file calls the values.
export const column_at = (metric: string, step: number | undefined) =>
  step === undefined ? metric : expression_at(metric, step);

// The steps before the end at which attention is released.
export function releases_of(runs: Run[]): number[] {
  const untils = runs.flatMap(({ settings, steps }) =>
    (Array.isArray(settings.intervene) ? (settings.intervene as Table[]) : [])
      .map(({ until }) => Number(until ?? Infinity))
      .filter(until => until < steps),
  );
  return [...new Set(untils)].sort((a, b) => a - b);
}
