// What each head of a transformer attends to, from the metrics of single heads.
import { type Series, value_in } from "../engine/looks";
import type { WholeRun } from "../model";
import { released } from "./as_trained";
import { series_of } from "./kept";

// The kinds of positions that are measured, and what a head on them is called.
const kinds: { [metric: string]: { on: string; head: string } } = {
  induction: { on: "followers of earlier copies", head: "Induction head" },
  weight_on_previous: { on: "the position before", head: "Previous-token head" },
  weight_on_needed: { on: "needed positions", head: "Head on needed positions" },
  weight_on_first: { on: "the first position", head: "Head on the first position" },
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
  rise: number; // share of the way from the first value to 1
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
    const most = Math.max(...series.values.map(value => value ?? 0));
    return [
      {
        ...{ metric, head: `layer ${layer}, head ${head}`, map: `attention.layer.${layer}.head.${head}` },
        ...{ on: kind.on, called: kind.head, chance: run.metrics[`${name}_chance`] ?? undefined, series, first, most },
        rise: (most - first) / Math.max(1e-9, 1 - first),
      },
    ];
  });
}

// Of each head the metric that rose most, the largest rise first.
export function rises_of(run: WholeRun): HeadMetric[] {
  const all = head_metrics(run).sort((a, b) => b.rise - a.rise);
  return all.filter(({ head }, i) => all.findIndex(one => one.head === head) === i);
}

const least_role = 0.15; // share of the way from uniform attention to 1

// What a head attends to at a step: "0.85 on followers of earlier copies (uniform: 0.58)".
export function role_at(metrics: HeadMetric[], map: string, step: number): string {
  const found = metrics
    .filter(one => one.map === map)
    .flatMap(({ on, chance, series }) => {
      const weight = value_in(series, step);
      if (typeof weight !== "number") return [];
      return [{ on, chance, weight, over: (weight - (chance ?? 0)) / (1 - (chance ?? 0)) }];
    })
    .sort((a, b) => b.over - a.over);
  const best = found.find(({ over, chance }) => over >= (chance === undefined ? 0.5 : least_role));
  if (best)
    return `${short(best.weight)} on ${best.on}${best.chance === undefined ? "" : ` (uniform: ${short(best.chance)})`}`;
  return found.length > 0 ? "near uniform attention" : "";
}
