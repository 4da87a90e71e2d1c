// A curve of a scene with its flag.

// A share over the steps, and the level that a flag stands for.
export interface Curve {
  metric: string;
  name: string; // in the legend
  means: string;
  colour: string;
  // `what` is learned, as a sentence names it. `predicted` names the time that the engine predicts for it.
  flag?: { level: number; asks: string; short: string; what: string; predicted?: string };
}
