// The explanation that the story begins with: one idea a screen, each at a step of a training that the playground has
// as a preset. A test holds each to its numbers.
import { type Held, presets } from "../play/presets";
import { first, type State } from "../play/state";

export interface Idea {
  title: string;
  says: string;
  preset: string;
  released?: true; // the preset without its hold
  step: number;
  held: Held[];
}

export const ideas: Idea[] = [
  {
    title: "Attention divides 100 %",
    says: "A model reads words and has to write the same words. For each word that it writes, attention divides 100 % among the words read. The thicker an arc, the more weight. Before training, all weights are nearly equal.",
    preset: "held",
    released: true,
    step: 0,
    held: [{ run: 0, metric: "entropy", step: 0, least: 0.98 }],
  },
  {
    title: "Words are matched first",
    says: "A word is matched if the model has learned which word to write for it (β). At step 8 more than half are matched, while attention is still spread. It is enough to see which words occur together.",
    preset: "held",
    released: true,
    step: 8,
    held: [
      { run: 0, metric: "beta_points_right", step: 8, least: 0.5 },
      { run: 0, metric: "entropy", step: 8, least: 0.8 },
    ],
  },
  {
    title: "Then attention moves",
    says: "Until words are matched, no position is better to look at than another. Once they are, looking at the right one lowers the loss, and attention moves there. By step 60 it looks right (α) in more than 80 % of the rows.",
    preset: "held",
    released: true,
    step: 60,
    held: [{ run: 0, metric: "attention_points_right", step: 60, least: 0.8 }],
  },
  {
    title: "Hold attention, and words are still learned",
    says: "An explanation is tested by an intervention. Here attention is held uniform until step 60. More than 80 % of the words are matched all the same. The blue curve shows how the model would attend if it were released: right in less than 10 % of the rows.",
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
    says: "Another task. Solid: each text has the same 20 words in a new order. Which words occur together shows nothing, and at step 60 neither words nor attention have come. Dashed: each text has 20 of 30 words. Both are above 90 %.",
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
    title: "Right words do not show right attention",
    says: "At step 300 the solid training writes nine of ten words right. Its attention is on the right position in almost no row, and β is low, too. It looks a few positions later: the state of the recurrent encoder there still contains the word.",
    preset: "pair",
    step: 300,
    held: [
      { run: 0, metric: "accuracy", step: 300, least: 0.9 },
      { run: 0, metric: "attention_points_right", step: 300, most: 0.05 },
    ],
  },
];

// What is trained for an idea, as the playground has it.
export const state_of = ({ preset, released, step }: Idea): State => ({
  ...first,
  ...presets.find(one => one.name === preset)!.state,
  ...(released && { hold: 0 }),
  step,
});
