// The difference of two groups of runs, in words.
import type { Groups } from "../model";
import {
  difference_text,
  enough_pairs,
  means_text,
  p_text,
  pooled_text,
  short,
  too_few,
  without_rounding,
} from "./pairs";

// Of few pairs the least and the largest difference: an interval of them would say more than they do.
function interval_text(
  low: number | null | undefined,
  high: number | null | undefined,
  range: [number, number] | undefined,
): string {
  if (typeof low === "number" && typeof high === "number")
    return `95 % interval of the difference: ${short(low)} to ${short(high)}.`;
  return range && range[0] !== range[1]
    ? `The differences of the pairs are ${short(range[0])} to ${short(range[1])}.`
    : "";
}

// What groups with few pairs lack, once: of the group with most of them.
export function few_text(groups: Groups): string {
  const counts = groups.groups.flatMap(({ test }) =>
    test && !test.problem && test.difference ? [test.pairs ?? 0] : [],
  );
  const few = [...new Set(counts)].filter(pairs => pairs > 0 && pairs < enough_pairs).sort((a, b) => b - a);
  return few.length > 0 ? too_few(few[0]!) : "";
}

// How the metric of a group differs, and whether that may be chance.
// `means` are of the pairs; `left_out` is the number of runs of each group without a partner.
export function verdict_of(
  what: string, // is compared
  group: string,
  base: string,
  test: NonNullable<Groups["groups"][0]["test"]>,
  means: [number, number] | undefined,
  left_out: [number, number],
) {
  const { low, high, range, pairs = 0, p, paired_by } = test;
  const difference = without_rounding(test.difference, means?.[1]);
  if (difference === null || difference === undefined) return undefined;
  const pairs_text = pairs === 1 ? "1 pair of runs" : `mean of ${pairs} pairs of runs${pooled_text(paired_by)}`;
  const how =
    p === null || p === undefined || difference === 0
      ? ""
      : pairs < enough_pairs
        ? "" // see few_text()
        : p < 0.05
          ? "Chance alone rarely makes a difference this large."
          : "The difference may be chance.";
  return (
    <li>
      <b>{group}</b>: {what} {difference_text(difference)} <b>{base}</b>, {pairs_text}
      {means && ` (${means_text(means, difference)})`}.{" "}
      {pairs > 1 && (
        <>
          {interval_text(low, high, range)} {p !== null && p !== undefined && <>{p_text(p)}. </>}
        </>
      )}
      {how}
      {left_out.some(count => count > 0) &&
        ` Runs without a partner, left out of the pairs: ${left_out[0]} of ${group}, ${left_out[1]} of ${base}.`}
    </li>
  );
}
