// Lines over steps: a thin one for each run, and for each group of runs the median and the band of its middle half.
import * as Plot from "@observablehq/plot";
import { useEffect, useRef, useState } from "preact/hooks";

export interface Curve {
  name: string; // of this line: "seed 3"
  group: string; // what it is compared with: "" where there is nothing to tell apart
  steps: number[];
  values: (number | null)[];
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

// At each step that at least three runs of a group have.
export function bands(curves: Curve[]): Band[] {
  const at = new Map<string, Map<number, number[]>>();
  for (const curve of curves) {
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

export function Lines(props: { curves: Curve[]; label: string; now?: number; range?: [number, number] }) {
  const [holder, width] = useWidth();
  useEffect(() => {
    if (!width) return;
    const groups = [...new Set(props.curves.map((curve) => curve.group))];
    const colour = (group: string) => colours[groups.indexOf(group) % colours.length]!;
    const points = props.curves.flatMap((curve) =>
      curve.steps.map((step, i) => ({ step, value: curve.values[i] ?? NaN, name: curve.name, group: curve.group })),
    );
    const middle = bands(props.curves);
    const of = (group: string) => middle.filter((band) => band.group === group);
    const plot = Plot.plot({
      width,
      height: Math.round(Math.max(240, Math.min(420, width * 0.5))),
      marginLeft: 52,
      marginBottom: 44,
      ariaLabel: `${props.label} over steps, ${props.curves.length} lines`,
      style: { background: "transparent", fontSize: "12px", color: "inherit" },
      x: { label: "step", nice: true },
      y: { label: props.label, grid: true, nice: true, domain: props.range },
      marks: [
        ...groups.map((group) =>
          Plot.areaY(of(group), { x: "step", y1: "low", y2: "high", fill: colour(group), fillOpacity: 0.18, ariaHidden: "true" }),
        ),
        ...groups.map((group) =>
          Plot.line(
            points.filter((point) => point.group === group),
            { x: "step", y: "value", z: "name", stroke: colour(group), strokeWidth: 1, strokeOpacity: middle.length ? 0.45 : 1 },
          ),
        ),
        ...groups.map((group) => Plot.line(of(group), { x: "step", y: "middle", stroke: colour(group), strokeWidth: 2.5 })),
        props.now === undefined ? null : Plot.ruleX([props.now], { stroke: "currentColor", strokeDasharray: "3,3" }),
        Plot.tip(points, Plot.pointer({ x: "step", y: "value", title: (point) => `${point.name}\nstep ${point.step}\n${+point.value.toPrecision(6)}`, fill: "var(--page)" })),
      ],
    });
    plot.setAttribute("role", "img");
    for (const part of plot.querySelectorAll("g[aria-label]")) part.removeAttribute("aria-label"); // the whole has one
    const figure = holder.current!;
    figure.replaceChildren(plot);
  }, [props.curves, props.label, props.now, props.range, width]);
  const groups = [...new Set(props.curves.map((curve) => curve.group))];
  return (
    <>
      <div ref={holder} class="plot" />
      {groups.length > 1 && (
        <ul class="legend">
          {groups.map((group, i) => (
            <li>
              <span class="swatch" style={{ background: colours[i % colours.length] }} />
              {group}
            </li>
          ))}
        </ul>
      )}
    </>
  );
}
