// What metrics are called on the page, and in which order a reader is offered them.

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
  induction: "weight on followers of earlier copies",
  weight_on_previous: "weight on the position before",
  weight_on_first: "weight on the first position",
  weight_on_needed: "weight on needed positions",
  rung: "number of the nearest rung, by divergence",
  level: "number of the nearest rung, by loss",
};
const plain = (name: string) => name.replaceAll("_", " ");

// "induction_l2_h1_held": "weight on followers of earlier copies, layer 2 head 1, attention changed".
export function metric_title(metric: string): string {
  const part = (ending: RegExp, says: (found: RegExpExecArray) => string) => {
    const found = ending.exec(metric);
    return found && metric_title(metric.slice(0, found.index)) + says(found);
  };
  return (
    named[metric] ??
    part(/_held$/, () => ", attention changed") ??
    part(/_chance$/, () => ", by chance") ??
    part(/_l(\d+)_h(\d+)$/, ([, layer, head]) => `, layer ${layer} head ${head}`) ??
    (metric.startsWith("rung_")
      ? `predicted plateau: ${plain(metric.slice("rung_".length))}`
      : metric.startsWith("from_")
        ? `divergence from ${plain(metric.slice("from_".length))}`
        : plain(metric))
  );
}

// Numbers of single heads, of holds and of the prediction, which a reader asks for last.
export const is_detail = (metric: string) => /_held$|_l\d+_h\d+|^rung_|_chance$|^predicted_/.test(metric);

// Options of a selection, in groups: the usual ones, all others, and details.
export function MetricOptions({ metrics, chosen }: { metrics: string[]; chosen?: string }) {
  const usual = Object.keys(named).filter(name => metrics.includes(name)),
    others = metrics.filter(name => !usual.includes(name)).sort();
  const groups = [
    { label: "Usual", names: usual },
    { label: "This experiment", names: others.filter(name => !is_detail(name)) },
    { label: "Single heads, interventions, predictions", names: others.filter(is_detail) },
  ].filter(({ names }) => names.length > 0);
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
