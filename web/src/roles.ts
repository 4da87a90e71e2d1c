// The colours of metrics by their roles, in every view: attention (α) has the first, β the second, right answers the third,
// attention on other words the fourth, and the entropy of attention the fifth.
const roles = [
  ["attention_points_right", "attention_on_answer", "induction", "weight_on_needed", "span_1_least"],
  ["beta_points_right", "beta_auc", "knowledge"],
  ["accuracy"],
  ["weight_on_previous", "weight_on_first_unneeded", "span_2_most"],
  ["entropy"],
];

// The number of a metric's colour; -1 if it has no role.
export const role_of = (metric: string) => roles.findIndex(metrics => metrics.includes(metric));
export const role_colour = (metric: string) => `var(--c${role_of(metric)})`;
