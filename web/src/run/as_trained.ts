// One rule for runs whose attention is changed: a metric is of the model as it trains, so under the change at each step
// that has one. What the same model would measure if attention were released has a name of its own.
import type { Query, Run, WholeRun } from "../model";

export const released = "_released";
const held = "_held";

// As the program computes it (docs/reference/expressions.md).
export function expression_of(metric: string): string {
  if (metric.endsWith(released)) return metric.slice(0, -released.length);
  return metric.endsWith(held) || !/^\w+$/.test(metric) ? metric : `as_trained(${metric})`;
}

// Its value at the last evaluation up to a step; without one at the end.
export const expression_at = (metric: string, step: number | undefined) =>
  step === undefined ? expression_of(metric) : `at(${expression_of(metric)}, ${step})`;

// The name under which files have it: as_trained() says something where there is a change.
export const name_in_files = (metric: string, runs: Pick<Run, "metrics">[]) =>
  metric.endsWith(released) || runs.some(run => metric + released in run.metrics) ? expression_of(metric) : metric;

// An order by a metric, with the value of the metric that is compared at a step.
export function query_of<T extends Query>(query: T, metrics: string[], compared = "", at?: number): T {
  const [, falling = "", key = ""] = /^(-?)(.*)$/.exec(query.sort ?? "")!;
  const is_metric = metrics.includes(key) || key.endsWith(released);
  return is_metric ? { ...query, sort: falling + expression_at(key, key === compared ? at : undefined) } : query;
}

const is_of_data = (metric: string) => metric.startsWith("rung_"); // no change of attention changes it

// Metrics that a change of attention at the last step changes.
const changed_at_end = ({ as_trained = {}, metrics }: Run) =>
  Object.keys(as_trained).filter(name => as_trained[name] !== metrics[name]);

function with_released<T extends Run>(run: T, names: Iterable<string>): T {
  const metrics = { ...run.metrics };
  for (const name of names) {
    const value = run.metrics[name];
    if (value === undefined || is_of_data(name)) continue;
    metrics[name + released] = value;
    metrics[name] = run.as_trained?.[name] ?? value;
  }
  return { ...run, metrics };
}

// Runs of one answer: if one of them is changed at its end, all of them have what there is "if released".
export function runs_as_trained(runs: Run[]): Run[] {
  const names = new Set(runs.flatMap(changed_at_end));
  return names.size === 0 ? runs : runs.map(run => with_released(run, names));
}

export function run_as_trained(run: WholeRun): WholeRun {
  const series = { ...run.series };
  for (const [name, points] of Object.entries(run.series)) {
    const changed = run.series[name + held];
    if (!changed || is_of_data(name)) continue;
    const at = new Map(changed);
    series[name + released] = points;
    series[name] = points.map(([step, value]) => [step, at.has(step) ? at.get(step)! : value]);
  }
  return with_released({ ...run, series }, changed_at_end(run));
}
