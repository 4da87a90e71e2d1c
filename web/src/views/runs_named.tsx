// What runs and groups of them are called, in figures and in what is saved of them.
import { type Rule, rungs_among } from "../line_looks";
import type { Line, Run } from "../model";
import { none } from "../play/acts";

export type Settings = Map<number, Map<string, string>>; // of each run, in words

// Settings whose values need no name beside them.
const alone = ["experiment", "intervene"];

export function value_of(line: { run: number; experiment: string }, by: string, settings: Settings): string {
  return by === "experiment" ? line.experiment : (settings.get(line.run)?.get(by) ?? "not set");
}

// What a setting is called.
export const setting_title = (name: string) => (name === "intervene" ? "intervention" : name);

// Its value in a table: words, or what a spec says.
export const setting_cell = (name: string, text = "–") => (name === "intervene" ? text : <code>{text}</code>);

// Values of a setting: numbers by size, all else by its text.
export function in_order(a: string, b: string): number {
  if (a === b) return 0;
  return Number.isFinite(+a) && Number.isFinite(+b) ? +a - +b : a < b ? -1 : 1;
}

// "task.vocab = 60", "layer 2 held uniform".
export const group_title = (by: string, value: string) => (alone.includes(by) ? value : `${by} = ${value}`);

// The group that a run belongs to.
export function group_of(line: { run: number; experiment: string }, by: string, settings: Settings): string {
  return by && group_title(by, value_of(line, by, settings));
}

const most_groups = 40; // the server refuses to group by a setting with more values
const most_in_condition = 200; // and a condition with more terms

// Whether runs can be grouped by this setting. Values are counted as the server does it: interventions by their spec.
export function can_group(runs: Run[], by: string, settings: Settings): boolean {
  const value = (run: Run) =>
    by === "intervene" ? JSON.stringify(run.settings.intervene) : value_of(run, by, settings);
  return new Set(runs.map(value)).size <= most_groups;
}

// Whether groups by `by` are compared: if the person chose this setting (`asked`), or if it has few values and is not
// the experiment.
export function is_grouped(runs: Run[], by: string, asked: string, settings: Settings): boolean {
  if (by === "") return false;
  return by === asked || (by !== "experiment" && can_group(runs, by, settings));
}

// The condition that is met by these runs alone; nothing if there are too many of them.
export function condition_of(runs: Pick<Run, "run">[]): string | undefined {
  return runs.length > most_in_condition ? undefined : runs.map(({ run }) => `id = ${run}`).join(" or ");
}

// A run with its interventions.
export function name_of(line: { run: number; experiment: string; seed: number }, settings: Settings): string {
  const done = settings.get(line.run)?.get("intervene") ?? none;
  return `run ${line.run}, ${line.experiment}, seed ${line.seed}${done === none ? "" : `, ${done}`}`;
}

// The predicted plateaus of the loss that all runs share; none for other metrics.
export function rungs_of_all(runs: Run[], metric: string): Rule[] {
  const shared = ([name]: [string, unknown]) => new Set(runs.map(run => run.metrics[name])).size === 1;
  return metric === "loss" ? rungs_among(Object.entries(runs[0]?.metrics ?? {}).filter(shared)) : [];
}

// As `fovea export` writes it, and the value of the setting that groups the runs.
export function line_table(lines: Line[], metric: string, by: string, settings: Settings) {
  const grouped = by !== "" && by !== "experiment" && by !== "seed";
  return {
    columns: ["run", "experiment", "seed", "metric", "step", "value", ...(grouped ? [by] : [])],
    rows: lines.flatMap(line => {
      const group = grouped ? [value_of(line, by, settings)] : [];
      return line.steps.map((step, i) => [
        line.run,
        line.experiment,
        line.seed,
        metric,
        step,
        line.values[i] ?? null,
        ...group,
      ]);
    }),
  };
}

// The setting that a sweep most likely varied: the one whose most frequent value has the fewest runs.
export function varied_in(differing: string[], settings: Settings): string | undefined {
  const most_frequent = (name: string) => {
    const counts = new Map<string, number>();
    for (const one of settings.values()) counts.set(one.get(name) ?? "", (counts.get(one.get(name) ?? "") ?? 0) + 1);
    return Math.max(...counts.values());
  };
  return differing
    .filter(name => /^(task|model|train|intervene)/.test(name))
    .map(name => ({ name, most: most_frequent(name) }))
    .sort((a, b) => a.most - b.most)[0]?.name;
}

// Runs that are stopped, failed or still in training have no final value, so groups leave them out.
export function LeftOut({ count, of }: { count: number; of: number }) {
  if (count === 0) return null;
  return (
    <p class="soft">
      {count} of {of} runs {count === 1 ? "is" : "are"} not done, and left out.
    </p>
  );
}
