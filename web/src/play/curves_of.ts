// The curves of trainings in a figure, as far as they were watched.
import type { Curve } from "../curves";
import type { Series } from "../engine/looks";
import type { Training } from "../engine/training";
import { role_of } from "../roles";
import { watched_until } from "../start/effect";
import { label_of } from "./task_metrics";
import type { Task } from "./tasks";

// As far as a step; of the untouched training, as far as it was trained. `series_of` is of a metric of a training.
export function curves_of(
  trainings: Training[],
  metrics: string[],
  at: number,
  untouched: Training | undefined,
  series_of: (training: Training, metric: string) => Series | undefined = (training, metric) =>
    training.series.get(metric),
  task?: Task,
): Curve[] {
  return trainings.flatMap((training, i) =>
    metrics.flatMap(metric => {
      const series = series_of(training, metric);
      const like = label_of(metric, task);
      const title = like + (training.title && `, ${training.title}`);
      const until = training === untouched ? watched_until(training, at) : at;
      if (!series) return [];
      const seen = until === Infinity ? series.steps.length : series.steps.filter(step => step <= until).length;
      return [
        {
          name: title,
          group: title,
          steps: series.steps.slice(0, seen),
          values: series.values.slice(0, seen),
          like,
          colour: role_of(metric),
          dashed: i > 0,
        },
      ];
    }),
  );
}

export function table_of(curves: Curve[]) {
  return {
    columns: ["line", "step", "value"],
    rows: curves.flatMap(curve => curve.steps.map((step, i) => [curve.name, step, curve.values[i] ?? null])),
  };
}
