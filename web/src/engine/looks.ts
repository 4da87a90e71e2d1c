// All that a training has shown on the way: its curves, and what it attended to at each look. It is the same of a
// training on the page and of a run that was kept.
import type { Axes, Setting } from "../model";

// α and β of a few examples at one step, (examples, rows, positions).
export interface Look {
  step: number;
  shape: [examples: number, rows: number, positions: number];
  alpha: Float32Array;
  beta?: Float32Array;
  heads: Map<string, Float32Array>; // of each head, "layer.1.head.2", where it attends by itself
  held?: boolean; // alpha is where attention is held, not where the model attends by itself
  only?: number; // the one example that it has, of a course that was computed beforehand
}

export interface Series {
  steps: number[];
  values: (number | null)[];
}

// A token that is no word, as it is read: "(end)".
export const plain = (word: string) => word.replace(/^<(.*)>$/, "($1)");

export abstract class Looks {
  abstract readonly title: string; // "" where it stands alone
  readonly caption: string = ""; // what pictures of its maps say of it; its title where it says none
  settings: { [section: string]: Setting } = {};
  series = new Map<string, Series>();
  looks: Look[] = [];
  // What the examples are: tokens (-1: none), and 1 at the positions that decide a row's answer.
  source: number[][] = [];
  target: number[][] = [];
  labels: number[] = [];
  protected words: string[] = [];
  protected classes: string[] = [];
  axes: Axes = { rows: "target_word", columns: "source_word" };
  truth?: Float32Array;
  company: Looks[] = [this]; // those that are shown side by side, itself among them

  // Those that have a map of their own, in order; none where there is one map.
  get heads(): string[] {
    return [...(this.looks[0]?.heads.keys() ?? [])];
  }
  get class_count(): number {
    return this.classes.length;
  }
  // What files of its maps begin with.
  abstract get file(): string;
  get examples(): number {
    return this.looks[0]?.shape[0] ?? 0;
  }
  // The one that is wished for; where none is (-1), the first in which something decides.
  example(wished: number): number {
    const telling = wished >= 0 ? wished : this.labels.indexOf(1);
    return Math.max(0, Math.min(telling, this.examples - 1));
  }
  // Its class; "" where it has none.
  class_of(example: number): string {
    const label = this.target.length === 0 ? this.labels[example] : undefined;
    return label === undefined ? "" : (this.classes[label] ?? "");
  }
  // What a person calls an input: its word, its feature, or where the point lies.
  input(example: number, i: number): string {
    const x = this.setting("task", "x");
    return Array.isArray(x) ? String(x[i]) : this.word(this.source[example]?.[i] ?? i);
  }
  // How the model reads a word; one that no text for training has is unknown to it.
  token_of(word: string): number {
    return Math.max(this.words.indexOf(word), 0);
  }
  class_name(label: number): string {
    return this.classes[label] ?? "";
  }
  word(token: number): string {
    return this.words[token] ?? "";
  }
  // Of what is written, where that has words of its own.
  output_word(token: number): string {
    return this.word(token);
  }

  // The look that was newest at `step`, of those that have the example.
  look_at(step: number, example?: number): Look | undefined {
    let at = last_at(this.looks.length, i => this.looks[i]!.step <= step);
    while (example !== undefined && (this.looks[at]?.only ?? example) !== example) --at;
    return this.looks[at];
  }

  // The newest look at `step` that has the heads one by one: of many heads not every look is kept.
  heads_at(step: number): Look | undefined {
    return this.looks.filter(look => look.step <= step && look.heads.size > 0).at(-1);
  }

  // The step of the look after `step`; of one that is to come, where it would be at the pace of the last ones: of a
  // long training not every look is kept.
  look_after(step: number): number {
    const next = this.looks[last_at(this.looks.length, i => this.looks[i]!.step <= step) + 1];
    if (next) return next.step;
    const [before, last] = this.looks.slice(-2);
    const pace = Math.max(this.every, before && last ? last.step - before.step : 0);
    return step - (step % pace) + pace;
  }

  value_at(metric: string, step: number): number | null | undefined {
    const series = this.series.get(metric);
    return series && value_in(series, step);
  }

  // The step that was predicted before training, where a number of the probe `prediction` is a time of gradient flow and
  // the training follows that flow: a unigram gate by plain descent at one rate. Elsewhere times only order settings.
  predicted_step(time_name: string): number | undefined {
    const time = this.value_at(time_name, 0),
      rate = Number(this.setting("train", "rate"));
    const follows =
      ["unigram-gate", "induction-exact"].includes(String(this.setting("model", "name"))) &&
      this.setting("train", "optimizer") === "sgd" &&
      (this.setting("train", "schedule") ?? "constant") === "constant" &&
      this.interventions.length === 0;
    return follows && typeof time === "number" && rate > 0 ? Math.round(time / rate) : undefined;
  }

  // How many heads its map is the mean of.
  get mean_of(): number {
    const heads = this.setting("model", "heads");
    return Array.isArray(heads) ? heads.length : 1;
  }
  get steps(): number {
    return Number(this.setting("train", "steps") ?? 0);
  }
  get every(): number {
    return Number(this.setting("probe", "every") ?? 1);
  }

  get interventions(): { [word: string]: Setting }[] {
    const all = this.settings.intervene;
    return Array.isArray(all) ? (all as { [word: string]: Setting }[]) : [];
  }
  setting(section: string, key: string) {
    const table = this.settings[section];
    return table !== null && typeof table === "object" && !Array.isArray(table) ? table[key] : undefined;
  }

  protected take_array({
    name,
    step,
    shape,
    values: numbers,
  }: {
    name: string;
    step: number;
    shape: number[];
    values: Float32Array;
  }) {
    if (name === "attention")
      this.looks.push({ step, shape: shape as Look["shape"], alpha: numbers, heads: new Map() });
    // While attention is held the map shows where it is held; what is measured is where the model attends by itself.
    else if (name === "attention_held")
      Object.assign(this.looks[this.looks.length - 1]!, { alpha: numbers, held: true });
    else if (name.startsWith("attention.layer."))
      this.looks[this.looks.length - 1]!.heads.set(name.slice("attention.".length), numbers);
    // α comes first, β of the same look may follow.
    else if (name === "attention_beta") this.looks[this.looks.length - 1]!.beta = numbers;
    else if (name === "attention_source") this.source = rows_of(shape, numbers);
    else if (name === "attention_target") this.target = rows_of(shape, numbers);
    else if (name === "attention_labels") this.labels = [...numbers];
    else if (name === "attention_truth") this.truth = numbers;
  }
}

// The newest value at a step.
export const value_in = ({ steps, values }: Series, step: number): number | null | undefined =>
  values[last_at(steps.length, i => steps[i]! <= step)];

// The last of `count` for which `is` holds, where it holds for the first ones only; -1 for none.
function last_at(count: number, is: (i: number) => boolean): number {
  let low = -1,
    high = count;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (is(middle)) low = middle;
    else high = middle;
  }
  return low;
}

function rows_of([rows = 0, columns = 0]: number[], numbers: Float32Array): number[][] {
  return Array.from({ length: rows }, (_, row) => [...numbers.subarray(row * columns, (row + 1) * columns)]);
}
