// A metric by the values of a setting: as dots with the median of each value, and as a table of groups, each compared
// with one of them as `fovea compare` does it.
import * as Plot from "@observablehq/plot";
import { useEffect, useId, useMemo, useState } from "preact/hooks";
import { useWord } from "../address";
import { Figure } from "../figure";
import { Legend } from "../legend";
import { axis_of, look_of } from "../line_looks";
import { useWidth } from "../lines";
import { median } from "../median";
import { type Groups, number_text, type Run, setting_text } from "../model";
import { interventions_text } from "../play/acts";
import { metric_title } from "../run/metric_names";
import { Scrolled } from "../scrolled";
import type { KeptRuns } from "../source";
import { Trouble } from "../trouble";
import { enough_pairs, means_of_pairs, short } from "./pairs";
import {
  group_of,
  group_title,
  LeftOut,
  type Settings,
  setting_cell,
  setting_title,
  with_few_values,
} from "./runs_named";
import { verdict_of } from "./runs_verdict";

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
  const setting = choices.includes(asked)
    ? asked
    : (with_few_values(choices, settings).find(name => name !== by && name !== "experiment") ?? choices[0]);
  const dots = useMemo<Dot[]>(() => {
    if (!setting) return [];
    const all = runs.filter(is_done).flatMap(run => {
      const text = settings.get(run.run)?.get(setting),
        y = run.metrics[metric];
      if (text === undefined || y === null || y === undefined) return [];
      return [{ x: text, y, run, group: by === setting ? "" : group_of(run, by, settings) }];
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
        {(["x", "y"] as const).map(axis => (
          <label>
            <input
              type="checkbox"
              checked={log.includes(axis)}
              onChange={event =>
                set_log(
                  ["x", "y"].filter(one => (one === axis ? event.currentTarget.checked : log.includes(one))).join(""),
                  true,
                )
              }
            />
            {axis === "x" ? "Logarithmic setting" : "Logarithmic values"}
          </label>
        ))}
      </fieldset>
      {(["x", "y"] as const).some(axis => log.includes(axis) && !logs(axis)) && (
        <p class="soft">An axis with values of 0 or less, or with words, stays as it is.</p>
      )}
      <LeftOut count={runs.filter(run => !is_done(run)).length} of={runs.length} />
      <Figure
        paper
        title={`${name} by ${setting_title(setting)}: a dot per run, ${numbers ? "a line through the medians" : "a ring at each median"}`}
        file={`${props.file}-${metric}-by-${setting}`}
        table={() => ({
          columns: ["run", "experiment", "seed", setting, metric],
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
}: {
  dots: Dot[];
  x: string;
  y: string;
  x_log: boolean;
  y_log: boolean;
  numbers: boolean;
}) {
  const [holder, width] = useWidth();
  const as_curves = useMemo(() => dots.map(({ group }) => ({ name: "", group, steps: [], values: [] })), [dots]);
  const groups = useMemo(() => [...new Set(dots.map(({ group }) => group))], [dots]);
  useEffect(() => {
    if (!width) return;
    const looks = new Map(groups.map(group => [group, look_of(as_curves, group)]));
    const up = axis_of(dots.map(dot => dot.y));
    const medians = groups.flatMap(group => {
      const at = new Map<number | string, number[]>();
      for (const dot of dots) if (dot.group === group) (at.get(dot.x) ?? at.set(dot.x, []).get(dot.x)!).push(dot.y);
      return [...at].map(([x, values]) => ({ x, y: median(values), group })).sort((a, b) => (a.x < b.x ? -1 : 1));
    });
    const plot = Plot.plot({
      width,
      height: Math.round(Math.max(220, Math.min(380, width * 0.5))),
      marginLeft: up.room,
      marginBottom: 44,
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
          : { type: "point" as const }),
      },
      y: {
        label: y,
        grid: true,
        nice: true,
        type: y_log ? "log" : "linear",
        tickFormat: y_log ? undefined : up.tickFormat,
      },
      marks: [
        ...groups.flatMap(group => {
          const { colour, dash } = looks.get(group)!;
          const of_group = medians.filter(one => one.group === group);
          return [
            Plot.dot(
              dots.filter(dot => dot.group === group),
              { x: "x", y: "y", r: 3, fill: colour, fillOpacity: 0.4 },
            ),
            // Between words there is nothing that a line could stand for.
            ...(numbers
              ? [Plot.line(of_group, { x: "x", y: "y", stroke: colour, strokeWidth: 2.2, strokeDasharray: dash })]
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
  }, [dots, x, y, x_log, y_log, numbers, width]);
  return (
    <>
      <div ref={holder} class="plot" />
      {groups.length > 1 && <Legend entries={groups.map(group => ({ text: group, ...look_of(as_curves, group) }))} />}
    </>
  );
}

const most_verdicts = 6;

// " [0.1, 0.3]" is an interval, " (0.1 to 0.3)" the range of values that are too few for one.
function bounds_text(
  values: number,
  interval: [number, number] | undefined,
  range: [number | null, number | null] | undefined,
): string {
  if (interval) return ` [${short(interval[0])}, ${short(interval[1])}]`;
  return values > 1 && range ? ` (${short(range[0])} to ${short(range[1])})` : "";
}

// The groups of a setting and their differences from one of them, in words and as a table.
export function GroupsTable({
  heading,
  word = "against",
  store,
  experiment,
  where,
  metric,
  by,
  asked,
  runs,
}: {
  heading: string;
  word?: string; // of the address, for the group that others are compared with
  store: KeptRuns;
  experiment: string;
  where: string;
  metric: string;
  by: string;
  asked: boolean; // whether the person chose the setting
  runs: Run[];
}) {
  const id = useId();
  const [against, set_against] = useWord(word, "");
  const [found, set_found] = useState<Groups>();
  const [trouble, set_trouble] = useState("");
  useEffect(() => {
    let wanted = true;
    const ask = (base: string): Promise<Groups> => store.groups({ experiment, where, metric, by, against: base });
    ask(against)
      // These runs may not have the value.
      .catch(error => (against && error instanceof Trouble ? ask("") : Promise.reject(error)))
      .then(
        groups => {
          if (!wanted) return;
          set_found(groups);
          set_trouble("");
        },
        error => wanted && set_trouble(error instanceof Trouble ? error.message : String(error)),
      );
    return () => {
      wanted = false;
    };
  }, [store, experiment, where, metric, by, against, runs]);
  if (trouble) return <p class={asked ? "problem" : "soft"}>{trouble}</p>;
  if (!found || found.metric !== metric || found.by !== by) return null;
  const base = found.groups.find(({ value }) => setting_text(value) === setting_text(found.against));
  const title = (value: Groups["against"]) =>
    by === "intervene" ? interventions_text(value ?? []) : value === null ? "not set" : setting_text(value);
  const name = (value: Groups["against"]) => group_title(by, title(value));
  const metric_name = metric_title(metric);
  const verdicts = found.groups.slice(0, most_verdicts + 1).flatMap(({ value, measured, test }) => {
    if (!test || test.problem) return [];
    const { pairs = 0, paired_by = [] } = test;
    const sides = means_of_pairs(runs, metric, by, [value, found.against], paired_by);
    const left_out: [number, number] = [measured - pairs, (base?.measured ?? pairs) - pairs];
    // Of more runs than the page has, the means are not known.
    const means = sides?.pairs === pairs ? sides.means : undefined;
    return verdict_of(metric_name, name(value), name(found.against), test, means, left_out) ?? [];
  });
  const differing = [...new Set(found.groups.flatMap(({ test }) => test?.settings ?? []))].filter(name => name !== by);
  const problems = [...new Set(found.groups.flatMap(({ test }) => (test?.problem ? [test.problem] : [])))];
  return (
    <section aria-labelledby={id}>
      <h2 id={id}>{heading}</h2>
      <ul class="verdicts">{verdicts}</ul>
      <label class="pick">
        Compare each group with
        <select value={setting_text(found.against)} onChange={event => set_against(event.currentTarget.value, true)}>
          {found.groups.map(({ value }) => (
            <option value={setting_text(value)} selected={value === base?.value}>
              {name(value)}
            </option>
          ))}
        </select>
      </label>
      <LeftOut count={found.left_out} of={found.groups.reduce((all, group) => all + group.runs, found.left_out)} />
      <Scrolled label="Table of groups">
        <table>
          <thead>
            <tr>
              {[
                setting_title(by),
                "runs",
                "median",
                "middle half",
                "mean of all runs",
                "mean difference of pairs",
                "pairs",
                "p",
              ].map(head => (
                <th scope="col">{head}</th>
              ))}
            </tr>
          </thead>
          <tbody>
            {found.groups.map(
              ({ value, runs, measured, median, low_quarter, high_quarter, mean, interval, range, test }) => (
                <tr>
                  <th scope="row">{setting_cell(by, title(value))}</th>
                  <td class="number">{measured === runs ? runs : `${measured} of ${runs}`}</td>
                  <td class="number">{short(median)}</td>
                  <td class="number">
                    {median === undefined || measured < 3 ? "–" : `${short(low_quarter)} to ${short(high_quarter)}`}
                  </td>
                  <td class="number">
                    {short(mean)}
                    {bounds_text(measured, interval, range)}
                  </td>
                  {!test ? (
                    <td colSpan={3} class="soft">
                      the others are compared with it
                    </td>
                  ) : test.problem ? (
                    <td colSpan={3} class="soft">
                      cannot be paired
                    </td>
                  ) : (
                    <>
                      <td class="number">
                        {short(test.difference)}
                        {bounds_text(
                          test.pairs ?? 0,
                          typeof test.low === "number" && typeof test.high === "number"
                            ? [test.low, test.high]
                            : undefined,
                          test.range,
                        )}
                      </td>
                      <td class="number">{test.pairs}</td>
                      <td class="number">
                        {test.pairs === 1 || test.p === null || test.p === undefined
                          ? "–"
                          : String(+test.p.toPrecision(2))}
                      </td>
                    </>
                  )}
                </tr>
              ),
            )}
          </tbody>
        </table>
      </Scrolled>
      <p class="soft">
        In brackets: the 95 % interval, from {enough_pairs} values on; of fewer, the least and the largest value.
        Median, middle half and mean are of all runs of a group. The difference is of pairs alone, so it can have
        another sign than the means of all runs. Runs are paired by seed and by what else varies, as{" "}
        <code>fovea compare</code> does it. p is of a sign-flip permutation test of the pairs: how often a difference as
        large would come by chance. With n pairs it cannot be below 2/2ⁿ. All values are of the end of each run, also if
        the figure shows a part of the steps.
        {differing.length > 0 && ` Groups differ in ${differing.join(", ")}, too: a difference may come from there.`}
        {problems.length > 0 && ` Not paired: ${problems.join(" ")}`}
      </p>
    </section>
  );
}
