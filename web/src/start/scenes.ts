// What Start trains: tasks of the playground in everyday words, each with flags to bet on.
import { rung_means } from "../play/rung_words";
import { factor_in, first, type State } from "../play/state";
import { role_colour } from "../roles";
import type { Curve } from "./flags";
import { type Reason, reasons } from "./reasons";

export interface Scene {
  name: string;
  title: string;
  reads: string; // what the model gets, and what it has to do
  learns: { name: string; says: string }[]; // what that takes: one for each flag
  signal: string; // of training
  reason: Reason; // told after a training
  left: string; // what the two columns of words are
  right: string;
  row: string; // one of the right column, which has 100 % to divide
  curves: Curve[];
  causal?: true; // a row attends to what stands before it
  rungs?: { metric: string; name: string; means: string }[]; // predicted plateaus of the loss, from the highest
  acts: string[];
  state: Partial<State>;
}

const looks = role_colour("attention_points_right"),
  knows = role_colour("beta_points_right"),
  writes = role_colour("accuracy");

export const scenes: Scene[] = [
  {
    name: "copy",
    title: "Copy twelve words",
    reads:
      "The model reads twelve words and has to write the same twelve. To the model, a word that is read and the same word when it is written are two unrelated numbers.",
    learns: [
      { name: "the words", says: "which word to write for each word read (β)" },
      { name: "where to look", says: "at which position the next word to write is (α)" },
    ],
    signal: "Nobody shows it either. The only signal is whether each written word was right.",
    reason: reasons.copying,
    left: "words read",
    right: "words written",
    row: "written word",
    curves: [
      {
        metric: "beta_points_right",
        name: "β: matches words",
        means:
          "share of written words that are matched: of all words read, the right one speaks most for the written word (it has the largest β)",
        colour: knows,
        flag: { level: 0.5, asks: "When does it match half of the words (β)?", short: "β at 50 %", what: "words" },
      },
      {
        metric: "attention_points_right",
        attends: true,
        name: "α: looks right",
        means: "share of written words whose largest weight is on the right position",
        colour: looks,
        flag: {
          level: 0.5,
          asks: "When does it find half of the positions (α)?",
          short: "α at 50 %",
          what: "looking",
        },
      },
      {
        metric: "accuracy",
        name: "writes right",
        means:
          "share of words that it writes right. Some are right by the mix of all words, before attention is on their position",
        colour: writes,
      },
    ],
    acts: ["uniform", "truth", "scale", "ablate"],
    state: { task: "subset", set: "train.steps=100" },
  },
  {
    name: "weather",
    title: "Continue the weather",
    reads:
      "Each text is the weather of 24 days, with chances of its own. The model has to predict the next day. It has two heads: each is one attention that chooses by itself.",
    learns: [
      { name: "the day before", says: "the previous-token head (layer 1) looks one day back (α)" },
      {
        name: "the days after",
        says: "the induction head (layer 2) finds earlier days with today's weather, and looks at the days after (α)",
      },
    ],
    signal: "The only signal is the next day. The levels of the two differ, so no order is judged.",
    reason: reasons.chain,
    left: "days looked at",
    right: "current day",
    row: "day",
    curves: [
      {
        metric: "weight_on_previous",
        attends: true,
        name: "α: the day before",
        means: "largest share of attention that one head has on the day before",
        colour: role_colour("weight_on_previous"), // both flags are attention, and neither has the colour of words
        flag: {
          level: 0.5,
          asks: "When does a head look at the day before (50 %)?",
          short: "day before at 50 %",
          what: "looking at the day before",
        },
      },
      {
        metric: "induction",
        attends: true,
        name: "α: the days after",
        means:
          "largest share of attention that one head has on the days after earlier days with today's weather. It begins near 50 %, so its level is 75 %",
        colour: looks,
        flag: {
          level: 0.75,
          asks: "When does a head look at the days after (75 %)?",
          short: "days after at 75 %",
          what: "looking at the days after",
        },
      },
      { metric: "accuracy", name: "predicts right", means: "share of days that it predicts right", colour: writes },
    ],
    causal: true,
    rungs: [
      { metric: "rung_uniform", name: "uniform", means: rung_means("markov", "uniform")! },
      { metric: "rung_unigram", name: "unigram", means: rung_means("markov", "unigram")! },
      { metric: "rung_bigram", name: "bigram", means: rung_means("markov", "bigram")! },
    ],
    acts: ["uniform", "previous", "first", "ablate"],
    state: {
      task: "markov",
      set: "task.length=24;task.alpha=0.3;train.batch=64;train.rate=0.006;train.steps=200;probe.examples=256;probe.keep=16",
    },
  },
  {
    name: "keyword",
    title: "Find the keyword",
    reads:
      "A text of twenty words is positive if it contains one certain word, the keyword, and negative if not. The model has two numbers for each word, and at first they are the same for all words.",
    learns: [
      { name: "the words", says: "how much each word speaks for positive (β)" },
      { name: "where to look", says: "how much attention each word gets (α)" },
    ],
    signal:
      "The only signal is the right answer. Half-way is 75 % for β, from a guess (50 %) to sure, and 52.5 % for α, from equal weights (5 %) to all. Fovea predicts both steps: its flags are drawn in outline.",
    reason: reasons.keyword,
    left: "words read",
    right: "answer",
    row: "answer",
    curves: [
      {
        metric: "knowledge",
        name: "β: sure by keyword",
        means:
          "how sure it would be of positive, if all attention were on the keyword: from 50 %, a guess, to 100 %. Half-way is 75 %",
        colour: knows,
        flag: {
          level: 0.75,
          halfway: true,
          asks: "When is it half-way sure by the keyword (β 75 %)?",
          short: "β at 75 %",
          what: "the keyword's evidence",
          predicted: "predicted_time_to_knowledge_half",
        },
      },
      {
        metric: "attention_on_answer",
        attends: true,
        name: "α: on the keyword",
        means: "share of attention on the keyword: from 5 %, equal weights, to 100 %. Half-way is 52.5 %",
        colour: looks,
        flag: {
          level: 0.525,
          halfway: true,
          asks: "When does it look half-way at the keyword (α 52.5 %)?",
          short: "α at 52.5 %",
          what: "looking at it",
          predicted: "predicted_time_to_attention_half",
        },
      },
      { metric: "accuracy", name: "answers right", means: "share of texts that it answers right", colour: writes },
    ],
    acts: ["uniform", "truth", "scale", "ablate"],
    state: {
      task: "keyword",
      model: "unigram-gate",
      set: "train.optimizer=sgd;train.rate=1;train.batch=128;train.steps=240",
    },
  },
];

export const scene_of = (name: string | null): Scene => scenes.find(one => one.name === name) ?? scenes[0]!;

// What the address of Start says.
export interface Asked {
  scene: Scene;
  bets: (number | undefined)[]; // a step for each flag
  state: State;
}

const whole = (text: string | null | undefined) => (/^\d{1,9}$/.test(text ?? "") ? Number(text) : undefined);

export function read_asked(words: URLSearchParams): Asked {
  const scene = scene_of(words.get("scene"));
  const bets = (words.get("bet") ?? "").split(",");
  const act = words.get("act") ?? "";
  const hold = scene.acts.includes(act) ? (whole(words.get("hold")) ?? 0) : 0;
  return {
    scene,
    bets: flags_of(scene).map((_, i) => whole(bets[i])),
    state: {
      ...first,
      ...scene.state,
      seed: whole(words.get("seed")) ?? 0,
      ...(hold > 0 && {
        act,
        hold,
        by: factor_in(words.get("by")) ?? first.by,
        of: words.get("of") ?? "",
        from: whole(words.get("from")) ?? 0,
      }),
    },
  };
}

export const flags_of = (scene: Scene) => scene.curves.filter(curve => curve.flag);
