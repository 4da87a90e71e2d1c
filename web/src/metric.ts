// Which experiment, and which metric of runs, is shown where none is asked for.
import { flat_settings, type Run } from "./model";

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

type Known = Pick<Run, "experiment" | "state" | "steps"> & Partial<Pick<Run, "seed" | "settings" | "metrics">>;

// The pairs of runs that differ in one setting, of the setting that has most of them.
function pairs_among(runs: Known[]): number {
  const settings = runs.map(run => flat_settings(run.settings ?? {}).set("seed", String(run.seed)));
  const varied = [...new Set(settings.flatMap(one => [...one.keys()]))].filter(
    name => new Set(settings.map(one => one.get(name))).size > 1,
  );
  const of = (by: string) => {
    const values = new Map<string, Set<string | undefined>>(); // of `by`, for each value of all others
    for (const one of settings) {
      const rest = JSON.stringify(varied.filter(name => name !== by).map(name => one.get(name)));
      values.set(rest, (values.get(rest) ?? new Set()).add(one.get(by)));
    }
    return [...values.values()].filter(({ size }) => size > 1).length;
  };
  return Math.max(0, ...varied.filter(name => name !== "seed").map(of));
}

const enough = 3; // runs or pairs to compare
const judged = 6; // pairs whose difference can be separated from chance

// The newest experiment of which runs with as many steps as its longest run can be compared, best in many pairs and with
// what is right; else the newest. `runs` are the newest ones, from the last on.
export function shown_first(runs: Known[]): string {
  const of = new Map<string, Known[]>();
  for (const run of runs) of.set(run.experiment, [...(of.get(run.experiment) ?? []), run]);
  const whole = [...of].map(([name, own]) => {
    const most = Math.max(...own.map(({ steps }) => steps));
    const done = own.filter(({ state, steps }) => state === "done" && steps === most);
    const right = done.some(({ metrics = {} }) => telling.slice(0, 2).some(metric => metric in metrics));
    const seeds = new Set(done.map(({ seed }) => seed)).size;
    return { name, count: done.length, pairs: seeds < enough ? 0 : pairs_among(done), right, seeds };
  });
  const found =
    whole.find(({ pairs, right }) => right && pairs >= judged) ??
    whole.find(({ pairs, right }) => right && pairs >= enough) ??
    whole.find(({ pairs }) => pairs >= enough) ??
    whole.find(({ seeds }) => seeds >= enough) ??
    whole.find(({ count }) => count >= enough);
  return found?.name ?? runs[0]!.experiment;
}
