// The middle of values, or the mean of the two in the middle.
export function median(values: number[]): number {
  const sorted = [...values].sort((a, b) => a - b),
    middle = (sorted.length - 1) / 2;
  return (sorted[Math.floor(middle)]! + sorted[Math.ceil(middle)]!) / 2;
}
