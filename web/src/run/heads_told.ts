// What each head of a transformer attends to, from the metrics of single heads.
import { type Series, value_in } from "../engine/looks";
import type { WholeRun } from "../model";
import { released } from "./as_trained";
import { series_of } from "./kept";

// The kinds of positions that are measured, and what a head attends like that is on them.
const kinds: { [metric: string]: { on: string; head: string } } = {
  induction: { on: "tokens after earlier copies", head: "an induction head" },
  weight_on_previous: { on: "the position before", head: "a previous-token head" },
  weight_on_needed: { on: "needed positions", head: "a head on needed positions" },
  weight_on_first: { on: "the first position", head: "a head on the first position" },
};

export interface HeadMetric {
  metric: string;
  head: string; // "layer 2, head 1"
  map: string; // the name of its attention map
  on: string;
  called: string;
  chance: number | undefined; // the weight of uniform attention
  series: Series;
  first: number;
  most: number;
  last: number;
  rise: number; // share of the way from the first value to 1
  level: number; // half of the way from uniform attention to 1
}

const short = (value: number) => String(+value.toPrecision(2));

// The metrics of single heads; `as_released`: of a held head, what it attends to if it is released, as its map does.
export function head_metrics(run: WholeRun, as_released = false): HeadMetric[] {
  return Object.keys(run.series).flatMap(metric => {
    const [, name = "", layer, head] = /^(.+)_l(\d+)_h(\d+)$/.exec(metric) ?? [];
    const kind = kinds[name];
    if (!kind) return [];
    const series = series_of((as_released && run.series[metric + released]) || run.series[metric]!);
    const first = series.values[0];
    if (typeof first !== "number") return [];
    const known = series.values.filter(value => value !== null);
    const most = Math.max(...known),
      chance = run.metrics[`${name}_chance`] ?? undefined;
    return [
      {
        ...{ metric, head: `layer ${layer}, head ${head}`, map: `attention.layer.${layer}.head.${head}` },
        ...{ on: kind.on, called: kind.head, chance, series, first, most, last: known.at(-1)! },
        rise: (most - first) / Math.max(1e-9, 1 - first),
        level: (1 + (chance ?? first)) / 2,
      },
    ];
  });
}

// Of each head the metric that rose most, the largest rise first.
export function rises_of(run: WholeRun): HeadMetric[] {
  const all = head_metrics(run).sort((a, b) => b.rise - a.rise);
  return all.filter(({ head }, i) => all.findIndex(one => one.head === head) === i);
}

// Whether a head forms. Its weight begins below the level, and is not below it at the last evaluation.
export const is_formed = ({ first, last, level }: HeadMetric) => first < level && last >= level;

// The step at which a head forms. It has made half of its rise there.
export const forms_at = ({ series: { steps, values }, first, most }: HeadMetric) =>
  steps[values.findIndex(value => value !== null && value >= (first + most) / 2)]!;

// The largest number of steps between two evaluations of heads: how coarse the step is at which one forms.
export function steps_apart(run: WholeRun): number {
  const steps = head_metrics(run)[0]?.series.steps ?? [];
  return Math.max(0, ...steps.slice(1).map((step, i) => step - steps[i]!));
}

// A sentence for each kind of head that no measured head has become. It has the highest weight.
export function not_formed(run: WholeRun): string[] {
  const all = head_metrics(run);
  return [kinds.induction!, kinds.weight_on_previous!].flatMap(({ head: called, on }) => {
    const of_kind = all.filter(one => one.called === called).sort((a, b) => b.most - a.most);
    const [best] = of_kind;
    if (!best || of_kind.some(one => one.last >= one.level)) return [];
    const fell = best.last < best.most ? `, at the end ${short(best.last)}` : "";
    const uniform = best.chance === undefined ? "its first weight" : `uniform attention (${short(best.chance)})`;
    return [
      `No head attends like ${called}${run.state === "running" ? " yet" : ""}: the highest weight on ${on} is ${short(best.most)}${fell} (${best.head}). A head counts from ${short(best.level)} on, half of the way from ${uniform} to 1.`,
    ];
  });
}

// What a head attends to at a step: "0.85 on followers of earlier copies (uniform: 0.58)".
export function role_at(metrics: HeadMetric[], map: string, step: number): string {
  const found = metrics
    .filter(one => one.map === map)
    .flatMap(({ on, chance, series }) => {
      const weight = value_in(series, step),
        uniform = chance ?? 0;
      if (typeof weight !== "number") return [];
      return [{ on, chance, weight, over: uniform < 1 ? (weight - uniform) / (1 - uniform) : 0 }];
    })
    .sort((a, b) => b.over - a.over);
  const [best] = found;
  if (!best) return "";
  return `${short(best.weight)} on ${best.on}${best.chance === undefined ? "" : ` (uniform: ${short(best.chance)})`}`;
}
