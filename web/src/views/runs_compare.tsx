// Chosen runs side by side: their lines over each other, the settings in which they differ, and all they measured.
import { useMemo } from "preact/hooks";
import { change_address, useWord } from "../address";
import type { Curve } from "../curves";
import { csv_text, Figure, type Table } from "../figure";
import { Lines } from "../lines";
import type { Line, Run } from "../model";
import { metric_title } from "../run/metric_names";
import { save_text } from "../save";
import type { KeptRuns, Source } from "../source";
import { address_of_run } from "./run";
import { step_text } from "./runs_at";
import { GroupsTable } from "./runs_groups";
import { HeadsBeside } from "./runs_heads";
import {
  base_first,
  can_group,
  condition_of,
  ends_text,
  group_of,
  is_length,
  line_table,
  name_of,
  not_drawn_text,
  rungs_of_all,
  type Settings,
  setting_title,
  varied_in,
} from "./runs_named";
import { Numbers } from "./runs_numbers";
import { PairTold } from "./runs_pair";

// What can be done with the chosen runs: it stays in view.
export function ChosenBar(props: { chosen: number[]; table: () => Table; file: string; note: string }) {
  const { chosen, table, file, note } = props;
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
      {note && <span class="soft">{note}</span>}
      <button type="button" class="quiet" onClick={() => change_address({ marked: undefined })}>
        Choose none
      </button>
    </section>
  );
}

interface Compared {
  source: Source;
  missing: number[];
  runs: Run[];
  at: number | undefined; // the step of the compared values; the end without it
  colours: string[]; // groups of the table in the order of their colours
  among: Run[]; // of the table
  lines: Line[];
  metric: string;
  settings: Settings;
  by: string; // the setting by which runs are coloured
  store: KeptRuns | undefined;
}

const told_apart = 6; // up to so many runs have a colour each; more share the colour of their group

export function Compare({ source, missing, at, colours, among, metric, settings, by, store, ...chosen }: Compared) {
  const runs = base_first(chosen.runs, settings);
  const lines = runs.flatMap(({ run }) => chosen.lines.find(line => line.run === run) ?? []);
  const of = (run: Run) => settings.get(run.run) ?? new Map<string, string>();
  const names = [...new Set(runs.flatMap(run => [...of(run).keys()]))].filter(
    name => new Set(runs.map(run => of(run).get(name))).size > 1,
  );
  const [wanted] = useWord("sides_by", "");
  const groupings = [
    ...(new Set(runs.map(run => run.experiment)).size > 1 ? ["experiment"] : []),
    ...names.filter(name => name !== "seed"),
  ];
  const own = new Map(runs.map(run => [run.run, of(run)]));
  const can = groupings.filter(name => can_group(runs, name, settings));
  const setting = groupings.includes(wanted)
    ? wanted
    : ([by, varied_in(can, own), can[0]].find(name => name !== undefined && can.includes(name)) ?? groupings[0]);
  const condition = condition_of(runs);
  const grouped = setting !== undefined && !is_length(setting) && (setting === wanted || can.includes(setting));
  const each = !setting || lines.length <= told_apart;
  const groups = lines.map(line => group_of(line, by, settings));
  const own_group = by !== "" && new Set(groups).size === lines.length; // then a run has the colour of its group
  const curves = useMemo<Curve[]>(
    () =>
      lines.map((line, i) => ({
        name: name_of(line, settings),
        ...(own_group && { colour: colours.indexOf(groups[i]!) }),
        group: each ? name_of(line, settings).replace(`${line.experiment}, `, "") : group_of(line, setting, settings),
        steps: line.steps,
        values: line.values,
      })),
    [JSON.stringify(lines), settings, setting, each, by],
  );
  const rules = useMemo(() => rungs_of_all(runs, metric), [JSON.stringify(runs), metric]);
  const not_drawn = not_drawn_text(runs, metric);
  const title = metric_title(metric);
  const ends = ends_text(runs);
  return (
    <section aria-labelledby="compared">
      <h2 id="compared">Side by side</h2>
      {missing.length > 0 && (
        <p class="soft">
          {missing.length === 1 ? "Run" : "Runs"} {missing.join(", ")} {missing.length === 1 ? "is" : "are"} not among
          those in the table: another experiment or condition may bring {missing.length === 1 ? "it" : "them"} back.
        </p>
      )}
      {runs.length === 2 && (
        <PairTold
          pair={runs as [Run, Run]}
          names={names.filter(name => name !== "seed")}
          of={of}
          metric={metric}
          lines={lines}
          among={among}
          settings={settings}
          store={store}
          at={at}
        />
      )}
      {ends && <p class="caution">{ends}</p>}
      {runs.length > 2 && groupings.length > 1 && (
        <label class="pick">
          Group the chosen runs by
          <select
            value={setting}
            onChange={event => change_address({ sides_by: event.currentTarget.value, sides_against: "" }, true)}
          >
            {groupings.map(name => (
              <option value={name} selected={name === setting}>
                {setting_title(name)}
              </option>
            ))}
          </select>
        </label>
      )}
      {condition === undefined && <p class="soft">More than 200 runs are chosen. Choose fewer to compare groups.</p>}
      {grouped && condition !== undefined && store && runs.length > 2 && (
        <GroupsTable
          heading={`The ${runs.length} chosen runs, by ${setting_title(setting)}: ${title}${step_text(at)}`}
          word="sides_against"
          source={source}
          at={at}
          store={store}
          experiment=""
          where={condition}
          metric={metric}
          by={setting}
          asked={setting === wanted}
          runs={runs}
        />
      )}
      {curves.length > 1 && (
        <Figure
          paper
          title={`${title}: the runs compared`}
          file={`compared-${metric}`}
          table={() => line_table(runs, lines, metric, setting ?? "", settings)}
        >
          <Lines curves={curves} label={title} rules={rules} />
        </Figure>
      )}
      {curves.length > 1 && not_drawn && <p class="soft">{not_drawn}</p>}
      {runs.length > 0 && (
        <details open={runs.length <= told_apart}>
          <summary>All settings that differ, and all numbers</summary>
          <Numbers runs={runs} names={names} of={of} metric={metric} at={at} />
        </details>
      )}
      {store && <HeadsBeside runs={runs} store={store} />}
    </section>
  );
}
