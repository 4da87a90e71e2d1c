// A curve of a scene with its flag.

// A share over the steps, and the level that a flag stands for.
export interface Curve {
  metric: string;
  name: string; // in the legend
  means: string;
  colour: string;
  attends?: true; // it measures attention, so a change of attention replaces it
  // `what` is learned, as a sentence names it. `predicted` names the time that the engine predicts for it. `halfway`: the
  // level is half of the way from where the curve begins to all.
  flag?: { level: number; asks: string; short: string; what: string; predicted?: string; halfway?: true };
}

export const percent = (share: number) => `${(100 * share).toFixed(share > 0 && share < 0.1 ? 1 : 0)} %`;

// A level of a flag, in percent.
export const level_text = (level: number) => `${+(100 * level).toPrecision(3)} %`;
