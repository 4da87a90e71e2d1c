// Courses of trainings that were computed beforehand, by the same engine (scripts/courses.mjs), so that a preset or a
// link to one is seen at once. Of each there are the curves, and at every look the map of one example.
import { bytes_of, can_unpack, unpacked } from "../packed";
import courses from "./courses.json";
import type { Look, Series } from "./looks";

type Steps = [first?: number, apart?: number, count?: number]; // equally far apart; [] if there are none

interface Kept {
  example: number;
  shape: number[];
  steps: Steps; // of its looks
  held: Steps; // at which attention is held
  maps: string; // a byte for each cell, what has changed since the look before; packed, in base64
  grids: Steps[];
  series: { [name: string]: [grid: number, values: (number | null)[]] };
}

export interface Precomputed {
  until: number;
  looks: Look[];
  series: Map<string, Series>;
}

const all_of = ([first = 0, apart = 0, count = 0]: Steps) => Array.from({ length: count }, (_, i) => first + i * apart);

async function maps_in(text: string, cells: number): Promise<Uint8Array> {
  const bytes = new Uint8Array(await unpacked(bytes_of(text)).arrayBuffer());
  for (let i = cells; i < bytes.length; ++i) bytes[i]! += bytes[i - cells]!;
  return bytes;
}

// That of the training whose spec has this hash; none where the browser cannot unpack it.
export async function course_of(hash: string): Promise<Precomputed | undefined> {
  const kept = (courses as unknown as { [hash: string]: Kept })[hash];
  if (!kept || !can_unpack) return undefined;
  const [rows = 0, columns = 0] = kept.shape,
    cells = rows * columns;
  const bytes = await maps_in(kept.maps, cells),
    held = new Set(all_of(kept.held)),
    steps = all_of(kept.steps),
    grids = kept.grids.map(all_of);
  const looks = steps.map((step, i): Look => {
    // Where the example lies among all of them; the others are not there.
    const alpha = new Float32Array((kept.example + 1) * cells);
    for (let cell = 0; cell < cells; ++cell) alpha[kept.example * cells + cell] = bytes[i * cells + cell]! / 255;
    return {
      step,
      shape: [kept.example + 1, rows, columns],
      alpha,
      heads: new Map(),
      only: kept.example,
      held: held.has(step),
    };
  });
  const series = new Map(
    Object.entries(kept.series).map(([name, [grid, values]]) => [name, { steps: grids[grid]!, values }]),
  );
  return { until: steps.at(-1)!, looks, series };
}
