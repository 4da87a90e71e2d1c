// Curves over steps, whatever they are drawn with: their medians and bands, and the paths that show thousands of them
// at once.
export interface Curve {
  name: string; // of this line: "seed 3"
  group: string; // what it is compared with: "" where there is nothing to tell apart
  steps: number[];
  values: (number | null)[];
  dashed?: boolean;
  colour?: number; // of its group, where other figures have the group, too; else groups are counted in this one
  like?: string; // the group whose colour it has; its own where it says none
  kind?: string; // a band is not drawn over lines of unlike kinds
  cut?: boolean; // its run was stopped or failed: it has no part in a band
}

// A step where something happened.
export interface Mark {
  step: number;
  says: string;
}

// What is drawn: of these steps, and of these values where they are said.
export interface Window {
  x: [number, number];
  y?: [number, number] | undefined;
}

// The means over `width` neighbours at most, that many on each side where there are; what is missing stays so.
export function smoothed(values: (number | null)[], width: number): (number | null)[] {
  const reach = Math.floor(width / 2);
  return values.map((value, i) => {
    if (value === null) return null;
    const side = Math.min(reach, i, values.length - 1 - i);
    const near = values.slice(i - side, i + side + 1).filter(one => one !== null);
    return near.reduce((sum, one) => sum + one, 0) / near.length;
  });
}

interface Band {
  group: string;
  step: number;
  low: number;
  middle: number;
  high: number;
}

function quantile(sorted: number[], share: number): number {
  const at = share * (sorted.length - 1);
  const below = Math.floor(at);
  const above = Math.min(below + 1, sorted.length - 1);
  return sorted[below]! + (at - below) * (sorted[above]! - sorted[below]!);
}

// At each step that at least three runs of a group have, where all of it are of one kind, as far as nine in ten of them
// go: the median of those that are left where the first have reached their goal would jump. Those that were cut short
// do not count.
export function bands(curves: Curve[]): Band[] {
  const kinds = new Map<string, Set<string>>();
  for (const { group, kind = "" } of curves) (kinds.get(group) ?? kinds.set(group, new Set()).get(group)!).add(kind);
  const at = new Map<string, Map<number, number[]>>();
  const ends = new Map<string, number[]>();
  for (const curve of curves) {
    if (curve.cut || kinds.get(curve.group)!.size > 1) continue;
    if (curve.steps.length)
      (ends.get(curve.group) ?? ends.set(curve.group, []).get(curve.group)!).push(curve.steps.at(-1)!);
    const steps = at.get(curve.group) ?? at.set(curve.group, new Map()).get(curve.group)!;
    curve.steps.forEach((step, i) => {
      const value = curve.values[i];
      if (value === null || value === undefined) return;
      (steps.get(step) ?? steps.set(step, []).get(step)!).push(value);
    });
  }
  const all: Band[] = [];
  for (const [group, steps] of at) {
    const those = (ends.get(group) ?? []).sort((a, b) => a - b);
    const last = those[Math.floor(those.length / 10)] ?? 0;
    for (const [step, values] of [...steps].sort((a, b) => a[0] - b[0])) {
      if (values.length < 3 || step > last) continue;
      values.sort((a, b) => a - b);
      all.push({
        group,
        step,
        low: quantile(values, 0.25),
        middle: quantile(values, 0.5),
        high: quantile(values, 0.75),
      });
    }
  }
  return all;
}

export type There = (step: number, value: number | null | undefined) => boolean; // whether it can be drawn

// Curves as one path with gaps, thousands of them at once. What is missing is left out, and of neighbours that a
// picture cannot tell apart (they stand in one column of its points) the first, the last, the least and the most are
// drawn.
export function path_of(
  curves: Curve[],
  x: (step: number) => number,
  y: (value: number) => number,
  there: There,
): string {
  const parts: string[] = [];
  for (const { steps, values } of curves) {
    let pen = "M",
      column = NaN,
      entered = 0,
      left = 0,
      low = 0,
      high = 0;
    const flush = () => {
      if (Number.isNaN(column)) return;
      const at = column / 4;
      parts.push(`${pen}${at} ${entered}`);
      if (low < Math.min(entered, left)) parts.push(`L${at} ${low}`);
      if (high > Math.max(entered, left)) parts.push(`L${at} ${high}`);
      if (left !== entered || pen === "M") parts.push(`L${at} ${left}`); // a point alone is a dot
      pen = "L";
      column = NaN;
    };
    for (let i = 0; i < steps.length; ++i) {
      if (!there(steps[i]!, values[i])) {
        flush();
        pen = "M";
        continue;
      }
      const to = Math.round(4 * x(steps[i]!)),
        height = Math.round(10 * y(values[i]!)) / 10;
      if (to !== column) {
        flush();
        [column, entered, left, low, high] = [to, height, height, height, height];
      } else [left, low, high] = [height, Math.min(low, height), Math.max(high, height)];
    }
    flush();
  }
  return parts.join("");
}

// So that what lies at its ends can be seen.
export function with_edges([low, high]: [number, number], log: boolean | undefined): [number, number] | undefined {
  if (!(low < high)) return undefined;
  const edge = log ? 0 : 0.04 * (high - low);
  return [low - edge, high + edge];
}

// The least and the most of what is drawn.
interface Extent {
  x: [number, number];
  y: [number, number];
}
export function extent_of(curves: Curve[], there: There): Extent {
  const x: [number, number] = [Infinity, -Infinity],
    y: [number, number] = [Infinity, -Infinity];
  for (const { steps, values } of curves)
    for (let i = 0; i < steps.length; ++i) {
      const step = steps[i]!,
        value = values[i]!;
      if (!there(step, value)) continue;
      if (step < x[0]) x[0] = step;
      if (step > x[1]) x[1] = step;
      if (value < y[0]) y[0] = value;
      if (value > y[1]) y[1] = value;
    }
  return { x, y };
}
