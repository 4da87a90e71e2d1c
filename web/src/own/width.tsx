// What attention on points will come to, told before it is trained: its one parameter w, by which distances are multiplied.
import * as Plot from "@observablehq/plot";
import { useEffect, useMemo, useState } from "preact/hooks";
import type { Curve } from "../curves";
import { engine } from "../engine/engine";
import type { Training } from "../engine/training";
import { Figure } from "../figure";
import { axis_of } from "../line_looks";
import { Lines, useWidth } from "../lines";

export interface WidthForecast {
  widths: number[]; // and the error of answering each point from the others
  errors: number[];
  width: number; // where descent from the start comes to rest
  width_error: number;
  at_rest: boolean; // else it falls on
  best: number; // the least of all
  best_error: number;
  answers: number[]; // at each point
}

const asked = new WeakMap<Training, Promise<WidthForecast>>();

function forecast_of(training: Training): Promise<WidthForecast> {
  const scale = scale_of(training);
  return engine
    .ask<WidthForecast>({
      ask: "predict_width",
      x: training.setting("task", "x"),
      y: training.setting("task", "y"),
      start: Number(training.setting("model", "w")) / scale,
    })
    .then(({ widths, width, best, ...others }) => ({
      ...others,
      widths: widths.map(w => w * scale),
      width: width * scale,
      best: best * scale,
    }));
}

// It is of the data and of where training begins; there is none where w is not learned.
export function useWidthForecast(training: Training): { forecast?: WidthForecast; problem?: string } {
  const [told, tell] = useState<{ of: Training; forecast?: WidthForecast; problem?: string }>();
  useEffect(() => {
    if (training.setting("model", "similarity") !== "gaussian-learned") return;
    const answer = asked.get(training) ?? forecast_of(training);
    asked.set(training, answer);
    answer.then(
      forecast => tell({ of: training, forecast }),
      (error: Error) => tell({ of: training, problem: error.message }),
    );
  }, [training]);
  return told?.of === training ? told : {};
}

// A temperature widens attention as a smaller w does.
function scale_of(training: Training): number {
  return Math.sqrt(Number(training.setting("model", "temperature") ?? 1));
}

const short = (x: number) => String(+x.toPrecision(3));

export function PredictedWidth({ training, at, file }: { training: Training; at: number; file: string }) {
  const { forecast, problem } = useWidthForecast(training);
  const learned = training.setting("model", "similarity") === "gaussian-learned";
  if (!learned)
    return (
      <section class="forecast">
        <h2>Predicted, before any training: nothing moves</h2>
        <p>The mean of all points has nothing to learn: attention stays on all of them alike.</p>
      </section>
    );
  if (problem) return <p class="problem">{problem}</p>;
  if (!forecast) return <p class="soft">Reading the points …</p>;
  const start = Number(training.setting("model", "w"));
  const w = training.value_at("w", at);
  return (
    <section class="forecast">
      <h2>Predicted, before any training: {headline(forecast, start)}</h2>
      <p>
        Training makes the error of answering each point from the others smaller. At w = {short(start)}, where it
        begins,{" "}
        {forecast.width === start
          ? `a little more or less changes nothing; the least error is at w = ${short(forecast.best)}: let it begin there.`
          : forecast.at_rest
            ? `the way down ends at w = ${short(forecast.width)}.`
            : `the way down has no end: the ${Math.abs(forecast.width) > Math.abs(start) ? "nearer the points that count, the better" : "more points count, the better"}.`}
        {forecast.width !== start &&
          forecast.best_error < 0.99 * forecast.width_error &&
          ` The least error of all is elsewhere, at w = ${short(forecast.best)}.`}
        {typeof w === "number" && ` At step ${at} it has come to w = ${short(w)}.`}
      </p>
      <div class="halves">
        <WidthFigure forecast={forecast} now={typeof w === "number" ? w : start} file={file} />
        <WidthCourse training={training} forecast={forecast} at={at} file={file} />
      </div>
    </section>
  );
}

// What w came to, look by look, beside what it was predicted to come to.
function WidthCourse({
  training,
  forecast,
  at,
  file,
}: {
  training: Training;
  forecast: WidthForecast;
  at: number;
  file: string;
}) {
  const series = training.series.get("w");
  const curves = useMemo<Curve[]>(
    () => [
      ...(series ? [{ name: "w", group: "learned", ...series }] : []),
      ...(forecast.at_rest
        ? [
            {
              name: "w, predicted",
              group: "predicted",
              steps: [0, training.steps],
              values: [forecast.width, forecast.width],
              dashed: true,
              like: "learned",
            },
          ]
        : []),
    ],
    [series, forecast, training],
  );
  if (!series) return null;
  return (
    <Figure
      title="w, step by step"
      file={`${file}-w`}
      table={() => ({ columns: ["step", "w"], rows: series.steps.map((step, i) => [step, series.values[i] ?? null]) })}
    >
      <Lines curves={curves} label="w" now={at} steps={training.steps} />
    </Figure>
  );
}

function headline({ width, at_rest }: WidthForecast, start: number): string {
  if (width === start) return "w stays where it is";
  return at_rest
    ? `w comes to ${short(width)}`
    : Math.abs(width) > Math.abs(start)
      ? "w grows on"
      : "w falls towards 0";
}

function WidthFigure({ forecast, now, file }: { forecast: WidthForecast; now: number; file: string }) {
  const [holder, width] = useWidth();
  useEffect(() => {
    if (!width) return;
    const { widths, errors } = forecast;
    const points = widths.map((w, i) => ({ w, error: errors[i]! }));
    const here = Math.abs(now);
    const inside = here >= widths[0]! && here <= widths.at(-1)!;
    const plot = Plot.plot({
      width,
      height: 240,
      marginLeft: axis_of(errors).room,
      marginBottom: 44,
      ariaLabel: `The error of answering each point from the others over w: least at ${short(forecast.best)}; w is ${short(now)} now`,
      style: { background: "transparent", fontSize: "12px", color: "inherit" },
      x: {
        type: "log",
        label: "w",
        ticks: 5,
        tickFormat: axis_of([widths.at(-1)!, 1 / widths[0]!]).tickFormat ?? short,
      },
      y: { label: "error", grid: true, nice: true, tickFormat: axis_of(errors).tickFormat },
      marks: [
        Plot.line(points, { x: "w", y: "error", stroke: "var(--c0)", strokeWidth: 2 }),
        Plot.ruleX(inside ? [here] : [], { stroke: "currentColor", strokeWidth: 1.5 }),
        Plot.dot([{ w: Math.abs(forecast.width), error: forecast.width_error }], {
          x: "w",
          y: "error",
          r: 5,
          stroke: "var(--c1)",
          strokeWidth: 2,
        }),
        Plot.text([{ w: Math.abs(forecast.width), error: forecast.width_error }], {
          x: "w",
          y: "error",
          text: () => "predicted",
          dy: -14,
          fill: "currentColor",
          stroke: "var(--page)",
          strokeWidth: 4,
        }),
      ],
    });
    plot.setAttribute("role", "img");
    for (const part of plot.querySelectorAll("g[aria-label]")) part.removeAttribute("aria-label"); // the whole has one
    holder.current!.replaceChildren(plot);
  }, [forecast, now, width]);
  return (
    <Figure
      title="The error of answering each point from the others, for every w; the line is w now"
      file={`${file}-width`}
      table={() => ({ columns: ["w", "error"], rows: forecast.widths.map((w, i) => [w, forecast.errors[i]!]) })}
    >
      <div ref={holder} class="plot" />
    </Figure>
  );
}
