// Plays trainings side by side: forward by training, backward by going back to what was seen.
import { Lane, type Plan } from "../engine/lane";

export class Player {
  lanes: Lane[] = [];
  at = 0; // the step that is looked at
  playing = false;
  loading = true;
  shows = ""; // what was last wished for
  trouble = "";
  pace = 50; // steps a second; Infinity: as fast as it goes

  private generation = 0;
  private goal = 0;
  private running?: Promise<void>;

  constructor(private readonly changed: () => void) {}

  get total(): number {
    return Math.max(0, ...this.lanes.map((lane) => lane.steps));
  }
  get reached(): number {
    return Math.max(0, ...this.lanes.map((lane) => lane.step));
  }
  // Another text whenever a training went on, be it one behind the other.
  get progress(): string {
    return this.lanes.map((lane) => lane.step).join();
  }
  // The last step there will be: a training may end early.
  get last(): number {
    return this.lanes.length > 0 && this.lanes.every((lane) => lane.state !== "running") ? this.reached : this.total;
  }
  // Where the person wants to be, which training may not have come to yet.
  get wished(): number {
    return this.loading || !(this.playing || this.trouble) ? this.goal : this.at;
  }
  // From one look to the next.
  get every(): number {
    return Math.max(1, Math.min(...this.lanes.map((lane) => lane.every)));
  }

  // Begins these anew, and trains them up to `step`; `wish` is what they follow from.
  async load(wish: string, plans: { plan: Plan; title: string }[], step: number) {
    const mine = ++this.generation;
    this.shows = wish;
    this.playing = false;
    this.loading = true;
    this.goal = step;
    const fresh: Lane[] = [];
    try {
      for (const { plan, title } of plans) fresh.push(await new Lane(plan, title).begin());
    } catch (error) {
      for (const lane of fresh) lane.end();
      if (mine === this.generation) this.tell(error as Error);
      return;
    }
    if (mine !== this.generation) return fresh.forEach((lane) => lane.end());
    this.lanes.forEach((lane) => lane.end());
    this.lanes = fresh;
    this.at = 0;
    this.loading = false;
    this.trouble = "";
    this.changed();
    await this.go(this.goal);
  }

  async play() {
    if (this.playing || this.lanes.length === 0) return;
    if (this.at >= this.last) this.at = 0; // once more
    const mine = this.generation;
    this.playing = true;
    this.changed();
    let exact = this.at, then = performance.now();
    while (this.playing && mine === this.generation && this.at < this.last) {
      const now = await new Promise<number>(requestAnimationFrame);
      const by = this.pace === Infinity ? this.every - (this.at % this.every) : ((now - then) * this.pace) / 1000;
      then = now;
      exact = Math.min(this.last, exact + Math.max(0, by));
      if (!this.playing || Math.floor(exact) <= this.at) continue;
      const trained = this.reached;
      await this.go(Math.floor(exact), false);
      if (this.reached > trained) then = performance.now(); // what training takes is not caught up with
    }
    if (mine === this.generation) this.pause();
  }

  pause() {
    if (!this.playing) return;
    this.playing = false;
    this.changed();
  }

  // To a step, back or forth; newer wishes replace older ones.
  async go(step: number, pause = true): Promise<void> {
    if (pause) this.playing = false;
    this.goal = Math.max(0, Math.min(step, this.loading ? Infinity : this.total));
    // While others are begun, these are looked at as far as they came; the others will go there.
    if (this.loading || !this.behind()) {
      this.at = Math.min(this.goal, this.reached);
      this.changed();
      return;
    }
    const mine = this.generation;
    while (mine === this.generation && this.behind()) {
      this.running ??= this.train().finally(() => (this.running = undefined));
      await this.running;
    }
  }

  private behind(): boolean {
    return this.lanes.some((lane) => lane.state === "running" && lane.step < this.goal);
  }

  // A stretch at a time, so that the page shows what happens on the way.
  private async train() {
    const mine = this.generation;
    try {
      while (mine === this.generation && this.behind()) {
        const from = Math.min(...this.lanes.filter((lane) => lane.state === "running").map((lane) => lane.step));
        const until = Math.min(this.goal, from - (from % this.every) + this.every);
        for (const lane of this.lanes) await lane.advance(until);
        if (mine !== this.generation) return;
        this.at = Math.min(this.goal, this.reached);
        this.changed();
      }
    } catch (error) {
      if (mine === this.generation) this.tell(error as Error);
    }
  }

  private tell(error: Error) {
    this.trouble = error.message;
    this.goal = 0; // and no further
    this.playing = false;
    this.loading = false;
    this.changed();
  }
}
