// A text whose words are shaded by their attention: the more weight, the darker behind the word; its number stands under it.

// The colour of a weight, the same in all texts and tables.
export const shade = (weight: number) => `${Math.round(45 * Math.sqrt(Math.min(1, weight)))}%`;

export function Shaded({ words, weights }: { words: string[]; weights: ArrayLike<number> }) {
  return (
    <p class="shaded" dir="auto" tabIndex={words.length > 200 ? 0 : undefined}>
      {words.map((word, i) => (
        <span style={{ "--share": shade(weights[i]!) }}>
          {word} <small>{weights[i]!.toFixed(2)}</small>
        </span>
      ))}
    </p>
  );
}
