// What runs and groups of them are called, in figures and in what is saved of them.
import { has_rungs, type Rule, rungs_among } from "../line_looks";
import type { Line, Run, Table } from "../model";
import { none, settings_in_words } from "../play/acts";
import { name_in_files } from "../run/as_trained";
import { other_positions, rungs_of_last } from "../run/events";
import { short } from "./pairs";

export type Settings = Map<number, Map<string, string>>; // of each run, in words

// The settings of runs in words. A list has its length as a setting of its own: runs are often told apart by that.
const length_of = (name: string) => `length of ${name}`;
export const is_length = (name: string) => name.startsWith("length of ");
export function settings_of(runs: Run[]): Settings {
  return new Map(
    runs.map(run => {
      const words = settings_in_words(run.settings);
      for (const [name, text] of [...words])
        if (text.startsWith("[")) words.set(length_of(name), String(JSON.parse(text).length));
      return [run.run, words.set("seed", String(run.seed))];
    }),
  );
}

const most_told = 12; // values of a setting in which unlike experiments differ
const differing = new WeakMap<Settings, string[]>(); // computed once

const hard_to_read = (name: string, texts: Map<string, number>) =>
  texts.size > most_told || (name !== "intervene" && [...texts.keys()].some(({ length }) => length > most_letters));

// The settings but the seed in which runs differ, in the likely order of the sweep. Between several experiments, settings
// with many values or long ones are left out.
export function differing_in(settings: Settings, several = false): string[] {
  const known = differing.get(settings);
  if (known) return known;
  const values = new Map<string, Map<string, number>>();
  for (const one of settings.values())
    for (const [name, text] of one) {
      const counts = values.get(name) ?? values.set(name, new Map()).get(name)!;
      counts.set(text, (counts.get(text) ?? 0) + 1);
    }
  const names = [...values]
    .filter(([name, texts]) => texts.size > 1 && name !== "seed" && !(several && hard_to_read(name, texts)))
    .map(([name, texts]) => ({
      name,
      own: /^(task|model|train|intervene)/.test(name),
      most: Math.max(...texts.values()),
    }))
    .sort((a, b) => Number(b.own) - Number(a.own) || a.most - b.most)
    .map(({ name }) => name);
  differing.set(settings, names);
  return names;
}

// Those with so few values that each is read on an axis.
export const with_few_values = (names: string[], settings: Settings): string[] =>
  names.filter(name => new Set([...settings.values()].map(one => one.get(name))).size <= most_told);

// Settings whose values need no name next to them.
const alone = ["experiment", "intervene"];

export function value_of(line: { run: number; experiment: string }, by: string, settings: Settings): string {
  return by === "experiment" ? line.experiment : (settings.get(line.run)?.get(by) ?? "not set");
}

// What a setting is called.
export const setting_title = (name: string) => (name === "intervene" ? "intervention" : name);

const most_letters = 32; // of a value in a table

// Its value in a table, in words or as its spec has it.
export function setting_cell(name: string, text = "–") {
  if (name === "intervene") return text;
  return text.length <= most_letters ? <code>{text}</code> : <code title={text}>{text.slice(0, most_letters)}…</code>;
}

// Values of a setting: numbers by size, all else by its text. Others are compared with "no intervention", so it is first.
export function in_order(a: string, b: string): number {
  if (a === b) return 0;
  if (a === none || b === none) return a === none ? -1 : 1;
  return Number.isFinite(+a) && Number.isFinite(+b) ? +a - +b : a < b ? -1 : 1;
}

// "task.vocab = 60", "layer 2 held uniform".
export const group_title = (by: string, value: string) => (alone.includes(by) ? value : `${by} = ${value}`);

// The group that a run belongs to.
export function group_of(line: { run: number; experiment: string }, by: string, settings: Settings): string {
  return by && group_title(by, value_of(line, by, settings));
}

// All groups of runs, in the order of their colours.
export function groups_among(runs: Run[], by: string, settings: Settings): string[] {
  const values = [...new Set(runs.map(run => value_of(run, by, settings)))].sort(in_order);
  return by ? values.map(value => group_title(by, value)) : [""];
}

export const most_groups = 40; // the server refuses to group by a setting with more values
const most_in_condition = 200; // and a condition with more terms

// Runs in the order in which they are compared: without an intervention first, then by their number.
export function base_first<T extends { run: number }>(runs: T[], settings: Settings): T[] {
  const changed = ({ run }: T) => Number((settings.get(run)?.get("intervene") ?? none) !== none);
  return [...runs].sort((a, b) => changed(a) - changed(b) || a.run - b.run);
}

// Whether runs can be grouped by this setting. Values are counted as the server does it: interventions by their spec.
export function can_group(runs: Run[], by: string, settings: Settings): boolean {
  const value = (run: Run) =>
    by === "intervene" ? JSON.stringify(run.settings.intervene) : value_of(run, by, settings);
  return new Set(runs.map(value)).size <= most_groups;
}

// Whether groups by `by` are compared: if the person chose this setting (`asked`), or if it has few values and is not
// the experiment.
export function is_grouped(runs: Run[], by: string, asked: string, settings: Settings): boolean {
  if (by === "" || by === "seed" || is_length(by)) return false;
  return by === asked || (by !== "experiment" && can_group(runs, by, settings));
}

// The condition that is met by these runs alone; nothing if there are too many of them.
export function condition_of(runs: Pick<Run, "run">[]): string | undefined {
  return runs.length > most_in_condition ? undefined : runs.map(({ run }) => `id = ${run}`).join(" or ");
}

const most_in_name = 3; // settings

// A run with its interventions, and with the settings in which it differs from the others.
export function name_of(line: { run: number; experiment: string; seed: number }, settings: Settings): string {
  const own = settings.get(line.run);
  const done = own?.get("intervene") ?? none;
  const others = differing_in(settings)
    .filter(name => /^(task|model|train)\./.test(name) && own?.has(name))
    .slice(0, most_in_name)
    .map(name => group_title(name, own!.get(name)!));
  return [`run ${line.run}, ${line.experiment}, seed ${line.seed}`, ...others, ...(done === none ? [] : [done])].join(
    ", ",
  );
}

// Whether a condition ends runs, at unlike steps.
export const stop_at_unlike_steps = (runs: Run[]) =>
  ends_text(runs) !== "" && runs.every(({ settings }) => (settings.train as Table | undefined)?.stop_when);

// The number of steps of runs that a condition ends. Runs with all their steps may not have met it.
export function steps_title(runs: Run[]): string {
  const whole = runs.some(({ steps, settings }) => steps === (settings.train as Table | undefined)?.steps);
  return `number of steps until the stop condition${whole ? " or the last step" : ""}`;
}

// The last steps of runs, if they differ.
export function ends_text(runs: Run[]): string {
  const done = runs.filter(({ state }) => state === "done");
  const ends = [...new Set(done.map(({ steps }) => steps))].sort((a, b) => a - b);
  if (ends.length < 2) return "";
  const conditions = [...new Set(done.map(({ settings }) => (settings.train as Table | undefined)?.stop_when ?? ""))];
  const at =
    ends.length <= 4
      ? `at steps ${ends.slice(0, -1).join(", ")} and ${ends.at(-1)}`
      : `between steps ${ends[0]} and ${ends.at(-1)}`;
  const why = conditions.length === 1 && conditions[0] ? ` They stop as soon as ${conditions[0]}.` : "";
  return `These runs end ${at}.${why} Values “at the end” are of unlike steps: read the curves at one step, too.`;
}

// The predicted plateaus of the loss that all runs share. Other metrics have none, nor has a loss of other positions.
export function rungs_of_all(runs: Run[], metric: string): Rule[] {
  const shared = ([name]: [string, unknown]) => new Set(runs.map(run => run.metrics[name])).size === 1;
  if (!has_rungs(metric) || runs.some(rungs_of_last)) return [];
  return rungs_among(Object.entries(runs[0]?.metrics ?? {}).filter(shared));
}

// The predicted plateaus of an experiment that are not drawn, and why. Those that differ between runs have their range.
export function not_drawn_text(runs: Run[], metric: string): string {
  if (!has_rungs(metric) || new Set(runs.map(({ experiment }) => experiment)).size > 1) return "";
  if (runs.some(rungs_of_last)) return other_positions;
  const names = new Set(runs.flatMap(run => Object.keys(run.metrics)));
  const differ = [...names].flatMap(name => {
    const [rung] = rungs_among([[name, 0]]);
    const known = [...new Set(runs.map(run => run.metrics[name]))].filter(value => typeof value === "number");
    if (!rung || known.length < 2) return [];
    return [`${rung.name} ${short(Math.min(...known))} to ${short(Math.max(...known))}`];
  });
  if (differ.length === 0) return "";
  return `Rungs that differ between these runs are not drawn: ${differ.join(", ")}. The view of one run draws all of its rungs.`;
}

// As `fovea export` writes it, and the value of the setting that groups the runs.
export function line_table(runs: Run[], lines: Line[], metric: string, by: string, settings: Settings) {
  const name = name_in_files(metric, runs);
  const grouped = by !== "" && by !== "experiment" && by !== "seed";
  return {
    columns: ["run", "experiment", "seed", "metric", "step", "value", ...(grouped ? [by] : [])],
    rows: lines.flatMap(line => {
      const group = grouped ? [value_of(line, by, settings)] : [];
      return line.steps.map((step, i) => [
        line.run,
        line.experiment,
        line.seed,
        name,
        step,
        line.values[i] ?? null,
        ...group,
      ]);
    }),
  };
}

// The intervention, so that held runs are not pooled with free ones. Else the setting that a sweep most likely varied: the
// one whose most frequent value has the fewest runs. If each run has a value of its own among many, the length of a list is
// the better one.
export function varied_in(differing: string[], settings: Settings): string | undefined {
  const counts_of = (name: string) => {
    const counts = new Map<string, number>();
    for (const one of settings.values()) counts.set(one.get(name) ?? "", (counts.get(one.get(name) ?? "") ?? 0) + 1);
    return counts;
  };
  return differing
    .filter(name => /^(length of |)(task|model|train|intervene)/.test(name))
    .map(name => ({ name, counts: counts_of(name) }))
    .filter(({ counts }) => counts.size <= most_told)
    .map(({ name, counts }) => ({ name, most: Math.max(...counts.values()) }))
    .sort((a, b) => Number(b.name === "intervene") - Number(a.name === "intervene") || a.most - b.most)[0]?.name;
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
