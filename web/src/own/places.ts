// The positions of a text that have a word, and the one with the most attention.

// Without what fills a text up to the longest.
export function present(tokens: number[]): number[] {
  return tokens.filter(token => token >= 0);
}

export const place_of_most = (weights: ArrayLike<number>) =>
  Array.prototype.indexOf.call(weights, Math.max(...Array.from(weights)));
