// Lines over steps: a thin one for each run, and for each group of runs the median and the band of its middle half. A
// part can be looked at large, axes can be logarithmic, and curves smoothed.
import * as Plot from "@observablehq/plot";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import {
  bands,
  type Curve,
  extent_of,
  type Mark,
  path_of,
  smoothed,
  type There,
  type Window,
  with_edges,
} from "./curves";
import { type Entry, Legend } from "./legend";

export const colours = ["var(--c0)", "var(--c1)", "var(--c2)", "var(--c3)", "var(--c4)", "var(--c5)", "var(--c6)"];

// A number beside an axis that has large or small ones: by powers of ten, and no comma in 1990.
function tick_text(x: number): string {
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

function shape(is: string, attributes: { [name: string]: string | number }): SVGElement {
  const drawn = document.createElementNS("http://www.w3.org/2000/svg", is);
  for (const [name, value] of Object.entries(attributes)) drawn.setAttribute(name, String(value));
  return drawn;
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
  const coloured = [...new Set(curves.map(curve => curve.like ?? curve.group))];
  const at = coloured.indexOf(curves.find(curve => curve.group === group)?.like ?? group);
  return { colour: colours[at % colours.length]!, dash: dashes[Math.floor(at / colours.length) % dashes.length] };
}

function shown_of({ curves, shown }: LinesProps): Curve[] {
  return shown ? curves.filter(curve => shown.has(curve.like ?? curve.group)) : curves;
}

// A switch for each kind of curve, and what the dashes mean.
function switches_of({ curves, shown, toggle }: LinesProps): Entry[] {
  const likes = [...new Set(curves.map(curve => curve.like ?? curve.group))];
  const dashed = curves.find(curve => curve.dashed);
  const title = dashed?.like && dashed.group.slice(dashed.like.length + 2); // "loss, seed 3"
  return [
    ...likes.map(like => ({
      text: like,
      ...look_of(curves, curves.find(curve => (curve.like ?? curve.group) === like)!.group),
      on: shown?.has(like) ?? true,
      toggle: () => toggle?.(like),
    })),
    ...(title ? [{ text: `with ${title}`, colour: "currentColor", dash: set_apart }] : []),
  ];
}

// A part that the pointer is drawn over becomes the window; a double click shows the whole. What is drawn over in width
// alone keeps its height to the values that are in it.
function useBrush(
  holder: { current: HTMLDivElement | null },
  scales: { current?: { x: Plot.Scale; y: Plot.Scale } | undefined },
  zoom: LinesProps["zoom"],
) {
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
      const to = at(event),
        flat = Math.abs(to[1] - from[1]) < 16;
      const [top, bottom] = flat
        ? (scales.current!.y.range as number[]).slice().sort((a, b) => a - b)
        : [from[1], to[1]].sort((a, b) => a - b);
      const left = Math.min(from[0], to[0]);
      Object.assign(box.style, {
        left: `${left}px`,
        width: `${Math.abs(to[0] - from[0])}px`,
        top: `${top}px`,
        height: `${bottom! - top!}px`,
      });
      if (!box.isConnected) figure.append(box);
    };
    const up = (event: PointerEvent) => {
      if (!from) return;
      const to = at(event),
        began = from;
      end();
      if (Math.abs(to[0] - began[0]) < 6) return;
      const { x, y } = scales.current!;
      const ends = (scale: Plot.Scale, a: number, b: number) =>
        [scale.invert!(a), scale.invert!(b)].sort((a, b) => a - b) as [number, number];
      zoom({ x: ends(x, began[0], to[0]), y: Math.abs(to[1] - began[1]) < 16 ? undefined : ends(y, began[1], to[1]) });
    };
    const end = () => {
      from = undefined;
      box.remove();
    };
    const whole = () => zoom(undefined);
    figure.classList.add("brushed");
    const all = [
      ["pointerdown", down],
      ["pointermove", move],
      ["pointerup", up],
      ["pointercancel", end],
      ["dblclick", whole],
    ] as [string, EventListener][];
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
  mark_rows?: number; // room for so many of them, so that nothing moves when one comes
  height?: number;
  letters?: number; // how high they are
  // The legend switches curves of a kind (`like`) on and off; without it all of them are shown.
  shown?: Set<string>;
  toggle?: (like: string) => void;
  x_log?: boolean;
  y_log?: boolean;
  smooth?: number; // over so many looks
  window?: Window | undefined;
  zoom?: (to: Window | undefined) => void; // a part is marked by the pointer
  drawn?: () => void; // it is there
}

const groups_of = (curves: Curve[]) => [...new Set(curves.map(curve => curve.group))];

// A drawing, and what it is of: by all that stands there but how far its curves go.
interface Drawn {
  of: string;
  kinds: string;
  paths: Map<string, SVGPathElement>; // by group
  there: There;
  can_grow: boolean;
}
const kinds_of = (curves: Curve[]) => JSON.stringify(curves.map(({ group, dashed, like }) => [group, dashed, like]));
const frame_of = (
  { label, range, steps, marks, mark_rows, letters, height, shown, x_log, y_log, smooth, window }: LinesProps,
  width: number,
) =>
  JSON.stringify([
    label,
    range,
    steps,
    marks,
    mark_rows,
    letters,
    height,
    shown && [...shown],
    x_log,
    y_log,
    smooth,
    window,
    width,
  ]);

export function Lines(props: LinesProps) {
  const [holder, width] = useWidth();
  const place = useRef<(step: number) => number>();
  const scales = useRef<{ x: Plot.Scale; y: Plot.Scale }>();
  const now_at = useRef(props.now);
  now_at.current = props.now;
  // Where the person looks moves often: the line alone is moved.
  const move_now = () => {
    const now = holder.current?.querySelector("line.now"),
      later = holder.current?.querySelector("rect.later"),
      at = now_at.current;
    if (!now || !later) return;
    for (const part of [now, later]) part.setAttribute("visibility", at === undefined ? "hidden" : "visible");
    if (at === undefined || !place.current || !scales.current) return;
    const x = place.current(at),
      end = Math.max(...(scales.current.x.range as number[]));
    for (const side of ["x1", "x2"]) now.setAttribute(side, String(x));
    later.setAttribute("x", String(x));
    later.setAttribute("width", String(Math.max(0, end - x)));
  };
  const drawn_last = useRef({ at: -Infinity, took: 0 });
  const drawn = useRef<Drawn>();
  const tip = useRef<() => SVGElement>();
  const draw = () => {
    const began = performance.now();
    const across = props.across ?? "step";
    const { x_log, y_log, smooth = 0, window: part } = props;
    const raw = shown_of(props);
    const drawn_curves = smooth > 1 ? raw.map(curve => ({ ...curve, values: smoothed(curve.values, smooth) })) : raw;
    const groups = groups_of(raw);
    const looks = new Map(groups.map(group => [group, look_of(props.curves, group)]));
    const colour = (group: string) => looks.get(group)!.colour;
    const there: There = (step, value) =>
      value !== null && value !== undefined && (!x_log || step > 0) && (!y_log || value > 0);
    const whole = extent_of(raw, there),
      empty = !(whole.x[0] <= whole.x[1]);
    const seen = part
      ? extent_of(drawn_curves, (step, value) => there(step, value) && step >= part.x[0] && step <= part.x[1])
      : whole;
    const dashed = new Set(raw.filter(curve => curve.dashed).map(curve => curve.group));
    const stroke_of = (group: string) => (dashed.has(group) ? set_apart : looks.get(group)!.dash);
    const drawable = (step: number, value: number) => (there(step, value) ? value : NaN);
    const middle = bands(drawn_curves).map(band => ({
      ...band,
      low: drawable(band.step, band.low),
      middle: drawable(band.step, band.middle),
    }));
    const of = (group: string) => middle.filter(band => band.group === group);
    const x = axis_of([props.steps ?? 0, ...seen.x]),
      y = axis_of(seen.y);
    const height = props.height ?? Math.round(Math.max(240, Math.min(420, width * 0.5)));
    // What marks say stands above the curves, a row for each, the first step's highest: from there its rule leads down.
    const { letters = 12 } = props,
      grows = letters / 12,
      row = 1.35 * letters;
    const marks = [...(props.marks ?? [])].sort((a, b) => a.step - b.step),
      rows = Math.max(marks.length, props.mark_rows ?? 0);
    const margin = {
      top: 20 * grows + row * rows,
      left: y.room * grows,
      right: 20 * grows,
      bottom: 44 + 1.6 * (letters - 12),
    };
    const frame = {
      width,
      height,
      marginTop: margin.top,
      marginLeft: margin.left,
      marginRight: margin.right,
      marginBottom: margin.bottom,
      style: { background: "transparent", fontSize: `${letters}px`, color: "inherit" },
    };
    const last = props.steps ?? whole.x[1];
    // Beside its step, and further to the left where it would leave the figure.
    const told_at = ({ step, says }: Mark) => {
      const at = margin.left + (step / Math.max(1, last)) * (width - margin.left - margin.right);
      return { dx: Math.min(5, width - 4 - at - 0.56 * letters * says.length), textAnchor: "start" as const };
    };
    const clip = part !== undefined;
    const first = seen.x[0]; // on a logarithmic axis there is no 0
    const paths = new Map<string, SVGPathElement>();
    // The mark is of one point, for its styles: what it draws is written by path_of.
    const lines_of = (
      curves: Curve[],
      group: string,
      style: { strokeWidth: number; strokeOpacity: number; strokeDasharray: string | undefined },
    ) =>
      Plot.line(empty ? [] : [[whole.x[0], whole.y[0]]], {
        ...{ x: "0", y: "1", z: null, stroke: colour(group), clip, ...style },
        render: (index, scales, values, dimensions, context, next) => {
          const drawing = next!(index, scales, values, dimensions, context)!;
          const path = drawing.querySelector("path");
          path?.setAttribute(
            "d",
            path_of(
              curves.filter(curve => curve.group === group),
              scales.x!,
              scales.y!,
              there,
            ),
          );
          if (path) paths.set(group, path);
          return drawing;
        },
      });
    const thin = middle.length > 0;
    const plot = Plot.plot({
      ...frame,
      ariaLabel: `${props.label} over ${props.across ?? "steps"}, ${raw.length} lines`,
      x: {
        label: across,
        type: x_log ? "log" : "linear",
        tickFormat: x_log ? tick_text : x.tickFormat,
        ticks: x_log ? 5 : undefined,
        nice: props.steps === undefined && !part,
        domain: part
          ? [x_log && part.x[0] <= 0 ? first : part.x[0], part.x[1]]
          : props.steps === undefined || x_log
            ? empty
              ? undefined
              : whole.x
            : [0, props.steps],
      },
      y: {
        label: props.label,
        grid: true,
        type: y_log ? "log" : "linear",
        tickFormat: y_log ? tick_text : y.tickFormat,
        ticks: y_log ? 6 : undefined,
        nice: !part?.y,
        domain:
          part?.y && (!y_log || part.y[0] > 0)
            ? part.y
            : part
              ? with_edges(seen.y, y_log)
              : (props.range ?? (empty ? undefined : whole.y)),
      },
      marks: [
        ...groups.map(group =>
          Plot.areaY(of(group), {
            x: "step",
            y1: "low",
            y2: "high",
            fill: colour(group),
            fillOpacity: 0.18,
            ariaHidden: "true",
            clip,
          }),
        ),
        ...(smooth > 1
          ? groups.map(group =>
              lines_of(raw, group, { strokeWidth: 1, strokeOpacity: thin ? 0.15 : 0.3, strokeDasharray: undefined }),
            )
          : []),
        ...groups.map(group =>
          lines_of(drawn_curves, group, {
            strokeWidth: thin ? 1 : 1.8,
            strokeOpacity: thin ? 0.45 : 1,
            strokeDasharray: stroke_of(group),
          }),
        ),
        ...groups.map(group =>
          Plot.line(of(group), {
            x: "step",
            y: "middle",
            stroke: colour(group),
            strokeWidth: 2.5,
            strokeDasharray: looks.get(group)!.dash,
            clip,
          }),
        ),
        // What comes after the step that is looked at is there, and pale.
        () =>
          shape("rect", {
            class: "later",
            y: margin.top - 4,
            height: height - margin.bottom - margin.top + 4,
            fill: "var(--page)",
            "fill-opacity": 0.6,
          }),
        ...marks.map((mark, i) =>
          Plot.ruleX([mark], {
            x: "step",
            stroke: "var(--soft)",
            strokeDasharray: "2,3",
            insetTop: mark.says ? -row * (marks.length - i) : 0,
          }),
        ),
        ...marks.map((mark, i) =>
          Plot.text([mark], {
            x: "step",
            text: "says",
            frameAnchor: "top",
            lineAnchor: "bottom",
            ...told_at(mark),
            dy: -row * (marks.length - i - 1) - 3 * grows,
            fill: "currentColor",
            stroke: "var(--page)",
            strokeWidth: 4,
          }),
        ),
      ],
    });
    plot.setAttribute("role", "img");
    for (const part of plot.querySelectorAll("g[aria-label]")) part.removeAttribute("aria-label"); // the whole has one
    const scale = plot.scale("x")!,
      up = plot.scale("y")!;
    scales.current = { x: scale, y: up };
    place.current = step => scale.apply(step);
    plot.append(
      shape("line", {
        class: "now",
        y1: margin.top,
        y2: height - margin.bottom,
        stroke: "currentColor",
        "stroke-width": 1.5,
      }),
    );
    holder.current!.replaceChildren(plot);
    move_now();
    drawn.current = {
      of: frame_of(props, width),
      kinds: kinds_of(raw),
      paths,
      there,
      can_grow: !thin && !(smooth > 1) && !part && !empty,
    };
    // What is pointed at is told in a drawing above it, so that the lines need not be drawn again.
    tip.current = () => {
      const curves = smooth > 1 ? drawn_curves : shown_of(newest.current);
      const points = curves.flatMap(curve =>
        curve.steps.flatMap((step, i) =>
          there(step, curve.values[i]) && (!part || (step >= part.x[0] && step <= part.x[1]))
            ? [{ step, value: curve.values[i]!, name: curve.name }]
            : [],
        ),
      );
      return Plot.plot({
        ...frame,
        className: "told",
        axis: null,
        x: { ...scale, label: null },
        y: { ...up, label: null },
        marks: [
          Plot.tip(
            points,
            Plot.pointer({
              x: "step",
              y: "value",
              title: point =>
                `${point.name}\n${across} ${+point.step.toPrecision(6)}\n${+point.value.toPrecision(6)}${smooth > 1 ? ` (mean over ${smooth} evaluations)` : ""}`,
              fill: "var(--page)",
              lineHeight: 1.4,
            }),
          ),
        ],
      }) as SVGElement;
    };
    drawn_last.current = { at: performance.now(), took: performance.now() - began };
    props.drawn?.();
  };
  // Curves that only went on, within the axes that there are, are longer paths in the same drawing.
  const grow = (): boolean => {
    const { of, kinds, paths, there, can_grow } = drawn.current ?? {};
    const curves = shown_of(props),
      { x, y } = scales.current ?? {};
    if (!can_grow || !x || !y || of !== frame_of(props, width) || kinds !== kinds_of(curves)) return false;
    const within = ([low, high]: [number, number], { domain }: Plot.Scale) =>
      low >= Math.min(...(domain as number[])) && high <= Math.max(...(domain as number[]));
    const extent = extent_of(curves, there!);
    if (!within(extent.x, x) || !within(extent.y, y)) return false;
    for (const [group, path] of paths!)
      path.setAttribute(
        "d",
        path_of(
          curves.filter(curve => curve.group === group),
          x.apply,
          y.apply,
          there!,
        ),
      );
    holder.current!.querySelector(".told")?.remove();
    return true;
  };
  const newest = useRef(props);
  newest.current = props;
  // What went on is drawn with the page, in one frame.
  const what = [
    props.curves,
    props.label,
    props.range,
    props.steps,
    props.marks,
    props.mark_rows,
    props.letters,
    props.height,
    props.shown,
    props.x_log,
    props.y_log,
    props.smooth,
    props.window,
    width,
  ];
  const grown = useRef(false);
  useLayoutEffect(() => {
    grown.current = width > 0 && grow();
  }, what);
  useLayoutEffect(move_now);
  // Where drawings follow each other fast, as they do while a training is played, most of the time is left to the page.
  useEffect(() => {
    if (!width || grown.current) return;
    const { at, took } = drawn_last.current;
    const wait = at + Math.min(3 * took, most_wait) - performance.now();
    if (wait <= 0) return draw();
    const timer = setTimeout(draw, wait);
    return () => clearTimeout(timer);
  }, what);
  // It is made for who points.
  useEffect(() => {
    const figure = holder.current!;
    const tell = (event: PointerEvent) => {
      if (!tip.current || figure.querySelector(".told")) return;
      const told = tip.current();
      told.setAttribute("aria-hidden", "true");
      told.classList.add("told");
      figure.append(told);
      told.dispatchEvent(new PointerEvent("pointermove", event));
    };
    figure.addEventListener("pointermove", tell);
    return () => figure.removeEventListener("pointermove", tell);
  }, []);
  useBrush(holder, scales, props.zoom);
  const groups = groups_of(shown_of(props));
  return (
    <>
      <div ref={holder} class="plot" />
      {props.toggle && <Legend entries={switches_of(props)} />}
      {!props.toggle && groups.length > 1 && (
        <Legend
          entries={groups.map(group => ({
            text: group,
            ...look_of(props.curves, group),
            ...(props.curves.some(curve => curve.dashed && curve.group === group) && { dash: set_apart }),
          }))}
        />
      )}
    </>
  );
}
