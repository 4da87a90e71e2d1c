// What the page shows, whichever source it comes from (docs/page.md).

export type RunState = "running" | "done" | "stopped" | "failed";
export type Setting = string | number | boolean | null | Setting[] | { [key: string]: Setting };

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
  wanted: string;
  held: boolean;
  form: string;
  note?: string;
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

export interface Story {
  facts?: { title: string; made: string; version: string; machine: string };
  experiments: Experiment[];
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
      for (const [inner, text] of flat_settings(value, name + ".")) flat.set(inner, text);
    } else {
      flat.set(name, typeof value === "string" ? value : JSON.stringify(value));
    }
  }
  return flat;
}
