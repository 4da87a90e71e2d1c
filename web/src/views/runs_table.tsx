// The table of runs: sorted by its columns, with boxes to set runs side by side.
import { useLayoutEffect, useState } from "preact/hooks";
import { change_address } from "../address";
import { number_text, type Run } from "../model";
import { metric_title } from "../run/metric_names";
import { Scrolled } from "../scrolled";
import { address_of_run } from "./run";
import { step_text } from "./runs_at";
import { setting_cell, setting_title } from "./runs_named";

const rows_at_first = 500,
  columns_at_first = 8; // of settings

// A row that moves, since others came or the order is another, keeps the keyboard's focus, which browsers take from it.
function useKeptFocus() {
  const focused = document.activeElement; // before anything is moved
  useLayoutEffect(() => {
    if (
      focused instanceof HTMLElement &&
      focused !== document.body &&
      focused.isConnected &&
      document.activeElement === document.body
    )
      focused.focus({ preventScroll: true });
  });
}

export function RunTable(props: {
  runs: Run[];
  metric: string;
  at: number | undefined; // the step of its values; the end without it
  sort: string;
  sorted_yet: boolean;
  chosen: number[];
  choose: (ids: number[], on: boolean) => void;
  differing: string[];
  settings: Map<number, Map<string, string>>;
}) {
  useKeptFocus();
  const [all, set_all] = useState(false);
  const shown = all ? props.differing : props.differing.slice(0, columns_at_first);
  const [rows, set_rows] = useState(rows_at_first);
  const [last, set_last] = useState<number>(); // row whose box was pressed
  const columns = [
    { title: "run", key: "id" },
    { title: "experiment", key: "experiment" },
    { title: "seed", key: "seed" },
    { title: "state", key: "state" },
    { title: "steps", key: "steps" },
    ...(props.metric ? [{ title: metric_title(props.metric) + step_text(props.at), key: props.metric }] : []),
    ...shown.map(name => ({ title: setting_title(name), key: name })),
  ];
  const sorted = (key: string) =>
    props.sort === key ? "ascending" : props.sort === `-${key}` ? "descending" : undefined;
  return (
    <Scrolled label="Table of runs">
      <table aria-busy={!props.sorted_yet}>
        <thead>
          <tr>
            <th scope="col">
              <input
                type="checkbox"
                aria-label={`Choose all ${props.runs.length} runs`}
                title="Choose all runs of the table"
                checked={props.runs.every(run => props.chosen.includes(run.run))}
                onChange={event =>
                  props.choose(
                    props.runs.map(run => run.run),
                    event.currentTarget.checked,
                  )
                }
              />
            </th>
            {columns.map(({ title, key }) => (
              <th scope="col" aria-sort={sorted(key)}>
                <button
                  type="button"
                  class="sort"
                  onClick={() => change_address({ sort: props.sort === `-${key}` ? key : `-${key}` }, true)}
                >
                  {title}
                  <span aria-hidden="true">{sorted(key) === "ascending" ? " ↑" : sorted(key) ? " ↓" : ""}</span>
                </button>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {props.runs.slice(0, rows).map((run, i) => (
            <tr key={run.run}>
              <td>
                <input
                  type="checkbox"
                  aria-label={`Compare run ${run.run}`}
                  checked={props.chosen.includes(run.run)}
                  title="With Shift: all from the last one to this"
                  onClick={event => {
                    const [from, to] = [event.shiftKey ? (last ?? i) : i, i].sort((a, b) => a - b) as [number, number];
                    set_last(i);
                    props.choose(
                      props.runs.slice(from, to + 1).map(one => one.run),
                      event.currentTarget.checked,
                    );
                  }}
                />
              </td>
              <td class="number">
                <a href={address_of_run(run.run)}>{run.run}</a>
              </td>
              <td>{run.experiment}</td>
              <td class="number">{run.seed}</td>
              <td>
                <span class={`state ${run.state}`} title={run.error}>
                  {run.state}
                </span>
              </td>
              <td class="number">{run.steps}</td>
              {props.metric && <td class="number">{number_text(run.metrics[props.metric]).replace("-", "−")}</td>}
              {shown.map(name => (
                <td>{setting_cell(name, props.settings.get(run.run)?.get(name))}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {props.differing.length > shown.length && (
        <p>
          <button type="button" onClick={() => set_all(true)}>
            Show all {props.differing.length} settings that differ
          </button>
        </p>
      )}
      {props.runs.length > rows && (
        <p>
          <button type="button" onClick={() => set_rows(props.runs.length)}>
            Show all {props.runs.length} rows
          </button>{" "}
          <span class="soft">The first {rows} are shown; the figure has all.</span>
        </p>
      )}
    </Scrolled>
  );
}
