// The answers on texts of one's own, in plain sentences: what was measured.
import { capital } from "../capital";
import type { Training } from "../engine/training";
import type { Effects } from "./effects";
import { present } from "./places";
import type { Forecast } from "./prediction";
import { doubt_of, doubts_in, is_punctuation, quoted } from "./reasons";
import { counted } from "./texts";
import {
  by_word,
  far,
  indicates,
  labels_of_words,
  largest,
  leaks_found,
  leaks_of,
  learned_words,
  mean_of,
  measured,
  named_of,
  off_words,
  predicted_words,
  tied_words,
  to_remove,
} from "./trust";

export const trusts = "Can I trust attention?";

export interface Said {
  asks: string;
  short: string;
  lines: string[];
  each?: string[]; // a line for each label
}

const most_named = 3,
  least_texts = 3;
const percent = (share: number) => `${Math.round(100 * share)}\u00a0%`;
const of_count = (count: number, all: number) => `${count} of ${all}`;
const changing = (count: number, all: number, only = "") =>
  count === 0
    ? `none of ${all} answers changes`
    : `${only}${of_count(count, all)} answers change${count === 1 ? "s" : ""}`;
export const sentences = (...all: (string | false | undefined)[]) => all.filter(one => !!one) as string[];

// At a step before the end of training there are numbers, and no verdict. `unmeasured`: why there is none at the end.
export function so_far(training: Training, at: number, forecast: Forecast, unmeasured = ""): Said {
  const found = measured(training, at, forecast),
    look = training.look_at(at);
  const asks = trusts,
    short = "No verdict before the last step.";
  if (!found || !look) return { asks, short, lines: [] };
  if (training.state === "done" && at >= training.step)
    return unmeasured
      ? { asks, short: "Not known: the model's answers could not be measured.", lines: [unmeasured] }
      : { asks, short: "Measuring …", lines: [] };
  const off = off_words(training, look, forecast),
    share = training.value_at("accuracy", found.step);
  return {
    asks,
    short,
    lines: sentences(
      found.uniform
        ? `At step ${found.step} of ${training.steps} attention is nearly uniform.`
        : off && `At step ${found.step} of ${training.steps}, ${share_text(off)}.`,
      typeof share === "number" && `The model labels ${percent(share)} of the held-out texts correctly so far.`,
    ),
  };
}

const share_text = ({ share, equal }: { share: number; equal: number }) =>
  `${percent(share)} of attention is on words that indicate no label; with equal weights it would be ${percent(equal)}`;

// After training.
export function answered(training: Training, at: number, forecast: Forecast, effects: Effects): Said[] {
  const { verdict, lines } = trust_in(training, at, forecast, effects);
  const model = training.setting("model", "name") === by_word ? "this model of single words" : "this LSTM";
  return [
    { asks: trusts, short: `${verdict} (${model}, one training, seed ${training.plan.seed}).`, lines },
    used(training, forecast, effects),
    right(training, at, effects),
    forecast_was(training, at, forecast),
    next_step(training, forecast, effects, verdict),
  ];
}

// Which words the answers depend on.
function used(training: Training, forecast: Forecast, effects: Effects): Said {
  const asks = "Which words does the model use?";
  const tested = to_remove(training, forecast)
    .words.flatMap(word => {
      const removal = effects.without.get(word);
      return removal && removal.texts >= least_texts
        ? [{ word, ...removal, share: removal.changed / removal.texts }]
        : [];
    })
    .sort((a, b) => b.share - a.share);
  const decide = tested.filter(({ share, word }) => share >= 0.5 && !is_punctuation(word)).slice(0, most_named),
    marks = tested.filter(({ share, word }) => share >= 0.5 && is_punctuation(word)),
    each = leaks_found(forecast, effects);
  const removals = (some: typeof tested) =>
    some.map(({ word, changed, texts }) => `Without “${word}”, ${changing(changed, texts)}.`);
  const [first] = tested.filter(({ word }) => !is_punctuation(word));
  const of_marks = [...removals(marks), doubts_in(marks.map(({ word }) => word))];
  if (decide.length > 0)
    return {
      asks,
      short: `${capital(quoted(decide.map(({ word }) => word)))}.`,
      lines: sentences(
        ...(each.length > 0 ? [] : removals(decide)),
        doubts_in(decide.map(({ word }) => word)),
        ...of_marks,
      ),
      each,
    };
  const together = used_together(training, forecast, effects);
  return {
    asks,
    short: together.decide
      ? "No single word. The words that indicate a label decide together."
      : marks.length > 0
        ? "No word. Punctuation decides."
        : "No single word decides.",
    lines: sentences(
      first && first.changed > 0
        ? `Of ${tested.length} words in at least ${least_texts} held-out texts, “${first.word}” changes most. Without it, ${changing(first.changed, first.texts, "only ")}.`
        : tested.length > 0 &&
            `Of ${tested.length} words in at least ${least_texts} held-out texts, none changes an answer when it is removed.`,
      first && first.changed > 0 && doubts_in([first.word]),
      ...of_marks,
      ...together.lines,
    ),
  };
}

// The correct answers without all words that indicate a label, if no single word decides.
function used_together(training: Training, forecast: Forecast, effects: Effects): { decide: boolean; lines: string[] } {
  const { texts, correct, most } = effects.bare,
    indicate = labels_of_words(forecast),
    leaks = leaks_of(forecast).map(({ word }) => word);
  if (texts < least_texts || indicate.size < 2 || by_chance(training, effects)) return { decide: false, lines: [] };
  const held_out = training.source.slice(0, effects.answers.length);
  const several = held_out.filter((tokens, text) => {
    const words = new Set(present(tokens).map(token => training.word(token)));
    return [...words].filter(word => indicate.get(word) === training.class_of(text)).length > 1;
  }).length;
  const decide = guessed(correct, most, texts),
    often = 2 * several > held_out.length;
  return {
    decide,
    lines: sentences(
      `Without all ${indicate.size} words that indicate a label, ${of_count(correct, texts)} answers are correct, and one label for all texts gives ${most}.`,
      often &&
        `${of_count(several, held_out.length)} held-out texts have two or more words of their label, so removing one word changes little.`,
      often &&
        leaks.length > 0 &&
        `${capital(quoted(leaks))} ${leaks.length === 1 ? "gives" : "give"} the label in your texts, but the other words give it, too.`,
    ),
  };
}

// The verdict on attention, as it is compared between trainings, and why.
interface Trust {
  verdict: string;
  lines: string[];
}

export function trust_in(training: Training, at: number, forecast: Forecast, effects: Effects): Trust {
  const found = measured(training, at, forecast),
    look = training.look_at(at)!;
  const off = off_words(training, look, forecast);
  const removed = "If the word with most attention is removed",
    all = of_labels(effects),
    changes = (only = "") => changing(sum(all, "changed"), sum(all, "texts"), only),
    chance = by_chance(training, effects);
  const no = (...lines: (string | false | undefined)[]): Trust => ({ verdict: "No", lines: sentences(...lines) });
  if (found?.uniform) return no("Attention is nearly uniform, so it shows no word.", `${removed}, ${changes()}.`);
  if (chance) return no(`${chance}.`, `${removed}, ${changes()}.`);
  if (off)
    return no(
      `${share_text(off)}.`,
      off.words.length > 0 &&
        `Of the words that indicate no label, ${quoted(off.words.slice(0, most_named))} ${off.words.length === 1 ? "has" : "have"} most attention.`,
      `${removed}, ${changes("only ")}.`,
    );
  const decided = all.filter(one => 2 * one.changed >= one.texts && one.changed > one.other),
    rest = all.filter(one => !decided.includes(one));
  if (decided.length === 0) return no(`${removed}, ${changes("only ")}.`);
  if (rest.length === 0) return { verdict: "Yes", lines: [`${removed}, ${changes()}. So it decides the answer.`] };
  const names = (some: typeof all) => quoted(some.map(({ label }) => label));
  const { added } = effects;
  return {
    verdict: `Yes for the answer ${names(decided)}, no for ${names(rest)}`,
    lines: sentences(
      `${removed}, ${of_count(sum(decided, "changed"), sum(decided, "texts"))} answers ${names(decided)} change, but ${of_count(sum(rest, "changed"), sum(rest, "texts"))} answers ${names(rest)}.`,
      added &&
        2 * added.changed >= added.texts &&
        `The reason for ${names(rest)} is a missing word, so attention cannot show it.`,
    ),
  };
}

// What follows: the words to show as reasons, or what to change first.
function next_step(training: Training, forecast: Forecast, effects: Effects, verdict: string): Said {
  const asks = "What should I do next?";
  if (!indicates(forecast))
    return {
      asks,
      short: "Show no word as a reason.",
      lines: ["No word in these texts indicates a label beyond chance. Add texts, or check the labels."],
    };
  if (by_chance(training, effects))
    return { asks, short: "Add texts, or train longer.", lines: ["A model that guesses has no reasons to show."] };
  const leaks = leaks_of(forecast).map(({ word }) => word);
  if (forecast.prediction.leak !== "")
    return {
      asks,
      short: `Decide whether ${quoted(leaks)} may give a label.`,
      lines: ["Remove words that may not, and check again. Keep words that are a topic of the class."],
    };
  const words = forecast.prediction.outputs.flatMap(output =>
      named_of(output)
        .slice(0, 2)
        .map(({ word }) => word),
    ),
    reasons = words.filter(word => !doubt_of(word)),
    counts =
      reasons.length > 0 &&
      `Counted words indicate the label in your texts, such as ${quoted(reasons)}. The table shows of each whether this model uses it.`;
  if (verdict === "No")
    return {
      asks,
      short: counts ? "Give counted words as reasons, not attention." : "Show no word as a reason.",
      lines: sentences(counts),
    };
  return {
    asks,
    short: "Train two more seeds.",
    lines: sentences(
      "If the verdict stays the same, attention can be shown as a reason.",
      verdict.includes(", no for ") && counts,
    ),
  };
}

interface OfLabel {
  label: string;
  texts: number;
  changed: number;
  other: number; // without another word
}
const sum = (some: OfLabel[], key: "texts" | "changed") => some.reduce((all, one) => all + one[key], 0);

// Of the answers with each label, those that change without the word with most attention.
function of_labels({ answers, without_most, without_other }: Effects): OfLabel[] {
  const all = new Map<string, OfLabel>();
  answers.forEach(({ label }, text) => {
    const one = all.get(label) ?? all.set(label, { label, texts: 0, changed: 0, other: 0 }).get(label)!;
    ++one.texts;
    one.changed += Number(without_most[text]);
    one.other += Number(without_other[text]);
  });
  return [...all.values()];
}

const labels_of = (training: Training, texts: number) =>
  Array.from({ length: texts }, (_, text) => training.class_of(text));
const correct_in = (training: Training, { answers }: Effects) =>
  answers.filter(({ label }, text) => label === training.class_of(text)).length;

// Whether so many correct answers are hardly more than with one label for all texts. The margin is the standard error of a
// guess.
const guessed = (correct: number, most: number, texts: number) => correct - most <= Math.sqrt(texts) / 2;

// How many answers are correct, if the model guesses.
function by_chance(training: Training, effects: Effects): string {
  const texts = effects.answers.length,
    correct = correct_in(training, effects),
    most = Math.max(...counted(labels_of(training, texts)).values());
  if (!guessed(correct, most, texts)) return "";
  return `The answers are guesses: ${of_count(correct, texts)} are correct, and one label for all texts gives ${most}`;
}

// How well attention was predicted: in how many texts, and for which words it failed.
function forecast_was(training: Training, at: number, forecast: Forecast): Said {
  const asks = "Was the forecast right?",
    found = measured(training, at, forecast);
  if (!forecast.prediction.attention_predicted) return { asks, short: "There was none.", lines: [] };
  if (!found || found.named === 0)
    return { asks, short: "It named no word.", lines: ["In no text a word was predicted to stand out."] };
  const tied = tied_words(training, forecast),
    then = predicted_words(training, forecast),
    now = learned_words(training, training.look_at(at)!);
  const missed = (from: typeof now, to: typeof now) =>
    largest(from, 5)
      .filter(
        one =>
          !tied.has(one.word) &&
          mean_of(to.get(one.word)!) < mean_of(one) / 2 &&
          mean_of(one) - mean_of(to.get(one.word)!) > far,
      )
      .slice(0, most_named)
      .map(
        ({ word }) =>
          `“${word}” (${mean_of(then.get(word)!).toFixed(2)}, learned ${mean_of(now.get(word)!).toFixed(2)})`,
      );
  const absent = missed(then, now),
    more = missed(now, then);
  const share = found.same / found.named,
    count = found.same === 0 ? `none of ${found.named}` : of_count(found.same, found.named);
  const begins =
    share >= 0.75 ? "Yes, in" : share >= 0.5 ? "In part: in" : found.same > 0 ? "Mostly no: in only" : "No: in";
  return {
    asks,
    short: `${begins} ${count} texts.`,
    lines: sentences(
      `This counts the texts whose word with most attention is the predicted word${tied.size > 0 ? " or one with equal counts" : ""}. Chance alone gives ${found.by_chance.toFixed(1)} texts.`,
      absent.length > 0 && `Predicted too high: ${absent.join(", ")}.`,
      more.length > 0 && `Predicted too low: ${more.join(", ")}.`,
    ),
  };
}

// How many held-out texts the model labels correctly. One label for all texts and the best step are compared with it.
function right(training: Training, at: number, effects: Effects): Said {
  const texts = effects.answers.length,
    correct = correct_in(training, effects),
    labels = counted(labels_of(training, texts)),
    most = Math.max(...labels.values()),
    frequent = [...labels.keys()].filter(label => labels.get(label) === most);
  const { steps = [], values = [] } = training.series.get("accuracy") ?? {};
  const best = values.reduce<number>(
    (best, value, i) => (steps[i]! > 0 && (value ?? 0) > (values[best] ?? 0) ? i : best),
    0,
  );
  const lost = Math.round(((values[best] ?? 0) - correct / texts) * texts),
    guesses = by_chance(training, effects) !== "";
  return {
    asks: "How good are the answers?",
    short: `${of_count(correct, texts)} held-out texts are labelled correctly (${percent(correct / texts)}).`,
    lines: sentences(
      `Always answering ${frequent.length === 1 ? `“${frequent[0]}”, the most frequent label,` : "the same label"} is correct for ${most} (${percent(most / texts)}).`,
      lost >= 2 &&
        !guesses &&
        steps[best]! < at &&
        `Step ${steps[best]} was better, with ${percent(values[best]!)}. After it the model learned the training texts by heart (overfitting). This block describes the last step. To train less, set Steps to ${steps[best]} in Settings.`,
    ),
  };
}

export interface OfSeed {
  seed: number;
  verdict: string;
  word: string | undefined; // with the largest mean weight, if one is clear
}

// In how many trainings the verdict is as in the first, and the word that each attends to most.
export function seeds_told(verdicts: OfSeed[]): string {
  const [first] = verdicts,
    same = verdicts.filter(({ verdict }) => verdict === first!.verdict).length,
    count = `${same} of ${verdicts.length} trainings`;
  const each = verdicts.map(({ seed, verdict }) => `seed ${seed} “${verdict}”`).join(", "),
    words = verdicts.map(({ seed, word }) => `seed ${seed} ${word ? `“${word}”` : "none"}`).join(", ");
  const verdict =
    same === verdicts.length
      ? `The verdict is “${first!.verdict}” in ${count} (seeds ${first!.seed} to ${verdicts.at(-1)!.seed}).`
      : `The verdict is the same in ${count}: ${each}.`;
  return `${verdict} Word with the largest mean weight: ${words}.`;
}
