// Where the page's data come from: the server that it was loaded from, or the file that it stands in.

import type { Groups, Job, KeptArray, Line, Names, Order, Query, Run, Story, Told, WholeRun } from "./model";
import { bytes_of, unpacked } from "./packed";
import { expression_at, expression_of, run_as_trained, runs_as_trained } from "./run/as_trained";
import { sentence, Trouble } from "./trouble";

// Trainings on the machine that serves the page.
export interface Trainer {
  jobs(): Promise<Job[]>;
  start(order: Order): Promise<Job>;
  stop(job: number): Promise<void>;
}

// A bet: a step for each flag, null where there is none.
export type Bet = (number | null)[];

// The bets of all that have the page of one server open.
export interface ClassBets {
  take(question: string, steps: Bet): Promise<Bet[]>; // of this browser; a second one replaces the first
  of(question: string): Promise<Bet[]>;
}

// What only a store has of its runs.
export interface KeptRuns {
  run(id: number): Promise<WholeRun>;
  arrays(id: number, name: string, example?: number): Promise<KeptArray[]>;
  groups(query: {
    experiment?: string;
    where?: string;
    metric: string;
    at?: number | undefined; // step; the end of each run without it
    by: string;
    against?: string;
  }): Promise<Groups>;
  weights_address(id: number): string;
}

export interface Source {
  readonly kind: "served" | "report" | "site";
  readonly opens: "start" | "story"; // the view that an address without one means
  readonly trainer?: Trainer;
  readonly bets?: ClassBets;
  names(): Promise<Names>;
  story(): Promise<Story>;
  told(experiment: string): Promise<Told>;
  runs(query: Query): Promise<{ matched: number; runs: Run[] }>;
  lines(query: Query & { metric: string }): Promise<{ matched: number; lines: Line[] }>;
  readonly store?: KeptRuns;
  // Calls back whenever there may be something new, and tells whether the line to the source is open; of a line that
  // was just opened it says how many runs there are, which may be nothing new. Returns how to end it.
  watch(changed: (runs?: number) => void, open: (is_open: boolean) => void): () => void;
}

// A random word that this browser keeps, so that it can change its bet, also after it was closed.
function browser_word(): string {
  const word = [...crypto.getRandomValues(new Uint32Array(4))].map(part => part.toString(16)).join("");
  try {
    const known = localStorage.getItem("fovea.browser");
    if (known) return known;
    localStorage.setItem("fovea.browser", word);
  } catch {} // a browser that keeps nothing
  return word;
}

class Served implements Source {
  readonly kind = "served";
  readonly opens = "start";

  private async get<T>(path: string, query: object = {}): Promise<T> {
    const words = new URLSearchParams();
    for (const [name, value] of Object.entries(query))
      if (value !== undefined && value !== "") words.set(name, String(value));
    const text = words.toString();
    return this.ask(path + (text ? `?${text}` : ""));
  }

  private post<T>(path: string, what: object = {}): Promise<T> {
    return this.ask(path, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(what),
    });
  }

  private async ask<T>(address: string, how: RequestInit = {}): Promise<T> {
    let answer: Response;
    try {
      answer = await fetch(address, how);
    } catch {
      throw new Trouble("The server does not answer. Is fovea serve still running?");
    }
    const json = await answer.json().catch(() => null);
    if (answer.ok && json) return json as T;
    const error = json?.error;
    if (!error) throw new Trouble(`The server answered ${answer.status}.`);
    const told = error.remedy && !error.remedy.startsWith("/api/"); // else for programs
    throw new Trouble(sentence(error.problem) + (told ? ` ${sentence(error.remedy)}` : ""));
  }

  readonly trainer: Trainer = {
    jobs: async () => (await this.get<{ jobs: Job[] }>("api/jobs")).jobs,
    start: order => this.post<Job>("api/jobs", order),
    stop: async job => void (await this.post(`api/jobs/${job}/stop`)),
  };

  private readonly browser = browser_word();
  readonly bets: ClassBets = {
    take: async (question, steps) =>
      (await this.post<{ bets: Bet[] }>("api/bets", { question, browser: this.browser, steps })).bets,
    of: async question => (await this.get<{ bets: Bet[] }>("api/bets", { question })).bets,
  };

  readonly store: KeptRuns = {
    run: async id => run_as_trained(await this.get<WholeRun>(`api/runs/${id}`)),
    arrays: async (id, name, example) =>
      (await this.get<{ arrays: KeptArray[] }>(`api/runs/${id}/arrays`, { name, example })).arrays,
    groups: async ({ metric, at, ...query }) => ({
      ...(await this.get<Groups>("api/groups", { ...query, metric: expression_at(metric, at) })),
      metric,
      at,
    }),
    weights_address: id => `api/runs/${id}/weights`,
  };

  names() {
    return this.get<Names>("api/names");
  }
  story() {
    return this.get<Story>("api/experiments");
  }
  told(experiment: string) {
    return this.get<Told>(`api/experiments/${encodeURIComponent(experiment)}`);
  }
  async runs(query: Query) {
    const found = await this.get<{ matched: number; runs: Run[] }>("api/runs", query);
    return { ...found, runs: runs_as_trained(found.runs) };
  }
  lines({ metric, ...query }: Query & { metric: string }) {
    return this.get<{ matched: number; lines: Line[] }>("api/lines", { ...query, metric: expression_of(metric) });
  }

  watch(changed: (runs?: number) => void, open: (is_open: boolean) => void) {
    let events: EventSource | undefined;
    const begin = () => {
      let first = true;
      events = new EventSource("api/events");
      events.addEventListener("open", () => {
        open(true);
        first = true;
      });
      events.addEventListener("error", () => open(false)); // the browser tries again by itself
      events.addEventListener("runs", ({ data }) => {
        changed(first && data ? JSON.parse(data).count : undefined);
        first = false;
      });
    };
    const end = () => {
      events?.close();
      events = undefined;
    };
    // A browser has few lines to one server, for all of its tabs: one that nobody looks at holds none.
    const seen = () => {
      if (document.hidden) return end();
      if (events) return;
      begin();
      changed();
    };
    if (!document.hidden) begin();
    document.addEventListener("visibilitychange", seen);
    return () => {
      document.removeEventListener("visibilitychange", seen);
      end();
    };
  }
}

interface WholeStory extends Story {
  experiments: Told[];
}

// A page without a store: the story and the engine are there all the same.
abstract class Alone implements Source {
  abstract readonly kind: "report" | "site";
  abstract readonly opens: "start" | "story";
  private kept: Promise<WholeStory> | undefined;
  protected abstract load(): Promise<WholeStory>;

  story() {
    this.kept ??= this.load();
    return this.kept;
  }
  async told(experiment: string) {
    const found = (await this.story()).experiments.find(one => one.name === experiment);
    if (!found) throw new Trouble(`Nothing is told of ${experiment} here.`);
    return found;
  }
  async names() {
    return { experiments: [], metrics: [], settings: [], runs: 0 };
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

// The story is in the page itself, packed. Whoever opens a report wants to see what came out.
class Report extends Alone {
  readonly kind = "report";
  readonly opens = "story";
  async load() {
    return unpacked(bytes_of(document.getElementById("story")!.textContent!)).json();
  }
}

// The story lies beside the page, packed: what a host sends as it is.
class Site extends Alone {
  readonly kind = "site";
  readonly opens = "start";
  async load() {
    if (location.protocol === "file:") return { experiments: [] }; // a page that was saved from another
    const answer = await fetch("story.deflate").catch(() => null);
    if (!answer?.ok) throw new Trouble("The story's figures are not beside this page.");
    return unpacked(await answer.arrayBuffer()).json();
  }
}

// Who sends the page, or writes it, says in it where its data are.
export function find_source(): Source {
  const said = document.querySelector<HTMLMetaElement>('meta[name="fovea-source"]')?.content;
  return said === "served" ? new Served() : said === "report" ? new Report() : new Site();
}
