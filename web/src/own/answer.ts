// The answers on texts of one's own, in plain sentences: before training what is predicted, after it what was measured.
import { capital } from "../capital";
import type { Training } from "../engine/training";
import type { Effects } from "./effects";
import type { Forecast } from "./prediction";
import { doubt_of, doubts_in, quoted } from "./reasons";
import { counted } from "./texts";
import {
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
  to_remove,
} from "./trust";

export interface Said {
  asks: string;
  short: string;
  lines: string[];
  each?: string[]; // a line for each label
}

const far = 0.15; // between a predicted and a learned weight, so that it is told
const most_named = 3,
  least_texts = 3;
const percent = (share: number) => `${Math.round(100 * share)}\u00a0%`;
const of_count = (count: number, all: number) => `${count} of ${all}`;
const changing = (count: number, all: number, only = "") =>
  count === 0
    ? `none of ${all} answers changes`
    : `${only}${of_count(count, all)} answers change${count === 1 ? "s" : ""}`;
const sentences = (...all: (string | false | undefined)[]) => all.filter(one => !!one) as string[];

// Before training.
export function predicted(training: Training, forecast: Forecast): Said[] {
  return [
    where_to(training, forecast),
    {
      asks: "Can I trust attention?",
      short: "Not known before training.",
      lines: ["Press Play. Training takes seconds. Then this block answers."],
    },
  ];
}

// Why attention is not predicted.
const reason_in = ({ trust, examples }: Forecast["prediction"]) =>
  trust.includes("differs between parts")
    ? `Different parts of the ${examples} texts give different forecasts.`
    : capital(trust.replace(/^Do not trust attention here: /, ""));

function where_to(training: Training, forecast: Forecast): Said {
  const asks = "Where will attention go?",
    { attention_predicted, trust } = forecast.prediction;
  if (!attention_predicted) return { asks, short: "No forecast.", lines: [reason_in(forecast.prediction)] };
  const words = largest(predicted_words(training, forecast), 5),
    indicate = labels_of_words(forecast);
  if (words.length === 0) return { asks, short: "To no word more than to others.", lines: [capital(trust)] };
  const names = words.map(({ word }) => word),
    fillers = names.filter(word => !indicate.has(word));
  const weights = words.map(one => `“${one.word}” ${mean_of(one).toFixed(2)}`).join(", ");
  return {
    asks,
    short: `Most to ${quoted(names)}.`,
    lines: sentences(
      `Predicted weights, from 0 to 1: ${weights}.`,
      fillers.length > 0 &&
        `${quoted(fillers)} ${fillers.length === 1 ? "is a filler word: it indicates" : "are filler words: they indicate"} no label, but attention is predicted there, too.`,
      doubts_in(names.filter(word => indicate.has(word))),
    ),
  };
}

// At a step before the end of training there are numbers, and no verdict.
export function so_far(training: Training, at: number, forecast: Forecast): Said {
  const found = measured(training, at, forecast),
    look = training.look_at(at);
  const asks = "Can I trust attention?",
    short = "No verdict before the last step.";
  if (!found || !look) return { asks, short, lines: [] };
  if (training.state === "done" && at >= training.step) return { asks, short: "Measuring …", lines: [] };
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
  const trust = trusted(training, at, forecast, effects);
  return [
    trust,
    used(training, forecast, effects),
    right(training, at, effects),
    forecast_was(training, at, forecast),
    next_step(training, forecast, effects, trust.short),
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
  const decide = tested.filter(({ share }) => share >= 0.5).slice(0, most_named),
    each = leaks_found(forecast, effects);
  const removals = (some: typeof tested) =>
    some.map(({ word, changed, texts }) => `Without “${word}”, ${changing(changed, texts)}.`);
  const [first] = tested;
  if (decide.length > 0)
    return {
      asks,
      short: `${capital(quoted(decide.map(({ word }) => word)))}.`,
      lines: sentences(...(each.length > 0 ? [] : removals(decide)), doubts_in(decide.map(({ word }) => word))),
      each,
    };
  return {
    asks,
    short: "No single word decides.",
    lines: sentences(
      first && first.changed > 0
        ? `Of ${tested.length} words in at least ${least_texts} held-out texts, “${first.word}” changes most. Without it, ${changing(first.changed, first.texts, "only ")}.`
        : tested.length > 0 &&
            `Of ${tested.length} words in at least ${least_texts} held-out texts, none changes an answer when it is removed.`,
      first && first.changed > 0 && doubts_in([first.word]),
    ),
  };
}

const trusts = "Can I trust attention?";

function trusted(training: Training, at: number, forecast: Forecast, effects: Effects): Said {
  const found = measured(training, at, forecast),
    look = training.look_at(at)!;
  const off = off_words(training, look, forecast);
  const removed = "If the word with most attention is removed",
    all = of_labels(effects),
    changes = (only = "") => changing(sum(all, "changed"), sum(all, "texts"), only),
    chance = by_chance(training, effects);
  const no = (...lines: (string | false | undefined)[]): Said => ({
    asks: trusts,
    short: "No.",
    lines: sentences(...lines),
  });
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
  if (rest.length === 0)
    return {
      asks: trusts,
      short: "Yes, in this training.",
      lines: [`${removed}, ${changes()}. So it decides the answer.`],
    };
  const names = (some: typeof all) => quoted(some.map(({ label }) => label));
  const { added } = effects;
  return {
    asks: trusts,
    short: `Yes for the answer ${names(decided)}, no for ${names(rest)}.`,
    lines: sentences(
      `${removed}, ${of_count(sum(decided, "changed"), sum(decided, "texts"))} answers ${names(decided)} change, but ${of_count(sum(rest, "changed"), sum(rest, "texts"))} answers ${names(rest)}.`,
      added &&
        2 * added.changed >= added.texts &&
        `The reason for ${names(rest)} is a missing word, so attention cannot show it.`,
    ),
  };
}

// What follows: the words to show as reasons, or what to change first.
function next_step(training: Training, forecast: Forecast, effects: Effects, trust: string): Said {
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
    counts = reasons.length > 0 && `Counted words are reasons, such as ${quoted(reasons)}: the table below has them.`;
  if (trust === "No.")
    return {
      asks,
      short: counts ? "Give counted words as reasons, not attention." : "Show no word as a reason.",
      lines: sentences(counts),
    };
  return {
    asks,
    short: "Train once more with another seed (in Settings).",
    lines: sentences(
      "If the answers here stay the same, attention can be shown as a reason.",
      trust.includes(", no for ") && counts,
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

// How many answers are correct, if that is hardly more than with one label for all texts. The margin is the standard
// error of a guess.
function by_chance(training: Training, effects: Effects): string {
  const texts = effects.answers.length,
    correct = correct_in(training, effects),
    most = Math.max(...counted(labels_of(training, texts)).values());
  if (correct - most > Math.sqrt(texts) / 2) return "";
  return `The answers are guesses: ${of_count(correct, texts)} are correct, and one label for all texts gives ${most}`;
}

// How well attention was predicted: in how many texts, and for which words it failed.
function forecast_was(training: Training, at: number, forecast: Forecast): Said {
  const asks = "Was the forecast right?",
    found = measured(training, at, forecast);
  if (!forecast.prediction.attention_predicted) return { asks, short: "There was none.", lines: [] };
  if (!found || found.named === 0)
    return { asks, short: "It named no word.", lines: ["In no text a word was predicted to stand out."] };
  const then = predicted_words(training, forecast),
    now = learned_words(training, training.look_at(at)!);
  const missed = (from: typeof now, to: typeof now) =>
    largest(from, 5)
      .filter(one => mean_of(to.get(one.word)!) < mean_of(one) / 2 && mean_of(one) - mean_of(to.get(one.word)!) > far)
      .slice(0, most_named)
      .map(
        ({ word }) =>
          `“${word}” (${mean_of(then.get(word)!).toFixed(2)}, learned ${mean_of(now.get(word)!).toFixed(2)})`,
      );
  const absent = missed(then, now),
    more = missed(now, then);
  const share = found.same / found.named,
    count = of_count(found.same, found.named);
  return {
    asks,
    short: `${share >= 0.75 ? "Yes, in" : share >= 0.5 ? "In part: in" : "Mostly no: only in"} ${count} texts.`,
    lines: sentences(
      `In these texts, the word with most attention is the predicted word. Chance alone gives ${found.by_chance.toFixed(1)} texts.`,
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
