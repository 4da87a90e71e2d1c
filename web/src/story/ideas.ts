// The explanation that the story begins with: one idea a screen, each at a step of a training that the playground has
// as a preset. A test holds each to its numbers.
import { type Held, presets } from "../play/presets";
import { first, type State } from "../play/state";

export interface Idea {
  title: string;
  example?: string[]; // texts that stand above it
  says: string;
  preset: string;
  released?: true; // the preset without its hold
  step: number;
  lit?: { row: number; column: number }; // the word that the text is about, and where its largest weight is
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
    says: "A written word is matched if, of all words read, the right one speaks most for it (β). At step 8 more than half are matched, while attention is still spread. If a word is read, it is written: many texts show this, and the model can learn it without looking at one position.",
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
    says: "More than half of the words are matched at step 8, and the model is not yet sure of them. The chance of the right word is then below 10 %, even with all attention on its position. By one explanation under test, looking there hardly improves the answer yet. Attention moves later. By step 60 it looks right (α) for more than 80 % of the written words.",
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
    says: "An explanation is tested by an intervention. Here attention is held uniform until step 60. More than 80 % of the words are matched all the same. The blue curve shows how the model would look if it were released: right for less than 10 % of the words.",
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
    says: "From step 60 on attention is free. After 40 steps it looks right for nine of ten words.",
    preset: "held",
    until: 100,
    step: 100,
    held: [{ run: 0, metric: "attention_points_right", step: 100, least: 0.9 }],
  },
  {
    title: "Same words: both wait",
    example: ["star hat → star hat", "star cup → star cup"],
    says: "Both texts have “star” on both sides, so “star” belongs to “star”. This is co-occurrence. In another task every text has the same 20 words: every two words occur together equally often. So the model learns nothing from co-occurrence. At step 60 (solid) less than 5 % of the words are matched or looked at. With 20 of 30 words in each text (dashed), β and α are both above 90 %.",
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
    says: "At step 300 the solid training writes nine of ten words right. Yet it looks at the right position for almost no word. Take “tree”: its largest weight is on “river”, three words later. The model remembers earlier words. Perhaps its memory at a later position still contains “tree”. β and α count a word's own position alone, so both are low.",
    preset: "pair",
    step: 300,
    lit: { row: 6, column: 9 },
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
