// What metrics are called on the page, and in which order a reader is offered them.
import type { Run } from "../model";

// The ones that are asked for first, in this order.
const named: { [metric: string]: string } = {
  accuracy: "accuracy",
  loss: "loss",
  train_loss: "loss in training",
  attention_points_right: "α: looks right",
  beta_points_right: "β: matches words",
  attention_on_answer: "attention on the answer's position",
  beta_auc: "β: keyword ranks above others",
  knowledge: "β: probability of the right answer",
  entropy: "entropy of attention",
  induction: "weight on tokens after earlier copies",
  weight_on_previous: "weight on the position before",
  weight_on_first: "weight on the first position",
  weight_on_needed: "weight on needed positions",
  rung: "nearest rung by divergence (number)",
  level: "nearest rung by loss (number)",
};
const spaced = (name: string) => name.replaceAll("_", " ");

// "induction_l2_h1_held": "weight on tokens after earlier copies, layer 2 head 1, attention changed".
export function metric_title(metric: string): string {
  const part = (ending: RegExp, says: (found: RegExpExecArray) => string) => {
    const found = ending.exec(metric);
    return found && metric_title(metric.slice(0, found.index)) + says(found);
  };
  return (
    named[metric] ??
    part(/_held$/, () => ", attention changed") ??
    part(/_released$/, () => ", if released") ??
    part(/_recalled$/, () => " matrix alone: right answers") ??
    part(/_recalled_weight$/, () => " matrix alone: weight on the right answer") ??
    part(/_chance$/, () => ", by chance") ??
    part(/_l(\d+)_h(\d+)$/, ([, layer, head]) => `, layer ${layer} head ${head}`) ??
    (metric.startsWith("rung_")
      ? `predicted plateau: ${spaced(metric.slice("rung_".length))}`
      : metric.startsWith("from_")
        ? `divergence from ${spaced(metric.slice("from_".length))}`
        : spaced(metric))
  );
}

// Numbers of single heads, of holds and of the prediction, which a reader asks for last.
const of_change = (metric: string) => /_held$|_released$/.test(metric);
const of_head = (metric: string) => /_l\d+(_h\d+)?$/.test(metric);
const of_prediction = (metric: string) => /^rung_(?!released$)|_chance$|^predicted_/.test(metric);
const several_label = "Several experiments";
const head_label = "Single heads",
  prediction_label = "Chance and predictions",
  change_label = "If attention were released, or under its change";
export const is_detail = (metric: string) => detail_of(metric) !== "";

// What a metric is a detail of; "" if it is none.
export function detail_of(metric: string): string {
  if (of_change(metric)) return change_label;
  return of_prediction(metric) ? prediction_label : of_head(metric) ? head_label : "";
}

// What is under a change of attention has the metric's own name, if there is the same "if released". A prediction from
// the data is the same under every change, and the divergence from the truth has two names.
export function metrics_to_offer(metrics: string[], chosen?: string): string[] {
  const has = new Set(metrics);
  return metrics.filter(
    name =>
      name === chosen ||
      !(
        (name.endsWith("_held") &&
          (has.has(name.replace(/_held$/, "_released")) ||
            (/^rung_(?!held$)/.test(name) && has.has(name.replace(/_held$/, ""))))) ||
        (name.startsWith("kl_from_truth") && has.has(name.slice("kl_".length)))
      ),
  );
}

// Where runs of several experiments have a metric: in one of them, which is named, or in several.
export function homes_of(runs: Pick<Run, "experiment" | "metrics">[]): Map<string, string> {
  const homes = new Map<string, string>();
  for (const { experiment, metrics } of runs)
    for (const name of Object.keys(metrics))
      homes.set(name, (homes.get(name) ?? experiment) === experiment ? experiment : several_label);
  return new Set(runs.map(({ experiment }) => experiment)).size > 1 ? homes : new Map();
}

// Metrics in groups: the usual ones, all others by their homes, and details.
export function metric_groups(
  metrics: string[],
  chosen?: string,
  homes = new Map<string, string>(),
): { label: string; names: string[] }[] {
  const offered = metrics_to_offer(metrics, chosen);
  const usual = Object.keys(named).filter(name => offered.includes(name)),
    others = offered.filter(name => !usual.includes(name)).sort(),
    plain = others.filter(name => !is_detail(name));
  const home = (name: string) => homes.get(name) ?? "This experiment";
  const labels = [...new Set(plain.map(home))].sort(
    (a, b) => Number(b === several_label) - Number(a === several_label) || (a < b ? -1 : 1),
  );
  return [
    { label: "Usual", names: usual },
    ...labels.map(label => ({ label, names: plain.filter(name => home(name) === label) })),
    ...[head_label, prediction_label, change_label].map(label => ({
      label,
      names: others.filter(name => detail_of(name) === label),
    })),
  ].filter(({ names }) => names.length > 0);
}

interface Options {
  metrics: string[];
  chosen?: string;
  homes?: Map<string, string>;
}

export function MetricOptions({ metrics, chosen, homes }: Options) {
  const groups = metric_groups(metrics, chosen, homes);
  const options = (names: string[]) =>
    names.map(name => (
      <option value={name} selected={name === chosen} title={name}>
        {metric_title(name)}
      </option>
    ));
  return (
    <>
      {groups.length === 1
        ? options(groups[0]!.names)
        : groups.map(({ label, names }) => <optgroup label={label}>{options(names)}</optgroup>)}
    </>
  );
}
