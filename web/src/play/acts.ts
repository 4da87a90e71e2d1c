// What can be done to attention from a step until another, what is said of where it ends, and how a spec says it:
// `word` and what it is; where it is nothing, a factor or the head is named there.
import type { Table } from "../model";

export interface Act {
  name: string;
  title: string;
  ends: string;
  word: string;
  is?: string;
  factor?: true;
}
export const acts: Act[] = [
  { name: "uniform", title: "held uniform", ends: "attention is released", word: "hold", is: "uniform" },
  { name: "truth", title: "held at the truth", ends: "attention is released", word: "hold", is: "truth" },
  { name: "previous", title: "held on the word before", ends: "attention is released", word: "hold", is: "previous" },
  { name: "first", title: "held on the first word", ends: "attention is released", word: "hold", is: "first" },
  {
    name: "scale",
    title: "scaled",
    ends: "attention is no longer scaled",
    word: "scale",
    factor: true,
  },
  { name: "ablate", title: "ablated", ends: "the head works again", word: "ablate" },
  { name: "frozen", title: "not trained", ends: "attention is trained, too", word: "freeze", is: "attention" },
  { name: "alone", title: "trained alone", ends: "the rest is trained, too", word: "freeze", is: "body" },
];

// The one that an intervention of a spec is.
export function act_of(one: { [word: string]: unknown }): Act | undefined {
  return acts.find(({ word, is }) => (is === undefined ? one[word] !== undefined : one[word] === is));
}

// What is done, in words: "scaled by 4 on the right words".
export function act_text(name: string, by: number): string {
  const { title, factor } = acts.find(act => act.name === name)!;
  return factor ? `${title} by ${by} on the right words` : title;
}

// And the intervention that it makes, of a head ("layer.1.head.2") or of all ("").
export function intervention_of(name: string, of: string, from: number, until: number, by: number): Table {
  const { word, is, factor } = acts.find(act => act.name === name)!;
  if (factor) return { [word]: by, ...(of && { of }), from, until };
  return { [word]: is ?? (of || "layer.1"), ...(word === "hold" && of && { of }), from, until };
}
