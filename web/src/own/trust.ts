// Whether attention is to be trusted on these texts, in a sentence: as it was predicted, and once trained as it was measured.
import type { Look } from "../engine/looks";
import type { Training } from "../engine/training";
import type { Effects, Removal } from "./effects";
import { place_of_most, present } from "./places";
import type { Forecast, Output } from "./prediction";
import { counted } from "./texts";

const still_uniform = 0.95; // of the normalised entropy, as the audit has it
const least_texts = 3; // with a word that a verdict names
const most_named = 3;

// Attention's logit for a word; 0 where it is not predicted.
export const logit_of = ({ logits }: Forecast, word: string) => (Object.hasOwn(logits, word) ? logits[word]! : 0);

// What trained, as a sentence names it.
export function model_name(training: Training): string {
  return training.setting("model", "name") === "unigram-gate"
    ? "this small model of single words"
    : "this small LSTM classifier";
}

export const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

// The words of a label that are shown: with evidence, those that are probable or strong where there are any.
export function named_of({ candidates }: Output) {
  const named = candidates.filter(({ evidence }) => evidence === "strong" || evidence === "probable");
  return named.length > 0 ? named : candidates.filter(({ evidence }) => evidence === "possible");
}

// Of each word that indicates a label, the label.
export const labels_of_words = ({ prediction }: Forecast) =>
  new Map(prediction.outputs.flatMap(output => named_of(output).map(({ word }) => [word, output.output])));

// What attention came to at a step, beside what was predicted.
export interface Measured {
  step: number;
  entropy: number | undefined; // normalised
  uniform: boolean;
  texts: number;
  named: number; // of them, those in which a word is predicted to stand out
  same: number; // of these, those in which the word most attended to is that word
  by_chance: number;
}

// Of the evaluation nearest to step `at`; undefined where there is none, or nothing is trained yet.
export function measured(training: Training, at: number, { attention, prediction }: Forecast): Measured | undefined {
  const look = training.look_at(at);
  if (!look || look.step === 0) return undefined;
  const [texts, rows, positions] = look.shape;
  const entropy = training.value_at(look.held ? "entropy_held" : "entropy", look.step);
  const found: Measured = {
    step: look.step,
    entropy: typeof entropy === "number" ? entropy : undefined,
    uniform: typeof entropy === "number" && entropy >= still_uniform,
    texts,
    named: 0,
    same: 0,
    by_chance: 0,
  };
  if (!prediction.attention_predicted) return found;
  for (let text = 0; text < texts; ++text) {
    const begin = text * rows * positions,
      then = attention[text]!;
    // Where all words are predicted about alike, none is.
    if (Math.max(...then) * then.length <= 2) continue;
    ++found.named;
    found.by_chance += 1 / then.length;
    if (
      place_of_most(look.alpha.subarray(begin, begin + present(training.source[text]!).length)) === place_of_most(then)
    )
      ++found.same;
  }
  return found;
}

// Of each word of the held-out texts: how often it occurs, in how many texts, and the sum of its weights.
export interface Weighed {
  word: string;
  count: number;
  texts: number;
  sum: number;
}
function weighed(training: Training, weight: (text: number, i: number) => number): Map<string, Weighed> {
  const words = new Map<string, Weighed>();
  training.source.slice(0, training.examples).forEach((tokens, text) => {
    const seen = new Set<Weighed>();
    present(tokens).forEach((token, i) => {
      const word = training.word(token);
      const one = words.get(word) ?? words.set(word, { word, count: 0, texts: 0, sum: 0 }).get(word)!;
      one.count += 1;
      one.sum += weight(text, i);
      seen.add(one);
    });
    for (const one of seen) ++one.texts;
  });
  return words;
}
// With the attention of a look, or with the predicted attention.
export function learned_words(training: Training, look: Look): Map<string, Weighed> {
  const [, rows, positions] = look.shape;
  return weighed(training, (text, i) => look.alpha[text * rows * positions + i]!);
}
export function predicted_words(training: Training, { attention }: Forecast): Map<string, Weighed> {
  return weighed(training, (text, i) => attention[text]![i]!);
}

const quoted = (words: string[]) =>
  words.map((word, i) => `${i === 0 ? "" : i === words.length - 1 ? " and " : ", "}“${word}”`).join("");

// Where most of the attention is on words that indicate no label: the share, and the words with most of it.
function off_words(training: Training, look: Look, forecast: Forecast): string {
  const indicate = labels_of_words(forecast),
    words = [...learned_words(training, look).values()];
  const off = words.filter(({ word }) => !indicate.has(word)).sort((a, b) => b.sum - a.sum);
  const share = off.reduce((sum, one) => sum + one.sum, 0) / words.reduce((sum, one) => sum + one.sum, 0);
  const named = off.filter(({ texts, word }) => texts >= least_texts && word !== "<unknown>").slice(0, most_named);
  if (indicate.size === 0 || share < 0.5) return "";
  const most = named.length > 0 ? `, most on ${quoted(named.map(({ word }) => word))}` : "";
  return `${Math.round(100 * share)} % of it is on words that indicate no label${most}`;
}

export function trust_of(training: Training, at: number, forecast: Forecast, effects: Effects | undefined): string {
  const found = measured(training, at, forecast),
    look = training.look_at(at);
  if (!found || !look) return forecast.prediction.trust;
  const over = training.state === "done" && found.step === training.step;
  const when = over ? "" : `At step ${found.step} of ${training.steps}: `;
  if (found.uniform) return `${when}Do not trust attention here: ${model_name(training)} attends nearly uniformly.`;
  const off = off_words(training, look, forecast);
  if (!effects)
    return off
      ? `${when}Do not trust attention here: ${off}.`
      : `${when}${capital(model_name(training))} attends mostly to words that indicate a label.`;
  return verdict(effects, off || by_chance(training, effects), model_name(training));
}

// How many answers are correct, if that is hardly more than with one label for all texts. The margin is the standard
// error of a guess.
function by_chance(training: Training, { answers }: Effects): string {
  const labels: string[] = [];
  let correct = 0;
  for (const [text, { label }] of answers.entries()) {
    labels.push(training.class_of(text));
    if (label === labels[text]) ++correct;
  }
  const most = Math.max(...counted(labels).values()),
    margin = Math.sqrt(answers.length) / 2;
  if (correct - most > margin) return "";
  return `${correct} of ${answers.length} held-out answers are correct, and one label for all texts gives ${most}`;
}

// Whether the word with most attention decides the answers, for each of them.
function verdict({ answers, without_most, without_other }: Effects, off: string, model: string): string {
  const of_label = new Map<string, { texts: number; changed: number; other: number }>();
  answers.forEach(({ label }, text) => {
    const one = of_label.get(label) ?? of_label.set(label, { texts: 0, changed: 0, other: 0 }).get(label)!;
    ++one.texts;
    one.changed += Number(without_most[text]);
    one.other += Number(without_other[text]);
  });
  const all = [...of_label].map(([label, counts]) => ({ label, ...counts }));
  const decided = all.filter(one => 2 * one.changed >= one.texts && one.changed > one.other),
    rest = all.filter(one => !decided.includes(one));
  const changed = (some: typeof all) => some.reduce((sum, one) => sum + one.changed, 0),
    texts = (some: typeof all) => some.reduce((sum, one) => sum + one.texts, 0);
  const removed = "Without the word with most attention";
  if (off)
    return `Do not trust attention here: ${off}. ${removed}, ${changed(all)} of ${texts(all)} answers of ${model} change.`;
  if (decided.length === 0)
    return `Do not trust attention here. ${removed}, only ${changed(all)} of ${texts(all)} answers of ${model} change.`;
  if (rest.length === 0)
    return `Attention shows what decides the answers. ${removed}, ${changed(all)} of ${texts(all)} answers of ${model} change.`;
  const names = (some: typeof all) => quoted(some.map(({ label }) => label));
  return (
    `Attention shows what decides ${names(decided)} only. ${removed}, ${changed(decided)} of ${texts(decided)} answers ` +
    `${names(decided)} change, but ${changed(rest)} of ${texts(rest)} answers ${names(rest)}.`
  );
}

// The words that give the label away, or may: the likeliest of each label.
const leaks_of = ({ prediction }: Forecast) =>
  prediction.outputs.flatMap(({ output, candidates }) => {
    const word = candidates.find(one => one.alone || one.gives_label)?.word;
    return word === undefined ? [] : [{ label: output, word }];
  });

// What is removed from held-out texts of a trained model.
export function to_remove(forecast: Forecast): { words: string[]; pair: string[] } {
  const leaks = leaks_of(forecast).map(({ word }) => word);
  const pair = forecast.prediction.outputs.length === 2 && leaks.length === 2 ? leaks : [];
  return { words: [...new Set([...labels_of_words(forecast).keys(), ...leaks])], pair };
}

const share_of = ({ changed, texts }: Removal) => changed / texts;
const counts_of = ({ changed, texts }: Removal) => `${changed} of ${texts} answers change`;

// How the model recognises each class, if words give the labels. It uses the class's word, or the absence of another's.
export function leaks_found(forecast: Forecast, { without, replaced }: Effects): string[] {
  const leaks = leaks_of(forecast).flatMap(one => {
    const removal = without.get(one.word);
    return removal ? [{ ...one, removal, put: replaced.get(one.word) }] : [];
  });
  const decides = leaks.filter(({ removal }) => share_of(removal) >= 0.5);
  return leaks.map(one => {
    const removed = `Without “${one.word}”, ${counts_of(one.removal)}`;
    if (decides.includes(one)) return `“${one.label}” is recognised by the word “${one.word}”. ${removed}.`;
    const other = decides[0]?.word;
    return other !== undefined && one.put && share_of(one.put) >= 0.8
      ? `“${one.label}” is recognised by the absence of “${other}”. ${removed}; with “${other}” in its place, ${one.put.changed} of ${one.put.texts}.`
      : `“${one.label}” is not recognised by the word “${one.word}” alone. ${removed}.`;
  });
}
