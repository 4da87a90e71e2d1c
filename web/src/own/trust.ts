// Whether attention is to be trusted on these texts, in a sentence: as it was predicted, and once trained as it was measured.
import type { Look } from "../engine/looks";
import type { Training } from "../engine/training";
import type { Forecast } from "./prediction";

const still_uniform = 0.95; // of the normalised entropy, as the audit has it

// Without what fills a text up to the longest.
export function present(tokens: number[]): number[] {
  return tokens.filter(token => token >= 0);
}

// Attention's logit for a word; 0 where it is not predicted.
export const logit_of = ({ logits }: Forecast, word: string) => (Object.hasOwn(logits, word) ? logits[word]! : 0);

const place_of_most = (weights: ArrayLike<number>) =>
  Array.prototype.indexOf.call(weights, Math.max(...Array.from(weights)));

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

// Of each word of the held-out texts how often it occurs, and the sum of the attention that it has at a look.
export interface Learned {
  word: string;
  count: number;
  sum: number;
}
export function learned_words(training: Training, look: Look): Map<string, Learned> {
  const [texts, rows, positions] = look.shape;
  const words = new Map<string, Learned>();
  for (let text = 0; text < texts; ++text)
    present(training.source[text]!).forEach((token, i) => {
      const word = training.word(token);
      const one = words.get(word) ?? words.set(word, { word, count: 0, sum: 0 }).get(word)!;
      one.count += 1;
      one.sum += look.alpha[text * rows * positions + i]!;
    });
  return words;
}

const most_looked = 3;
// The words with the largest mean attention, of a trained model whose attention was not predicted.
function looked_at(training: Training, at: number): string {
  const look = training.look_at(at);
  if (!look) return "";
  const mean = ({ sum, count }: Learned) => sum / count;
  const words = [...learned_words(training, look).values()].sort((a, b) => mean(b) - mean(a));
  const first = words.slice(0, most_looked).map(({ word }) => `“${word}”`);
  return ` This model attends most to ${first.join(", ")}.`;
}

// More often than chance by two standard deviations.
const is_met = ({ same, by_chance }: Measured) => by_chance + 2 * Math.sqrt(by_chance) < same;

export function trust_of(training: Training, at: number, told: Forecast): string {
  const found = measured(training, at, told);
  if (!found) return told.prediction.trust;
  const over = training.state === "done" && found.step === training.step;
  return (over ? "" : `At step ${found.step} of ${training.steps}: `) + trust_at(found, training, at, told);
}

// The same of a measurement.
function trust_at(found: Measured, training: Training, at: number, forecast: Forecast): string {
  const missed = found.named > 0 && !is_met(found);
  const basis = `in ${found.same} of the ${found.texts} held-out texts`;
  if (found.uniform)
    return `Do not trust attention here: it is nearly uniform${missed ? `, and on the predicted word ${basis}` : ""}.`;
  if (missed) return `Do not trust attention here: it is on the predicted word ${basis}.`;
  if (found.named === 0)
    return forecast.prediction.attention_predicted
      ? "Do not trust attention here: these texts do not predict where it goes, so nothing confirms it."
      : forecast.prediction.trust + looked_at(training, at);
  const others =
    found.named < found.texts
      ? ` In ${found.texts - found.named} of these ${found.texts} texts no word is predicted to stand out.`
      : "";
  return `Attention is on the predicted word ${basis}.${others} Before you trust it, remove that word in a sentence below and see whether the answer changes.`;
}
