// The pairs of runs that `fovea compare` forms, the mean of each of their sides, and their difference in words.
import { flat_settings, number_text, type Run, type Setting, setting_text, type Table } from "../model";
import { metrics_to_offer } from "../run/metric_names";

// Whether a condition that ends runs names their settings: then their numbers of steps are set, not found.
export const steps_are_set = (runs: Run[]) =>
  runs.some(({ settings }) =>
    /\b((task|model|train|probe)\.\w|seed\b|hold\b|interven)/.test(
      String((settings.train as Table | undefined)?.stop_when ?? ""),
    ),
  );

type Texts = (name: string) => string;

function texts_of(run: Run): Texts {
  const settings = flat_settings(run.settings);
  return name =>
    name === "seed" ? String(run.seed) : name === "experiment" ? run.experiment : (settings.get(name) ?? "");
}

// A setting of a run as its spec has it; null if it is not set.
export function setting_of(run: Run, by: string): Setting {
  if (by === "experiment") return run.experiment;
  const found = by
    .split(".")
    .reduce<Setting | undefined>((at, key) => (at as Table | undefined)?.[key], run.settings as Setting);
  return found ?? null;
}

// The means of the pairs of two groups, which are two values of a setting; nothing if there is no pair.
export function means_of_pairs(
  runs: Run[],
  metric: string,
  by: string,
  groups: [Setting, Setting],
  paired_by: string[],
): { pairs: number; means: [number, number] } | undefined {
  const sides = groups.map(group => {
    const side = new Map<string, number>();
    for (const run of runs) {
      const text = texts_of(run),
        value = metric === "steps" ? run.steps : run.metrics[metric];
      if (run.state !== "done" || typeof value !== "number") continue;
      if (text(by) === (group === null ? "" : setting_text(group)))
        side.set(JSON.stringify(paired_by.map(text)), value);
    }
    return side;
  }) as [Map<string, number>, Map<string, number>];
  const keys = [...sides[0].keys()].filter(key => sides[1].has(key));
  if (keys.length === 0) return undefined;
  const mean = (side: Map<string, number>) => keys.reduce((sum, key) => sum + side.get(key)!, 0) / keys.length;
  return { pairs: keys.length, means: [mean(sides[0]), mean(sides[1])] };
}

export const short = (value: number | null | undefined) =>
  value === null || value === undefined ? "–" : number_text(+value.toPrecision(3)).replace("-", "−");

// A difference that is nothing but rounding is none. `size` is a value that it is a difference of.
export const without_rounding = <T extends number | null | undefined>(
  difference: T,
  size: number | null | undefined,
) => (Math.abs(difference ?? 1) <= 1e-12 * Math.abs(size ?? 0) ? 0 : difference);

// What a metric of a group is; the group that it is compared with follows.
export function difference_text(difference: number): string {
  if (difference === 0) return "is the same in";
  return `is ${short(Math.abs(difference))} ${difference < 0 ? "lower" : "higher"} than with`;
}

// The settings in which pairs differ from each other. The two runs of a pair have the same value.
export function pooled_text(paired_by: string[] = []): string {
  const settings = paired_by
    .filter(name => name !== "seed")
    .map(name => (name === "intervene" ? "intervention" : name));
  return settings.length > 0 ? `, pooled over ${settings.join(" and ")}` : "";
}

// As 0.125, the least p of four pairs.
export const p_number = (p: number) => String(+p.toPrecision(3));
export const p_text = (p: number) => (p < 1e-4 ? "p < 0.0001" : `p = ${p_number(p)}`);

// The least number of pairs whose p, at least 2/2ⁿ, can be below 0.05.
export const enough_pairs = 6;
export function too_few(pairs: number): string {
  const needed = `At least ${enough_pairs} pairs are needed to separate a difference from chance.`;
  return pairs === 1 ? needed : `With ${pairs} pairs p cannot be below ${+(2 / 2 ** pairs).toPrecision(3)}. ${needed}`;
}

// The means of both sides, with as many decimals as their difference needs.
export function means_text(means: [number, number], difference: number): string {
  const decimals = difference === 0 ? 0 : Math.max(0, 1 - Math.floor(Math.log10(Math.abs(difference))));
  const [one, other] = means.map(mean => {
    const digits = Math.floor(Math.log10(Math.abs(mean) || 1)) + 1 + decimals;
    return number_text(+mean.toPrecision(Math.min(15, Math.max(3, digits)))).replace("-", "−");
  });
  return `${one} against ${other}`;
}

export interface Row {
  metric: string;
  values: (number | null | undefined)[];
  difference: number; // the largest between two of them
}

// Metrics that two of the runs have, the compared one first, then by their difference; the names of the others.
export function rows_of(runs: Pick<Run, "metrics">[], compared = ""): { rows: Row[]; single: string[] } {
  const names = metrics_to_offer([...new Set(runs.flatMap(run => Object.keys(run.metrics)))].sort());
  const rows: Row[] = [],
    single: string[] = [];
  for (const metric of names) {
    const values = runs.map(run => run.metrics[metric]);
    const known = values.filter(value => typeof value === "number");
    if (known.length < 2) single.push(metric);
    else rows.push({ metric, values, difference: Math.max(...known) - Math.min(...known) });
  }
  const later = ({ metric }: Row) => Number(metric !== compared);
  return { rows: rows.sort((a, b) => later(a) - later(b) || b.difference - a.difference), single };
}
