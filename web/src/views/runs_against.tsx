// A metric by the values of a setting, as dots with the median of each value.
import * as Plot from "@observablehq/plot";
import { useEffect, useMemo } from "preact/hooks";
import { useWord } from "../address";
import { Figure } from "../figure";
import { Legend } from "../legend";
import { axis_of, look_of } from "../line_looks";
import { useWidth } from "../lines";
import { median } from "../median";
import { number_text, type Run } from "../model";
import { metric_title } from "../run/metric_names";
import { column_at, step_text } from "./runs_at";
import { LogBoxes } from "./runs_logs";
import { group_of, in_order, LeftOut, type Settings, setting_title, with_few_values } from "./runs_named";

interface Dot {
  x: number | string;
  y: number;
  run: Run;
  group: string;
}

const is_done = ({ state }: Run) => state === "done";

export function AgainstSetting(props: {
  runs: Run[];
  settings: Settings;
  metric: string;
  differing: string[];
  by: string;
  file: string;
  at: number | undefined; // the step of the values; the end without it
  colours: string[]; // groups in the order of their colours
}) {
  const { runs, settings, metric, differing, by } = props;
  const [asked, choose] = useWord("across", "");
  const [log, set_log] = useWord("across_log", "");
  // What differs among the runs that have the metric.
  const choices = useMemo(() => {
    const measured = runs.filter(run => is_done(run) && Number.isFinite(run.metrics[metric] ?? NaN));
    const varies = (name: string) => new Set(measured.map(run => settings.get(run.run)?.get(name))).size > 1;
    return differing.filter(varies);
  }, [runs, settings, metric, differing]);
  const few = with_few_values(choices, settings);
  const setting = choices.includes(asked)
    ? asked
    : (few.find(name => name !== by && name !== "experiment") ?? few[0] ?? choices[0]);
  const dots = useMemo<Dot[]>(() => {
    if (!setting) return [];
    const all = runs.filter(is_done).flatMap(run => {
      const text = settings.get(run.run)?.get(setting),
        y = run.metrics[metric];
      if (text === undefined || y === null || y === undefined) return [];
      return [{ x: text, y, run, group: group_of(run, by, settings) }];
    });
    return all.every(({ x }) => x !== "" && Number.isFinite(Number(x)))
      ? all.map(dot => ({ ...dot, x: Number(dot.x) }))
      : all;
  }, [runs, settings, metric, setting, by]);
  if (!setting || dots.length === 0) return null;
  const name = metric_title(metric);
  const numbers = dots.every(({ x }) => typeof x === "number");
  const logs = (axis: "x" | "y") =>
    log.includes(axis) && dots.every(dot => (typeof dot[axis] === "number" ? (dot[axis] as number) > 0 : axis !== "x"));
  return (
    <section aria-labelledby="against">
      <h2 id="against">By a setting</h2>
      <fieldset class="chart-ways" aria-label="How the dots are drawn">
        <label>
          Setting across
          <select value={setting} onChange={event => choose(event.currentTarget.value, true)}>
            {choices.map(one => (
              <option value={one} selected={one === setting}>
                {setting_title(one)}
              </option>
            ))}
          </select>
        </label>
        <LogBoxes across="setting" log={log} set={text => set_log(text, true)} />
      </fieldset>
      {(["x", "y"] as const).some(axis => log.includes(axis) && !logs(axis)) && (
        <p class="soft">An axis with values of 0 or less, or with words, stays as it is.</p>
      )}
      <LeftOut count={runs.filter(run => !is_done(run)).length} of={runs.length} />
      <Figure
        paper
        title={`${name}${step_text(props.at)} by ${setting_title(setting)}: a dot per run, ${numbers ? "a line through the medians" : "a ring at each median"}`}
        file={`${props.file}-${metric}-by-${setting}`}
        table={() => ({
          columns: ["run", "experiment", "seed", setting, column_at(metric, props.at)],
          rows: dots.map(({ run, x, y }) => [run.run, run.experiment, run.seed, x, y]),
        })}
      >
        <Dots
          dots={dots}
          x={setting_title(setting)}
          y={name}
          x_log={numbers && logs("x")}
          y_log={logs("y")}
          numbers={numbers}
          colours={props.colours}
          joined={by === setting}
        />
      </Figure>
    </section>
  );
}

function Dots({
  dots,
  x,
  y,
  x_log,
  y_log,
  numbers,
  colours,
  joined,
}: {
  dots: Dot[];
  x: string;
  y: string;
  x_log: boolean;
  y_log: boolean;
  numbers: boolean;
  colours: string[];
  joined: boolean; // one line goes through the medians of all groups
}) {
  const [holder, width] = useWidth();
  const as_curves = useMemo(
    () =>
      dots.map(({ group }) => {
        const colour = colours.indexOf(group);
        return { name: "", group, ...(colour >= 0 && { colour }), steps: [], values: [] };
      }),
    [dots],
  );
  const groups = useMemo(() => [...new Set(dots.map(({ group }) => group))], [dots]);
  useEffect(() => {
    if (!width) return;
    const looks = new Map(groups.map(group => [group, look_of(as_curves, group)]));
    const up = axis_of(dots.map(dot => dot.y));
    const medians = groups.flatMap(group => {
      const at = new Map<number | string, number[]>();
      for (const dot of dots) if (dot.group === group) (at.get(dot.x) ?? at.set(dot.x, []).get(dot.x)!).push(dot.y);
      return [...at].map(([x, values]) => ({ x, y: median(values), group }));
    });
    const in_turn = (of: typeof medians) => [...of].sort((a, b) => (a.x < b.x ? -1 : 1));
    // Words on the axis that have no room side by side are turned; of very many, some are left out.
    const words = [...new Set(dots.map(dot => String(dot.x)))].sort(in_order);
    const longest = Math.max(...words.map(word => word.length));
    const crowded = !numbers && longest * words.length * 7 > width - up.room;
    const plot = Plot.plot({
      width,
      height: Math.round(Math.max(220, Math.min(380, width * 0.5))),
      marginLeft: up.room,
      marginBottom: crowded ? 24 + 6 * Math.min(18, longest) : 44,
      ariaLabel: `${y} by ${x}, ${dots.length} runs`,
      style: { background: "transparent", fontSize: "12px", color: "inherit" },
      x: {
        label: x,
        ...(numbers
          ? {
              type: x_log ? ("log" as const) : ("linear" as const),
              nice: !x_log,
              ticks:
                [...new Set(dots.map(dot => dot.x as number))].length <= 8
                  ? [...new Set(dots.map(dot => dot.x as number))]
                  : undefined,
              tickFormat: (value: number) => number_text(value),
              inset: 12,
            }
          : {
              type: "point" as const,
              domain: words,
              ticks: words.filter((_, i) => i % Math.ceil((words.length * 14) / width) === 0),
              tickRotate: crowded ? -60 : 0,
            }),
      },
      y: {
        label: y,
        grid: true,
        nice: true,
        inset: 6,
        type: y_log ? "log" : "linear",
        tickFormat: y_log ? undefined : up.tickFormat,
      },
      marks: [
        ...(joined && numbers
          ? [Plot.line(in_turn(medians), { x: "x", y: "y", stroke: "var(--soft)", strokeWidth: 1.5 })]
          : []),
        ...groups.flatMap(group => {
          const { colour, dash } = looks.get(group)!;
          const of_group = medians.filter(one => one.group === group);
          return [
            Plot.dot(
              dots.filter(dot => dot.group === group),
              { x: "x", y: "y", r: 3, fill: colour, fillOpacity: 0.4 },
            ),
            // Between words there is nothing that a line could stand for.
            ...(numbers && !joined
              ? [
                  Plot.line(in_turn(of_group), {
                    x: "x",
                    y: "y",
                    stroke: colour,
                    strokeWidth: 2.2,
                    strokeDasharray: dash,
                  }),
                ]
              : []),
            Plot.dot(of_group, { x: "x", y: "y", r: 4.5, fill: "var(--page)", stroke: colour, strokeWidth: 2 }),
          ];
        }),
        Plot.tip(
          dots,
          Plot.pointer({
            x: "x",
            y: "y",
            title: ({ run, x: at, y: value }: Dot) =>
              `run ${run.run}, ${run.experiment}, seed ${run.seed}\n${x} ${at}\n${number_text(value)}`,
            fill: "var(--page)",
            lineHeight: 1.4,
          }),
        ),
      ],
    });
    plot.setAttribute("role", "img");
    for (const part of plot.querySelectorAll("g[aria-label]")) part.removeAttribute("aria-label");
    holder.current!.replaceChildren(plot);
  }, [dots, x, y, x_log, y_log, numbers, joined, width]);
  return (
    <>
      <div ref={holder} class="plot" />
      {groups.length > 1 && !joined && (
        <Legend entries={groups.map(group => ({ text: group, ...look_of(as_curves, group) }))} />
      )}
    </>
  );
}
