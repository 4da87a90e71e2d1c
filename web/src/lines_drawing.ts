// A drawing of lines over steps, by Observable Plot: it is made once, and grows where its curves only go on.
import * as Plot from "@observablehq/plot";
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
import { axis_of, look_of, type Rule, set_apart, tick_text } from "./line_looks";
import { rule_marks, rules_room, shape } from "./rules";

export interface LinesProps {
  curves: Curve[];
  label: string;
  across?: string; // what the steps are, where they are none
  now?: number;
  range?: [number, number];
  steps?: number;
  marks?: Mark[];
  rules?: Rule[];
  empty?: string; // what is said while there is nothing to draw
  right?: number; // room to the right of the curves, to be in line with another figure
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

export function shown_of({ curves, shown }: LinesProps): Curve[] {
  return shown ? curves.filter(curve => shown.has(curve.like ?? curve.group)) : curves;
}

export const groups_of = (curves: Curve[]) => [...new Set(curves.map(curve => curve.group))];
const kinds_of = (curves: Curve[]) => JSON.stringify(curves.map(({ group, dashed, like }) => [group, dashed, like]));
const frame_of = (
  { label, range, steps, marks, rules, mark_rows, letters, height, shown, x_log, y_log, smooth, window }: LinesProps,
  width: number,
) =>
  JSON.stringify([
    label,
    range,
    steps,
    marks,
    rules,
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

// What is drawn: the curves that are shown, and the median and band of each group.
function content_of(props: LinesProps) {
  const { x_log, y_log, smooth = 0, window: part } = props;
  const raw = shown_of(props);
  const drawn = smooth > 1 ? raw.map(curve => ({ ...curve, values: smoothed(curve.values, smooth) })) : raw;
  const there: There = (step, value) =>
    value !== null && value !== undefined && (!x_log || step > 0) && (!y_log || value > 0);
  const whole = extent_of(raw, there);
  for (const { value } of props.rules ?? []) whole.y = [Math.min(whole.y[0], value), Math.max(whole.y[1], value)];
  const seen = part
    ? extent_of(drawn, (step, value) => there(step, value) && step >= part.x[0] && step <= part.x[1])
    : whole;
  const drawable = (step: number, value: number) => (there(step, value) ? value : NaN);
  const middle = bands(drawn).map(band => ({
    ...band,
    low: drawable(band.step, band.low),
    middle: drawable(band.step, band.middle),
  }));
  return { raw, drawn, groups: groups_of(raw), there, whole, seen, empty: !(whole.x[0] <= whole.x[1]), middle };
}
type Content = ReturnType<typeof content_of>;

const mark_gap = 5; // between the lowest mark's words and a curve at the top

// What marks say stands above the curves, a row for each, the first step's highest: from there its rule leads down.
function layout_of(props: LinesProps, width: number, room: number) {
  const height = props.height ?? Math.round(Math.max(240, Math.min(420, width * 0.5)));
  const { letters = 12 } = props,
    grows = letters / 12,
    row = 1.35 * letters;
  const marks = [...(props.marks ?? [])].sort((a, b) => a.step - b.step),
    rows = Math.max(marks.length, props.mark_rows ?? 0);
  const margin = {
    top: (20 + mark_gap) * grows + row * rows,
    left: room * grows,
    right: Math.max(20 * grows, props.right ?? rules_room(props.rules ?? [], letters)),
    bottom: 44 + 1.6 * (letters - 12),
  };
  return { width, height, letters, grows, row, marks, margin };
}
type Layout = ReturnType<typeof layout_of>;

function scales_of(props: LinesProps, { whole, seen, empty }: Content, x_format: Format, y_format: Format) {
  const { x_log, y_log, window: part, steps } = props;
  const first = seen.x[0]; // on a logarithmic axis there is no 0
  const x_whole = steps === undefined || x_log ? (empty ? undefined : whole.x) : [0, steps];
  const y_whole = props.range ?? (empty ? undefined : whole.y);
  return {
    x: {
      label: props.across ?? "step",
      type: x_log ? "log" : "linear",
      tickFormat: x_log ? tick_text : x_format,
      ticks: x_log ? 5 : undefined,
      domain: part ? [x_log && part.x[0] <= 0 ? first : part.x[0], part.x[1]] : x_whole,
    },
    y: {
      label: props.label,
      grid: true,
      type: y_log ? "log" : "linear",
      tickFormat: y_log ? tick_text : y_format,
      ticks: y_log ? 6 : undefined,
      nice: !part?.y && !y_log,
      domain: part?.y && (!y_log || part.y[0] > 0) ? part.y : part ? with_edges(seen.y, y_log) : y_whole,
    },
  } as const;
}
type Format = ReturnType<typeof axis_of>["tickFormat"];

// The path of each group's curves is put into `paths`.
function curve_marks(props: LinesProps, content: Content, paths: Map<string, SVGPathElement>): Plot.Markish[] {
  const { raw, drawn, groups, there, whole, empty, middle } = content;
  const looks = new Map(groups.map(group => [group, look_of(props.curves, group)]));
  const colour = (group: string) => looks.get(group)!.colour;
  const dashed = new Set(raw.filter(curve => curve.dashed).map(curve => curve.group));
  const stroke_of = (group: string) => (dashed.has(group) ? set_apart : looks.get(group)!.dash);
  const of = (group: string) => middle.filter(band => band.group === group);
  const clip = props.window !== undefined,
    thin = middle.length > 0;
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
        const own = curves.filter(curve => curve.group === group);
        path?.setAttribute("d", path_of(own, scales.x!, scales.y!, there));
        if (path) paths.set(group, path);
        return drawing;
      },
    });
  return [
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
    ...(drawn === raw
      ? []
      : groups.map(group =>
          lines_of(raw, group, { strokeWidth: 1, strokeOpacity: thin ? 0.15 : 0.3, strokeDasharray: undefined }),
        )),
    ...groups.map(group =>
      lines_of(drawn, group, {
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
  ];
}

// A rule at each marked step, and what is said of it.
function step_marks({ width, letters, grows, row, marks, margin }: Layout, last: number): Plot.Markish[] {
  // To the right of its rule, else to the left of it; where neither side has the room, over it.
  const told_at = ({ step, says }: Mark) => {
    const at = margin.left + (step / Math.max(1, last)) * (width - margin.left - margin.right),
      wide = 0.56 * letters * says.length,
      right = width - 4 - at - wide;
    if (right < 5 && at - wide > 9) return { dx: -5, textAnchor: "end" as const };
    return { dx: Math.min(5, right), textAnchor: "start" as const };
  };
  return [
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
        dy: -row * (marks.length - i - 1) - (3 + mark_gap) * grows,
        fill: "currentColor",
        stroke: "var(--page)",
        strokeWidth: 4,
      }),
    ),
  ];
}

export class Drawing {
  readonly plot: Element;
  readonly x: Plot.Scale;
  readonly y: Plot.Scale;
  private readonly paths = new Map<string, SVGPathElement>(); // by group
  private readonly of: string; // what it is of, but for how far its curves go
  private readonly kinds: string;
  private readonly content: Content;
  private readonly frame: Plot.PlotOptions;

  constructor(
    private readonly props: LinesProps,
    width: number,
  ) {
    this.of = frame_of(props, width);
    this.content = content_of(props);
    const { raw, whole, seen } = this.content;
    this.kinds = kinds_of(raw);
    const x = axis_of([props.steps ?? 0, ...seen.x]),
      y = axis_of(seen.y);
    const layout = layout_of(props, width, y.room);
    const { height, letters, margin } = layout;
    this.frame = {
      width,
      height,
      marginTop: margin.top,
      marginLeft: margin.left,
      marginRight: margin.right,
      marginBottom: margin.bottom,
      style: { background: "transparent", fontSize: `${letters}px`, color: "inherit" },
    };
    const plot = Plot.plot({
      ...this.frame,
      ...scales_of(props, this.content, x.tickFormat, y.tickFormat),
      ariaLabel: `${props.label} over ${props.across ?? "steps"}, ${raw.length} lines`,
      marks: [
        ...curve_marks(props, this.content, this.paths),
        // What comes after the step that is looked at is there, and pale.
        () =>
          shape("rect", {
            class: "later",
            y: margin.top - 4,
            height: height - margin.bottom - margin.top + 4,
            fill: "var(--page)",
            "fill-opacity": 0.6,
          }),
        ...rule_marks(props.rules ?? [], letters),
        ...step_marks(layout, props.steps ?? whole.x[1]),
        this.waits()
          ? Plot.text([props.empty], { frameAnchor: "middle", fill: "var(--soft)", fontSize: 1.2 * letters })
          : null,
      ],
    });
    plot.setAttribute("role", "img");
    for (const part of plot.querySelectorAll("g[aria-label]")) part.removeAttribute("aria-label"); // the whole has one
    plot.append(
      shape("line", {
        class: "now",
        y1: margin.top,
        y2: height - margin.bottom,
        stroke: "currentColor",
        "stroke-width": 1.5,
      }),
    );
    this.plot = plot;
    this.x = plot.scale("x")!;
    this.y = plot.scale("y")!;
  }

  // Where the person looks moves often: the line alone is moved.
  move_now(at: number | undefined) {
    const now = this.plot.querySelector("line.now"),
      later = this.plot.querySelector("rect.later");
    if (!now || !later) return;
    for (const part of [now, later]) part.setAttribute("visibility", at === undefined ? "hidden" : "visible");
    if (at === undefined) return;
    const x = this.x.apply(at),
      end = Math.max(...(this.x.range as number[]));
    for (const side of ["x1", "x2"]) now.setAttribute(side, String(x));
    later.setAttribute("x", String(x));
    later.setAttribute("width", String(Math.max(0, end - x)));
  }

  // Curves that only went on, within the axes that there are, are longer paths in the same drawing.
  grow(props: LinesProps, width: number): boolean {
    const curves = shown_of(props);
    if (!this.can_grow() || this.of !== frame_of(props, width) || this.kinds !== kinds_of(curves)) return false;
    const within = ([low, high]: [number, number], { domain }: Plot.Scale) =>
      low >= Math.min(...(domain as number[])) && high <= Math.max(...(domain as number[]));
    const { there } = this.content;
    const extent = extent_of(curves, there);
    if (!within(extent.x, this.x) || !within(extent.y, this.y)) return false;
    for (const [group, path] of this.paths) {
      const own = curves.filter(curve => curve.group === group);
      path.setAttribute("d", path_of(own, this.x.apply, this.y.apply, there));
    }
    return true;
  }

  // Whether it says that there is nothing to draw yet.
  private waits(): boolean {
    return this.props.empty !== undefined && this.content.raw.every(({ steps }) => steps.length < 2);
  }

  private can_grow(): boolean {
    const { raw, drawn, middle, empty } = this.content;
    return middle.length === 0 && drawn === raw && !this.props.window && !empty && !this.waits();
  }

  // What is pointed at is told in a drawing above it, so that the lines need not be drawn again.
  tip(newest: LinesProps): SVGElement {
    const { raw, drawn, there } = this.content;
    const { smooth, window: part, across = "step" } = this.props;
    const means = drawn === raw ? "" : ` (mean over ${smooth} evaluations)`;
    const curves = drawn === raw ? shown_of(newest) : drawn;
    const points = curves.flatMap(curve =>
      curve.steps.flatMap((step, i) =>
        there(step, curve.values[i]) && (!part || (step >= part.x[0] && step <= part.x[1]))
          ? [{ step, value: curve.values[i]!, name: curve.name }]
          : [],
      ),
    );
    return Plot.plot({
      ...this.frame,
      className: "told",
      axis: null,
      x: { ...this.x, label: null },
      y: { ...this.y, label: null },
      marks: [
        Plot.tip(
          points,
          Plot.pointer({
            x: "step",
            y: "value",
            title: ({ name, step, value }) =>
              `${name}\n${across} ${+step.toPrecision(6)}\n${+value.toPrecision(6)}${means}`,
            fill: "var(--page)",
            lineHeight: 1.4,
          }),
        ),
      ],
    }) as SVGElement;
  }
}
