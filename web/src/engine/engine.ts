// The engine as views know it: ask, and an answer will come. It is WebAssembly in a worker, so the page never waits.

import wasm from "#engine.wasm";
import type { Axes, Setting } from "../model";
import { bytes_of } from "../packed";
import { sentence, Trouble } from "../trouble";
import EngineWorker from "./worker?worker&inline";

export type ToyPoint = [D: number, gate: number, p: number, loss: number];

export interface Toy {
  // At `times` for closed form and flow, a step apart for descent.
  closed?: ToyPoint[];
  flow: ToyPoint[];
  descent: ToyPoint[];
  times: number[];
  level: number; // of p, at which attention has arrived
  reaches?: number | null; // when; null: never, or later than `patience`
  patience?: number;
  above?: number; // which side of the separatrix
  field?: [D: number, gate: number, dD: number, dgate: number][]; // what pulls on a start, over the plane
}

// Bytes beside an answer, and where in them one of its parts lies.
export interface Attached {
  at: number;
  bytes: number;
}
export function floats_in(attached: ArrayBuffer, part: Attached): Float32Array {
  return new Float32Array(attached, part.at, part.bytes / 4);
}

// What a training has come to since it was last asked.
export interface Course {
  state: "running" | "done" | "stopped" | "failed";
  error?: string;
  step: number;
  series: { [name: string]: { steps: number[]; values: (number | null)[] } };
  arrays: { name: string; step: number; shape: number[]; values: Attached }[];
  attached: ArrayBuffer;
}

// And what it was begun with, every default filled in.
export interface Beginning extends Course {
  spec: string;
  hash: string;
  settings: { [section: string]: Setting };
  words: string[]; // how a person reads tokens and classes
  classes: string[];
  axes?: Axes; // of its attention
}

export interface Weights {
  version: string;
  step: number; // whose they are
  weights: { name: string; shape: number[]; type: string; values: Attached }[];
  file: Attached; // as safetensors
  attached: ArrayBuffer;
}

export interface Batches {
  vocab: number;
  target_vocab: number;
  start_token: number;
  batches: { size: number; source: Attached; target: Attached; labels: Attached; alignment: Attached }[];
  attached: ArrayBuffer;
}

// What there is to choose from.
export interface Part {
  summary: string;
  settings: { name: string; kind: string; help: string }[];
}
export interface Parts {
  version: string;
  tasks: { [name: string]: Part };
  models: { [name: string]: Part };
  settings: { [section: string]: Part };
}

// A setting that cannot be what it was to be.
export class Refused extends Trouble {
  constructor(
    message: string,
    readonly setting: string, // "task.length"
  ) {
    super(message);
  }
}

interface Answer {
  id: number;
  answer: string; // JSON
  attached: ArrayBuffer;
  over?: boolean; // the engine cannot be asked again
}

class Engine {
  private worker?: Worker;
  private waiting = new Map<number, { done: (answer: Answer) => void; fail: (error: Error) => void }>();
  private count = 0;
  life = 0; // how many came before this one, which knows nothing of what they were told

  // Whether the page was built with it.
  readonly there = wasm !== "";

  ask<T>(question: { ask: string; [word: string]: unknown }): Promise<T> {
    if (!this.there) return Promise.reject(new Trouble("This page was built without the engine."));
    this.worker ??= this.start();
    const worker = this.worker;
    const id = ++this.count;
    return new Promise<Answer>((done, fail) => {
      this.waiting.set(id, { done, fail });
      worker.postMessage({ id, ask: JSON.stringify(question) });
    }).then(({ answer: text, attached }) => {
      const answer = JSON.parse(text);
      // That a training failed is an answer, whose `error` says why in words.
      if (typeof answer.error === "object") {
        const { problem, remedy, place, setting } = answer.error;
        const says = (place ? `${place}: ${problem}.` : sentence(problem)) + (remedy ? ` ${sentence(remedy)}` : "");
        throw setting ? new Refused(says, setting) : new Trouble(says);
      }
      answer.attached = attached;
      return answer as T;
    });
  }

  private start() {
    const worker = new EngineWorker();
    const packed = bytes_of(wasm).buffer;
    worker.postMessage({ packed }, [packed]);
    worker.onmessage = ({ data }: MessageEvent<Answer>) => {
      this.waiting.get(data.id)?.done(data);
      this.waiting.delete(data.id);
      if (data.over) this.end(worker, "the question before this one was too much for it");
    };
    worker.onerror = event => this.end(worker, event.message);
    return worker;
  }

  // The next question starts another.
  private end(worker: Worker, why: string) {
    if (worker !== this.worker) return;
    worker.terminate();
    this.worker = undefined;
    ++this.life;
    for (const { fail } of this.waiting.values())
      fail(new Trouble(`The engine broke off (${why}). It starts again at the next use.`));
    this.waiting.clear();
  }
}

export const engine = new Engine();
