// A run of the store as its page shows it: curves, and the maps of one example over the steps.
import { Looks, type Series } from "../engine/looks";
import { flat_settings, type Kind, type Setting, type Table, type WholeRun } from "../model";
import { act_of, act_text } from "../play/acts";
import type { KeptRuns } from "../source";
import { released } from "./as_trained";

// A map of attention among those that a run kept: "attention" is the mean over heads where there are several.
export interface MapName {
  name: string;
  layer?: number;
  head?: number;
  says: string;
}

export function maps_of(run: WholeRun): MapName[] {
  const is_map = ({ name, shape }: Kind) =>
    shape.length === 3 && (name === "attention" || name === "attention_held" || name.startsWith("attention."));
  const single = run.arrays.filter(is_map).length === 1;
  return run.arrays.filter(is_map).map(({ name }) => {
    const place = /^attention\.layer\.(\d+)\.head\.(\d+)$/.exec(name);
    if (place)
      return { name, layer: Number(place[1]), head: Number(place[2]), says: `layer ${place[1]}, head ${place[2]}` };
    if (name === "attention") return { name, says: single ? "attention" : "mean over the heads of the last layer" };
    return {
      name,
      says:
        name === "attention_held"
          ? "attention while it is held"
          : name.slice("attention.".length).replaceAll(/[._]/g, " "),
    };
  });
}

// What is done to the attention of a map at a step, in words: "held uniform". A mean over heads, which is
// of the last layer, is changed if one of them is. "" if nothing is.
export function changed_at(run: WholeRun, map: MapName, step: number): string {
  const { layers } = (run.settings.model ?? {}) as Table;
  const layer = map.layer ?? (Number(layers) || 1),
    head = map.head;
  const all = Array.isArray(run.settings.intervene) ? (run.settings.intervene as Table[]) : [];
  const done = all.filter(one => {
    const act = act_of(one);
    if (!act || act.word === "freeze") return false;
    const of = /^layer\.(\d+)(?:\.head\.(\d+))?$/.exec(String(one.of ?? (act.word === "ablate" ? one.ablate : "")));
    const here =
      !of || (Number(of[1]) === layer && (of[2] === undefined || head === undefined || Number(of[2]) === head));
    return here && Number(one.from ?? 0) <= step && (one.until === undefined || step < Number(one.until));
  });
  return done.map(one => act_text(act_of(one)!.name, Number(one[act_of(one)!.word]))).join(", ");
}

export class Kept extends Looks {
  readonly title = "";
  override readonly caption: string;
  images?: Float32Array; // (examples, pixels), where they are what is attended to

  constructor(
    readonly run: WholeRun,
    readonly map: string,
  ) {
    super();
    let shown = "";
    for (const { name, says } of maps_of(run)) if (name === map && says !== "attention") shown = `, ${says}`;
    this.caption = `Run ${run.run}, ${run.experiment}, seed ${run.seed}${shown}`;
    this.settings = run.settings;
    this.classes = run.words.classes;
    // Maps are of the model's own attention, so the numbers next to them are, too.
    for (const [name, points] of Object.entries(run.series))
      this.series.set(name, series_of(run.series[name + released] ?? points));
    const [, rows, columns] = run.arrays.find(({ name }) => name === map)?.shape ?? [];
    this.axes = run.axes ?? {
      rows: rows === columns ? "place" : rows === 1 ? "example" : "target_word",
      columns: "source_word",
    };
  }

  static async load(kept: KeptRuns, run: WholeRun, map: string): Promise<Kept> {
    const loaded = new Kept(run, map);
    const facts = ["attention_source", "attention_target", "attention_labels", "attention_truth"].filter(name =>
      run.arrays.some(kind => kind.name === name),
    );
    if (loaded.axes.columns === "pixel" && run.arrays.some(({ name }) => name === "attention_items"))
      facts.push("attention_items");
    const of_map = map === "attention" ? "attention_beta" : map.replace(/^attention\./, "beta.");
    const beta = of_map !== map && run.arrays.some(({ name }) => name === of_map) ? [of_map] : [];
    const found = await Promise.all([map, ...facts, ...beta].map(name => kept.arrays(run.run, name)));
    for (const array of found.flat()) {
      const values = Float32Array.from(array.values, value => value ?? NaN);
      if (array.name === beta[0]) {
        const look = loaded.looks.find(({ step }) => step === array.step);
        if (look) look.beta = values;
      } else if (array.name === "attention_items") loaded.images = values;
      else loaded.take_array({ ...array, name: array.name === map ? "attention" : array.name, values });
    }
    if (map === "attention_held") for (const look of loaded.looks) look.held = true;
    return loaded;
  }

  get file(): string {
    return `run-${this.run.run}-${this.map.replaceAll(/[._]/g, "-")}`;
  }

  // A head's own map is not what the entropy of a run is of.
  override value_at(metric: string, step: number): number | null | undefined {
    return metric.startsWith("entropy") && this.map.startsWith("attention.") ? undefined : super.value_at(metric, step);
  }

  // What another program trained has its heads of each layer there, and the map is of the last.
  override get mean_of(): number {
    if (this.map.startsWith("attention.")) return 1;
    const heads = this.setting("model", "heads");
    return other_program(this.run) ? Number(Array.isArray(heads) ? heads.at(-1) : heads) || 1 : super.mean_of;
  }

  override word(token: number): string {
    return token < 0 ? "" : (this.run.words.source[token] ?? String(token));
  }
  override output_word(token: number): string {
    return token < 0 ? "" : (this.run.words.target[token] ?? this.word(token));
  }
}

export function series_of(points: [number, number | null][]): Series {
  return { steps: points.map(([step]) => step), values: points.map(([, value]) => value) };
}

// Whether another program trained it, and which.
export function other_program(run: { settings: { [section: string]: Setting } }): string {
  return flat_settings(run.settings).get("train.program") ?? "";
}
