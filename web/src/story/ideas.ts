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
  until?: number; // where the axis of its curves ends; else where the training ends
  held: Held[];
}

export const ideas: Idea[] = [
  {
    title: "Attention divides 100 %",
    says: "A model, a small recurrent network with attention, reads words and has to write the same words. For each word that it writes, attention divides 100 % among the words read. The thicker an arc, the more weight. Before training, all weights are nearly equal.",
    preset: "held",
    until: 100,
    released: true,
    step: 0,
    held: [{ run: 0, metric: "entropy", step: 0, least: 0.98 }],
  },
  {
    title: "Words are matched first",
    says: "A word is matched if the model ranks it first for the word read (β). At step 8 more than half are matched, while attention is still spread. Over many texts a word is written if it was read, and the model can learn this without looking at one position.",
    preset: "held",
    until: 100,
    released: true,
    step: 8,
    held: [
      { run: 0, metric: "beta_points_right", step: 8, least: 0.5 },
      { run: 0, metric: "entropy", step: 8, least: 0.8 },
    ],
  },
  {
    title: "Then attention moves",
    says: "Ranked first is not sure. At step 8 the right word has a probability below 10 %, even with all attention on its position. So looking there hardly lowers the loss. As the model becomes sure, attention moves. By step 60 it looks right (α) in more than 80 % of the rows.",
    preset: "held",
    until: 100,
    released: true,
    step: 60,
    held: [
      { run: 0, metric: "knowledge", step: 8, most: 0.1 },
      { run: 0, metric: "knowledge", step: 60, least: 0.5 },
      { run: 0, metric: "attention_points_right", step: 60, least: 0.8 },
    ],
  },
  {
    title: "Hold attention, and words are still learned",
    says: "An explanation is tested by an intervention. Here attention is held uniform until step 60. More than 80 % of the words are matched all the same. The blue curve shows how the model would attend if it were released: right in less than 10 % of the rows.",
    preset: "held",
    until: 100,
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
    until: 100,
    step: 100,
    held: [{ run: 0, metric: "attention_points_right", step: 100, least: 0.9 }],
  },
  {
    title: "Without co-occurrence, both wait",
    says: "Another task: each text has the same 20 words in a new order. Every word occurs with every word, so counting shows nothing. At step 60 (solid) less than 5 % of the words are matched, and less than 5 % of the rows look right. If each text has 20 of 30 words (dashed), β and α are both above 90 %.",
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
    says: "At step 300 the solid training writes nine of ten words right. Yet its attention is on the right position in almost no row: it looks at positions after it. The model reads word by word and keeps earlier words in memory. So a later position still contains the word. β is measured at the right position alone, so β is low, too.",
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
