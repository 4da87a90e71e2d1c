// What the playground can be set to: small enough to be learned while somebody watches, on one core.
import type { Table } from "../model";
import { type Reason, reasons } from "../start/reasons";
import { everyday, weather } from "./everyday";

// How far the two stages are: which word goes with which output, and whether attention has come to it.
export interface Stage {
  metric: string;
  level: number; // reached from here on
  says: string;
  what: string; // is learned, as a sentence names it
  attends?: true; // it is attention, too
}

export interface Task {
  name: string;
  title: string;
  idea: string;
  // `probes` are those that measure this model alone, with their settings.
  models: { name: string; title: string; settings: Table; probes?: { [name: string]: Table } }[];
  task?: Table; // undefined where the person's own data make it
  own?: "texts" | "points";
  words?: string[] | undefined; // how its tokens are read, where the engine only numbers them
  train: Table;
  probe: Table;
  metrics: string[]; // shares, drawn over the steps
  named?: { [metric: string]: { label: string; measures: string } }; // in the words of the task
  probes?: string[]; // that are no shares
  knowledge?: Stage;
  attention?: Stage;
  note?: string; // on its curves
  reason?: Reason;
  acts: string[]; // what can be done to attention: it is held at the truth where the task knows it
  shown: string[]; // the settings that stand open
}

const every_act = ["uniform", "truth", "scale", "ablate", "frozen", "alone"];
const translators: Task["models"] = [
  { name: "seq2seq", title: "Encoder and decoder (LSTM)", settings: { name: "seq2seq", hidden: 64, embedding: 64 } },
  {
    name: "gru",
    title: "Encoder and decoder (GRU)",
    settings: { name: "seq2seq", cell: "gru", hidden: 64, embedding: 64 },
  },
  {
    name: "heads",
    title: "Four heads together (GRU)",
    settings: { name: "seq2seq-heads", cell: "gru", hidden: 64, embedding: 64, heads: [0, 1, 2, 3] },
  },
];
const copying = {
  words: everyday,
  models: translators,
  train: { steps: 300, batch: 64, optimizer: "adam", rate: 4e-3 },
  probe: { every: 2, examples: 32 },
  metrics: ["attention_points_right", "beta_points_right", "accuracy", "entropy"],
  probes: ["knowledge"],
  reason: reasons.copying,
  knowledge: { metric: "beta_points_right", level: 0.5, says: "half of the words matched (β)", what: "words" },
  attention: { metric: "attention_points_right", level: 0.5, says: "half of the positions found (α)", what: "looking" },
  acts: every_act,
  shown: ["task.vocab", "task.length", "model.hidden", "model.attention", "train.rate", "train.steps"],
};
const classifiers: Task["models"] = [
  {
    name: "gated-classifier",
    title: "Recurrent classifier (LSTM)",
    settings: { name: "gated-classifier", hidden: 32, embedding: 32 },
  },
  {
    name: "unigram-gate",
    title: "A weight and a logit per word",
    settings: { name: "unigram-gate" },
  },
];
const labelled = {
  words: everyday,
  models: classifiers,
  probe: { every: 4, examples: 100 },
  metrics: ["attention_on_answer", "beta_auc", "accuracy", "entropy"],
  knowledge: {
    metric: "beta_auc",
    level: 0.9,
    says: "the keyword ranks above 9 of 10 words (β)",
    what: "the keyword's evidence",
  },
  attention: {
    metric: "attention_on_answer",
    level: 0.5,
    says: "half of attention on the keyword (α)",
    what: "looking at it",
  },
  reason: reasons.keyword,
  acts: every_act,
  shown: ["task.vocab", "task.length", "model.hidden", "model.attention", "train.rate", "train.steps"],
};

const streams = {
  probe: { every: 4, examples: 128, keep: 4 },
  probes: ["ladder", "loss"],
  knowledge: undefined,
  acts: ["uniform", "previous", "first", "ablate", "frozen"],
};
const stream_acts_with_truth = ["uniform", "previous", "first", "truth", "scale", "ablate", "frozen"];

// Those that a beginner starts with.
export const easy = ["copy", "permutation", "keyword", "features"];

export const tasks: Task[] = [
  {
    ...copying,
    name: "copy",
    note: "Words repeat in these texts, so β stays below 100 %. On Start no word repeats, so its steps differ.",
    title: "Copy words",
    idea: "The model reads words and has to write the same ones. It is a small recurrent network with attention. To the model, a word that is read and the same word when it is written are two unrelated numbers.",
    task: { name: "copy", vocab: 12, length: 12, distinct: false },
  },
  {
    ...copying,
    name: "permutation",
    reason: reasons.permutation,
    title: "Copy permutations",
    idea: "Every text has the same words, in another order. Which words occur together then shows nothing. Will the model learn which word goes with which?",
    task: { name: "copy", vocab: 20, length: 20, distinct: true },
  },
  {
    ...copying,
    name: "subset",
    title: "Copy some of many words (copy)",
    idea: "Each text has twelve of twenty words. Texts differ in their words, so co-occurrence shows which word goes with which.",
    task: { name: "copy", vocab: 20, length: 12, distinct: true },
  },
  {
    ...labelled,
    name: "keyword",
    title: "Find the keyword",
    idea: "A text is positive if it contains one word, the keyword. The model has to find out which word it is.",
    models: classifiers.map(one =>
      one.name === "unigram-gate" ? { ...one, probes: { knowledge: {}, prediction: { draws: 300 } } } : one,
    ),
    task: { name: "keyword", vocab: 50, length: 20 },
    train: { steps: 600, batch: 32, optimizer: "adam", rate: 2e-3 },
  },
  {
    name: "features",
    title: "Find two features",
    idea: "Two of twenty features decide the label. Each feature has a weight, all of them add up to 1, and the model learns which to give the most.",
    models: [
      {
        name: "feature-attention",
        title: "A weight per feature",
        settings: { name: "feature-attention", gate: "free" },
      },
    ],
    task: { name: "feature-mean", width: 20 },
    train: { steps: 600, batch: 64, optimizer: "adam", rate: 5e-3 },
    probe: { every: 4, examples: 100 },
    metrics: ["attention_on_answer", "accuracy", "entropy"],
    attention: {
      metric: "attention_on_answer",
      level: 0.5,
      says: "half of the weight is on them (α)",
      what: "weight on the two features",
    },
    acts: every_act,
    shown: ["task.width", "model.gate", "train.rate", "train.steps"],
  },
  {
    ...streams,
    name: "markov",
    title: "Continue the weather (markov-icl)",
    idea: "The model has to predict tomorrow's weather. Each text is the weather of many days, with chances of its own. In one solution, one head looks at the day before, as a previous-token head. The other head looks at the days after, as an induction head: the days that followed earlier days with today's weather.",
    task: { name: "markov-icl", states: 3, length: 40 },
    words: weather,
    models: [
      {
        name: "transformer",
        title: "Two layers of attention",
        settings: {
          name: "transformer",
          layers: 2,
          heads: 1,
          width: 16,
          position: "relative",
          biases: false,
          start: 0.1,
          start_output: 0.01,
        },
      },
    ],
    train: { steps: 500, batch: 32, optimizer: "adamw", rate: 4e-3 },
    metrics: ["induction", "weight_on_previous", "accuracy", "entropy"],
    named: {
      weight_on_previous: {
        label: "α: the day before",
        measures: "largest share of attention that one head has on the day before",
      },
      induction: {
        label: "α: the days after",
        measures: "largest share of attention that one head has on the days after earlier days with today's weather",
      },
    },
    reason: reasons.chain,
    knowledge: {
      metric: "weight_on_previous",
      level: 0.5,
      says: "half of a head on the day before (α)",
      what: "looking at the day before",
      attends: true,
    },
    attention: {
      metric: "induction",
      level: 0.75,
      says: "75 % of a head on the days after (α)",
      what: "looking at the days after",
    },
    note: "The days after follow earlier days with today's weather. Equal weights are on many of them already, so the level of this curve is 75 % and not 50 %.",
    shown: ["task.states", "task.length", "model.layers", "model.heads", "model.width", "train.rate", "train.steps"],
  },
  {
    ...streams,
    name: "induction",
    title: "What followed it last time? (induction)",
    idea: "The last word occurred in the text once before. Which word followed it then? In one solution, one head attends to the previous word, and the other finds the position by it. For a while the loss hardly moves.",
    task: { name: "induction", vocab: 24, length: 10 },
    models: [
      {
        name: "transformer",
        title: "Two layers of attention",
        settings: { name: "transformer", layers: 2, heads: 1, width: 32, position: "relative", biases: false },
      },
    ],
    train: { steps: 600, batch: 64, optimizer: "adam", rate: 2e-3 },
    acts: stream_acts_with_truth,
    metrics: ["attention_points_right", "weight_on_previous", "accuracy", "entropy"],
    reason: reasons.induction,
    knowledge: {
      metric: "weight_on_previous",
      level: 0.5,
      says: "half of a head on the word before (α)",
      what: "looking at the word before",
      attends: true,
    },
    attention: {
      metric: "attention_points_right",
      level: 0.5,
      says: "half of the answers look at the following word (α)",
      what: "looking at the following word",
    },
    shown: ["task.vocab", "task.length", "model.layers", "model.heads", "model.width", "train.rate", "train.steps"],
  },
  {
    ...streams,
    name: "sums",
    title: "Sums of neighbours (mws)",
    idea: "Numbers, then the sums of each two neighbours. A plateau of the loss can be computed before training. In most trainings the loss stays near it, and weight on the two positions grows before the loss falls.",
    task: { name: "mws", n: 8, numbers: 8 },
    models: [
      {
        name: "transformer",
        title: "One layer of linear attention",
        settings: { name: "transformer", layers: 1, heads: 1, width: 64, mlp: 4, attention: "linear" },
      },
    ],
    train: { steps: 400, batch: 32, optimizer: "adam", rate: 2e-3 },
    acts: stream_acts_with_truth,
    metrics: ["weight_on_needed", "accuracy"],
    attention: {
      metric: "weight_on_needed",
      level: 0.5,
      says: "half of attention is on the two positions",
      what: "looking at the two positions",
    },
    shown: ["task.n", "task.numbers", "model.width", "train.rate", "train.steps"],
  },
  {
    ...streams,
    name: "sink",
    title: "An attention sink (sink)",
    idea: "After three trigger tokens the token before the trigger comes back. Elsewhere the next token depends on the current one alone. A softmax has to put its weight somewhere all the same, and the weight on the start token grows.",
    task: { name: "sink", vocab: 24, length: 24, start_token: true },
    models: [
      {
        name: "transformer",
        title: "One layer of attention",
        settings: { name: "transformer", layers: 1, heads: 1, width: 32, mlp: 4 },
      },
    ],
    train: { steps: 400, batch: 32, optimizer: "adamw", rate: 3e-3, beta2: 0.99, weight_decay: 1e-4 },
    acts: stream_acts_with_truth,
    metrics: ["weight_on_needed", "weight_on_first_unneeded", "accuracy"],
    attention: {
      metric: "weight_on_needed",
      level: 0.5,
      says: "half of attention is on the right position",
      what: "looking",
    },
    shown: ["task.vocab", "task.length", "model.attention", "model.heads", "train.rate", "train.steps"],
  },
  {
    ...streams,
    name: "induction-exact",
    title: "An induction head (induction-laws)",
    idea: "The last word occurred in the text once before, and the answer is the word after it. The model has the three parts that this needs, and nothing else. A flow of three numbers predicts before training at which step they work together.",
    task: { name: "induction", vocab: 64, length: 17 },
    words: everyday,
    models: [{ name: "induction-exact", title: "Lags, match and output", settings: { name: "induction-exact" } }],
    train: { steps: 400, batch: 64, optimizer: "sgd", rate: 0.3 },
    probe: { ...streams.probe, every: 5, examples: 256 },
    probes: [...streams.probes, "induction-exact"],
    acts: stream_acts_with_truth,
    metrics: ["weight_on_needed", "weight_on_previous", "accuracy", "entropy"],
    attention: { metric: "weight_on_needed", level: 0.5, says: "half of attention is right (α)", what: "looking" },
    shown: ["task.vocab", "task.length", "train.rate", "train.steps"],
  },
  {
    ...streams,
    name: "spans",
    title: "Spans of a text (spans)",
    idea: "The answer depends on three spans of a text, and a newer span counts more. Three heads attend by position alone. The predicted plateaus are the losses of models that use the newest span alone, or the newest two.",
    task: { name: "spans", vocab: 20, spans: 3, span_length: 2, scale: 2, ratio: 1.7 },
    words: everyday,
    models: [
      {
        name: "position-heads",
        title: "Three heads that attend by position",
        settings: { name: "position-heads", heads: 3, start: 1e-3 },
      },
    ],
    train: { steps: 300, batch: 128, optimizer: "sgd", rate: 20 },
    probe: { ...streams.probe, every: 5, examples: 256 },
    metrics: ["span_1_least", "span_2_most", "entropy"],
    attention: {
      metric: "span_1_least",
      level: 0.6,
      says: "60 % of every head on the newest span (α)",
      what: "looking at the newest span",
    },
    shown: ["task.vocab", "task.span_length", "model.heads", "train.rate", "train.steps"],
  },
  {
    ...streams,
    name: "chain",
    title: "A chain of two states (markov-tied)",
    idea: "Tomorrow's weather depends on today's alone. It can change on four days of five, or stay on four days of five: both are as easy to predict. If words to read and words to predict share their weights, weather that changes is learned later.",
    task: { name: "binary-chain", to_one: 0.8, to_zero: 0.8, length: 16 },
    words: weather,
    models: [
      {
        name: "transformer",
        title: "One layer, tied weights",
        settings: { name: "transformer", layers: 1, heads: 1, width: 8, mlp: 4, tied: true },
      },
    ],
    train: { steps: 200, batch: 32, optimizer: "adamw", rate: 2e-3, beta2: 0.95, weight_decay: 1e-3 },
    probe: { ...streams.probe, every: 2, examples: 256 },
    metrics: ["accuracy", "entropy"],
    shown: ["task.to_one", "task.to_zero", "model.tied", "train.rate", "train.steps"],
  },
  {
    ...labelled,
    name: "own",
    title: "Your own texts",
    idea: "Which words will a model attend to in your texts? This is predicted before training, from how often words and labels occur together. Then train, and compare.",
    own: "texts",
    words: undefined, // “12” in a text is no number of a token
    train: { steps: 400, batch: 16, optimizer: "adam", rate: 5e-3 },
    probe: { every: 4, examples: 100 },
    metrics: ["accuracy", "entropy"],
    knowledge: undefined,
    attention: undefined,
    acts: ["uniform", "frozen", "alone"],
    shown: ["model.hidden", "model.attention", "train.rate", "train.steps"],
  },
  {
    name: "points",
    title: "Your own points",
    idea: "At each place the answer is the mean of all points, near ones counting more. How near counts as near (w) is learned by answering each point from the others.",
    models: [
      {
        name: "gaussian",
        title: "Nearness, its width learned",
        settings: { name: "pooling", similarity: "gaussian-learned", w: 1 },
      },
      { name: "average", title: "The mean of all", settings: { name: "pooling", similarity: "average" } },
    ],
    own: "points",
    train: { steps: 400, batch: 1, rate: 0.1, schedule: "cosine" },
    probe: { every: 10, examples: 1 },
    metrics: ["entropy"],
    probes: ["scalars"],
    acts: ["uniform", "frozen"],
    shown: ["model.w", "train.rate", "train.steps"],
  },
];
