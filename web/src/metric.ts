// Which experiment, and which metric of runs, is shown where none is asked for.
import type { Run } from "./model";

const telling = ["accuracy", "attention_points_right", "loss", "train_loss", "p"]; // the most so first

interface Measured {
  metrics: { [name: string]: unknown };
}

// The one that is wished for where any run has measured it, else the most telling one that a tenth of the runs have,
// else what most of them have.
export function metric_of(runs: Measured[], wanted: string): string {
  const times = new Map<string, number>();
  for (const run of runs) for (const name of Object.keys(run.metrics)) times.set(name, (times.get(name) ?? 0) + 1);
  if (times.has(wanted)) return wanted;
  const most = Math.max(...times.values());
  return (
    telling.find(name => (times.get(name) ?? 0) >= Math.max(1, runs.length / 10)) ??
    [...times.keys()].filter(name => times.get(name) === most).sort()[0] ??
    ""
  );
}

// The same before any run is there, or of one run alone.
export function likely_metric(names: string[], wanted: string): string {
  return [wanted, ...telling].find(name => names.includes(name)) ?? "";
}

const enough = 3; // runs to compare

// The newest experiment of which three runs are done with as many steps as its longest run, best of three seeds; else the
// newest. `runs` are the newest ones, from the last on.
export function shown_first(runs: (Pick<Run, "experiment" | "state" | "steps"> & { seed?: number })[]): string {
  const of = new Map<string, typeof runs>();
  for (const run of runs) of.set(run.experiment, [...(of.get(run.experiment) ?? []), run]);
  const whole = [...of].map(([name, own]) => {
    const most = Math.max(...own.map(({ steps }) => steps));
    return { name, done: own.filter(({ state, steps }) => state === "done" && steps === most) };
  });
  const of_seeds = whole.find(({ done }) => new Set(done.map(({ seed }) => seed)).size >= enough);
  return (of_seeds ?? whole.find(({ done }) => done.length >= enough))?.name ?? runs[0]!.experiment;
}
