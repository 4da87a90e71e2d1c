// The toy gate's variants, each with what is true of it, and its stories. docs/reference/toy-gate.md derives the
// equations; the bounded gate's logit is a.
export interface Variant {
  bounded: boolean; // p = σ(a), else p itself is learned
  logistic: boolean; // the loss, else it is linear
}

export interface ToyStory {
  title: string;
  D: number;
  gate: number; // p, or its logit
  sum: number; // β₀ + β₁, which only the logistic loss knows of
  says: string;
}

interface Told {
  idea: string;
  equations: string[];
  stories: ToyStory[];
  until: number; // how long a look it wants
  drives: string; // the speed of attention
}

const uniform = "No word is known yet.";
const linear_gate: Told = {
  idea: "D grows while p is above 0, and p grows while D is above 0. The dotted line (the separatrix) divides the starts. Above it attention reaches the key. Below it attention never does.",
  equations: ["L = −p D", "\\frac{d D}{d τ} = 2 p , \\frac{d p}{d τ} = D"],
  until: 2.5,
  drives: "dp/dτ = D",
  stories: [
    {
      title: "Uniform: nothing known",
      D: 0,
      gate: 0.5,
      sum: 0,
      says: `${uniform} D rises first, and p waits. Then p rises ever faster.`,
    },
    {
      title: "Mistaken: wrong word known",
      D: -20,
      gate: 0.5,
      sum: 0,
      says: "The wrong word was learned. Attention falls, and never comes back.",
    },
    {
      title: "Low loss: much known",
      D: 8,
      gate: 0.5,
      sum: 0,
      says: "Much is known, so the loss is low from the start. Attention is uniform all the same: a low loss is no sign of attention on the key.",
    },
  ],
};
const bounded_gate: Told = {
  idea: "p stays between 0 and 1, so D always rises. No line divides the starts: every mistake is corrected. A larger mistake takes far longer: the time is given above the curves. If p is unbounded, this is different: choose Unbounded above the plane.",
  equations: [
    "p = σ(a) , L = −p D",
    "\\frac{d D}{d τ} = 2 p , \\frac{d a}{d τ} = p (1 − p) D",
    "\\frac{d p}{d τ} = \\frac{d p}{d a} \\frac{d a}{d τ} = p (1 − p) \\frac{d a}{d τ} = p^2 (1 − p)^2 D",
  ],
  until: 10,
  drives: "dp/dτ = p² (1 − p)² D",
  stories: [
    {
      title: "Uniform: nothing known",
      D: 0,
      gate: 0,
      sum: 0,
      says: `${uniform} D rises first, and p waits. Then p rises, and slows down near 1.`,
    },
    {
      title: "Mistaken: wrong word known",
      D: -2,
      gate: 0,
      sum: 0,
      says: "The wrong word was learned. Attention falls, and comes back once D is above 0.",
    },
    {
      title: "Low loss: much known",
      D: 8,
      gate: 0,
      sum: 0,
      says: "Much is known, so the loss is low from the start. Attention is uniform all the same: a low loss is no sign of attention on the key.",
    },
  ],
};
const logistic_pulls = (gate: string) => [
  "u = σ(−s_1) , v = σ(s_0)",
  "s_0 = β_0 , s_1 = (1 − p) β_0 + p β_1",
  "L = log(1 + e^{s_0}) + log(1 + e^{−s_1})",
  "\\frac{d β_0}{d τ} = (1 − p) u − v",
  "\\frac{d β_1}{d τ} = p u",
  gate,
];
const logistic_loss: Told = {
  idea: "Here a sequence that is classified well has almost no gradient. There is still a saddle, where β₀, β₁ and p are 0, but what divides the starts around it is not a line in this plane: β₀ + β₁ moves, too.",
  equations: logistic_pulls("\\frac{d p}{d τ} = u D"),
  until: 10,
  drives: "dp/dτ = u D",
  stories: [
    {
      title: "Uniform: nothing known",
      D: 0,
      gate: 0.5,
      sum: 0,
      says: `${uniform} Attention rises ever faster until p is near 1, and then ever slower.`,
    },
    {
      title: "Mistaken: wrong word known",
      D: -4,
      gate: 0.5,
      sum: 0,
      says: "The wrong word was learned. Attention leaves the key and turns negative, and the loss falls all the same.",
    },
    {
      title: "Low loss: much known",
      D: 16,
      gate: 0.5,
      sum: 8,
      says: "Both sequences are classified well under uniform attention, so the gradient is small: attention moves on ever more slowly.",
    },
  ],
};
const both: Told = {
  idea: "p stays between 0 and 1. A sequence that is classified well has almost no gradient, so training becomes ever slower. β₁ always rises, so there is no saddle.",
  equations: ["p = σ(a)", ...logistic_pulls("\\frac{d a}{d τ} = p (1 − p) u D")],
  until: 10,
  drives: "dp/dτ = p² (1 − p)² u D",
  stories: [
    { title: "Uniform: nothing known", D: 0, gate: 0, sum: 0, says: `${uniform} Attention rises at first slowly.` },
    {
      title: "Mistaken: wrong word known",
      D: -2,
      gate: 0,
      sum: 0,
      says: "The wrong word was learned. Attention falls, and comes back.",
    },
    {
      title: "Low loss: much known",
      D: 16,
      gate: 0,
      sum: 8,
      says: "Both sequences are classified well under uniform attention, so the gradient is small: attention moves on ever more slowly.",
    },
  ],
};

export function told_of({ bounded, logistic }: Variant): Told {
  return bounded ? (logistic ? both : bounded_gate) : logistic ? logistic_loss : linear_gate;
}
