// Two runs side by side in sentences: in which settings they differ, by how much a metric does, and whether chance can be
// judged.
import { useEffect, useState } from "preact/hooks";
import { type Groups, type Run, type Setting, setting_text } from "../model";
import { interventions_text } from "../play/acts";
import { metric_title } from "../run/metric_names";
import type { KeptRuns } from "../source";
import { enough_pairs, short } from "./pairs";
import { setting_title } from "./runs_named";

// What the settings are in each of two runs.
export function settings_text(names: string[], one: Map<string, string>, other: Map<string, string>): string {
  const told = names.slice(0, 3).map(name => {
    const title = name === "intervene" ? "" : `${setting_title(name)} `;
    return `${title}${one.get(name) ?? "not set"} against ${other.get(name) ?? "not set"}`;
  });
  const more = names.length - told.length;
  return told.join("; ") + (more > 0 ? `; and ${more} more settings` : "");
}

// The difference of the metric, second run minus first run.
export function difference_told([a, b]: [Run, Run], metric: string): string {
  const [one, other] = [a.metrics[metric], b.metrics[metric]];
  const title = metric_title(metric);
  if (typeof one !== "number" || typeof other !== "number") return `Not both runs have ${title}.`;
  const difference = other - one;
  if (difference === 0) return `Both end with ${title} ${short(one)}.`;
  const by = `${short(Math.abs(difference))} ${difference < 0 ? "lower" : "higher"}`;
  return `Run ${b.run} ends with ${title} ${short(other)}, run ${a.run} with ${short(one)}: ${by}.`;
}

// Whether chance can be judged, from the groups that the two runs belong to.
export function chance_told(test: Groups["groups"][0]["test"], names: string[]): string {
  if (names.length === 0) return "The runs differ in their seed alone, so their difference is chance.";
  const alone = "One pair of runs cannot separate a difference from chance.";
  if (names.length > 1) return `${alone} The runs differ in several settings, so no group of pairs tests one of them.`;
  const { pairs = 0, p, difference, problem } = test ?? {};
  if (problem || pairs < 2 || typeof p !== "number" || typeof difference !== "number")
    return `${alone} No other pair of runs has this difference.`;
  const group = `All ${pairs} pairs of runs with this difference: ${short(difference)} on average, p ${p < 1e-4 ? "< 0.0001" : `= ${+p.toPrecision(2)}`}`;
  const judged =
    pairs < enough_pairs
      ? `At least ${enough_pairs} pairs are needed to judge chance.`
      : p < 0.05
        ? "Chance alone rarely makes a difference this large."
        : "The difference may be chance.";
  return `${alone} ${group}. ${judged}`;
}

export function PairTold(props: {
  pair: [Run, Run];
  names: string[]; // of the settings in which they differ, without the seed
  of: (run: Run) => Map<string, string>;
  metric: string;
  store: KeptRuns | undefined;
}) {
  const { pair, names, of, metric, store } = props;
  const [a, b] = pair;
  const [groups, set_groups] = useState<Groups>();
  const by = names.length === 1 && !names[0]!.startsWith("length of ") ? names[0]! : "";
  const experiment = a.experiment === b.experiment ? a.experiment : "";
  useEffect(() => {
    set_groups(undefined);
    if (!by || !experiment || !store) return;
    const setting = by
      .split(".")
      .reduce<Setting | undefined>((at, key) => (at as { [key: string]: Setting })?.[key], a.settings as Setting);
    const against = setting === undefined ? "" : setting_text(setting);
    let wanted = true;
    store.groups({ experiment, where: "", metric, by, against }).then(
      found => wanted && set_groups(found),
      () => {}, // more values than can be grouped: the sentence has no group
    );
    return () => {
      wanted = false;
    };
  }, [store, experiment, by, metric, a.run, b.run]);
  const title = (value: Setting) =>
    by === "intervene" ? interventions_text(value ?? []) : value === null ? "not set" : setting_text(value);
  const test = groups?.groups.find(({ value }) => title(value) === of(b).get(by))?.test;
  const differ = names.length === 0 ? "" : ` (${settings_text(names, of(a), of(b))})`;
  return (
    <p class="lead">
      Run {a.run} and run {b.run}
      {differ}: {difference_told(pair, metric)} <span class="chance">{chance_told(test, names)}</span>
    </p>
  );
}
