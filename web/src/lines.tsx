// Lines over steps: a thin one for each run, and for each group of runs the median and the band of its middle half. A
// part can be looked at large, axes can be logarithmic, and curves smoothed.
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { useBrush } from "./brush";
import { type Entry, Legend } from "./legend";
import { look_of, set_apart } from "./line_looks";
import { Drawing, groups_of, type LinesProps, shown_of } from "./lines_drawing";

const most_wait = 250; // milliseconds, for a figure to be drawn again

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

export function Lines(props: LinesProps) {
  const [holder, width] = useWidth();
  const drawing = useDrawing(props, holder, width);
  useTip(props, holder, drawing);
  useBrush(holder, drawing, props.zoom);
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

type Holder = ReturnType<typeof useWidth>[0];
type Current<T> = { current?: T | undefined };

// Keeps the drawing in its holder up with what it is of.
function useDrawing(props: LinesProps, holder: Holder, width: number): Current<Drawing> {
  const drawing = useRef<Drawing>();
  const now_at = useRef(props.now);
  now_at.current = props.now;
  const last = useRef({ at: -Infinity, took: 0 });
  const draw = () => {
    const began = performance.now();
    drawing.current = new Drawing(props, width);
    holder.current!.replaceChildren(drawing.current.plot);
    drawing.current.move_now(now_at.current);
    last.current = { at: performance.now(), took: performance.now() - began };
    props.drawn?.();
  };
  // What went on is drawn with the page, in one frame.
  const what = [
    props.curves,
    props.label,
    props.range,
    props.steps,
    props.marks,
    props.rules,
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
    grown.current = width > 0 && (drawing.current?.grow(props, width) ?? false);
    if (grown.current) holder.current!.querySelector(".told")?.remove();
  }, what);
  useLayoutEffect(() => drawing.current?.move_now(now_at.current));
  // Where drawings follow each other fast, as they do while a training is played, most of the time is left to the page.
  useEffect(() => {
    if (!width || grown.current) return;
    const { at, took } = last.current;
    const wait = at + Math.min(3 * took, most_wait) - performance.now();
    if (wait <= 0) return draw();
    const timer = setTimeout(draw, wait);
    return () => clearTimeout(timer);
  }, what);
  return drawing;
}

// What is pointed at is told by a drawing that is made for who points.
function useTip(props: LinesProps, holder: Holder, drawing: Current<Drawing>) {
  const newest = useRef(props);
  newest.current = props;
  useEffect(() => {
    const figure = holder.current!;
    const tell = (event: PointerEvent) => {
      if (!drawing.current || figure.querySelector(".told")) return;
      const told = drawing.current.tip(newest.current);
      told.setAttribute("aria-hidden", "true");
      told.classList.add("told");
      figure.append(told);
      told.dispatchEvent(new PointerEvent("pointermove", event));
    };
    figure.addEventListener("pointermove", tell);
    return () => figure.removeEventListener("pointermove", tell);
  }, []);
}
