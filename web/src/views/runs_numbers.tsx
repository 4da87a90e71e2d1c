// What chosen runs measured, as numbers beside each other: the compared metric, then the largest differences. Smaller ones
// and details are folded.
import { number_text, type Run } from "../model";
import { is_rung, rung_called } from "../run/events";
import { detail_of, metric_title } from "../run/metric_names";
import { Scrolled } from "../scrolled";
import { type Row, rows_of, short } from "./pairs";
import { address_of_run } from "./run";
import { at_text } from "./runs_at";
import { setting_cell, setting_title } from "./runs_named";

const rows_at_first = 8;

export function Numbers(props: {
  runs: Run[];
  names: string[];
  of: (run: Run) => Map<string, string>;
  metric: string; // that is compared: its row is the first
  at: number | undefined; // the step of the compared metric; the end without it
}) {
  const { runs, names, of, metric, at } = props;
  const { rows, single } = rows_of(runs, metric);
  const folds = new Map<string, Row[]>();
  for (const row of rows) {
    const fold = row.metric === metric ? "" : detail_of(row.metric);
    folds.set(fold, [...(folds.get(fold) ?? []), row]);
  }
  const usual = folds.get("") ?? [],
    at_step = at !== undefined && usual[0]?.metric === metric ? 1 : 0; // its row has a table of its own
  const [first, smaller] = [usual.slice(at_step, rows_at_first), usual.slice(rows_at_first)];
  const titles = single.map(metric_title);
  return (
    <>
      {names.length > 0 && (
        <Scrolled label="Settings that differ" whole>
          <table>
            <Head runs={runs} first="setting that differs" />
            <tbody>
              {names.map(name => (
                <tr>
                  <th scope="row">{setting_title(name)}</th>
                  {runs.map(run => (
                    <td>{setting_cell(name, of(run).get(name))}</td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </Scrolled>
      )}
      <Measured runs={runs} rows={usual.slice(0, at_step)} label={`Runs side by side ${at_text(at)}`} at={at} />
      <Measured runs={runs} rows={first} label="Runs side by side" />
      {smaller.length > 0 && (
        <details>
          <summary>Smaller differences ({smaller.length})</summary>
          <Measured runs={runs} rows={smaller} label="Smaller differences" />
        </details>
      )}
      {[...folds]
        .filter(([fold]) => fold !== "")
        .map(([fold, rows]) => (
          <details>
            <summary>
              {fold} ({rows.length})
            </summary>
            <Measured runs={runs} rows={rows} label={fold} />
          </details>
        ))}
      {titles.length > 0 && (
        <details>
          <summary>Measured in one of the runs ({titles.length})</summary>
          <p class="soft">{titles.join("; ")}.</p>
        </details>
      )}
    </>
  );
}

const spread_of = (runs: Run[]) => (runs.length === 2 ? "difference" : "largest difference");

function Head({ runs, first, last }: { runs: Run[]; first: string; last?: string }) {
  return (
    <thead>
      <tr>
        <th scope="col">{first}</th>
        {runs.map(run => (
          <th scope="col">
            <a href={address_of_run(run.run)}>run {run.run}</a>
          </th>
        ))}
        {last && <th scope="col">{last}</th>}
      </tr>
    </thead>
  );
}

function Measured(props: {
  runs: Run[];
  rows: Row[];
  label: string;
  at?: number | undefined; // the step of all rows; the end without it
}) {
  const { runs, rows, label, at } = props;
  if (rows.length === 0) return null;
  return (
    <Scrolled label={label} whole>
      <table>
        <Head runs={runs} first={`metric ${at_text(at)}`} last={spread_of(runs)} />
        <tbody>
          {rows.map(({ metric, values, difference }) => {
            const of_rung = is_rung(metric);
            return (
              <tr>
                <th scope="row">{metric_title(metric).replace(" (number)", "")}</th>
                {values.map((value, i) => (
                  <td class="number">
                    {(at === undefined && rung_called(runs[i]!, metric, value)) ||
                      (typeof value === "number" ? short(value) : number_text(value))}
                  </td>
                ))}
                <td class="number">
                  <b>{of_rung ? "" : short(runs.length === 2 ? values[1]! - values[0]! : difference)}</b>
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </Scrolled>
  );
}
