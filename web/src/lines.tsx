// Lines over steps: a thin one for each run, and for each group of runs the median and the band of its middle half.
import * as Plot from "@observablehq/plot";
import { useEffect, useRef, useState } from "preact/hooks";
import { Legend, type Entry } from "./legend";

export interface Curve {
  name: string; // of this line: "seed 3"
  group: string; // what it is compared with: "" where there is nothing to tell apart
  steps: number[];
  values: (number | null)[];
  dashed?: boolean;
  like?: string; // the group whose colour it has; its own where it says none
  kind?: string; // a band is not drawn over lines of unlike kinds
}

// A step where something happened.
export interface Mark {
  step: number;
  says: string;
}

export const colours = ["var(--c0)", "var(--c1)", "var(--c2)", "var(--c3)", "var(--c4)", "var(--c5)", "var(--c6)"];

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

// A number beside an axis that has large or small ones: by powers of ten, and no comma in 1990.
function tick_text(x: number): string {
  if (x === 0 || (Math.abs(x) >= 1e-4 && Math.abs(x) < 1e5)) return String(+x.toPrecision(6)).replace("-", "−");
  const [digits, power] = x.toExponential(2).split("e") as [string, string];
  const raised = String(Number(power)).replace(/./g, (sign) => "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"["-0123456789".indexOf(sign)]!);
  return `${String(Number(digits)).replace("-", "−")}×10${raised}`;
}

// What an axis of these values wants: how its numbers are written, and for the vertical one their room.
export function axis_of(values: number[]): { tickFormat: ((x: number) => string) | undefined; room: number } {
  const most = values.reduce((most, value) => (Number.isFinite(value) ? Math.max(most, Math.abs(value)) : most), 0);
  const plain = most === 0 || (most >= 1e-2 && most < 1000);
  return { tickFormat: plain ? undefined : tick_text, room: most === 0 || (most >= 1e-2 && most < 1e5) ? 52 : 76 };
}

// At each step that at least three runs of a group have, where all of it are of one kind.
export function bands(curves: Curve[]): Band[] {
  const kinds = new Map<string, Set<string>>();
  for (const { group, kind = "" } of curves) (kinds.get(group) ?? kinds.set(group, new Set()).get(group)!).add(kind);
  const at = new Map<string, Map<number, number[]>>();
  for (const curve of curves) {
    if (kinds.get(curve.group)!.size > 1) continue;
    const steps = at.get(curve.group) ?? at.set(curve.group, new Map()).get(curve.group)!;
    curve.steps.forEach((step, i) => {
      const value = curve.values[i];
      if (value === null || value === undefined) return;
      (steps.get(step) ?? steps.set(step, []).get(step)!).push(value);
    });
  }
  const all: Band[] = [];
  for (const [group, steps] of at)
    for (const [step, values] of [...steps].sort((a, b) => a[0] - b[0])) {
      if (values.length < 3) continue;
      values.sort((a, b) => a - b);
      all.push({ group, step, low: quantile(values, 0.25), middle: quantile(values, 0.5), high: quantile(values, 0.75) });
    }
  return all;
}

export function useWidth(): [{ current: HTMLDivElement | null }, number] {
  const holder = useRef<HTMLDivElement>(null);
  const [width, set] = useState(0);
  useEffect(() => {
    const watch = new ResizeObserver(() => set(Math.floor(holder.current?.clientWidth ?? 0)));
    watch.observe(holder.current!);
    return () => watch.disconnect();
  }, []);
  return [holder, width];
}

function colour_of(curves: Curve[], group: string): string {
  const coloured = [...new Set(curves.map((curve) => curve.like ?? curve.group))];
  const at = coloured.indexOf(curves.find((curve) => curve.group === group)?.like ?? group);
  return colours[at % colours.length]!;
}

function shown_of({ curves, shown }: LinesProps): Curve[] {
  return shown ? curves.filter((curve) => shown.has(curve.like ?? curve.group)) : curves;
}

// A switch for each kind of curve, and what the dashes mean.
function switches_of({ curves, shown, toggle }: LinesProps): Entry[] {
  const likes = [...new Set(curves.map((curve) => curve.like ?? curve.group))];
  const dashed = curves.find((curve) => curve.dashed);
  const title = dashed?.like && dashed.group.slice(dashed.like.length + 2); // "loss, seed 3"
  return [
    ...likes.map((like) => ({
      text: like,
      colour: colour_of(curves, curves.find((curve) => (curve.like ?? curve.group) === like)!.group),
      on: shown?.has(like) ?? true,
      toggle: () => toggle?.(like),
    })),
    ...(title ? [{ text: `with ${title}`, colour: "currentColor", dash: "5 4" }] : []),
  ];
}

interface LinesProps {
  curves: Curve[];
  label: string;
  now?: number;
  range?: [number, number];
  steps?: number;
  marks?: Mark[];
  height?: number;
  // The legend switches curves of a kind (`like`) on and off; without it all of them are shown.
  shown?: Set<string>;
  toggle?: (like: string) => void;
}

export function Lines(props: LinesProps) {
  const [holder, width] = useWidth();
  const place = useRef<(step: number) => number>();
  useEffect(() => {
    if (!width) return;
    const drawn_curves = shown_of(props);
    const groups = [...new Set(drawn_curves.map((curve) => curve.group))];
    const colour = (group: string) => colour_of(props.curves, group);
    const points = drawn_curves.flatMap((curve) =>
      curve.steps.map((step, i) => ({ step, value: curve.values[i] ?? NaN, name: curve.name, group: curve.group })),
    );
    const dashed = new Set(drawn_curves.filter((curve) => curve.dashed).map((curve) => curve.group));
    const middle = bands(drawn_curves);
    const of = (group: string) => middle.filter((band) => band.group === group);
    const x = axis_of([props.steps ?? 0, ...points.map((point) => point.step)]), y = axis_of(points.map((point) => point.value));
    // What a mark says stands after its step, or before it where there is more room.
    const last = props.steps ?? points.reduce((most, point) => Math.max(most, point.step), 0);
    const beside = ({ step }: Mark) => (step > 0.55 * last ? { dx: -5, textAnchor: "end" as const } : { dx: 5, textAnchor: "start" as const });
    const height = props.height ?? Math.round(Math.max(240, Math.min(420, width * 0.5)));
    const margin = { top: 20, left: y.room, bottom: 44 };
    const plot = Plot.plot({
      width,
      height,
      marginTop: margin.top,
      marginLeft: margin.left,
      marginBottom: margin.bottom,
      ariaLabel: `${props.label} over steps, ${drawn_curves.length} lines`,
      style: { background: "transparent", fontSize: "12px", color: "inherit" },
      x: { label: "step", tickFormat: x.tickFormat, nice: props.steps === undefined, domain: props.steps === undefined ? undefined : [0, props.steps] },
      y: { label: props.label, grid: true, tickFormat: y.tickFormat, nice: true, domain: props.range },
      marks: [
        ...groups.map((group) =>
          Plot.areaY(of(group), { x: "step", y1: "low", y2: "high", fill: colour(group), fillOpacity: 0.18, ariaHidden: "true" }),
        ),
        ...groups.map((group) =>
          Plot.line(
            points.filter((point) => point.group === group),
            { x: "step", y: "value", z: "name", stroke: colour(group), strokeWidth: middle.length ? 1 : 1.8, strokeOpacity: middle.length ? 0.45 : 1, strokeDasharray: dashed.has(group) ? "5,4" : undefined },
          ),
        ),
        ...groups.map((group) => Plot.line(of(group), { x: "step", y: "middle", stroke: colour(group), strokeWidth: 2.5 })),
        Plot.ruleX(props.marks ?? [], { x: "step", stroke: "var(--soft)", strokeDasharray: "2,3" }),
        ...(props.marks ?? []).map((mark, i) =>
          Plot.text([mark], { x: "step", text: "says", frameAnchor: "bottom", ...beside(mark), dy: -6 - 16 * i, fill: "currentColor", stroke: "var(--page)", strokeWidth: 4 }),
        ),
        Plot.tip(points, Plot.pointer({ x: "step", y: "value", title: (point) => `${point.name}\nstep ${point.step}\n${+point.value.toPrecision(6)}`, fill: "var(--page)", lineHeight: 1.4 })),
      ],
    });
    plot.setAttribute("role", "img");
    for (const part of plot.querySelectorAll("g[aria-label]")) part.removeAttribute("aria-label"); // the whole has one
    const scale = plot.scale("x")!;
    place.current = (step) => scale.apply(step);
    const now = document.createElementNS("http://www.w3.org/2000/svg", "line");
    const drawn = { class: "now", y1: margin.top, y2: height - margin.bottom, stroke: "currentColor", "stroke-width": 1.5 };
    for (const [name, value] of Object.entries(drawn)) now.setAttribute(name, String(value));
    plot.insertBefore(now, plot.lastChild); // under the tip
    const figure = holder.current!;
    figure.replaceChildren(plot);
  }, [props.curves, props.label, props.range, props.steps, props.marks, props.height, props.shown, width]);
  // Where the person looks moves often: the line alone is moved.
  useEffect(() => {
    const now = holder.current?.querySelector("line.now");
    if (!now) return;
    now.setAttribute("visibility", props.now === undefined ? "hidden" : "visible");
    if (props.now !== undefined && place.current) for (const end of ["x1", "x2"]) now.setAttribute(end, String(place.current(props.now)));
  });
  const groups = [...new Set(shown_of(props).map((curve) => curve.group))];
  return (
    <>
      <div ref={holder} class="plot" />
      {props.toggle && <Legend entries={switches_of(props)} />}
      {!props.toggle && groups.length > 1 && (
        <Legend
          entries={groups.map((group) => ({
            text: group,
            colour: colour_of(props.curves, group),
            dash: props.curves.some((curve) => curve.dashed && curve.group === group) ? "5 4" : undefined,
          }))}
        />
      )}
    </>
  );
}
