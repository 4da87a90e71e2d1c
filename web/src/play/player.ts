// Plays trainings side by side: forward by training, backward by going back to what was seen.
import { Refused } from "../engine/engine";
import { type Plan, Training } from "../engine/training";
import { words_for } from "./setting_words";

// One of them: how it is made (nothing, where there is nothing to train on; it may throw why it cannot be), and what it
// has otherwise than the first.
export interface Wished {
  plan: () => Plan | undefined;
  title: string;
}

// A setting that cannot be as it is, why, and of which of the runs.
export interface Refusal {
  setting: string;
  why: string;
  run: number;
}

const seldom = 250; // milliseconds between tellings of how far training is behind what is seen

// `Wish` is what trainings follow from.
export class Player<Wish> {
  trainings: Training[] = [];
  of?: Wish; // what they follow from
  at = 0; // the step that is looked at
  playing = false; // be it as soon as what is loading is there
  loading = true;
  refused = false; // what was last wished for cannot be: what stands there is what was before
  amiss = false; // what is written cannot be wished for, so nobody goes anywhere
  shows = ""; // what was last wished for
  trouble = "";
  refusals: Refusal[] = []; // of what was last wished for
  pace = 50; // steps a second; Infinity: as fast as it goes
  trains = true; // also what was computed beforehand

  private generation = 0;
  private plays = 0;
  private goal = 0;
  private lasting = ""; // trouble that no going on ends
  private running?: Promise<void>;

  constructor(private readonly changed: () => void) {}

  get total(): number {
    return Math.max(0, ...this.trainings.map(training => training.steps));
  }
  get reached(): number {
    const running = this.trainings.filter(training => training.state === "running");
    if (running.length > 0) return Math.min(...running.map(training => training.step));
    return Math.max(0, ...this.trainings.map(training => training.step));
  }
  // Another text whenever a training went on, be it one behind the other.
  get progress(): string {
    return this.trainings.map(training => training.step).join();
  }
  // The last step there will be: a training may end early.
  get last(): number {
    return this.trainings.length > 0 && this.trainings.every(training => training.state !== "running")
      ? this.reached
      : this.total;
  }
  // Where the person wants to be, which training may not have come to yet.
  get wished(): number {
    return this.loading || !this.playing ? this.goal : this.at;
  }
  // From one look to the next.
  get every(): number {
    return this.trainings.length > 0 ? Math.max(1, Math.min(...this.trainings.map(training => training.every))) : 1;
  }
  look_after(step: number): number {
    return Math.min(...this.trainings.map(training => training.look_after(step)));
  }
  look_before(step: number): number {
    return Math.max(0, ...this.trainings.map(training => training.look_at(step - 1)?.step ?? 0));
  }
  // What there is to look at, be it trained here or computed beforehand.
  get known(): number {
    return Math.max(0, ...this.trainings.map(training => training.known));
  }
  // Whether what stands there is not to be trained.
  get stuck(): boolean {
    return this.refused || this.amiss;
  }
  // Training towards where the person wants to be.
  get under_way(): boolean {
    return !this.playing && this.behind() && !this.precomputed();
  }
  // Begins these anew, and trains them up to `step`. `shows` names the wish. Where the first cannot be, what was there
  // stays; where the one beside it cannot, the first is there alone.
  async load(shows: string, wish: Wish, wished: Wished[], step: number) {
    const mine = ++this.generation;
    this.shows = shows;
    this.playing = false;
    this.loading = true;
    this.refused = false;
    this.goal = step;
    this.refusals = [];
    this.changed(); // until they are there the page shows what was there before, and says so
    const fresh: Training[] = [];
    let trouble = "",
      made: Plan | undefined;
    try {
      for (const { plan, title } of wished) {
        made = undefined;
        made = plan();
        if (made) fresh.push(this.there(made, title, fresh) ?? (await new Training(made, title).begin()));
        if (mine !== this.generation) return end_all(without(fresh, this.trainings));
      }
    } catch (error) {
      const all = await all_refused(made, error as Error);
      if (mine !== this.generation) return end_all(without(fresh, this.trainings));
      this.refusals = all.flatMap(one =>
        one instanceof Refused ? [{ setting: one.setting, why: one.message, run: fresh.length }] : [],
      );
      trouble = all.map(told).join(" ");
      if (fresh.length === 0) return this.refuse(trouble);
      trouble = `The second run is impossible. ${trouble}`;
    }
    end_all(without(this.trainings, fresh));
    this.trainings = fresh;
    for (const training of fresh) training.company = fresh;
    this.of = wish;
    this.at = 0;
    this.loading = false;
    this.trouble = this.lasting = trouble;
    this.changed();
    await this.go(this.goal, false);
    if (mine === this.generation && this.playing) await this.run();
  }

  // One that follows the plan already goes on as it is: it was trained once.
  private there(plan: Plan, title: string, taken: Training[]): Training | undefined {
    const found = this.trainings.find(one => one.follows(plan) && !taken.includes(one) && !one.error);
    if (found) found.title = title;
    return found;
  }

  async play() {
    if (this.playing || this.stuck || !(this.loading || this.trainings.length > 0)) return;
    this.playing = true;
    this.changed();
    if (!this.loading) await this.run(); // else it begins when they are there
  }

  pause() {
    if (!this.playing) return;
    this.playing = false;
    if (!this.loading) this.goal = this.at; // what is being trained meanwhile is not shown
    this.changed();
  }

  // To a step, back or forth; newer wishes replace older ones.
  async go(step: number, pause = true): Promise<void> {
    if (this.refused || (this.amiss && pause)) return;
    if (pause) this.playing = false;
    this.goal = Math.max(0, Math.min(step, this.loading ? Infinity : this.total));
    // While others are begun, these are looked at as far as they came; the others will go there.
    if (this.loading || !this.behind() || this.precomputed()) {
      this.at = Math.min(this.goal, this.known);
      this.changed();
    }
    if (this.loading || !this.behind() || (!this.trains && this.precomputed())) return;
    const there = this.trained();
    if (!this.precomputed()) await there;
  }

  // Done when all of them are where the person wants to be.
  private async trained() {
    const mine = this.generation;
    while (mine === this.generation && this.behind()) {
      this.running ??= this.train().finally(() => (this.running = undefined));
      await this.running;
    }
  }

  // To the next look there is: of a long training not every look is kept, which is seen when one is there.
  async go_to_next_look(from: number) {
    let step = this.look_after(from);
    do {
      await this.go(step);
      if (
        this.loading ||
        this.at !== step ||
        this.trainings.some(training => (training.look_at(step)?.step ?? Infinity) > from)
      )
        return;
      step += this.every;
    } while (step <= this.last);
  }

  // The page is left: nothing goes on, and the engine may forget them.
  end() {
    ++this.generation;
    this.playing = false;
    end_all(this.trainings);
    this.trainings = [];
  }

  // Plays until it is paused, or played again.
  private async run() {
    if (this.at >= this.last) this.at = 0; // once more
    const mine = ++this.plays,
      of = this.generation;
    const on = () => this.playing && mine === this.plays && of === this.generation;
    let exact = this.at,
      then = performance.now();
    while (on() && this.at < this.last) {
      const now = await new Promise<number>(requestAnimationFrame);
      const by = this.pace === Infinity ? this.look_after(this.at) - this.at : ((now - then) * this.pace) / 1000;
      then = now;
      exact = Math.min(this.last, exact + Math.max(0, by));
      if (!on() || Math.floor(exact) <= this.at) continue;
      const trained = this.reached;
      await this.go(Math.floor(exact), false);
      if (this.reached > trained) then = performance.now(); // what training takes is not caught up with
    }
    if (on()) this.pause();
  }

  private behind(): boolean {
    return this.trainings.some(training => training.state === "running" && training.step < this.goal);
  }

  private precomputed(): boolean {
    return this.trainings.length > 0 && this.trainings.every(training => training.known >= this.goal);
  }

  // A stretch at a time, so that the page shows what happens on the way.
  private async train() {
    const mine = this.generation;
    let told_last = 0;
    try {
      while (mine === this.generation && this.behind()) {
        const from = Math.min(
          ...this.trainings.filter(training => training.state === "running").map(training => training.step),
        );
        const until = Math.min(this.goal, this.look_after(from));
        for (const training of this.trainings) await training.advance(until);
        if (mine !== this.generation) return;
        this.trouble = this.lasting;
        this.at = Math.min(this.goal, this.precomputed() ? this.known : this.reached);
        // Nothing new is seen of what was computed beforehand.
        if (this.precomputed() && this.behind() && performance.now() - told_last < seldom) continue;
        told_last = performance.now();
        this.changed();
      }
    } catch (error) {
      if (mine === this.generation) this.stop(told(error as Error));
    }
  }

  private refuse(trouble: string) {
    this.refused = true;
    this.stop(trouble);
  }

  // And no further.
  private stop(trouble: string) {
    this.trouble = trouble;
    this.goal = this.at;
    this.playing = false;
    this.loading = false;
    this.changed();
  }
}

// What else would be refused, were the first not there: the engine tells of one setting at a time.
async function all_refused(plan: Plan | undefined, error: Error): Promise<Error[]> {
  const all = [error];
  let set = Object.entries(plan?.set ?? {});
  for (;;) {
    const last = all.at(-1)!;
    const others = set.filter(([name]) => !(last instanceof Refused && name === last.setting));
    if (!plan || others.length === 0 || others.length === set.length) return all;
    set = others;
    try {
      (await new Training({ ...plan, set: Object.fromEntries(set) }).begin()).end();
      return all;
    } catch (next) {
      if (!(next instanceof Refused)) return all;
      all.push(next);
    }
  }
}

function without(all: Training[], others: Training[]): Training[] {
  return all.filter(one => !others.includes(one));
}

function end_all(trainings: Training[]) {
  for (const training of trainings) training.end();
}

function told(error: Error): string {
  return error instanceof Refused ? `${words_for(error.setting)}: ${error.message}` : error.message;
}
