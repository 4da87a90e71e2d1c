// How axes are numbered, and by what groups of lines are told apart.
import type { Curve } from "./curves";

// A predicted plateau, and its name.
export interface Rule {
  value: number;
  name: string;
}

const colours = ["var(--c0)", "var(--c1)", "var(--c2)", "var(--c3)", "var(--c4)", "var(--c5)", "var(--c6)"];

// A number beside an axis that has large or small ones: by powers of ten, and no comma in 1990.
export function tick_text(x: number): string {
  if (x === 0 || (Math.abs(x) >= 1e-4 && Math.abs(x) < 1e5)) return String(+x.toPrecision(6)).replace("-", "−");
  const [digits, power] = x.toExponential(2).split("e") as [string, string];
  const raised = String(Number(power)).replace(/./g, sign => "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"["-0123456789".indexOf(sign)]!);
  return `${String(Number(digits)).replace("-", "−")}×10${raised}`;
}

// What an axis of these values wants: how its numbers are written, and for the vertical one their room.
export function axis_of(values: number[]): { tickFormat: ((x: number) => string) | undefined; room: number } {
  const most = values.reduce((most, value) => (Number.isFinite(value) ? Math.max(most, Math.abs(value)) : most), 0);
  const plain = most === 0 || (most >= 1e-2 && most < 1000);
  return { tickFormat: plain ? undefined : tick_text, room: most === 0 || (most >= 1e-2 && most < 1e5) ? 52 : 76 };
}

// Whether plateaus are predicted for a metric: for the loss, with attention as it is, changed or released.
export const has_rungs = (metric: string) => /^loss(_held|_released)?$/.test(metric);

// The predicted plateaus of the loss among metrics; two that are equal are one line with both names.
export function rungs_among(metrics: Iterable<[metric: string, value: number | null | undefined]>): Rule[] {
  const rungs: Rule[] = [];
  for (const [metric, value] of metrics) {
    if (!/^rung_(?!released$)/.test(metric) || metric.endsWith("_held") || typeof value !== "number") continue;
    const name = metric.slice("rung_".length).replaceAll("_", " ");
    const equal = rungs.find(other => Math.abs(other.value - value) < 1e-4);
    if (equal) equal.name += `, ${name}`;
    else rungs.push({ value, name });
  }
  return rungs;
}

// Groups differ in colour, and where there are more of them than colours in their strokes, too.
const dashes = [undefined, "7 3", "2 3", "9 3 2 3"];
export const set_apart = "5 4"; // of curves that are dashed to tell them from others of their colour

export function look_of(curves: Curve[], group: string): { colour: string; dash: string | undefined } {
  const coloured = [...new Set(curves.map(curve => curve.like ?? curve.group))];
  const own = curves.find(curve => curve.group === group);
  const known = own?.colour ?? -1,
    at = known < 0 ? coloured.indexOf(own?.like ?? group) : known;
  return { colour: colours[at % colours.length]!, dash: dashes[Math.floor(at / colours.length) % dashes.length] };
}
