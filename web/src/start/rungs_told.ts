// Where the loss of each training is among its predicted plateaus, in a sentence.
import type { Training } from "../engine/training";
import type { Rule } from "../line_looks";
import { recent_mean, rung_text } from "../rungs";
import { as_it_works } from "./effect";

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
