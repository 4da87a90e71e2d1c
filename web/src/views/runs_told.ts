// Two runs side by side in sentences: their settings and the metric of each, and whether chance can be judged.
import { capital } from "../capital";
import { rungs_among } from "../line_looks";
import type { Groups, Line, Run } from "../model";
import { nearest_at_end, rungs_of_last } from "../run/events";
import { metric_title } from "../run/metric_names";
import { nearest_rung, recent_mean, rung_text } from "../rungs";
import { enough_pairs, p_text, pooled_text, short, too_few } from "./pairs";
import { group_title, type Settings } from "./runs_named";

export type Own = Map<string, string>; // settings of a run, in words

// "task.vocab = 30, train.rate = 0.01".
export function settings_text(names: string[], own: Own): string {
  const first = names.slice(0, 3).map(name => group_title(name, own.get(name) ?? "not set"));
  const more = names.length - first.length;
  return [...first, ...(more > 0 ? [`and ${more} more settings`] : [])].join(", ");
}

// The settings and the last value of both runs. The second run is compared with the first.
export function difference_told(
  [a, b]: [Run, Run],
  metric: string,
  names: string[],
  of: (run: Run) => Own,
  at?: number, // the step of the values; the end without it
): string {
  const [one, other] = [a.metrics[metric], b.metrics[metric]];
  const title = metric_title(metric);
  const called = (run: Run) => {
    const experiment = a.experiment === b.experiment ? [] : [run.experiment];
    const settings = names.length > 0 ? [settings_text(names, of(run))] : [];
    const seed = a.seed === b.seed ? [] : [`seed ${run.seed}`];
    return `run ${run.run} (${[...experiment, ...settings, ...seed].join(", ")})`;
  };
  if (typeof one !== "number" || typeof other !== "number")
    return `${capital(called(a))} and ${called(b)} do not both have ${title}.`;
  const difference = other - one;
  const compared =
    difference === 0 ? "the same" : `${short(Math.abs(difference))} ${difference < 0 ? "lower" : "higher"}`;
  const has = at === undefined ? "ends with" : `at step ${at} has`;
  return `${capital(called(a))} ${has} ${title} ${short(one)}. ${capital(called(b))} ${has} ${short(other)}: ${compared}.`;
}

// The rung at which each run ends, by its loss. If the nearest rung by KL divergence is another one, it is named, too.
export function rungs_told(pair: Run[], losses: Line[]): string {
  const ends = pair.map(run => {
    const line = losses.find(one => one.run === run.run),
      loss = (line && recent_mean(line)) ?? run.metrics.loss,
      rungs = rungs_among(Object.entries(run.metrics)),
      nearest = nearest_at_end(run);
    if (rungs_of_last(run)) return { rung: nearest && `Run ${run.run} ends nearest to the rung ${nearest}.` };
    if (rungs.length === 0 || typeof loss !== "number") return { rung: "" };
    const agree = nearest === "" || nearest_rung(rungs, loss).name.split(", ").includes(nearest);
    return {
      rung: `Run ${run.run} ends ${rung_text(rungs, loss)}`,
      ...(!agree && { by_divergence: `By KL divergence, run ${run.run} is nearest to ${nearest}.` }),
    };
  });
  if (ends.some(({ rung }) => !rung)) return "";
  const differ = ends.flatMap(({ by_divergence }) => by_divergence ?? []);
  const by = pair.some(rungs_of_last)
    ? ["The rungs are of the last position, so they are compared by KL divergence."]
    : differ.length > 0
      ? ["Rungs are named by the loss.", ...differ]
      : [];
  return [...ends.map(({ rung }) => rung), ...by].join(" ");
}

// Both values at the last common evaluation, if the runs end at unlike steps.
export function common_step_told(pair: [Run, Run], lines: Line[], metric: string): string {
  if (pair[0].steps === pair[1].steps) return "";
  const values = pair.map(({ run }) => {
    const line = lines.find(one => one.run === run);
    return new Map(line?.steps.map((step, i) => [step, line.values[i]]));
  }) as [Map<number, number | null | undefined>, Map<number, number | null | undefined>];
  const known = (step: number) => values.every(one => typeof one.get(step) === "number");
  const step = [...values[0].keys()].filter(known).at(-1);
  if (step === undefined) return "";
  const [one, other] = values.map(of => short(of.get(step)));
  return `At step ${step}, the last of both, ${metric_title(metric)} is ${one} and ${other}.`;
}

// Whether chance can be judged, from all pairs of runs with the same difference. `counting`: these pairs are not known yet.
export function chance_told(
  [a, b]: Pick<Run, "experiment" | "seed">[],
  names: string[],
  test: Groups["groups"][0]["test"],
  counting = false,
): string {
  if (a!.experiment !== b!.experiment)
    return "The runs are of different experiments, so no pairs test their difference.";
  const same_seed = a!.seed === b!.seed;
  if (names.length === 0)
    return same_seed
      ? "The runs have equal settings and equal seeds. A difference comes from the program or the machine, not from chance."
      : "The runs differ in their seed alone, so their difference is chance.";
  const alone = "One pair of runs cannot separate a difference from chance.";
  if (names.length > 1) return `${alone} The runs differ in several settings, so no group of pairs tests one of them.`;
  if (counting) return `${alone} Counting the other pairs of runs.`;
  const { pairs = 0, p, difference, problem, paired_by } = test ?? {};
  if (problem || pairs < 2 || typeof p !== "number" || typeof difference !== "number")
    return `${alone} No other pair of runs in the table differs in this alone.`;
  const unlike = same_seed ? "" : "These two runs also have different seeds, so they are no such pair. ";
  const group = `The table has ${pairs} pairs of runs that differ in this alone${pooled_text(paired_by)}: mean difference ${short(difference)}, ${p_text(p)}.`;
  const judged = p < 0.05 ? "Chance alone rarely makes a difference this large." : "The difference may be chance.";
  return `${alone} ${unlike}${group} ${pairs < enough_pairs ? too_few(pairs) : judged}`;
}

// Runs of the pair's experiment with one of the pair's two values of the setting, as in the table of groups.
export function peers_of(pair: [Run, Run], among: Run[], by: string, settings: Settings): Run[] {
  const key = (run: Run) => JSON.stringify([run.experiment, settings.get(run.run)?.get(by)]);
  const wanted = pair.map(key);
  return among.filter(run => wanted.includes(key(run)));
}
