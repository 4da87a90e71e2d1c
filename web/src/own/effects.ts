// What a trained model answers to the held-out texts, and which answers change without a word.
import { useEffect, useState } from "preact/hooks";
import type { Training } from "../engine/training";
import { place_of_most, present } from "./places";
import { counted } from "./texts";

export interface Answer {
  label: string;
  chance: number;
}

// Of the held-out texts with a word: the answers, and those that change without it.
export interface Removal {
  texts: number;
  changed: number;
}

export interface Effects {
  answers: Answer[]; // to each held-out text
  without: Map<string, Removal>; // by word
  replaced: Map<string, Removal>; // by word, of those that give a label: with the other label's word in its place
  bare: { texts: number; correct: number; most: number }; // without all words that indicate a label; with one label for all
  added: Removal | undefined; // of a word that gives a label: in texts without it, the answers that become this label
  without_most: boolean[]; // of each text, whether its answer changes without the word with most attention
  without_other: boolean[]; // the same without another word of the text, drawn at random
}

// The words to remove, a word of each of two labels, if words give them, one that gives its label alone, and all words that
// indicate a label.
export interface Asked {
  words: string[];
  pair: string[];
  alone: { word: string; label: string } | undefined;
  all: string[];
}

interface Reading {
  chances: number[][]; // of each text, by class
  attention: number[][];
}

export function answer_of(training: Training, chances: number[]): Answer {
  const chance = Math.max(...chances);
  return { label: training.class_name(chances.indexOf(chance)), chance };
}

export async function effects_of(training: Training, { words, pair, alone, all }: Asked): Promise<Effects> {
  const texts = training.source.map(present);
  const read = (some: number[][]) => training.ask<Reading>("read", { texts: some });
  const { chances, attention } = await read(texts);
  const answers = chances.map(one => answer_of(training, one));
  // Whether the answers to these texts change without a token of each, or with another in its place; undefined where
  // nothing is left.
  const changes = async (
    all: { text: number; token: number | undefined }[],
    place: number[] = [],
  ): Promise<(boolean | undefined)[]> => {
    const left = all.map(({ text, token }) => texts[text]!.flatMap(one => (one === token ? place : [one])));
    const asked = left.filter(text => text.length > 0);
    const told = asked.length > 0 ? (await read(asked)).chances.map(one => answer_of(training, one).label) : [];
    let next = 0;
    return left.map((text, i) => (text.length > 0 ? told[next++] !== answers[all[i]!.text]!.label : undefined));
  };
  const most = texts.map((tokens, text) => tokens[place_of_most(attention[text]!)]);
  const removal = async (word: string, place?: string): Promise<[string, Removal][]> => {
    const token = training.token_of(word);
    if (training.word(token) !== word) return []; // in no text for training
    const with_it = texts.flatMap((tokens, text) => (tokens.includes(token) ? [{ text, token }] : []));
    const told = await changes(with_it, place === undefined ? [] : [training.token_of(place)]);
    const known = told.filter(one => one !== undefined);
    return known.length > 0 ? [[word, { texts: known.length, changed: known.filter(Boolean).length }]] : [];
  };
  const without: [string, Removal][] = [],
    replaced: [string, Removal][] = [];
  for (const word of words) without.push(...(await removal(word)));
  const [one, other] = pair;
  if (one !== undefined && other !== undefined)
    replaced.push(...(await removal(one, other)), ...(await removal(other, one)));
  const added = async ({ word, label }: { word: string; label: string }): Promise<Removal | undefined> => {
    const token = training.token_of(word);
    const free = texts.filter((tokens, text) => !tokens.includes(token) && answers[text]!.label !== label);
    if (free.length === 0) return undefined;
    const with_it = free.map(tokens => [
      ...tokens.slice(0, tokens.length >> 1),
      token,
      ...tokens.slice(tokens.length >> 1),
    ]);
    const changed = (await read(with_it)).chances.filter(one => answer_of(training, one).label === label).length;
    return { texts: free.length, changed };
  };
  const indicate = new Set(
    all.filter(word => training.word(training.token_of(word)) === word).map(word => training.token_of(word)),
  );
  const without_all = async () => {
    const left = texts
      .map((tokens, text) => ({ tokens: tokens.filter(token => !indicate.has(token)), label: training.class_of(text) }))
      .filter(({ tokens }) => tokens.length > 0);
    const told = left.length > 0 ? (await read(left.map(({ tokens }) => tokens))).chances : [];
    const correct = told.filter((one, i) => answer_of(training, one).label === left[i]!.label).length;
    return { texts: left.length, correct, most: Math.max(0, ...counted(left.map(({ label }) => label)).values()) };
  };
  const others = texts.map((tokens, text) => {
    const rest = tokens.filter(token => token !== most[text]);
    return { text, token: rest[(7919 * (text + 1)) % Math.max(1, rest.length)] };
  });
  return {
    answers,
    without: new Map(without),
    replaced: new Map(replaced),
    bare: await without_all(),
    added: alone && (await added(alone)),
    without_most: (await changes(most.map((token, text) => ({ text, token })))).map(Boolean),
    without_other: (await changes(others)).map(Boolean),
  };
}

const asked = new WeakMap<Training, { of: string; effects: Promise<Effects> }>();

interface Told {
  effects?: Effects;
  problem?: string; // why there are none
}

// Of a training that is done and looked at where it ended; nothing while that is not so, or not yet known.
export function useEffects(training: Training, at: number, asked_for: Asked): Told {
  const [found, set] = useState<Told & { of: string; by: Training }>();
  const done = training.state === "done" && at >= training.step && training.step > 0 && training.examples > 0;
  const of = asked_for.words.join(" ");
  useEffect(() => {
    if (!done) return;
    const known = asked.get(training);
    const effects = known?.of === of ? known.effects : effects_of(training, asked_for);
    asked.set(training, { of, effects });
    effects.then(
      effects => set({ of, by: training, effects }),
      (error: Error) => {
        asked.delete(training); // the next who asks may be told
        set({ of, by: training, problem: error.message });
      },
    );
  }, [training, done, of]);
  return done && found?.by === training && found.of === of ? found : {};
}
