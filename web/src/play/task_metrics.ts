// The metrics of the playground's tasks: their labels, and which are drawn at first.
import type { Task } from "./tasks";

const labels: { [metric: string]: string } = {
  accuracy: "accuracy",
  attention_points_right: "α: looks right",
  attention_on_answer: "α: on the deciding word",
  beta_points_right: "β: matches words",
  beta_auc: "β: the keyword ranks above others",
  weight_on_previous: "α: the word before",
  induction: "α: the words after earlier copies",
  weight_on_needed: "attention on the right positions",
  weight_on_first_unneeded: "attention on the first position, if none is right",
  span_1_least: "least weight of a head on the newest span",
  span_2_most: "largest weight of a head on the span before",
  knowledge: "β: sure of the answer by the keyword alone",
  entropy: "entropy of attention (1: uniform)",
  train_loss: "loss",
  loss_held: "loss, same model, attention free",
};

// The quantity that a curve shows.
const measures: { [metric: string]: string } = {
  accuracy: "share of answers that are right",
  attention_points_right: "share of words whose largest attention weight is on the right position",
  attention_on_answer: "share of attention on the position that decides the answer",
  beta_points_right:
    "share of written words that are matched (of all words read, the right one speaks most for the written word)",
  beta_auc: "how often the keyword ranks above another word as evidence for the answer. 50 % is chance",
  weight_on_previous: "largest share of attention that one head has on the word before",
  induction: "largest share of attention that one head has on the words after earlier copies of the current word",
  weight_on_needed: "share of attention on the positions that a right answer needs",
  weight_on_first_unneeded: "share of attention on the first position, if no position is needed",
  span_1_least: "of all heads, the least weight on the newest span",
  entropy: "how spread attention is: 1 is equal weights, 0 is one word alone",
};

// Some tasks have words of their own for them.
export const label_of = (metric: string, task?: Task) => task?.named?.[metric]?.label ?? labels[metric] ?? metric;
export const measure_of = (metric: string, task: Task) => task.named?.[metric]?.measures ?? measures[metric];

// What is drawn at first: knowledge and attention, where the task has both.
export function first_curves(task: Task): string[] {
  const two = [task.knowledge?.metric ?? "accuracy", task.attention?.metric ?? "entropy"];
  return task.metrics.filter(metric => two.includes(metric));
}

// The probe that measures it, where that has another name.
export const probe_of: { [metric: string]: string } = {
  weight_on_previous: "heads",
  induction: "heads",
  weight_on_needed: "heads",
  weight_on_first_unneeded: "heads",
  span_1_least: "spans",
  span_2_most: "spans",
};

// What measures attention or β, which a model may not have.
export const may_lack = new Set([
  "attention_points_right",
  "attention_on_answer",
  "entropy",
  "beta_points_right",
  "beta_auc",
  "knowledge",
]);
