// What attention came to on these texts: where its weights are, and how the labels are recognised.
import type { Look } from "../engine/looks";
import type { Training } from "../engine/training";
import type { Asked, Effects, Removal } from "./effects";
import { place_of_most, present } from "./places";
import type { Candidate, Forecast, Output } from "./prediction";
import { doubt_of, is_punctuation } from "./reasons";

const still_uniform = 0.95; // of the normalised entropy, as the audit has it
const most_attended = 5; // words that are removed because of their attention
const stands_out = 1.5; // times the weight that it would have if all words of a text had one
const least_texts = 2; // with a word that an answer names

export const by_word = "unigram-gate"; // the model with a weight and a logit for each word

// What trained, as a sentence names it.
export function model_name(training: Training): string {
  return training.setting("model", "name") === by_word
    ? "this small model of single words"
    : "this small LSTM classifier";
}

// Of equally strong words, those in more texts come first, and single letters and signs last.
const by_strength = (a: Candidate, b: Candidate) =>
  b.likely - a.likely ||
  b.here + b.elsewhere - a.here - a.elsewhere ||
  Number(doubt_of(a.word) !== "") - Number(doubt_of(b.word) !== "") ||
  b.word.length - a.word.length;

// The words that indicate a label, the strongest first: those that are probable or strong where there are any.
export function named_of({ candidates }: Output) {
  const named = candidates.filter(({ evidence }) => evidence === "strong" || evidence === "probable");
  return (named.length > 0 ? named : candidates.filter(({ evidence }) => evidence === "possible")).sort(by_strength);
}

const most_shown = 8,
  most_weak = 3;
// The words of a label that are shown. Where no word indicates the label, the likeliest are shown as what they are: weak.
export function shown_of(output: Output) {
  const named = named_of(output);
  return named.length > 0 ? named.slice(0, most_shown) : [...output.candidates].sort(by_strength).slice(0, most_weak);
}

// Whether a word goes with a label by more than chance.
export const indicates = ({ prediction }: Forecast) =>
  prediction.outputs.some(({ candidates }) =>
    candidates.some(({ evidence }) => evidence === "strong" || evidence === "probable"),
  );

// Of each word that indicates a label, the label.
export const labels_of_words = ({ prediction }: Forecast) =>
  new Map(prediction.outputs.flatMap(output => named_of(output).map(({ word }) => [word, output.output])));

// Words of one label with equal counts whose predicted weights differ: of each, all of them. Their counts do not decide
// which of them gets attention.
export const far = 0.15; // between two weights, so that it is told
export function tied_words(training: Training, forecast: Forecast): Map<string, string[]> {
  const tied = new Map<string, string[]>();
  if (!forecast.prediction.attention_predicted) return tied;
  const predicted = predicted_words(training, forecast);
  for (const output of forecast.prediction.outputs) {
    const alike = new Map<string, string[]>();
    for (const { word, here, elsewhere } of named_of(output)) {
      if (!predicted.has(word)) continue;
      const counts = `${here} ${elsewhere}`;
      alike.set(counts, [...(alike.get(counts) ?? []), word]);
    }
    for (const words of alike.values()) {
      const [least, most] = range_of(words, predicted);
      if (most - least > far) for (const word of words) tied.set(word, words);
    }
  }
  return tied;
}
export function range_of(words: string[], weights: Map<string, Weighed>): [least: number, most: number] {
  const means = words.map(word => mean_of(weights.get(word)!));
  return [Math.min(...means), Math.max(...means)];
}

// What attention came to at a step, beside what was predicted.
export interface Measured {
  step: number;
  entropy: number | undefined; // normalised
  uniform: boolean;
  texts: number;
  named: number; // of them, those in which a word is predicted to stand out
  same: number; // of these, those in which the word most attended to is that word, or one that it is tied with
  by_chance: number;
}

// Of the evaluation nearest to step `at`; undefined where there is none, or nothing is trained yet.
export function measured(training: Training, at: number, forecast: Forecast): Measured | undefined {
  const { attention, prediction } = forecast;
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
  const tied = tied_words(training, forecast);
  for (let text = 0; text < texts; ++text) {
    const begin = text * rows * positions,
      then = attention[text]!;
    // Where all words are predicted about alike, none is.
    if (Math.max(...then) * then.length <= 2) continue;
    ++found.named;
    const words = present(training.source[text]!).map(token => training.word(token)),
      most = place_of_most(then),
      expected = tied.get(words[most]!) ?? [];
    const meets = (i: number) => i === most || expected.includes(words[i]!);
    found.by_chance += words.filter((_, i) => meets(i)).length / words.length;
    if (meets(place_of_most(look.alpha.subarray(begin, begin + words.length)))) ++found.same;
  }
  return found;
}

// Of each word of the held-out texts: how often it occurs, in how many texts, the sum of its weights, and what this sum
// is if all words of a text have one weight.
export interface Weighed {
  word: string;
  count: number;
  texts: number;
  sum: number;
  equal: number;
}
function weighed(training: Training, weight: (text: number, i: number) => number): Map<string, Weighed> {
  const words = new Map<string, Weighed>();
  training.source.slice(0, training.examples).forEach((tokens, text) => {
    const seen = new Set<Weighed>();
    present(tokens).forEach((token, i, { length }) => {
      const word = training.word(token);
      const one = words.get(word) ?? words.set(word, { word, count: 0, texts: 0, sum: 0, equal: 0 }).get(word)!;
      one.count += 1;
      one.equal += 1 / length;
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

// The words that stand out by their mean weight, the largest first; or the punctuation marks that do.
export function largest(words: Map<string, Weighed>, most: number, marks = false): Weighed[] {
  return [...words.values()]
    .filter(
      one =>
        one.texts >= least_texts &&
        one.word !== "<unknown>" &&
        one.sum > stands_out * one.equal &&
        is_punctuation(one.word) === marks,
    )
    .sort((a, b) => mean_of(b) - mean_of(a))
    .slice(0, most);
}
export const mean_of = ({ sum, count }: Weighed) => sum / count;

// Where most of the attention is on words that indicate no label: its share, what equal weights would give, and the words
// with most of it.
export function off_words(training: Training, look: Look, forecast: Forecast) {
  const indicate = labels_of_words(forecast),
    words = [...learned_words(training, look).values()];
  const off = words.filter(({ word }) => !indicate.has(word)).sort((a, b) => b.sum - a.sum);
  const all = (some: Weighed[], key: "sum" | "equal") => some.reduce((sum, one) => sum + one[key], 0);
  const share = all(off, "sum") / all(words, "sum");
  if (indicate.size === 0 || share < 0.5) return undefined;
  const named = off.filter(({ texts, word }) => texts >= least_texts && word !== "<unknown>" && !is_punctuation(word));
  return { share, equal: all(off, "equal") / all(words, "equal"), words: named.map(({ word }) => word) };
}

// The words that give the label: the likeliest of each label.
export const leaks_of = ({ prediction }: Forecast) =>
  prediction.outputs.flatMap(({ output, candidates }) => {
    const word = candidates.find(one => one.gives_label)?.word;
    return word === undefined ? [] : [{ label: output, word }];
  });

// What is removed from held-out texts of a trained model, and put into them: the words of the table, and those with most
// attention.
export function to_remove(training: Training, forecast: Forecast): Asked {
  const { outputs } = forecast.prediction,
    leaks = leaks_of(forecast),
    look = training.look_at(training.step);
  const attended = look && look.step > 0 ? largest(learned_words(training, look), most_attended) : [];
  const words = [...outputs.flatMap(shown_of), ...leaks, ...attended].map(({ word }) => word);
  const gives = outputs.length === 2 ? leaks : [];
  return {
    words: [...new Set(words)],
    pair: gives.length === 2 ? gives.map(({ word }) => word) : [],
    alone: gives.length === 1 ? gives[0] : undefined,
    all: [...labels_of_words(forecast).keys()],
  };
}

const share_of = ({ changed, texts }: Removal) => changed / texts;
const counts_of = ({ changed, texts }: Removal) => `${changed} of ${texts} answers change${changed === 1 ? "s" : ""}`;

// How the model recognises each class, if words give the labels. It uses the class's word, or the absence of another's.
export function leaks_found(forecast: Forecast, { without, replaced, added }: Effects): string[] {
  const leaks = leaks_of(forecast).flatMap(one => {
    const removal = without.get(one.word);
    return removal ? [{ ...one, removal, put: replaced.get(one.word) }] : [];
  });
  const decides = leaks.filter(({ removal }) => share_of(removal) >= 0.5);
  const found = leaks.map(one => {
    const removed = `Without “${one.word}”, ${counts_of(one.removal)}`;
    if (decides.includes(one)) return `“${one.label}” is recognised by the word “${one.word}”. ${removed}.`;
    const other = decides[0]?.word;
    return other !== undefined && one.put && share_of(one.put) >= 0.8
      ? `“${one.label}” is recognised by the absence of “${other}”. ${removed}; with “${other}” in its place, ${one.put.changed} of ${one.put.texts}.`
      : `“${one.label}” is not recognised by the word “${one.word}” alone. ${removed}.`;
  });
  const rest = forecast.prediction.outputs.find(({ output }) => leaks.every(({ label }) => label !== output));
  const [one] = leaks;
  if (one && rest && added && share_of(added) >= 0.8)
    found.push(
      `“${rest.output}” is recognised by the absence of “${one.word}”. If “${one.word}” is added, ${added.changed} of ${added.texts} answers become “${one.label}”.`,
    );
  return found;
}
