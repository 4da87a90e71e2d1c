// Chosen runs side by side: their lines over each other, the settings in which they differ, and all they measured.
import { useMemo } from "preact/hooks";
import { change_address } from "../address";
import type { Curve } from "../curves";
import { csv_text, Figure, type Table } from "../figure";
import { Lines } from "../lines";
import { type Line, number_text, type Run } from "../model";
import { save_text } from "../save";
import { Scrolled } from "../scrolled";
import { address_of_run } from "./run";

// As `fovea export` writes it.
export function line_table(lines: Line[], metric: string) {
  return {
    columns: ["run", "experiment", "seed", "metric", "step", "value"],
    rows: lines.flatMap(line =>
      line.steps.map((step, i) => [line.run, line.experiment, line.seed, metric, step, line.values[i] ?? null]),
    ),
  };
}

// What can be done with the chosen runs: it stays in view.
export function ChosenBar({ chosen, table, file }: { chosen: number[]; table: () => Table; file: string }) {
  return (
    <section class="chosen-bar" aria-label="Chosen runs">
      <b>{chosen.length} chosen:</b>
      <button
        type="button"
        class="main"
        onClick={() => document.getElementById("compared")?.scrollIntoView({ block: "start" })}
      >
        Compare
      </button>
      {chosen.slice(0, 4).map(run => (
        <a href={address_of_run(run)}>Open run {run}</a>
      ))}
      <button
        type="button"
        onClick={() => save_text(csv_text(table()), `${file}-runs-${chosen.join("-")}.csv`, "text/csv")}
      >
        Export as CSV
      </button>
      <button type="button" class="quiet" onClick={() => change_address({ marked: undefined })}>
        Choose none
      </button>
    </section>
  );
}

export function Compare({
  missing,
  runs,
  lines,
  metric,
  settings,
}: {
  missing: number[];
  runs: Run[];
  lines: Line[];
  metric: string;
  settings: Map<number, Map<string, string>>;
}) {
  const of = (run: Run) => settings.get(run.run) ?? new Map<string, string>();
  const names = [...new Set(runs.flatMap(run => [...of(run).keys()]))].filter(
    name => new Set(runs.map(run => of(run).get(name))).size > 1,
  );
  const metrics = [...new Set(runs.flatMap(run => Object.keys(run.metrics)))].sort();
  const curves = useMemo<Curve[]>(
    () =>
      lines.map(line => ({
        name: `run ${line.run}`,
        group: `run ${line.run}, seed ${line.seed}`,
        steps: line.steps,
        values: line.values,
      })),
    [JSON.stringify(lines)],
  );
  const title = metric.replaceAll("_", " ");
  return (
    <section aria-labelledby="compared">
      <h2 id="compared">Side by side</h2>
      {missing.length > 0 && (
        <p class="soft">
          {missing.length === 1 ? "Run" : "Runs"} {missing.join(", ")} {missing.length === 1 ? "is" : "are"} not among
          those in the table: another experiment or condition may bring {missing.length === 1 ? "it" : "them"} back.
        </p>
      )}
      {curves.length > 1 && (
        <Figure
          paper
          title={`${title}: the runs compared`}
          file={`compared-${metric}`}
          table={() => line_table(lines, metric)}
        >
          <Lines curves={curves} label={title} />
        </Figure>
      )}
      {runs.length > 0 && (
        <Scrolled label="Runs side by side">
          <table>
            <thead>
              <tr>
                <th scope="col" />
                {runs.map(run => (
                  <th scope="col">
                    <a href={address_of_run(run.run)}>run {run.run}</a>
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {names.map(name => (
                <tr>
                  <th scope="row">{name}</th>
                  {runs.map(run => (
                    <td>
                      <code>{of(run).get(name) ?? "–"}</code>
                    </td>
                  ))}
                </tr>
              ))}
              {metrics.map(name => (
                <tr>
                  <th scope="row">{name.replaceAll("_", " ")}</th>
                  {runs.map(run => (
                    <td class="number">{number_text(run.metrics[name])}</td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </Scrolled>
      )}
    </section>
  );
}
