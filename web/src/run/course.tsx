// How a run learned: its curves, what its heads attend to over the steps, and what happened in the order of the steps.
import { useMemo } from "preact/hooks";
import { change_address, useWord } from "../address";
import type { Curve } from "../curves";
import { Figure } from "../figure";
import { has_rungs, rungs_among } from "../line_looks";
import { Lines } from "../lines";
import { likely_metric } from "../metric";
import { flat_settings, type WholeRun } from "../model";
import { RungList } from "../play/rung_list";
import { has_meanings } from "../play/rung_words";
import { role_of } from "../roles";
import { divergences_of, events_in, other_positions, precision_text, type RunEvent, rungs_of_last } from "./events";
import { head_metrics, not_formed, rises_of } from "./heads_told";
import { task_of } from "./in_playground";
import { series_of } from "./kept";
import { MetricOptions, metric_title } from "./metric_names";

const divergences = "divergences"; // all of them, as one choice
const divergences_title = "KL divergence from each rung";

const marks_of = (events: RunEvent[]) => events.map(({ step, mark }) => ({ step, says: mark }));

// What happened, in the order of the steps. A step shows the attention there.
export function Events({ run }: { run: WholeRun }) {
  const events = useMemo(() => events_in(run), [run]);
  const absent = useMemo(() => not_formed(run), [run]);
  if (events.length === 0 && absent.length === 0) return null;
  const show = ({ step, map }: RunEvent) => {
    change_address({ step, ...(map && run.arrays.some(({ name }) => name === map) && { map }) }, true);
    document.getElementById("maps")?.scrollIntoView({ block: "start", behavior: "smooth" });
  };
  const of_rungs = events.some(({ says }) => says.startsWith("Nearest rung"));
  return (
    <section class="run-events" aria-labelledby="events">
      <h2 id="events">What happened, in order</h2>
      <ol>
        {events.map(event => (
          <li>
            <button type="button" onClick={() => show(event)} aria-label={`Show the attention at step ${event.step}`}>
              Step {event.step}
            </button>
            <span>
              {event.says}
              {event.loss !== undefined && <span class="soft"> Loss {+event.loss.toPrecision(3)}.</span>}
            </span>
          </li>
        ))}
      </ol>
      {absent.map(says => (
        <p>{says}</p>
      ))}
      <p class="soft">
        {precision_text(run, events)} A step opens the attention maps at that step.
        {events.filter(({ map }) => map).length > 1 &&
          " Half of the rise is another weight for each head. The levels differ, so no order of heads is judged."}
        {events.some(({ map }) => map) && " Attention alone does not show that a head copies."}
        {of_rungs &&
          ` A rung is a loss plateau that is predicted from the data before training. The nearest rung is the one whose predictions have the smallest KL divergence from the model's${rungs_of_last(run) ? ", at the last position" : ""}.`}
      </p>
    </section>
  );
}

// The colour of a metric's role, or of its head: the same in every figure of the run.
function colour_of(run: WholeRun, metric: string): Pick<Curve, "colour"> {
  const role = role_of(metric);
  if (role >= 0) return { colour: role };
  const all = head_metrics(run);
  const heads = [...new Set(all.map(({ head }) => head))].sort();
  return { colour: heads.indexOf(all.find(one => one.metric === metric)?.head ?? "") };
}

// A metric over the steps, with the predicted plateaus, or the divergence from each of them.
export function Course({ run, now }: { run: WholeRun; now: number | undefined }) {
  const names = Object.keys(run.series).filter(name => run.series[name]!.length > 1);
  const rungs = rungs_among(Object.entries(run.metrics));
  const from = divergences_of(run),
    of_last = rungs_of_last(run);
  const usual =
    of_last && from.length > 1 ? divergences : likely_metric(names, rungs.length > 0 ? "loss" : "") || (names[0] ?? "");
  const [asked, choose] = useWord("of", usual);
  const all = asked === divergences && from.length > 1;
  const metric = asked;
  const shown = all ? from : [metric];
  const title = all ? divergences_title : metric_title(metric);
  const curves = useMemo<Curve[]>(
    () =>
      shown.map(name => ({
        name: metric_title(name),
        group: all ? name.slice("from_".length).replaceAll("_", " ") : "",
        ...colour_of(run, name),
        ...series_of(run.series[name] ?? []),
      })),
    [run, asked],
  );
  const marks = useMemo(() => marks_of(events_in(run)), [run]);
  const rules = has_rungs(metric) && !of_last ? rungs : [],
    own = flat_settings(run.settings).get("task.name") ?? "";
  if (names.length === 0) return null;
  return (
    <section aria-labelledby="course">
      <h2 id="course">How it learned</h2>
      <label class="pick">
        Metric
        <select value={asked} onChange={event => choose(event.currentTarget.value)}>
          {from.length > 1 && (
            <option value={divergences} selected={all}>
              {divergences_title}
            </option>
          )}
          <MetricOptions metrics={names} chosen={metric} />
        </select>
      </label>
      <Figure
        paper
        title={`${title} of run ${run.run}`}
        file={`run-${run.run}-${asked}`}
        table={() => ({
          columns: ["run", "metric", "step", "value"],
          rows: shown.flatMap(name => (run.series[name] ?? []).map(([at, value]) => [run.run, name, at, value])),
        })}
      >
        <Lines
          curves={curves}
          label={all ? "KL divergence" : title}
          now={now}
          rules={rules}
          marks={marks}
          mark_rows={marks.length}
          height={300 + 16 * marks.length}
        />
      </Figure>
      {all && (
        <p class="soft">
          The lowest curve is the rung that the model is nearest to
          {of_last ? ", at the last position of each example" : ""}.
        </p>
      )}
      {rules.length > 0 && (
        <p class="soft">Thin horizontal lines: the rungs, losses that were predicted from the data before training.</p>
      )}
      {has_rungs(metric) && of_last && <p class="soft">{other_positions}</p>}
      {(all || rules.length > 0) && rungs.length > 0 && (
        <div class="soft rungs-meant">
          <p>A rung is predicted for an ideal model that uses only this:</p>
          <RungList rungs={rungs} task={has_meanings(own) ? own : (task_of(run)?.name ?? own)} />
        </div>
      )}
    </section>
  );
}

const most_heads = 6;

// What each head attends to over the steps, the largest rises first.
export function HeadCourse({ run, now }: { run: WholeRun; now: number | undefined }) {
  const rises = useMemo(() => rises_of(run), [run]);
  const curves = useMemo<Curve[]>(
    () =>
      rises
        .slice(0, most_heads)
        .map(({ metric, head, on, series }) => ({
          ...{ name: head, group: `${head}: ${on}`, ...colour_of(run, metric), ...series },
        }))
        .sort((a, b) => (a.group < b.group ? -1 : 1)),
    [run, rises],
  );
  const marks = useMemo(() => marks_of(events_in(run).filter(({ map }) => map)), [run]);
  return (
    <section aria-labelledby="head-course">
      <h2 id="head-course">What each head learned</h2>
      <Figure
        paper
        title={`Attention weight of ${rises.length > most_heads ? `the ${most_heads} heads that changed most` : "each head"}`}
        file={`run-${run.run}-heads`}
        table={() => ({
          columns: ["run", "metric", "step", "value"],
          rows: rises.flatMap(({ metric, series }) =>
            series.steps.map((step, i) => [run.run, metric, step, series.values[i] ?? null]),
          ),
        })}
      >
        <Lines
          curves={curves}
          label="weight"
          range={[0, 1]}
          now={now}
          marks={marks}
          mark_rows={marks.length}
          height={300 + 16 * marks.length}
        />
      </Figure>
      <p class="soft">
        The mean attention of a head on one kind of position, the kind whose weight rose most. Dotted: a head forms when
        it has made half of its rise, from its first to its highest weight. It is named only if its weight ends at least
        half of the way from uniform attention to 1.
      </p>
    </section>
  );
}
