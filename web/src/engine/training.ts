// One training on the page: what it was begun with, how far it is, and all it has shown on the way, so that a person
// can go back to any look. Going back changes nothing; training on from there is training on from where it is.

import type { Table } from "../model";
import { course_of, type Precomputed } from "./courses";
import { type Beginning, type Course, engine, floats_in, type Weights } from "./engine";
import { Looks, type Series } from "./looks";

export type { Look } from "./looks";

// What a training is made of: a spec, what is set otherwise, and a seed.
export interface Plan {
  spec: { task: Table; model: Table; train: Table; probe: Table; intervene?: Table[] };
  set: { [setting: string]: string }; // {"task.vocab": "30"}, each as a person types it
  seed: number;
  words?: string[]; // how tokens are read here, where the engine only numbers them
}

let begun = 0;

export class Training extends Looks {
  step = 0;
  state: Course["state"] = "running";
  error = "";
  spec = "";
  private readonly name = `training ${++begun}`;
  private life = 0; // of the engine that knows it
  private precomputed?: Precomputed | undefined;
  private trained = new Map<string, Series>();

  constructor(
    readonly plan: Plan,
    public title = "",
  ) {
    super();
  }

  get file(): string {
    return [this.setting("task", "name"), "seed", this.plan.seed, this.title.replace(/[^a-z0-9.]+/gi, "-"), "attention"]
      .filter(part => part !== "")
      .join("-");
  }

  // What is trained by the same plan comes to the same.
  follows(plan: Plan): boolean {
    return JSON.stringify(this.plan) === JSON.stringify(plan);
  }

  async begin(): Promise<this> {
    const asked = this.ask_to_begin();
    this.life = engine.life;
    const course = await asked;
    this.spec = course.spec;
    this.settings = course.settings;
    this.words = course.words.map((word, token) => (word === String(token) && this.plan.words?.[token]) || word);
    this.classes = course.classes;
    if (course.axes) this.axes = course.axes;
    this.precomputed = await course_of(course.hash);
    this.take(course);
    return this;
  }

  // The step up to which there are curves and maps to look at: further than it is trained where its course was computed
  // beforehand.
  get known(): number {
    return Math.max(this.step, this.precomputed?.until ?? 0);
  }

  async advance(step: number) {
    if (this.state !== "running" || step <= this.step) return;
    this.take(await this.ask<Course>("advance", { step }));
  }

  // The parameters as they were after `step` updates: where training is further, or failed in the next, it is done
  // again up to there. While it is played the engine may be further than the page has heard; the answer says whose they
  // are.
  async weights_at(step: number): Promise<Weights> {
    if (step === this.step && this.state !== "failed") {
      const weights = await this.ask<Weights>("weights");
      if (weights.step === step) return weights;
    }
    const again = await new Training(this.plan).begin();
    try {
      await again.advance(step);
      return await again.ask<Weights>("weights");
    } finally {
      again.end();
    }
  }

  async ask<T>(ask: string, words: object = {}): Promise<T> {
    if (this.life !== engine.life) await this.begin_again();
    return engine.ask<T>({ ask, name: this.name, ...words });
  }

  // In an engine that was started anew, up to where it was: that gives the same.
  private async begin_again() {
    const asked: Promise<unknown>[] = [this.ask_to_begin()];
    this.life = engine.life;
    if (this.step > 0) asked.push(engine.ask({ ask: "advance", name: this.name, step: this.step }));
    await Promise.all(asked);
  }

  private ask_to_begin(): Promise<Beginning> {
    const { spec, set, seed } = this.plan;
    return engine.ask<Beginning>({ ask: "begin", name: this.name, spec, set, seed });
  }

  // The engine may forget it.
  end() {
    if (this.life === engine.life) engine.ask({ ask: "forget", name: this.name }).catch(() => {});
  }

  private take(course: Course) {
    this.step = course.step;
    this.state = course.state;
    this.error = course.error ?? "";
    for (const [name, { steps, values }] of Object.entries(course.series)) {
      const series = this.trained.get(name);
      this.trained.set(
        name,
        series ? { steps: [...series.steps, ...steps], values: [...series.values, ...values] } : { steps, values },
      );
    }
    this.series = new Map(this.trained);
    this.looks = this.looks.filter(({ only }) => only === undefined);
    for (const { name, step, shape, values } of course.arrays)
      this.take_array({ name, step, shape, values: floats_in(course.attached, values) });
    if (this.precomputed) this.add(this.precomputed);
  }

  // What is trained takes the place of what was precomputed.
  private add({ looks, series }: Precomputed) {
    this.looks.push(...looks.filter(({ step }) => step > this.step));
    for (const [name, { steps, values }] of series) {
      const own = this.trained.get(name) ?? { steps: [], values: [] },
        from = steps.findIndex(step => step > this.step);
      if (from >= 0)
        this.series.set(name, {
          steps: [...own.steps, ...steps.slice(from)],
          values: [...own.values, ...values.slice(from)],
        });
    }
  }
}
