// Where the page's data come from: the server that it was loaded from, or the file that it stands in.
import type { Experiment, Line, Names, Query, Run } from "./model";

// What could not be had, in the words of who knows: a paragraph to show.
export class Trouble extends Error {}

export interface Source {
  readonly kind: "served" | "report" | "site";
  names(): Promise<Names>;
  experiments(): Promise<Experiment[]>;
  runs(query: Query): Promise<{ matched: number; runs: Run[] }>;
  lines(query: Query & { metric: string }): Promise<{ matched: number; lines: Line[] }>;
  // Calls back whenever there may be something new, and tells whether the line to the source is open. Returns how to end it.
  watch(changed: () => void, open: (is_open: boolean) => void): () => void;
}

class Served implements Source {
  readonly kind = "served";

  private async get<T>(path: string, query: object = {}): Promise<T> {
    const words = new URLSearchParams();
    for (const [name, value] of Object.entries(query)) if (value !== undefined && value !== "") words.set(name, String(value));
    const text = words.toString();
    let answer: Response;
    try {
      answer = await fetch(path + (text ? "?" + text : ""));
    } catch {
      throw new Trouble("The server does not answer. Is fovea serve still running?");
    }
    const json = await answer.json().catch(() => null);
    if (answer.ok && json) return json as T;
    const error = json?.error;
    if (!error) throw new Trouble(`The server answered ${answer.status}.`);
    throw new Trouble(sentence(error.problem) + (error.remedy ? " " + sentence(error.remedy) : ""));
  }

  names() {
    return this.get<Names>("api/names");
  }
  async experiments() {
    return (await this.get<{ experiments: Experiment[] }>("api/experiments")).experiments;
  }
  runs(query: Query) {
    return this.get<{ matched: number; runs: Run[] }>("api/runs", query);
  }
  lines(query: Query & { metric: string }) {
    return this.get<{ matched: number; lines: Line[] }>("api/lines", query);
  }

  watch(changed: () => void, open: (is_open: boolean) => void) {
    const events = new EventSource("api/events");
    events.addEventListener("open", () => open(true));
    events.addEventListener("error", () => open(false)); // the browser tries again by itself
    events.addEventListener("runs", changed);
    return () => events.close();
  }
}

// A page without runs: the story and the engine are there all the same.
class Site implements Source {
  readonly kind = "site";
  async names() {
    return { experiments: [], metrics: [], settings: [] };
  }
  async experiments() {
    return [];
  }
  async runs() {
    return { matched: 0, runs: [] };
  }
  async lines() {
    return { matched: 0, lines: [] };
  }
  watch() {
    return () => {};
  }
}

function sentence(text: string) {
  return text.charAt(0).toUpperCase() + text.slice(1) + (/[.!?]$/.test(text) ? "" : ".");
}

// The server says in the page that it was the one to send it.
export function find_source(): Source {
  const said = document.querySelector<HTMLMetaElement>('meta[name="fovea-source"]')?.content;
  return said === "served" ? new Served() : new Site();
}
