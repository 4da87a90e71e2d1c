// The store's runs: chosen by experiment and condition, drawn as seed lines, compared setting by setting; what a sweep
// adds appears by itself.
import { useCallback, useMemo, useState } from "preact/hooks";
import { change_address, useWord } from "../address";
import { bands, type Curve } from "../curves";
import type { Line } from "../model";
import { ExperimentTold } from "../run/experiment_told";
import { metric_title } from "../run/metric_names";
import type { Source } from "../source";
import { NoStore } from "./no_store";
import { RunPage } from "./run";
import { AgainstSetting } from "./runs_against";
import { lines_at, runs_at, step_in, step_text, without_value_text } from "./runs_at";
import { RunsChart } from "./runs_chart";
import { ChosenBar, Compare } from "./runs_compare";
import { CompareAt } from "./runs_compare_at";
import { every, Filters, nothing_by } from "./runs_filters";
import { type Asked, type Found, nothing, useFoundRuns } from "./runs_found";
import { GroupsTable } from "./runs_groups";
import {
  can_group,
  differing_in,
  ends_text,
  group_of,
  groups_among,
  in_order,
  is_grouped,
  line_table,
  most_groups,
  name_of,
  not_drawn_text,
  rungs_of_all,
  type Settings,
  setting_title,
  settings_of,
  value_of,
  varied_in,
  with_few_values,
} from "./runs_named";
import { Panel } from "./runs_panel";
import { Parallel } from "./runs_parallel";
import { RunTable } from "./runs_table";
import { Training } from "./training";

export function Runs({ source }: { source: Source }) {
  const [run] = useWord("run", "");
  if (!source.store) return <NoStore source={source} run={run} />;
  return run ? <RunPage source={source} store={source.store} id={run} /> : <AllRuns source={source} />;
}

const most_kinds = 12; // of experiments that colours tell apart

function AllRuns({ source }: { source: Source }) {
  const [said] = useWord("experiment", "");
  const [where] = useWord("where", "");
  const [sort] = useWord("sort", "-id");
  const [wanted] = useWord("metric", "");
  const [asked_by] = useWord("by", "");
  const [at_step] = useWord("at", "");
  const asked = { experiment: said === every ? "" : said, where, sort, wanted, at: step_in(at_step) };
  const { experiment } = asked;
  const [all_drawn, draw_all] = useWord("all", "");
  const found = useFoundRuns(source, asked);
  const { seen, trouble } = found;
  const [drawn, set_drawn] = useState(false); // the figure, which what stands below it waits for
  const many = !experiment && seen.names.experiments.length > 1;
  const settings = useMemo(() => settings_of(seen.runs), [seen.runs]);
  const differing = useMemo(
    () => differing_in(settings, new Set(seen.runs.map(run => run.experiment)).size > 1),
    [settings],
  );
  const coloured =
      asked_by ||
      (many ? "experiment" : (varied_in(differing, settings) ?? (seen.runs.length === 2 ? "seed" : nothing_by))),
    by = coloured === nothing_by ? "" : coloured;
  const as_curves = useCallback(
    (lines: Line[]) => curves_of(lines, by, settings, groups_among(seen.runs, by, settings)),
    [by, settings],
  );
  const curves = useMemo(() => as_curves(seen.lines), [seen.lines, as_curves]);
  const banded = useMemo(() => bands(curves).length > 0, [curves]);
  const rules = useMemo(() => rungs_of_all(seen.runs, seen.metric), [seen.runs, seen.metric]);
  const not_drawn = useMemo(() => not_drawn_text(seen.runs, seen.metric), [seen.runs, seen.metric]);
  const cut = curves.filter(curve => curve.cut).length;
  const medians = `, the median and the middle half${cut > 0 ? ` (without ${cut} stopped or failed)` : ""}`;
  const kinds = new Set(curves.map(curve => curve.kind)).size;
  const blot = !all_drawn && kinds > most_kinds;
  const unlike = curves.length >= 3 && !banded && new Set(curves.map(curve => curve.kind)).size > 1;
  return (
    <>
      <h1>Runs</h1>
      <p>
        Every training that this store has, as a curve and as a row. Choose an experiment and a metric. Tick rows of the
        table to compare runs, and open a run by its number.
      </p>
      {source.trainer && <Training trainer={source.trainer} experiments={source} news={found.news} />}
      <Filters seen={seen} experiment={experiment} coloured={coloured} differing={differing} />
      {experiment && <ExperimentTold source={source} name={experiment} />}
      <p id="trouble" role="alert" class="problem">
        {trouble}
        {trouble && seen.runs.length > 0 && " What stands below is what was there before."}
      </p>
      <Status found={found} asked={asked} served={source.kind === "served"} unlike={unlike} />
      {seen !== nothing && seen.matched === 0 && !experiment && !where && (
        <p>
          Begin with <code>fovea sweep toy-uniform</code>, or <code>fovea reproduce --all --quick</code>.
        </p>
      )}
      {blot && (
        <p>
          {curves.length} curves of {kinds} experiments cannot be told apart. Choose an experiment, or{" "}
          <button type="button" class="quiet" onClick={() => draw_all("1")}>
            draw them all
          </button>
          .
        </p>
      )}
      {curves.length > 0 && !blot && (
        <RunsChart
          curves={curves}
          label={metric_title(seen.metric)}
          title={`${metric_title(seen.metric)}: one line per run${banded ? medians : ""}`}
          banded={banded}
          file={`${experiment || "runs"}-${seen.metric}`}
          table={() => line_table(seen.runs, seen.lines, seen.metric, by, settings)}
          rules={rules}
          not_drawn={not_drawn}
          at={asked.at}
          drawn={() => set_drawn(true)}
        />
      )}
      {curves.length > 0 && !blot && (
        <Panel source={source} seen={seen} asked={asked} curves_of={as_curves} by={by} settings={settings} />
      )}
      {seen.runs.length > 0 && (drawn || blot || curves.length === 0) && (
        <RunDetails
          source={source}
          found={found}
          asked={asked}
          settings={settings}
          differing={differing}
          by={by}
          asked_by={asked_by}
        />
      )}
    </>
  );
}

// How many runs there are, and what of them is not shown as it was asked for.
function Status(props: { found: Found; asked: Asked; served: boolean; unlike: boolean }) {
  const { seen, trouble, live, unasked } = props.found;
  const { experiment, where, wanted } = props.asked;
  const unknown = seen === nothing; // what there is
  if (!unknown && !trouble && (seen.experiment !== experiment || seen.where !== where))
    return (
      <p class="soft" role="status">
        Loading {experiment ? `the runs of ${experiment}` : "runs"}. What stands below is what was there before.
      </p>
    );
  return (
    <p class="soft" role="status">
      {!unknown && (seen.matched === 0 ? "No runs." : `${seen.matched} run${seen.matched === 1 ? "" : "s"}.`)}
      {seen.matched > seen.runs.length &&
        ` Table and figure have the first ${seen.runs.length} of them, in the table's order.`}
      {seen.metric &&
        seen.lines.length < seen.runs.length &&
        ` ${seen.runs.length - seen.lines.length} of ${seen.runs.length} have no ${seen.metric} over their steps to draw.`}
      {wanted &&
        seen.metric &&
        seen.metric !== wanted &&
        ` None shown here has measured ${wanted}: ${seen.metric} is shown.`}
      {props.unlike && " No median is drawn over unlike experiments: choose one, or colour by experiment."}{" "}
      {props.served && (live ? !unknown && "Live: new runs appear by themselves." : "Waiting for the server.")}
      {unasked?.experiment === experiment &&
        ` Without a choice the page shows ${experiment}, ${unasked.newest ? "the newest experiment" : "which has runs to compare"}.`}{" "}
      {experiment !== "" && seen.names.experiments.length > 1 && (
        <button
          type="button"
          class="quiet"
          onClick={() => change_address({ experiment: every, off: "", zoom: "" }, true)}
        >
          Show all {seen.names.runs} runs
        </button>
      )}
    </p>
  );
}

// What stands below the figure: the table, and comparisons.
function RunDetails(props: {
  source: Source;
  found: Found;
  asked: Asked;
  settings: Settings;
  differing: string[];
  by: string;
  asked_by: string; // what the person chose, if anything
}) {
  const { settings, differing, by, asked_by } = props;
  const { seen, trouble } = props.found;
  const { sort, at } = props.asked;
  const { experiment, where } = seen; // the address may ask for others by now
  const { store } = props.source;
  const [marked] = useWord("marked", "");
  const chosen = marked
    .split(",")
    .filter(id => /^\d+$/.test(id))
    .map(Number);
  const choose = (ids: number[], on: boolean) =>
    change_address({ marked: [...chosen.filter(one => !ids.includes(one)), ...(on ? ids : [])].join(",") });
  const lines_chosen = seen.lines.filter(line => chosen.includes(line.run));
  const runs = useMemo(() => runs_at(seen.runs, seen.lines, seen.metric, at), [seen, at]);
  const colours = groups_among(seen.runs, by, settings);
  const file = experiment || "runs";
  const ends = experiment ? ends_text(seen.runs) : "";
  const grouped = is_grouped(seen.runs, by, asked_by, settings);
  return (
    <>
      {ends && <p class="caution">{ends}</p>}
      {seen.metric && <CompareAt runs={seen.runs} />}
      {grouped && !can_group(seen.runs, by, settings) && (
        <p class="soft">
          {setting_title(by)} has more than {most_groups} values in these runs, so groups are not compared.
        </p>
      )}
      {grouped && can_group(seen.runs, by, settings) && seen.metric && store && (
        <GroupsTable
          heading={`Groups by ${setting_title(by)}: ${metric_title(seen.metric)}${step_text(at)}`}
          source={props.source}
          store={store}
          at={at}
          experiment={experiment}
          where={where}
          metric={seen.metric}
          by={by}
          asked={by === asked_by}
          runs={runs}
        />
      )}
      <RunTable
        runs={runs}
        at={at}
        metric={seen.metric}
        sort={sort}
        sorted_yet={seen.sort === sort || trouble !== ""}
        chosen={chosen}
        choose={choose}
        differing={differing}
        settings={settings}
      />
      {seen.runs.length > 2 && seen.metric && (
        <AgainstSetting
          runs={runs}
          at={at}
          colours={colours}
          settings={settings}
          metric={seen.metric}
          differing={differing}
          by={by}
          file={file}
        />
      )}
      {seen.runs.length > 2 && seen.metric && (
        <Parallel
          runs={runs}
          settings={settings}
          metric={seen.metric}
          at={at}
          differing={with_few_values(differing, settings)}
          file={file}
        />
      )}
      {chosen.length > 0 && (
        <ChosenBar
          chosen={chosen}
          table={() => line_table(seen.runs, lines_at(lines_chosen, at), seen.metric, by, settings)}
          file={`${file}-${seen.metric}`}
          note={without_value_text(lines_chosen, at)}
        />
      )}
      {chosen.length > 0 && seen.metric && (
        <Compare
          missing={chosen.filter(id => seen.runs.every(run => run.run !== id))}
          source={props.source}
          runs={runs.filter(run => chosen.includes(run.run))}
          at={at}
          colours={colours}
          among={seen.runs}
          lines={lines_chosen}
          metric={seen.metric}
          settings={settings}
          by={by}
          store={store}
        />
      )}
    </>
  );
}

// A line for each run.
function curves_of(lines: Line[], by: string, settings: Settings, groups: string[]): Curve[] {
  const in_groups = (a: Line, b: Line) => in_order(value_of(a, by, settings), value_of(b, by, settings));
  return (by ? [...lines].sort(in_groups) : lines).map(line => ({
    name: name_of(line, settings),
    group: group_of(line, by, settings),
    colour: groups.indexOf(group_of(line, by, settings)),
    steps: line.steps,
    values: line.values,
    kind: line.experiment,
    cut: line.state === "stopped" || line.state === "failed",
  }));
}
