// Lines over steps: a thin one for each run, and for each group of runs the median and the band of its middle half. A part
// can be looked at large, axes can be logarithmic, and curves smoothed.
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
    const near = values.slice(i - side, i + side + 1).filter((one) => one !== null);
    return near.reduce((sum, one) => sum + one, 0) / near.length;
  });
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

// At each step that at least three runs of a group have, where all of it are of one kind, as far as nine in ten of them go: the
// median of those that are left where the first have reached their goal would jump.
export function bands(curves: Curve[]): Band[] {
  const kinds = new Map<string, Set<string>>();
  for (const { group, kind = "" } of curves) (kinds.get(group) ?? kinds.set(group, new Set()).get(group)!).add(kind);
  const at = new Map<string, Map<number, number[]>>();
  const ends = new Map<string, number[]>();
  for (const curve of curves) {
    if (kinds.get(curve.group)!.size > 1) continue;
    if (curve.steps.length) (ends.get(curve.group) ?? ends.set(curve.group, []).get(curve.group)!).push(curve.steps.at(-1)!);
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
      all.push({ group, step, low: quantile(values, 0.25), middle: quantile(values, 0.5), high: quantile(values, 0.75) });
    }
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

// Groups differ in colour, and where there are more of them than colours in their strokes, too.
const dashes = [undefined, "7 3", "2 3", "9 3 2 3"];
const most_wait = 250; // milliseconds, for a figure to be drawn again
const set_apart = "5 4"; // of curves that are dashed to tell them from others of their colour

export function look_of(curves: Curve[], group: string): { colour: string; dash: string | undefined } {
  const coloured = [...new Set(curves.map((curve) => curve.like ?? curve.group))];
  const at = coloured.indexOf(curves.find((curve) => curve.group === group)?.like ?? group);
  return { colour: colours[at % colours.length]!, dash: dashes[Math.floor(at / colours.length) % dashes.length] };
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
      ...look_of(curves, curves.find((curve) => (curve.like ?? curve.group) === like)!.group),
      on: shown?.has(like) ?? true,
      toggle: () => toggle?.(like),
    })),
    ...(title ? [{ text: `with ${title}`, colour: "currentColor", dash: set_apart }] : []),
  ];
}

// The values that a window has to hold where it says nothing of them.
function extent_of(points: { value: number }[], log: boolean | undefined): [number, number] | undefined {
  let low = Infinity, high = -Infinity;
  for (const { value } of points) [low, high] = [Math.min(low, value), Math.max(high, value)];
  if (!(low < high)) return undefined;
  const edge = log ? 0 : 0.04 * (high - low);
  return [low - edge, high + edge];
}

// A part that the pointer is drawn over becomes the window; a double click shows the whole. What is drawn over in width alone
// keeps its height to the values that are in it.
function useBrush(holder: { current: HTMLDivElement | null }, scales: { current?: { x: Plot.Scale; y: Plot.Scale } | undefined }, zoom: LinesProps["zoom"]) {
  useEffect(() => {
    const figure = holder.current;
    if (!figure || !zoom) return;
    let from: [number, number] | undefined;
    const box = document.createElement("div");
    box.className = "brush";
    const at = (event: PointerEvent): [number, number] => {
      const { left, top } = figure.getBoundingClientRect();
      const { x, y } = scales.current!;
      const within = (value: number, ends: number[]) => Math.max(Math.min(...ends), Math.min(Math.max(...ends), value));
      return [within(event.clientX - left, x.range as number[]), within(event.clientY - top, y.range as number[])];
    };
    const down = (event: PointerEvent) => {
      if (event.button !== 0 || !scales.current) return;
      from = at(event);
      figure.setPointerCapture(event.pointerId);
    };
    const move = (event: PointerEvent) => {
      if (!from) return;
      const to = at(event), flat = Math.abs(to[1] - from[1]) < 16;
      const [top, bottom] = flat ? (scales.current!.y.range as number[]).slice().sort((a, b) => a - b) : [from[1], to[1]].sort((a, b) => a - b);
      const left = Math.min(from[0], to[0]);
      Object.assign(box.style, { left: `${left}px`, width: `${Math.abs(to[0] - from[0])}px`, top: `${top}px`, height: `${bottom! - top!}px` });
      if (!box.isConnected) figure.append(box);
    };
    const up = (event: PointerEvent) => {
      if (!from) return;
      const to = at(event), began = from;
      end();
      if (Math.abs(to[0] - began[0]) < 6) return;
      const { x, y } = scales.current!;
      const ends = (scale: Plot.Scale, a: number, b: number) => [scale.invert!(a), scale.invert!(b)].sort((a, b) => a - b) as [number, number];
      zoom({ x: ends(x, began[0], to[0]), y: Math.abs(to[1] - began[1]) < 16 ? undefined : ends(y, began[1], to[1]) });
    };
    const end = () => {
      from = undefined;
      box.remove();
    };
    const whole = () => zoom(undefined);
    figure.classList.add("brushed");
    const all = [["pointerdown", down], ["pointermove", move], ["pointerup", up], ["pointercancel", end], ["dblclick", whole]] as [string, EventListener][];
    for (const [name, listen] of all) figure.addEventListener(name, listen, true); // before the tip takes it
    return () => {
      for (const [name, listen] of all) figure.removeEventListener(name, listen, true);
      box.remove();
    };
  }, [zoom]);
}

interface LinesProps {
  curves: Curve[];
  label: string;
  across?: string; // what the steps are, where they are none
  now?: number;
  range?: [number, number];
  steps?: number;
  marks?: Mark[];
  height?: number;
  // The legend switches curves of a kind (`like`) on and off; without it all of them are shown.
  shown?: Set<string>;
  toggle?: (like: string) => void;
  x_log?: boolean;
  y_log?: boolean;
  smooth?: number; // over so many looks
  window?: Window | undefined;
  zoom?: (to: Window | undefined) => void; // a part is marked by the pointer
}

export function Lines(props: LinesProps) {
  const [holder, width] = useWidth();
  const place = useRef<(step: number) => number>();
  const scales = useRef<{ x: Plot.Scale; y: Plot.Scale }>();
  const now_at = useRef(props.now);
  now_at.current = props.now;
  // Where the person looks moves often: the line alone is moved.
  const move_now = () => {
    const now = holder.current?.querySelector("line.now"), at = now_at.current;
    if (!now) return;
    now.setAttribute("visibility", at === undefined ? "hidden" : "visible");
    if (at !== undefined && place.current) for (const end of ["x1", "x2"]) now.setAttribute(end, String(place.current(at)));
  };
  const drawn_last = useRef({ at: -Infinity, took: 0 });
  const draw = () => {
    const began = performance.now();
    const across = props.across ?? "step";
    const { x_log, y_log, smooth = 0, window: part } = props;
    const raw = shown_of(props);
    const drawn_curves = smooth > 1 ? raw.map((curve) => ({ ...curve, values: smoothed(curve.values, smooth) })) : raw;
    const groups = [...new Set(drawn_curves.map((curve) => curve.group))];
    const looks = new Map(groups.map((group) => [group, look_of(props.curves, group)]));
    const colour = (group: string) => looks.get(group)!.colour;
    const there = (step: number, value: number | null | undefined) => value !== null && value !== undefined && (!x_log || step > 0) && (!y_log || value > 0);
    const points = drawn_curves.flatMap((curve) =>
      curve.steps.flatMap((step, i) => (there(step, curve.values[i]) && (!part || (step >= part.x[0] && step <= part.x[1])) ? [{ step, value: curve.values[i]!, name: curve.name, group: curve.group }] : [])),
    );
    const dashed = new Set(drawn_curves.filter((curve) => curve.dashed).map((curve) => curve.group));
    const stroke_of = (group: string) => (dashed.has(group) ? set_apart : looks.get(group)!.dash);
    const drawable = (step: number, value: number) => (there(step, value) ? value : NaN);
    const middle = bands(drawn_curves).map((band) => ({ ...band, low: drawable(band.step, band.low), middle: drawable(band.step, band.middle) }));
    const of = (group: string) => middle.filter((band) => band.group === group);
    const x = axis_of([props.steps ?? 0, ...points.map((point) => point.step)]), y = axis_of(points.map((point) => point.value));
    // What a mark says stands after its step, or before it where there is more room.
    const last = props.steps ?? points.reduce((most, point) => Math.max(most, point.step), 0);
    const beside = ({ step }: Mark) => (step > 0.55 * last ? { dx: -5, textAnchor: "end" as const } : { dx: 5, textAnchor: "start" as const });
    const height = props.height ?? Math.round(Math.max(240, Math.min(420, width * 0.5)));
    const margin = { top: 20, left: y.room, bottom: 44 };
    const frame = { width, height, marginTop: margin.top, marginLeft: margin.left, marginBottom: margin.bottom, style: { background: "transparent", fontSize: "12px", color: "inherit" } };
    const clip = part !== undefined;
    const first = points.reduce((least, { step }) => (step > 0 ? Math.min(least, step) : least), Infinity); // on a logarithmic axis there is no 0
    // All curves of a group are one line with gaps: thousands of them are drawn at once.
    const lines_of = (curves: Curve[], group: string, style: { strokeWidth: number; strokeOpacity: number; strokeDasharray: string | undefined }) => {
      const xs: number[] = [], ys: number[] = [];
      for (const curve of curves) {
        if (curve.group !== group) continue;
        curve.steps.forEach((step, i) => (xs.push(step), ys.push(there(step, curve.values[i]) ? curve.values[i]! : NaN)));
        xs.push(curve.steps.at(-1) ?? 0), ys.push(NaN);
      }
      return Plot.line({ length: xs.length }, { x: xs, y: ys, z: null, stroke: colour(group), clip, ...style });
    };
    const thin = middle.length > 0;
    const plot = Plot.plot({
      ...frame,
      ariaLabel: `${props.label} over ${props.across ?? "steps"}, ${drawn_curves.length} lines`,
      x: {
        label: across,
        type: x_log ? "log" : "linear",
        tickFormat: x_log ? tick_text : x.tickFormat,
        ticks: x_log ? 5 : undefined,
        nice: props.steps === undefined && !part,
        domain: part ? [x_log && part.x[0] <= 0 ? first : part.x[0], part.x[1]] : props.steps === undefined || x_log ? undefined : [0, props.steps],
      },
      y: { label: props.label, grid: true, type: y_log ? "log" : "linear", tickFormat: y_log ? tick_text : y.tickFormat, ticks: y_log ? 6 : undefined, nice: !part?.y, domain: part?.y && (!y_log || part.y[0] > 0) ? part.y : part ? extent_of(points, y_log) : props.range },
      marks: [
        ...groups.map((group) =>
          Plot.areaY(of(group), { x: "step", y1: "low", y2: "high", fill: colour(group), fillOpacity: 0.18, ariaHidden: "true", clip }),
        ),
        ...(smooth > 1 ? groups.map((group) => lines_of(raw, group, { strokeWidth: 1, strokeOpacity: thin ? 0.15 : 0.3, strokeDasharray: undefined })) : []),
        ...groups.map((group) => lines_of(drawn_curves, group, { strokeWidth: thin ? 1 : 1.8, strokeOpacity: thin ? 0.45 : 1, strokeDasharray: stroke_of(group) })),
        ...groups.map((group) => Plot.line(of(group), { x: "step", y: "middle", stroke: colour(group), strokeWidth: 2.5, strokeDasharray: looks.get(group)!.dash, clip })),
        Plot.ruleX(props.marks ?? [], { x: "step", stroke: "var(--soft)", strokeDasharray: "2,3" }),
        ...(props.marks ?? []).map((mark, i) =>
          Plot.text([mark], { x: "step", text: "says", frameAnchor: "bottom", ...beside(mark), dy: -6 - 16 * i, fill: "currentColor", stroke: "var(--page)", strokeWidth: 4 }),
        ),
      ],
    });
    plot.setAttribute("role", "img");
    for (const part of plot.querySelectorAll("g[aria-label]")) part.removeAttribute("aria-label"); // the whole has one
    const scale = plot.scale("x")!, up = plot.scale("y")!;
    scales.current = { x: scale, y: up };
    place.current = (step) => scale.apply(step);
    const now = document.createElementNS("http://www.w3.org/2000/svg", "line");
    const drawn = { class: "now", y1: margin.top, y2: height - margin.bottom, stroke: "currentColor", "stroke-width": 1.5 };
    for (const [name, value] of Object.entries(drawn)) now.setAttribute(name, String(value));
    plot.append(now);
    const figure = holder.current!;
    figure.replaceChildren(plot);
    move_now();
    // What is pointed at is told in a drawing above it, so that the lines need not be drawn again. It is made for who points.
    const tell = (event: PointerEvent) => {
      figure.removeEventListener("pointermove", tell);
      if (!plot.isConnected) return;
      const told = Plot.plot({
        ...frame,
        className: "told",
        axis: null,
        x: { ...scale, label: null },
        y: { ...up, label: null },
        marks: [
          Plot.tip(points, Plot.pointer({ x: "step", y: "value", title: (point) => `${point.name}\n${across} ${+point.step.toPrecision(6)}\n${+point.value.toPrecision(6)}${smooth > 1 ? ` (mean over ${smooth} looks)` : ""}`, fill: "var(--page)", lineHeight: 1.4 })),
        ],
      });
      told.setAttribute("aria-hidden", "true");
      told.classList.add("told");
      figure.append(told);
      told.dispatchEvent(new PointerEvent("pointermove", event));
    };
    figure.addEventListener("pointermove", tell);
    drawn_last.current = { at: performance.now(), took: performance.now() - began };
    return () => figure.removeEventListener("pointermove", tell);
  };
  // Where drawings follow each other fast, as they do while a training is played, most of the time is left to the page.
  useEffect(() => {
    if (!width) return;
    let end: (() => void) | undefined;
    const { at, took } = drawn_last.current;
    const wait = at + Math.min(3 * took, most_wait) - performance.now();
    const timer = wait > 0 ? setTimeout(() => (end = draw()), wait) : void (end = draw());
    return () => {
      clearTimeout(timer);
      end?.();
    };
  }, [props.curves, props.label, props.range, props.steps, props.marks, props.height, props.shown, props.x_log, props.y_log, props.smooth, props.window, width]);
  useBrush(holder, scales, props.zoom);
  useEffect(move_now);
  const groups = [...new Set(shown_of(props).map((curve) => curve.group))];
  return (
    <>
      <div ref={holder} class="plot" />
      {props.toggle && <Legend entries={switches_of(props)} />}
      {!props.toggle && groups.length > 1 && (
        <Legend
          entries={groups.map((group) => ({
            text: group,
            ...look_of(props.curves, group),
            ...(props.curves.some((curve) => curve.dashed && curve.group === group) && { dash: set_apart }),
          }))}
        />
      )}
    </>
  );
}
