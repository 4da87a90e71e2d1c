// What the ideal model uses whose loss is a predicted plateau, by task and plateau. A task of the playground has its words, a
// task of a run has states.
const alike = "nothing: all words are equally likely",
  alike_days = "nothing: all kinds of weather are equally likely",
  alike_states = "nothing: all states are equally likely";

const streams: { [task: string]: { [rung: string]: string } } = {
  markov: {
    uniform: alike_days,
    unigram: "how often each weather occurred so far",
    bigram: "today's weather, and which weather followed earlier days with today's weather",
    truth: "the true chances of this weather, which no text contains",
  },
  "markov-icl": {
    uniform: alike_states,
    unigram: "how often each state occurred so far",
    bigram: "the current state, and which state followed its earlier copies",
    truth: "the true chances of this sequence, which no sequence contains",
  },
  "binary-chain": {
    uniform: alike_states,
    unigram: "how often each state occurs",
    bigram: "the current state, and how often each state follows it",
  },
  chain: {
    uniform: alike_days,
    unigram: "how often each weather occurs",
    bigram: "today's weather, and how often each weather follows it",
  },
  induction: {
    nothing: alike,
    bag: "which words the text has, and not their order",
    induction: "which word followed the earlier copy of the last word",
  },
  birth: {
    unigram: "how often each token is the answer",
    bag: "which tokens the text has so far, and not their order",
    induction: "which token followed the earlier copy of the trigger",
  },
  sums: { nothing: "no sum", first: "the first sum, which is the first number itself", all: "every sum" },
  sink: {
    uniform: alike,
    unigram: "how often each token occurs at each position",
    bigram: "which token follows the current token",
    "back copy": "the token before a trigger, too",
  },
};

// "spans 1 2" are the two newest of them.
function of_spans(rung: string): string {
  if (rung === "nothing") return "no span";
  if (rung === "truth") return "every span";
  const numbers = rung.split(" ").slice(1);
  if (numbers.length > 1) return `the newest ${numbers.length} spans`;
  return numbers[0] === "1" ? "the newest span alone" : `span ${numbers[0]} alone, counted from the newest`;
}

export const has_meanings = (task: string) => task in streams;
export function rung_means(task: string, rung: string): string | undefined {
  const of = task === "induction-exact" ? "induction" : task;
  return of === "spans" ? of_spans(rung) : streams[of]?.[rung];
}
