// The curves of runs, and the ways to look at them: a part of the steps, logarithmic axes, smoothed, some groups only.
import { useCallback, useMemo } from "preact/hooks";
import { useWord } from "../address";
import type { Curve, Window } from "../curves";
import { Figure, type Table } from "../figure";
import type { Rule } from "../line_looks";
import { Lines } from "../lines";
import { LogBoxes } from "./runs_logs";

const widths = [1, 5, 11, 25, 51]; // looks

export function window_in(text: string): Window | undefined {
  const numbers = text.split(",").map(Number);
  if (![2, 4].includes(numbers.length) || !numbers.every(Number.isFinite)) return undefined;
  const [left, right, low, high] = numbers as [number, number, number, number];
  if (!(left < right) || (numbers.length === 4 && !(low < high))) return undefined;
  return { x: [left, right], y: numbers.length === 4 ? [low, high] : undefined };
}

const short = (value: number) => String(+value.toPrecision(5));

export function RunsChart(props: {
  curves: Curve[];
  label: string;
  title: string;
  banded: boolean; // groups have a median and a band
  file: string;
  table: () => Table;
  rules: Rule[];
  not_drawn: string; // which rungs are not, and why
  at: number | undefined; // the step at which runs are compared
  drawn: () => void;
}) {
  const { curves, label } = props;
  const [part, set_part] = useWord("zoom", "");
  const [logs, set_logs] = useWord("log", "");
  const [smooth, set_smooth] = useWord("smooth", "1");
  const [off, set_off] = useWord("off", "");
  const window = useMemo(() => window_in(part), [part]);
  const zoom = useCallback(
    (to: Window | undefined) => set_part(to ? [...to.x, ...(to.y ?? [])].map(short).join() : "", true),
    [set_part],
  );
  const groups = useMemo(() => [...new Set(curves.map(curve => curve.group))], [curves]);
  const shown = useMemo(
    () => new Set(groups.filter(group => off === "" || !off.split("|").includes(group))),
    [groups, off],
  );
  const switch_group = (group: string) => {
    const hidden = new Set(groups.filter(one => !shown.has(one)));
    if (!hidden.delete(group)) hidden.add(group);
    set_off([...hidden].join("|"));
  };
  const log = (axis: "x" | "y") => logs.includes(axis);
  const lost = useMemo(() => left_out(curves, log("x"), log("y")), [curves, logs]);
  const last = useMemo(() => curves.reduce((most, { steps }) => Math.max(most, steps.at(-1) ?? 0), 0), [curves]);
  const width = widths.includes(Number(smooth)) ? Number(smooth) : 1;
  const step_field = (name: string, which: 0 | 1) => (
    <label>
      {name}
      <input
        type="number"
        class="short"
        min={0}
        value={window ? short(window.x[which]) : which === 0 ? 0 : last}
        onChange={event => {
          const to: [number, number] = window ? [...window.x] : [0, last];
          to[which] = Number(event.currentTarget.value);
          if (to[0] < to[1]) zoom({ x: to, y: window?.y });
        }}
      />
    </label>
  );
  return (
    <div class="runs-chart">
      <fieldset class="chart-ways" aria-label="How the curves are drawn">
        {step_field("Steps from", 0)}
        {step_field("to", 1)}
        <button type="button" disabled={!window} onClick={() => zoom(undefined)}>
          Show all steps
        </button>
        <label>
          Smoothing
          <select value={String(width)} onChange={event => set_smooth(event.currentTarget.value, true)}>
            {widths.map(one => (
              <option value={String(one)}>{one === 1 ? "none" : `mean over ${one} evaluations`}</option>
            ))}
          </select>
        </label>
        <LogBoxes across="steps" log={logs} set={text => set_logs(text, true)} />
      </fieldset>
      <Figure paper title={props.title} file={props.file} table={props.table}>
        <Lines
          curves={curves}
          label={label}
          shown={shown}
          {...(groups.length > 1 && { toggle: switch_group })}
          x_log={log("x")}
          y_log={log("y")}
          smooth={width}
          window={window}
          zoom={zoom}
          rules={props.rules}
          {...(props.at !== undefined && { now: props.at })}
          drawn={props.drawn}
        />
      </Figure>
      <p class="soft">
        {props.banded &&
          "Thick: the median of a group. Band: its middle half, from 25 % to 75 % of the runs. Both end at the step that nine in ten runs of the group have reached. "}
        Draw over a part of the figure to see it large; a double click shows all again.
        {groups.length > 1 && " The legend switches groups on and off."}
        {props.rules.length > 0 &&
          " Thin horizontal lines: losses that are predicted from the data, before any training."}{" "}
        {props.not_drawn}
        {width > 1 && " The measured curves are drawn faintly behind the smoothed ones."}
        {lost > 0 &&
          ` ${lost} ${lost === 1 ? "value is" : "values are"} 0 or less, and cannot be drawn on a logarithmic axis.`}
        {groups.length > 28 && " There are more groups than kinds of line: some are alike."}
      </p>
    </div>
  );
}

function left_out(curves: Curve[], x_log: boolean, y_log: boolean): number {
  let count = 0;
  for (const { steps, values } of curves)
    values.forEach((value, i) => {
      if (value !== null && ((x_log && steps[i]! <= 0) || (y_log && value <= 0))) ++count;
    });
  return count;
}
