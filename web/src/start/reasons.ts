// Why one flag comes before the other: told on Start and in the playground, of the training that is on the screen.
// `{by}` stands for the factor of a change.

// What an account predicts for two flags. The first needs no trained attention, and the second follows it. Or the head of
// layer 2 needs the head of layer 1.
export type Account = "words-first" | "layer-by-layer";

export interface Reason {
  account?: Account | undefined;
  waits: string; // if the flags came in the order of their list
  otherwise?: string; // if they did not
  changed: { [act: string]: string }; // while attention is changed, by what is done to it
  of_head?: { [head: string]: string }; // and what follows, by the head or layer that it is done to
  measured?: string;
  open?: string;
  ranked?: true; // the first flag is a rank: the chance of the right word is told, too
  few?: { metric: string; level: number; attention: string }; // answers are right while attention is low
}

const untrained = "During this time nothing trains where to look.";
const scaled =
  "The weights of the right words are multiplied by {by}. So the model gets another share of each right word than it would choose itself.";
const recalls_less =
  "The work of layer 1 helps the answer through this head, so layer 1 may learn less. In another task, with this head at equal weights, layer 1 recalled 16 to 32 % of the previous tokens, in place of 70 to 76 %.";
const unusual = "The flags came in another order than usual here, so the usual reason does not explain this training.";

const copying: Reason = {
  account: "words-first",
  waits:
    "If “star” is read, “star” is written: many texts together show this, even if attention mixes all words. By the explanation under test, looking at a position hardly improves the answer while the model is unsure of its word. When the model is surer, attention should move.",
  otherwise: unusual,
  changed: {
    uniform: `Equal weights still pass the mix of all words, and many texts together show which words belong together. Some words are written right all the same. The mix contains the words of the text. A guess: the mix, or the memory with which writing begins, contains some of their order. ${untrained}`,
    truth: `Attention passes one right word at a time, so each word can be learned by itself. ${untrained}`,
    scale: scaled,
    ablate:
      "Ablated attention passes nothing, not even the mix of all words. So neither the words nor where to look can be learned from it. The model keeps one memory of the whole text, and it learns much more slowly from that alone.",
    frozen:
      "The weights of attention itself are not trained. The mix of all words is enough to learn which words belong together.",
    alone:
      "Attention is trained, and the words are not. In a test, attention trained alone did not come with known words, either.",
  },
  measured:
    "in all 20 trainings of a larger copying task, the right word was the likeliest before attention found it. Words are also learned if attention is held at equal weights.",
  open: "how sure the model is often grows with attention, or after it. So it is not settled whether attention moves because the words are learned.",
  ranked: true,
};

export const reasons = {
  copying,
  permutation: {
    ...copying,
    account: undefined, // it says nothing of texts with the same words
    waits:
      "Every text has the same words. Which words occur together then shows nothing, so words and attention both wait.",
    measured:
      "hardly any words are learned in 40 steps of equal weights. In ten larger trainings, at most 5.4 % of the right words were the likeliest then.",
    changed: {
      ...copying.changed,
      uniform: `Equal weights pass the mix of all words. Here texts differ only in the order of words. ${untrained}`,
      frozen: "The weights of attention itself are not trained, and every text has the same words.",
    },
  },
  keyword: {
    account: "words-first",
    waits:
      "Each word of a text learns from the answer, even if attention is spread. The keyword soon speaks most for positive. By the explanation under test, looking at the keyword pays more, the more it speaks, so attention follows.",
    otherwise: unusual,
    changed: {
      uniform: `Equal weights still pass a small share of each word, so the keyword's evidence can be learned. ${untrained}`,
      truth: `Attention passes the keyword alone, so its evidence can be learned at once. ${untrained}`,
      scale: scaled,
      ablate:
        "Ablated attention passes nothing, and nothing else leads from the words to the answer. So nothing can be learned during this time.",
      frozen: "The weights of attention itself are not trained. A small share of each word still reaches the answer.",
      alone:
        "Attention is trained, and the evidence of the words is not. By the explanation, looking hardly helps while no word speaks for an answer.",
    },
    measured:
      "in all 60 trainings of three experiments, the chance of the answer by the keyword was half-way up before attention was.",
    open: "whether attention waits until the evidence is there. The evidence still grows while attention moves.",
    few: { metric: "accuracy", level: 0.99, attention: "attention_on_answer" },
  },
  chain: {
    account: "layer-by-layer",
    waits:
      "At first a day's position contains its own weather alone. The head of layer 1 looks at the day before, so that each position contains the day before, too. The head of layer 2 needs this to find the days after.",
    otherwise:
      "The head of layer 2 needs the day before at each position to find the days after. Some of it is enough to begin, so it can pass its level before the head of layer 1 passes its own.",
    changed: {
      uniform: "A head with equal weights passes the mean of all days so far, and no single day.",
      previous: "A head on the day before passes just that day.",
      first: "A head on the first day passes the same day every time.",
      ablate: "An ablated head passes nothing.",
    },
    of_head: {
      "": "Both heads are changed, so neither can do its part.",
      "layer.1": "The head of layer 2 needs the day before at each position to find the days after.",
      "layer.2": `This head was to find the days after. ${recalls_less}`,
    },
  },
  induction: {
    account: "layer-by-layer",
    waits:
      "At first a position contains its own word alone. The head of layer 1 looks at the word before, so that each position contains the word before, too. The head of layer 2 needs this to find the word that followed the earlier copy.",
    otherwise:
      "The head of layer 2 needs the word before at each position. Some of it is enough to begin, so it can pass its level before the head of layer 1 passes its own.",
    changed: {
      uniform: "A head with equal weights passes the mean of all words so far, and no single word.",
      previous: "A head on the word before passes just that word.",
      first: "A head on the first word passes the same word every time.",
      ablate: "An ablated head passes nothing.",
    },
    of_head: {
      "": "All heads are changed, so none can do its part.",
      "layer.1": "The head of layer 2 needs the word before at each position.",
      "layer.2": `This head was to find the word that followed the earlier copy. ${recalls_less}`,
    },
  },
} satisfies { [name: string]: Reason };
