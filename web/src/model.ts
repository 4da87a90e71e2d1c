// What the page shows, whichever source it comes from (docs/developers/page.md).

export type RunState = "running" | "done" | "stopped" | "failed";
export type Setting = string | number | boolean | null | Setting[] | { [key: string]: Setting };
export interface Table {
  [key: string]: Setting;
}

export interface Run {
  run: number;
  experiment: string;
  seed: number;
  state: RunState;
  error?: string;
  steps: number;
  seconds: number;
  started: string;
  hash: string;
  settings: { [section: string]: Setting };
  metrics: { [name: string]: number | null };
  as_trained?: { [name: string]: number | null }; // metrics under a change of attention, if it acts at the last step
}

// What the rows and columns of an attention map stand for.
export interface Axes {
  rows: "example" | "target_word" | "query" | "place" | "access" | "glimpse";
  columns: "source_word" | "item" | "feature" | "key" | "expert" | "pixel";
}

// Which arrays a run kept: of each its shape, and the steps that it has.
export interface Kind {
  name: string;
  shape: number[];
  steps: number[];
}

// One run with all that there is of it.
export interface WholeRun extends Run {
  tags?: string[];
  note?: string;
  version: string;
  machine: string;
  series: { [metric: string]: [step: number, value: number | null][] };
  spec: string;
  arrays: Kind[];
  words: { source: { [token: string]: string }; target: { [token: string]: string }; classes: string[] };
  axes?: Axes;
  weights?: number; // bytes
}

export interface KeptArray {
  name: string;
  step: number;
  shape: number[];
  values: number[];
}

// A metric by the values of one setting; each group beside the one that all are compared with.
export interface Group {
  value: Setting;
  runs: number;
  measured: number;
  median?: number | null;
  low_quarter?: number | null;
  high_quarter?: number | null;
  mean?: number | null;
  interval?: [number, number]; // of six values at least
  range?: [number | null, number | null];
  test?: {
    problem?: string;
    pairs?: number;
    alone?: number;
    paired_by?: string[];
    settings?: string[];
    difference?: number | null;
    range?: [number, number]; // of the differences of the pairs
    low?: number | null; // no number if there are fewer than six pairs
    high?: number | null;
    p?: number | null;
    exact?: boolean;
  };
}
export interface Groups {
  metric: string;
  at?: number | undefined; // the step of its values; the end of each run without it
  by: string;
  against: Setting;
  left_out: number;
  groups: Group[];
}

// A metric over the steps of one run; null where JSON has no such number.
export interface Line {
  run: number;
  experiment: string;
  seed: number;
  state: RunState;
  steps: number[];
  values: (number | null)[];
}

export interface Claim {
  experiment: string;
  claim: string;
  metric: string;
  value: number | null;
  infinite?: string; // "∞" or "−∞", of a value that JSON has as null; one of a program of before has none
  wanted: string;
  held: boolean; // supported, or refuted as its file expects
  verdict: "supported" | "not supported" | "refuted" | "not refuted" | "no value";
  form: string;
  note?: string;
  // Of a claim with a title; one of a file of before has none of these.
  name?: string;
  title?: string;
  formula?: string;
  where?: string;
  define?: { [name: string]: string };
  null?: { value: number | null; infinite?: string; means: string };
  control?: string; // the claim that must be supported for this one to be refuted
  rivals?: { name: string; value: number | null; infinite?: string }[];
  source?: string;
}

export interface Experiment {
  name: string;
  title: string;
  idea: string;
  system: string;
  order: number;
  claims: Claim[];
}

// A figure as the library draws it, laid out for a desk and for a phone; or why it could not be drawn.
export interface ToldFigure {
  title?: string;
  wide?: string;
  narrow?: string;
  problem?: string;
  numbers?: ToldNumbers[]; // a report of an older version has none
}

// What a line, a row of bars or a map shows; of a map, how many rows it has, and its values row by row.
export interface ToldNumbers {
  panel: string;
  line: string;
  columns: { [name: string]: (string | number | null)[] };
  rows?: number;
}

// An experiment with all that came out.
export interface Told extends Experiment {
  form: string;
  runs: number;
  seeds: string;
  seconds: number | null;
  version: string;
  machine: string;
  failed: { seed: number; error: string }[];
  settings: { [name: string]: string[] };
  figures: ToldFigure[];
  tables: string[]; // HTML as the library writes it
}

// A claim that is shown first; `kept`: what the full form came to when it was last run, not a result of these runs.
export interface Finding {
  experiment: string;
  heading: string;
  measures?: string; // what the value is; a report of an older version has none
  why: string;
  kept: boolean;
  claim?: Claim; // once it was reproduced
}

// Claims of a full form that were not supported when it was last run.
export interface Failure {
  experiment: string;
  corpus: string;
  says: string;
  claims: Claim[];
}

export interface Story {
  facts?: { title: string; made: string; version: string; machine: string };
  findings?: Finding[]; // a report of an older version has neither these
  experiments: Experiment[];
  not_supported?: Failure[]; // nor these
}

// A sweep that was started from a page.
export interface Job {
  job: number;
  experiment: string;
  form: string;
  state: "waiting" | "running" | "done" | "stopped" | "failed";
  stage: string;
  total: number;
  done: number;
  found: number;
  failed: number;
  seconds_left: number | null;
  in_training: { label: string; step: number; of: number }[];
  error?: string;
}

export interface Order {
  experiment: string;
  form: string;
  seeds?: string;
  set?: string[];
}

export interface Names {
  experiments: string[];
  metrics: string[];
  settings: string[];
  runs: number; // how many there are
}

export interface Query {
  experiment?: string;
  where?: string;
  sort?: string;
  limit?: number;
}

// "task.vocab" -> 60, for every setting of a run.
export function flat_settings(settings: { [key: string]: Setting }, prefix = ""): Map<string, string> {
  const flat = new Map<string, string>();
  for (const [key, value] of Object.entries(settings)) {
    const name = prefix + key;
    if (value !== null && typeof value === "object" && !Array.isArray(value)) {
      for (const [inner, text] of flat_settings(value, `${name}.`)) flat.set(inner, text);
    } else {
      flat.set(name, setting_text(value));
    }
  }
  return flat;
}

export function setting_text(value: Setting): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

// With as many digits as tell them apart, from three on.
export function texts_apart(values: number[], text: (value: number) => string): string[] {
  for (let digits = 3; ; ++digits) {
    const texts = values.map(value => text(+value.toPrecision(digits)));
    if (digits === 15 || new Set(texts).size === values.length) return texts;
  }
}

export function verdict_text({ verdict, source = "" }: Pick<Claim, "verdict" | "source">): string {
  const sign = verdict === "supported" || verdict === "refuted" ? "✓" : "✗";
  const refers = /^\[\d+\]/.exec(source)?.[0] ?? "its source";
  if (verdict === "refuted") return `${sign} refutes ${refers}`;
  return `${sign} ${verdict === "not refuted" ? `does not refute ${refers}` : verdict}`;
}

// Of a claim, its null value or a rival.
export function value_text({ value, infinite }: { value: number | null; infinite?: string }): string {
  return value === null ? (infinite ?? "no value") : String(+value.toPrecision(4));
}

export function number_text(value: number | null | undefined): string {
  return value === null || value === undefined ? "–" : String(+value.toPrecision(5));
}
