// Chosen runs side by side: their lines over each other, the settings in which they differ, and all they measured.
import { useMemo } from "preact/hooks";
import { change_address } from "../address";
import type { Curve } from "../curves";
import { Figure } from "../figure";
import { Lines } from "../lines";
import { type Line, number_text, type Run } from "../model";
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
      <p>
        <button type="button" onClick={() => change_address({ marked: undefined })}>
          Choose none
        </button>
      </p>
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
