// The explanation that the story begins with: one idea a screen, each at a step of a training that the playground has
// as a preset. A test holds each to its numbers.
import { type Held, presets } from "../play/presets";
import { first, type State } from "../play/state";

export interface Idea {
  title: string;
  says: string;
  preset: string;
  step: number;
  held: Held[];
}

export const ideas: Idea[] = [
  {
    title: "Attention divides 100 %",
    says: "A model reads words and has to write the same words. For each word that it writes, attention divides 100 % among the words read. The thicker an arc, the more weight. Before training, all weights are nearly equal.",
    preset: "two-stages",
    step: 0,
    held: [{ run: 0, metric: "entropy", step: 0, least: 0.98 }],
  },
  {
    title: "Words are matched first",
    says: "β is the share of rows whose right word would be likeliest, if all attention were on its position. At step 8 β is above one half. Which words occur together is enough for that: attention is still spread.",
    preset: "two-stages",
    step: 8,
    held: [
      { run: 0, metric: "beta_points_right", step: 8, least: 0.5 },
      { run: 0, metric: "entropy", step: 8, least: 0.8 },
    ],
  },
  {
    title: "Then attention moves",
    says: "α is the share of rows whose largest weight is on the right position. Once words are matched, looking there lowers the loss. By step 60 α is above 80 %.",
    preset: "two-stages",
    step: 60,
    held: [{ run: 0, metric: "attention_points_right", step: 60, least: 0.8 }],
  },
  {
    title: "Hold attention, and words are still learned",
    says: "An explanation is tested by an intervention. Here attention is held uniform until step 60. β rises above 80 % all the same. The attention that the model has learned so far is still wrong: α is below 10 %.",
    preset: "held",
    step: 50,
    held: [
      { run: 0, metric: "beta_points_right", step: 50, least: 0.8 },
      { run: 0, metric: "attention_points_right", step: 50, most: 0.1 },
    ],
  },
  {
    title: "Release it, and it arrives",
    says: "From step 60 on attention is free. It needs 40 steps to reach the right position in nine of ten rows.",
    preset: "held",
    step: 100,
    held: [{ run: 0, metric: "attention_points_right", step: 100, least: 0.9 }],
  },
  {
    title: "Without co-occurrence, both wait",
    says: "Solid: each text has the same 20 words in a new order. Which words occur together shows nothing, and neither curve has risen at step 60. Dashed: each text has 20 of 30 words, and both curves are above 90 %.",
    preset: "pair",
    step: 60,
    held: [
      { run: 0, metric: "beta_points_right", step: 60, most: 0.05 },
      { run: 0, metric: "attention_points_right", step: 60, most: 0.05 },
      { run: 1, metric: "beta_points_right", step: 60, least: 0.9 },
      { run: 1, metric: "attention_points_right", step: 60, least: 0.9 },
    ],
  },
  {
    title: "A low loss does not predict attention",
    says: "At step 300 the solid training writes nine of ten words right. Its attention is on the right position in almost no row. It has learned another way to copy.",
    preset: "pair",
    step: 300,
    held: [
      { run: 0, metric: "accuracy", step: 300, least: 0.9 },
      { run: 0, metric: "attention_points_right", step: 300, most: 0.05 },
    ],
  },
];

// What is trained for an idea, as the playground has it.
export const state_of = ({ preset, step }: Idea): State => ({
  ...first,
  ...presets.find(one => one.name === preset)!.state,
  step,
});
