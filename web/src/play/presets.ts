// What the playground offers to begin with. Each says what happens, and in terms of numbers: a test trains every one of
// them from five seeds and holds it to that.
import { first, type State, settings_in, settings_text } from "./state";

// Of the run (0: the first, 1: the one beside it) a metric at `step` is at least `least`, never above `most` until
// there, or within `by` of a predicted plateau.
export interface Held {
  run: 0 | 1;
  metric: string;
  step: number;
  least?: number;
  most?: number;
  near?: { plateau: string; by: number };
}
// The loss of each run falls below `below` within this share of the step that is predicted.
export interface PredictedStep {
  time: string;
  below: string;
  within: number;
}

export interface Preset {
  name: string;
  title: string;
  outcome: string;
  state: Partial<State>;
  curves?: string[]; // that are shown at first
  runs?: [string, string]; // what the two runs are called
  held: Held[];
  predicted?: PredictedStep;
}

export const presets: Preset[] = [
  {
    name: "two-stages",
    title: "Words first, then where to look",
    outcome:
      "The model practises to copy texts of twelve words. Within 10 steps it matches half of the words (β), while attention (α) looks right in one row of five. By step 60 attention is there. Words repeat in these texts. A repeated word counts for β only if the right copy ranks first, so β stays below 100 %.",
    state: {},
    held: [
      { run: 0, metric: "beta_points_right", step: 10, least: 0.35 },
      { run: 0, metric: "attention_points_right", step: 10, most: 0.3 },
      { run: 0, metric: "attention_points_right", step: 60, least: 0.8 },
    ],
  },
  {
    name: "pair",
    title: "The same 20 words, compared with 20 of 30",
    outcome:
      "The solid run has the same 20 words in every text, the dashed run 20 of 30. In the dashed run, co-occurrence shows which word goes with which. β is high at step 40, and by step 60 attention (α) and the written words are right. In the solid run, neither has begun at step 40. Later it depends on the seed: some of seeds 0 to 4 learn it by step 100, others do not. Try them under Settings.",
    state: { task: "permutation", beside: "task.vocab=30" },
    curves: ["beta_points_right", "attention_points_right", "accuracy"],
    runs: ["same 20 words", "20 of 30 words"],
    held: [
      { run: 0, metric: "beta_points_right", step: 40, most: 0.3 },
      { run: 0, metric: "attention_points_right", step: 40, most: 0.15 },
      { run: 1, metric: "beta_points_right", step: 40, least: 0.75 },
      { run: 1, metric: "attention_points_right", step: 60, least: 0.8 },
      { run: 1, metric: "accuracy", step: 60, least: 0.8 },
    ],
  },
  {
    name: "held",
    title: "Attention held uniform until step 60",
    outcome:
      "Attention is held uniform until step 60. β rises all the same: it is high at step 50. At step 50 attention would not yet be on the right word by itself. Released at step 60, attention (α) is on the right word by step 100.",
    state: { task: "subset", hold: 60 },
    held: [
      { run: 0, metric: "beta_points_right", step: 50, least: 0.7 },
      { run: 0, metric: "attention_points_right", step: 60, most: 0.25 },
      { run: 0, metric: "attention_points_right", step: 100, least: 0.8 },
    ],
  },
  {
    name: "keyword",
    title: "Find the keyword",
    outcome:
      "A text is positive if it contains one word, the keyword. β ranks the keyword first by step 10, while attention is nearly uniform. At step 20 the keyword has less than a fifth of the attention (α). By step 80 it has most of it.",
    state: { task: "keyword" },
    held: [
      { run: 0, metric: "beta_auc", step: 10, least: 0.95 },
      { run: 0, metric: "attention_on_answer", step: 20, most: 0.2 },
      { run: 0, metric: "attention_on_answer", step: 80, least: 0.7 },
    ],
  },
  {
    name: "induction-laws",
    title: "A head at its predicted step",
    outcome:
      "The solid run has texts of 16 words and a question, the dashed run of 8 words. A flow of three numbers predicts before training when the induction head forms. The loss falls below half of the logarithm of 16, or of 8, within 5 % of the predicted step.",
    state: { task: "induction-exact", beside: "task.length=9" },
    held: [
      { run: 0, metric: "weight_on_previous", step: 250, most: 0.3 },
      { run: 0, metric: "accuracy", step: 320, least: 0.8 },
      { run: 1, metric: "accuracy", step: 200, least: 0.8 },
    ],
    predicted: { time: "causal_time", below: "event_loss", within: 0.05 },
  },
  {
    name: "spans",
    title: "Every head takes the newest span first",
    outcome:
      "Three heads attend by position, and the newest of three spans counts most. By step 20 every head has at least 60 % of its weight on the newest span. At step 80 the loss is near the plateau that was predicted for this span alone (“span 1”). Later it depends on the seed: in some, one head moves on to the next span.",
    state: { task: "spans" },
    held: [
      { run: 0, metric: "span_1_least", step: 20, least: 0.6 },
      { run: 0, metric: "loss", step: 80, near: { plateau: "rung_span_1", by: 0.12 } },
    ],
  },
  {
    name: "markov-tied",
    title: "Equal statistics, and one is learned later",
    outcome:
      "In the solid run the weather changes on four days of five, in the dashed run it stays on four days of five. Both have the same predicted plateaus. At step 60 the dashed loss is near the plateau “bigram”: it is learned. The solid loss is still on the plateau “unigram”. Words to read and words to predict share their weights.",
    state: { task: "chain", beside: "task.to_one=0.2;task.to_zero=0.2" },
    held: [
      { run: 0, metric: "loss", step: 60, near: { plateau: "rung_unigram", by: 0.02 } },
      { run: 1, metric: "loss", step: 60, near: { plateau: "rung_bigram", by: 0.06 } },
    ],
  },
];

// The one that a state is, wherever it is looked at.
export function preset_of(state: State): Preset | undefined {
  const named = (one: State) =>
    JSON.stringify([
      one.task,
      one.model,
      one.seed,
      settings_text(new Map([...settings_in(one.set)].sort())),
      one.hold > 0 && one.act,
      one.hold > 0 && one.act === "scale" && one.by,
      one.hold > 0 && one.of,
      one.hold,
      one.from,
      one.beside,
    ]);
  return presets.find(preset => named({ ...first, ...preset.state }) === named(state));
}
