// Names of numbers as the reference of metrics defines them, for a reader who points at one.
const named: { [metric: string]: string } = {
  accuracy: "Share of answers that are right, on data the model was not trained on.",
  loss: "Mean negative log-probability of the right answer, on data the model was not trained on.",
  train_loss: "Loss of the last batch that was trained on.",
  entropy: "Spread of attention: 1 is uniform attention, 0 is all attention on one position.",
  attention_points_right: "Share of rows whose largest attention is at the right position.",
  beta_points_right: "Share of rows whose largest β is at the right position.",
  knowledge: "Mean probability of the right answer, if all attention is on its position.",
  induction: "Mean attention on the tokens after earlier copies of the current token.",
  level: "The plateau nearest to the loss on the rows that it is predicted for, counted from 0..",
};

// `program` is the program that trained the run, if it was not Fovea: `rung` is measured in another way there.
export function meaning_of(metric: string, program: string): string | undefined {
  const words = (start: string) => metric.slice(start.length).replaceAll("_", " ");
  if (metric === "rung" && program === "") return "The nearest predicted plateau by KL divergence, counted from 0.";
  if (metric === "rung" && program === "PyTorch") return "The predicted plateau nearest to the loss, counted from 0.";
  if (named[metric]) return named[metric];
  if (metric.startsWith("from_")) return `Mean KL divergence of the model from the prediction ${words("from_")}.`;
  if (metric.startsWith("weight_on_")) return `Mean attention on: ${words("weight_on_")}.`;
  if (/^[a-z_]+_recalled$/.test(metric)) return "Share of right answers of one matrix, tested by itself.";
  return undefined;
}
