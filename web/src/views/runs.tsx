// The store's runs: chosen by experiment and condition, drawn as seed lines, compared setting by setting; what a sweep
// adds appears by itself.
import { useEffect, useId, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { change_address, read_address, useWord } from "../address";
import { bands, type Curve } from "../curves";
import { likely_metric, metric_of } from "../metric";
import { flat_settings, type Line, type Names, number_text, type Run } from "../model";
import { Scrolled } from "../scrolled";
import type { Source } from "../source";
import { Trouble } from "../trouble";
import { in_turn } from "../turns";
import { NoStore } from "./no_store";
import { address_of_run, RunPage } from "./run";
import { RunsChart } from "./runs_chart";
import { Compare, line_table } from "./runs_compare";
import { AgainstSetting, GroupsTable } from "./runs_groups";
import { Parallel } from "./runs_parallel";
import { Training } from "./training";

interface Seen {
  names: Names;
  matched: number;
  runs: Run[];
  lines: Line[];
  metric: string;
  sort: string;
}

const nothing: Seen = {
  names: { experiments: [], metrics: [], settings: [], runs: 0 },
  matched: 0,
  runs: [],
  lines: [],
  metric: "",
  sort: "",
};
const rows_at_first = 500; // of the table
const every = "*",
  nothing_by = "nothing"; // said in an address, where something else is meant by what it leaves out

// Text that is taken over when its writer pauses, so that half a condition is not asked.
function useSlow(value: string, take: (value: string) => void): [string, (value: string) => void] {
  const [written, write] = useState<string>(); // while it is
  const timer = useRef<number>();
  useEffect(() => () => clearTimeout(timer.current), []); // the address is another view's by then
  return [
    written ?? value,
    next => {
      write(next);
      clearTimeout(timer.current);
      timer.current = setTimeout(() => {
        write(undefined);
        take(next);
      }, 400);
    },
  ];
}

export function Runs({ source }: { source: Source }) {
  const [run] = useWord("run", "");
  if (!source.store) return <NoStore source={source} run={run} />;
  return run ? <RunPage store={source.store} id={run} /> : <AllRuns source={source} />;
}

function AllRuns({ source }: { source: Source }) {
  const [said] = useWord("experiment", "");
  const experiment = said === every ? "" : said;
  const [where, take_where] = useWord("where", "");
  const [sort] = useWord("sort", "-id");
  const [wanted] = useWord("metric", "");
  const [asked_by] = useWord("by", "");
  const [marked] = useWord("marked", "");
  const [seen, set_seen] = useState<Seen>(nothing);
  const [trouble, set_trouble] = useState("");
  const [live, set_live] = useState(false);
  const [news, set_news] = useState(0);
  const [newest, set_newest] = useState(""); // experiment, that was chosen unasked
  const [drawn, set_drawn] = useState(false); // the figure, which what stands below it waits for
  const [condition, set_condition] = useSlow(where, take_where);

  const look = useRef(() => {});
  const known = useRef<number>(),
    told = useRef<number>(); // how many runs there were when it was looked, and when the line was opened
  const missed = useRef(false); // it was looked, and nothing seen
  useEffect(() => {
    let wanted_still = true;
    look.current = in_turn(async () => {
      if (!wanted_still) return;
      try {
        const query = { experiment, where, sort };
        const names = await source.names();
        // Who opens the view without a wish is shown one experiment, as lines of many are one blot.
        if (known.current === undefined && [...read_address().words].length === 0 && names.experiments.length > 1) {
          const [run] = (await source.runs({ limit: 1 })).runs;
          if (wanted_still && run && [...read_address().words].length === 0) {
            set_newest(run.experiment);
            return change_address({ experiment: run.experiment });
          }
        }
        // The curves of what is likely to be shown are asked for beside the runs, of as many as the table has.
        const likely = likely_metric(names.metrics, wanted);
        const [found, likely_lines] = await Promise.all([
          source.runs(query),
          likely ? source.lines({ ...query, metric: likely }) : undefined,
        ]);
        const metric = metric_of(found.runs, wanted);
        const lines = !metric
          ? []
          : metric === likely
            ? likely_lines!.lines
            : (await source.lines({ ...query, metric })).lines;
        if (!wanted_still) return;
        known.current = names.runs;
        set_seen({ names, ...found, lines, metric, sort });
        set_trouble("");
        missed.current = false;
      } catch (error) {
        missed.current = true;
        if (wanted_still) set_trouble(error instanceof Trouble ? error.message : String(error));
      }
      if ((told.current ?? known.current) !== known.current) look.current(); // some came in between
      told.current = undefined;
    });
    look.current();
    return () => {
      wanted_still = false;
    };
  }, [source, experiment, where, sort, wanted]);
  const changed = (runs?: number) => {
    if (runs !== undefined && !missed.current && (known.current ?? runs) === runs) {
      told.current = runs;
      return;
    }
    look.current();
    set_news(count => count + 1);
  };
  useEffect(() => source.watch(changed, set_live), [source]);

  const unknown = seen === nothing; // what there is
  const many = !experiment && seen.names.experiments.length > 1;
  const coloured = asked_by || (many ? "experiment" : nothing_by),
    by = coloured === nothing_by ? "" : coloured;
  const settings = useMemo(() => new Map(seen.runs.map(run => [run.run, flat_settings(run.settings)])), [seen.runs]);
  const differing = useMemo(() => names_that_differ([...settings.values()]), [settings]);
  const curves = useMemo<Curve[]>(
    () =>
      seen.lines.map(line => ({
        name: `run ${line.run}, ${line.experiment}, seed ${line.seed}`,
        group: by === "experiment" ? line.experiment : by ? `${by} = ${settings.get(line.run)?.get(by) ?? "?"}` : "",
        steps: line.steps,
        values: line.values,
        kind: line.experiment,
        cut: line.state === "stopped" || line.state === "failed",
      })),
    [seen.lines, by, settings],
  );
  const banded = useMemo(() => bands(curves).length > 0, [curves]);
  const cut = curves.filter(curve => curve.cut).length;
  const medians = `, the median and the middle half${cut > 0 ? ` (without ${cut} stopped or failed)` : ""}`;
  const unlike = curves.length >= 3 && !banded && new Set(curves.map(curve => curve.kind)).size > 1;
  const metrics = [...new Set(seen.runs.flatMap(run => Object.keys(run.metrics)))].sort();
  const chosen = marked
    .split(",")
    .filter(id => /^\d+$/.test(id))
    .map(Number);
  const choose = (id: number, on: boolean) =>
    change_address({ marked: (on ? [...chosen, id] : chosen.filter(one => one !== id)).join(",") });

  return (
    <>
      <h1>Runs</h1>
      {source.trainer && <Training trainer={source.trainer} experiments={source} news={news} />}
      <form class="filters" onSubmit={event => event.preventDefault()}>
        <Choice
          label="Experiment"
          word="experiment"
          value={experiment || every}
          options={[every, ...seen.names.experiments]}
          words={{ [every]: "all" }}
        />
        <label class="wide">
          Condition
          <input
            type="search"
            value={condition}
            placeholder="task.vocab = 60 and accuracy >= 0.9"
            spellcheck={false}
            onInput={event => set_condition(event.currentTarget.value)}
            aria-describedby="trouble"
          />
        </label>
        <Choice label="Metric" word="metric" value={seen.metric} options={metrics} />
        <Choice
          label="Colour by"
          word="by"
          value={coloured}
          options={[...new Set([nothing_by, "experiment", ...differing, coloured])]}
        />
      </form>
      <p id="trouble" role="alert" class="problem">
        {trouble}
        {trouble && seen.runs.length > 0 && " What stands below is what was there before."}
      </p>
      <p class="soft" role="status">
        {!unknown && (seen.matched === 0 ? "No runs." : `${seen.matched} run${seen.matched === 1 ? "" : "s"}.`)}
        {seen.matched > seen.runs.length &&
          ` Table and figure have the first ${seen.runs.length} of them, in the table's order.`}
        {seen.metric &&
          seen.lines.length < seen.runs.length &&
          ` ${seen.runs.length - seen.lines.length} of ${seen.runs.length} have no ${seen.metric} over their steps to draw.`}
        {wanted && seen.metric && seen.metric !== wanted && ` None has measured ${wanted}: ${seen.metric} is shown.`}
        {unlike && " No median is drawn over unlike experiments: choose one, or colour by experiment."}{" "}
        {source.kind === "served" &&
          (live ? !unknown && "Live: new runs appear by themselves." : "Waiting for the server.")}
        {experiment !== "" && experiment === newest && ` Shown are those of ${newest}, the newest experiment.`}{" "}
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
      {!unknown && seen.matched === 0 && !experiment && !where && (
        <p>
          Begin with <code>fovea sweep toy-uniform</code>, or <code>fovea reproduce --all --quick</code>.
        </p>
      )}
      {curves.length > 0 && (
        <RunsChart
          curves={curves}
          label={seen.metric.replaceAll("_", " ")}
          title={`${seen.metric.replaceAll("_", " ")}: one line per run${banded ? medians : ""}`}
          file={`${experiment || "runs"}-${seen.metric}`}
          table={() => line_table(seen.lines, seen.metric)}
          drawn={() => set_drawn(true)}
        />
      )}
      {seen.runs.length > 0 && (drawn || curves.length === 0) && (
        <>
          <RunTable
            runs={seen.runs}
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
              runs={seen.runs}
              settings={settings}
              metric={seen.metric}
              differing={differing}
              by={by}
              file={experiment || "runs"}
            />
          )}
          {seen.runs.length > 2 && seen.metric && (
            <Parallel
              runs={seen.runs}
              settings={settings}
              metric={seen.metric}
              differing={differing}
              file={experiment || "runs"}
            />
          )}
          {by && by === asked_by && seen.metric && source.store && (
            <GroupsTable
              store={source.store}
              experiment={experiment}
              where={where}
              metric={seen.metric}
              by={by}
              runs={seen.runs}
            />
          )}
          {chosen.length > 0 && seen.metric && (
            <Compare
              missing={chosen.filter(id => seen.runs.every(run => run.run !== id))}
              runs={seen.runs.filter(run => chosen.includes(run.run))}
              lines={seen.lines.filter(line => chosen.includes(line.run))}
              metric={seen.metric}
              settings={settings}
            />
          )}
        </>
      )}
    </>
  );
}

function names_that_differ(all: Map<string, string>[]): string[] {
  const values = new Map<string, Set<string>>();
  for (const one of all)
    for (const [name, text] of one) (values.get(name) ?? values.set(name, new Set()).get(name)!).add(text);
  return [...values]
    .filter(([name, texts]) => texts.size > 1 && texts.size <= 12 && name !== "seed")
    .map(([name]) => name);
}

function Choice(props: {
  label: string;
  word: string;
  value: string;
  options: string[];
  words?: { [option: string]: string };
}) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{props.label}</label>
      <select
        id={id}
        value={props.value}
        onChange={event =>
          change_address(
            { [props.word]: event.currentTarget.value, off: "", ...(props.word !== "by" && { zoom: "" }) },
            true,
          )
        }
      >
        {props.options.map(option => (
          <option value={option} selected={option === props.value}>
            {props.words?.[option] ?? option}
          </option>
        ))}
      </select>
    </div>
  );
}

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

function RunTable(props: {
  runs: Run[];
  metric: string;
  sort: string;
  sorted_yet: boolean;
  chosen: number[];
  choose: (id: number, on: boolean) => void;
  differing: string[];
  settings: Map<number, Map<string, string>>;
}) {
  useKeptFocus();
  const shown = props.differing.slice(0, 3);
  const [rows, set_rows] = useState(rows_at_first);
  const columns = [
    { title: "run", key: "id" },
    { title: "experiment", key: "experiment" },
    { title: "seed", key: "seed" },
    { title: "state", key: "state" },
    { title: "steps", key: "steps" },
    ...(props.metric ? [{ title: props.metric.replaceAll("_", " "), key: props.metric }] : []),
    ...shown.map(name => ({ title: name, key: name })),
  ];
  const sorted = (key: string) =>
    props.sort === key ? "ascending" : props.sort === `-${key}` ? "descending" : undefined;
  return (
    <Scrolled label="Table of runs">
      <table aria-busy={!props.sorted_yet}>
        <thead>
          <tr>
            <th scope="col">
              <span class="hidden">compare</span>
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
          {props.runs.slice(0, rows).map(run => (
            <tr key={run.run}>
              <td>
                <input
                  type="checkbox"
                  aria-label={`Compare run ${run.run}`}
                  checked={props.chosen.includes(run.run)}
                  onChange={event => props.choose(run.run, event.currentTarget.checked)}
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
              {props.metric && <td class="number">{number_text(run.metrics[props.metric])}</td>}
              {shown.map(name => (
                <td>
                  <code>{props.settings.get(run.run)?.get(name) ?? "–"}</code>
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
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
