// A curve of a scene with its flag, and the reason for the order of two flags.

// A share over the steps, and the level that a flag stands for.
export interface Curve {
  metric: string;
  name: string; // in the legend
  means: string;
  colour: string;
  // `what` is learned, as a sentence names it. `predicted` names the time that the engine predicts for it.
  flag?: { level: number; asks: string; short: string; what: string; predicted?: string };
}

// The reason for the order of two flags.
export interface Reason {
  waits?: string | undefined; // how the first flag is learned, and why the second waits for it
  open?: string | undefined; // the question that is not settled
  sure?: true; // the first flag is a rank, and the model's probability is measured, too
}
