// The positions of a text that have a word, and the one with the most attention.
import type { Training } from "../engine/training";

// Without what fills a text up to the longest.
export function present(tokens: number[]): number[] {
  return tokens.filter(token => token >= 0);
}

const held_out = new WeakMap<Training, number[]>();

// Of each held-out text, which of the given texts it is, from 0. Of copies it is the next one.
export function texts_held_out(training: Training): number[] {
  const known = held_out.get(training) ?? find_held_out(training);
  if (training.source.length > 0) held_out.set(training, known);
  return known;
}

function find_held_out(training: Training): number[] {
  const texts = training.setting("task", "texts") as string[],
    labels = training.setting("task", "labels") as string[];
  const tokens = new Map<string, number>();
  for (const word of texts.flatMap(text => text.split(" ")))
    if (!tokens.has(word)) tokens.set(word, training.token_of(word));
  const key = (label: string, tokens: (number | undefined)[]) => `${label}\n${tokens.join(" ")}`;
  const places = new Map<string, number[]>();
  texts.forEach((text, i) => {
    const of = key(
      labels[i]!,
      text.split(" ").map(word => tokens.get(word)),
    );
    const same = places.get(of);
    if (same) same.push(i);
    else places.set(of, [i]);
  });
  return training.source.map((tokens, i) => {
    const same = places.get(key(training.class_of(i), present(tokens)))!;
    return same.length > 1 ? same.shift()! : same[0]!;
  });
}

export const place_of_most = (weights: ArrayLike<number>) =>
  Array.prototype.indexOf.call(weights, Math.max(...Array.from(weights)));
