// Data of the person at the page: kept in this browser, and sent nowhere.
import { useLayoutEffect, useReducer } from "preact/hooks";
import type { Table } from "../model";
import { Trouble } from "../trouble";

const most_bytes = 1_000_000;
const changed = "fovea-own-data";
const form = 1; // of what is kept; another is not read
let changes = 0;
let goes_on = false; // whether what is trained on the newest data is trained to its end at once

export function refuse_large(bytes: number) {
  if (bytes > most_bytes)
    throw new Trouble(
      `That is ${(bytes / 1e6).toFixed(1)} MB, and this page takes at most ${most_bytes / 1e6} MB: take a part of it, or give it to the program.`,
    );
}

// One kind of data: how it is read, and how a spec holds it.
export abstract class Own<Data extends { given: string }> {
  data: Data | undefined;
  kept = true; // whether the browser still has them when the page is opened again
  private takes = 0;

  abstract readonly title: string;
  abstract readonly label: string; // of the field it is written into
  abstract readonly placeholder: string;
  abstract readonly hint: string; // while there is none
  abstract readonly accept: string; // files
  abstract example(): string;
  // Throws Trouble with what is wrong.
  abstract read(given: string): Data | Promise<Data>;
  abstract told(data: Data): string;
  abstract task_of(data: Data): Table; // of a spec

  constructor(private readonly place: string) {
    try {
      const found = JSON.parse(localStorage.getItem(place) ?? "null");
      if (found?.form === form) this.data = found.data;
    } catch {
      // a browser that keeps nothing, or something else's words
    }
  }

  // Takes it over, or says what is wrong and keeps what was there.
  async take(given: string) {
    const mine = ++this.takes;
    refuse_large(new Blob([given]).size);
    const data = await this.read(given);
    if (mine === this.takes) this.change(data); // what was done since counts
  }
  forget() {
    ++this.takes;
    this.change(undefined);
  }

  // What makes the task of a spec; undefined while there are no data.
  get task(): Table | undefined {
    return this.data && this.task_of(this.data);
  }

  protected change(to: Data | undefined, trains = false) {
    this.data = to;
    ++changes;
    goes_on = trains;
    this.kept = true;
    try {
      localStorage.removeItem(this.place);
      if (to) localStorage.setItem(this.place, JSON.stringify({ form, data: to }));
    } catch {
      this.kept = false;
    }
    dispatchEvent(new Event(changed));
  }
}

// A number that differs after each change of the data, and the step up to which new data are trained on. Views that read
// own data are drawn again when it differs.
export function use_own(): { changes: number; until: number } {
  const [, again] = useReducer((count: number) => count + 1, 0);
  useLayoutEffect(() => {
    const redraw = () => again(undefined);
    addEventListener(changed, redraw);
    return () => removeEventListener(changed, redraw);
  }, []);
  return { changes, until: goes_on ? Infinity : 0 };
}
