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

// Lines of one value each, at the step.
export const lines_at = (lines: Line[], step: number | undefined): Line[] =>
  step === undefined
    ? lines
    : lines.map(line => {
        const last = line.steps.filter(one => one <= step).length;
        return { ...line, steps: line.steps.slice(last - 1, last), values: line.values.slice(last - 1, last) };
      });

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
