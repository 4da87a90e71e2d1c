// Points of one's own, and what attention makes of them at a step: at each place the mean of all y, weighted by it; and
// dashed, what it was predicted to make of them.
import * as Plot from "@observablehq/plot";
import { useEffect } from "preact/hooks";
import type { Training } from "../engine/training";
import { Figure } from "../figure";
import { Legend } from "../legend";
import { axis_of } from "../line_looks";
import { useWidth } from "../lines";
import { useWidthForecast } from "./width";

export function PooledCurve({ training, at, file }: { training: Training; at: number; file: string }) {
  const [holder, width] = useWidth();
  const look = training.look_at(at);
  const x = training.setting("task", "x") as number[],
    y = training.setting("task", "y") as number[];
  const { forecast } = useWidthForecast(training);
  const points = x.map((place, i) => ({
    x: place,
    y: y[i]!,
    pooled: look ? y.reduce((sum, one, j) => sum + look.alpha[i * x.length + j]! * one, 0) : NaN,
    predicted: forecast?.answers[i],
  }));
  useEffect(() => {
    if (!width) return;
    const plot = Plot.plot({
      width,
      height: Math.round(Math.max(240, Math.min(420, width * 0.5))),
      marginLeft: axis_of(y).room,
      marginBottom: 44,
      ariaLabel: `y over x: ${points.length} points, and the mean that attention makes of them at step ${look?.step}`,
      style: { background: "transparent", fontSize: "12px", color: "inherit" },
      x: { label: "x", tickFormat: axis_of(x).tickFormat },
      y: { label: "y", grid: true, tickFormat: axis_of(y).tickFormat },
      marks: [
        Plot.dot(points, { x: "x", y: "y", r: 3, fill: "var(--c1)" }),
        Plot.line(forecast ? points : [], {
          x: "x",
          y: "predicted",
          stroke: "var(--c2)",
          strokeWidth: 2,
          strokeDasharray: "5,4",
        }),
        Plot.line(points, { x: "x", y: "pooled", stroke: "var(--c0)", strokeWidth: 2.5 }),
      ],
    });
    plot.setAttribute("role", "img");
    for (const part of plot.querySelectorAll("g[aria-label]")) part.removeAttribute("aria-label"); // the whole has one
    holder.current!.replaceChildren(plot);
  }, [training, look, width, forecast]);
  return (
    <Figure
      title={`The points, and what attention makes of them at step ${look?.step}${training.title && `, with ${training.title}`}`}
      file={`${file}-curve`}
      table={() => ({
        columns: ["x", "y", "pooled", ...(forecast ? ["predicted"] : [])],
        rows: points.map(one => [one.x, one.y, one.pooled, ...(forecast ? [one.predicted!] : [])]),
      })}
    >
      <div ref={holder} class="plot" />
      <Legend
        entries={[
          { text: `at step ${look?.step}`, colour: "var(--c0)" },
          ...(forecast ? [{ text: "predicted", colour: "var(--c2)", dash: "5 4" }] : []),
        ]}
      />
    </Figure>
  );
}
