// A figure of the story drawn by the page from its data: values can be read off where the pointer is, and lines
// switched.
import { useMemo, useState } from "preact/hooks";
import type { Curve } from "../curves";
import { Figure } from "../figure";
import { Lines } from "../lines";
import type { ToldNumbers } from "../model";

interface Panel {
  title: string;
  x: string;
  y: string;
  curves: Curve[];
}

const is_numbers = (column: ToldNumbers["columns"][string]): column is (number | null)[] =>
  column.every(one => one === null || typeof one === "number");

// What is a number over a number, panel by panel; bars, maps and what stands over words is not.
export function panels_in(parts: ToldNumbers[]): Panel[] {
  const panels = new Map<string, Panel>();
  for (const { panel, line, columns, rows } of parts) {
    const [first, second, ...others] = Object.entries(columns);
    if (
      !first ||
      !second ||
      others.length > 0 ||
      rows !== undefined ||
      first[1].length < 3 ||
      !is_numbers(first[1]) ||
      !is_numbers(second[1])
    )
      continue;
    const title = `${panel}\n${first[0]}\n${second[0]}`;
    const found =
      panels.get(title) ?? panels.set(title, { title: panel, x: first[0], y: second[0], curves: [] }).get(title)!;
    const steps: number[] = [],
      values: (number | null)[] = [];
    for (const [i, x] of first[1].entries()) {
      if (x === null) continue;
      steps.push(x);
      values.push(second[1][i] as number | null);
    }
    found.curves.push({ name: line, group: line, steps, values, kind: line });
  }
  return [...panels.values()];
}

export function ReadOff({ panels, title, file }: { panels: Panel[]; title: string; file: string }) {
  return (
    <div class="read-off">
      {panels.map((panel, i) => (
        <Figure
          paper
          title={[title, panels.length > 1 && panel.title].filter(Boolean).join(": ")}
          file={`${file}-${i + 1}`}
          table={() => ({
            columns: ["line", panel.x, panel.y],
            rows: panel.curves.flatMap(({ name, steps, values }) => steps.map((x, k) => [name, x, values[k] ?? null])),
          })}
        >
          <Switched panel={panel} />
        </Figure>
      ))}
    </div>
  );
}

function Switched({ panel }: { panel: Panel }) {
  const [off, set_off] = useState<string[]>([]);
  const shown = useMemo(
    () => new Set(panel.curves.map(({ group }) => group).filter(group => !off.includes(group))),
    [panel, off],
  );
  return (
    <Lines
      curves={panel.curves}
      label={panel.y}
      across={panel.x}
      shown={shown}
      toggle={line => set_off(off.includes(line) ? off.filter(one => one !== line) : [...off, line])}
    />
  );
}
