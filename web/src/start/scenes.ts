// What Start trains: tasks of the playground in everyday words, each with flags to bet on.
import { factor_in, first, type State } from "../play/state";
import { reasons } from "../play/tasks";
import type { Curve, Reason } from "./flags";

export interface Scene {
  name: string;
  title: string;
  reads: string; // what the model gets, and what it has to do
  why: string; // why that has to be learned
  reason: Reason; // told after a training
  left: string; // what the two columns of words are
  right: string;
  curves: Curve[];
  causal?: true; // a row attends to what stands before it
  rungs?: { metric: string; says: string }[]; // predicted plateaus of the loss, from the highest to the lowest
  acts: string[];
  state: Partial<State>;
}

const looks = "var(--c0)",
  knows = "var(--c1)",
  writes = "var(--c2)";

export const scenes: Scene[] = [
  {
    name: "copy",
    title: "Copy twelve words",
    reads: "The model, a small recurrent network with attention, reads twelve words and has to write the same twelve.",
    why: "Copying is not built in. To the model, a word that is read and the same word when it is written are two unrelated numbers. So the model has to learn two things: which word to write for each word read (β), and at which position to look (α). Nobody shows it the position. The only signal is whether the written word was right.",
    reason: reasons.copying,
    left: "words read",
    right: "words written",
    curves: [
      {
        metric: "beta_points_right",
        name: "β: matches words",
        means:
          "share of written words that rank first if all attention is on their right position; a rank is not a probability",
        colour: knows,
        flag: { level: 0.5, asks: "When does it match half of the words (β)?", short: "β at 50 %", what: "words" },
      },
      {
        metric: "attention_points_right",
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
      { metric: "accuracy", name: "writes right", means: "share of words that it writes right", colour: writes },
    ],
    acts: ["uniform", "truth", "scale", "ablate"],
    state: { task: "subset", set: "train.steps=100" },
  },
  {
    name: "weather",
    title: "Continue the weather",
    reads:
      "Each text is the weather of 24 days. Each text has chances of its own: in one, sun follows rain often, in another seldom. The model, a transformer of two layers, has to predict the next day.",
    why: "The chances differ from text to text, so they cannot be learned by heart. The model has to learn a procedure: find the earlier days with today's weather, and look at the days after them. One head has to look at the day before, and another uses that. The second head can begin before the first is finished.",
    reason: reasons.chain,
    left: "days looked at",
    right: "current day",
    curves: [
      {
        metric: "weight_on_previous",
        name: "α: the day before",
        means: "largest share of attention that one head has on the day before",
        colour: "var(--c3)", // both flags are attention, and neither has the colour of words
        flag: {
          level: 0.5,
          asks: "When is 50 % of a head's attention on the day before?",
          short: "day before at 50 %",
          what: "the day before",
        },
      },
      {
        metric: "induction",
        name: "α: days after days like today",
        means: "largest share of attention that one head has on days that followed earlier copies of today",
        colour: looks,
        flag: {
          level: 0.75,
          asks: "When is 75 % of a head's attention on days after days like today?",
          short: "days after at 75 %",
          what: "the days after days like today",
        },
      },
      { metric: "accuracy", name: "predicts right", means: "share of days that it predicts right", colour: writes },
    ],
    causal: true,
    rungs: [
      { metric: "rung_uniform", says: "guesses" },
      { metric: "rung_unigram", says: "counts days" },
      { metric: "rung_bigram", says: "counts the next days" },
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
      "A text of twenty words is positive if it contains one certain word, and negative if not. Nobody tells the model which word that is.",
    why: "For each word the model has two numbers: how much the word speaks for positive (β), and how much attention it gets (α). At first these numbers are the same for all words. The model gets the answer, and nothing about the words. Fovea predicts both steps before training: its flags are drawn in outline. Can you beat it?",
    reason: reasons.keyword,
    left: "words read",
    right: "answer",
    curves: [
      {
        metric: "knowledge",
        name: "β: sure by keyword",
        means: "how sure it would be of positive, if all attention were on the keyword (50 % is a guess)",
        colour: knows,
        flag: {
          level: 0.75,
          asks: "When would the keyword alone make it 75 % sure (β)?",
          short: "β at 75 %",
          what: "the keyword's evidence",
          predicted: "predicted_time_to_knowledge_half",
        },
      },
      {
        metric: "attention_on_answer",
        name: "α: on the keyword",
        means: "share of attention on the keyword; 52.5 % is half-way from uniform attention (5 %) to 100 %",
        colour: looks,
        flag: {
          level: 0.525,
          asks: "When is 52.5 % of attention on the keyword (α)?",
          short: "α at 52 %",
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
