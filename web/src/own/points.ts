// Points of one's own: x and y in each line.
import { Trouble } from "../trouble";
import { Own } from "./data";

interface Points {
  given: string; // as they were pasted
  x: number[]; // rising
  y: number[];
}

const least_points = 5,
  most_points = 250; // of more, the attention of each on each is too much to look at

// As people write numbers: what a programming language reads besides (0x10, Infinity) is none.
function read_number(text: string): number {
  return /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text) ? Number(text) : NaN;
}

class OwnPoints extends Own<Points> {
  readonly title = "Your points";
  readonly label = "Your points: in each line x and y, separated by a comma, a tab or spaces";
  readonly placeholder = "0.5, 1.2\n0.9, 1.7";
  readonly hint = "A decimal point, not a comma, stands in a number.";
  readonly accept = ".tsv,.csv,.txt";

  read(given: string): Points {
    const lines = given
      .split(/\r?\n/)
      .map((text, i) => ({ text: text.trim(), line: i + 1 }))
      .filter(({ text }) => text !== "");
    if (lines.length === 0) throw new Trouble("There are no points: paste x and y in each line.");
    const rows = lines.map(({ text, line }) => ({
      line,
      text,
      numbers: text
        .split(/[\s,;]+/)
        .filter(Boolean)
        .map(read_number),
    }));
    if (rows[0]!.numbers.every(Number.isNaN)) rows.shift(); // a header
    for (const { line, text, numbers } of rows)
      if (numbers.length !== 2 || !numbers.every(x => Number.isFinite(x) && Math.abs(x) < 1e6))
        throw new Trouble(
          `Line ${line} is "${text.slice(0, 40)}" and not two numbers of less than a million: write x and y, separated by a comma, a tab or spaces.`,
        );
    if (rows.length < least_points)
      throw new Trouble(
        `There ${rows.length === 1 ? "is one point" : `are ${rows.length} points`}: give at least ${least_points}.`,
      );
    if (rows.length > most_points)
      throw new Trouble(
        `There are ${rows.length} points, and this page takes at most ${most_points}: take a part of them.`,
      );
    const points = rows.map(({ numbers }) => numbers as [number, number]).sort((a, b) => a[0] - b[0]);
    if (points[0]![0] === points.at(-1)![0])
      throw new Trouble(`Every x is ${points[0]![0]}: a curve wants points at several.`);
    return { given, x: points.map(([x]) => x), y: points.map(([, y]) => y) };
  }

  told({ x, y }: Points): string {
    const range = (numbers: number[]) => `${Math.min(...numbers)} to ${Math.max(...numbers)}`;
    return `${x.length} points, x from ${range(x)}, y from ${range(y)}.`;
  }

  // A wave with an uneven spread of points, and something like noise.
  example(): string {
    return Array.from({ length: 60 }, (_, i) => {
      const x = 6 * ((i * 0.618034) % 1);
      const y = Math.sin(2 * x) + 0.5 * x + 0.35 * Math.sin(97.3 * i);
      return `${x.toFixed(3)}, ${y.toFixed(3)}`;
    }).join("\n");
  }

  task_of({ x, y }: Points) {
    return { name: "given-points", x, y };
  }
}

export const own_points = new OwnPoints("fovea.own-points");
