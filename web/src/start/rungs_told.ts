// Where the loss of each training is among its predicted plateaus, in a sentence.
import type { Training } from "../engine/training";
import { type Rule, rungs_among } from "../line_looks";
import { nearest_rung, recent_mean, rung_text } from "../rungs";
import { as_it_works } from "./effect";

// The plateaus of the loss that are computed from the data alone: they are there before training.
export const rungs_of = (training: Training | undefined): Rule[] =>
  rungs_among([...(training?.series ?? [])].map(([metric, { values }]) => [metric, values[0]]));

// The loss of a changed training and of the untouched one up to a step, and whether the changed one is near as low a rung.
export function losses_told(
  training: Training,
  ghost: Training,
  at: number,
): { as_low: boolean; says: string } | undefined {
  const rungs = rungs_of(training);
  const losses = [training, ghost].map(run => {
    const series = as_it_works(run, "loss");
    return series && recent_mean(series, at);
  });
  const [own, other] = losses;
  if (rungs.length < 2 || own === undefined || other === undefined) return undefined;
  const [near, near_other] = [nearest_rung(rungs, own), nearest_rung(rungs, other)];
  const text = (loss: number) => rung_text(rungs, loss).slice(0, -1);
  return {
    as_low: near.value <= near_other.value,
    says: `with the change the loss is ${text(own)}; in the untouched training it is ${text(other)}`,
  };
}

// The rung that the loss of each training has come to at a step, of the model as it trains.
export function rungs_told(trainings: Training[], rungs: Rule[], at: number): string[] {
  if (at === 0) return [];
  const changed = trainings[0]!.interventions.length > 0 && trainings[1]?.interventions.length === 0;
  return trainings.flatMap((training, i) => {
    const series = as_it_works(training, "loss"),
      loss = series && recent_mean(series, at);
    if (loss === undefined) return [];
    const end = training.state === "done" ? training.step : training.steps;
    const says = `loss ${at < end ? "is" : "stops"} ${rung_text(rungs, loss)}`;
    if (trainings.length === 1) return [`The ${says}`];
    const whose = changed ? ["With the change", "Untouched training"] : ["Solid", "Dashed"];
    return [`${whose[i]}: the ${says}`];
  });
}
