// What happened in a run, in the order of its steps: the nearest rungs, the heads that rose, and accuracy.
import { capital } from "../capital";
import type { Mark } from "../curves";
import { value_in } from "../engine/looks";
import type { Table, WholeRun } from "../model";
import { marks_of_interventions } from "../play/acts";
import { forms_at, is_formed, rises_of, steps_apart } from "./heads_told";
import { series_of } from "./kept";

export interface RunEvent {
  step: number;
  says: string;
  mark: string; // a few words, for a figure
  set?: true; // by the spec, so its step is exact
  map?: string; // the attention map that shows it
  loss?: number;
}

const most_heads = 4,
  least_stay = 3; // evaluations, for a rung that is reached
const short = (value: number) => String(+value.toPrecision(2));
const rung_name = (metric: string) => metric.slice("from_".length).replaceAll("_", " ");

// The divergences from the rungs, from the highest rung down.
export const divergences_of = (run: WholeRun) =>
  Object.keys(run.series)
    .filter(name => /^from_/.test(name) && !/(_held|_released)$/.test(name) && run.series[name]!.length > 1)
    .sort((a, b) => height_of(run, b) - height_of(run, a));
const height_of = (run: WholeRun, divergence: string) => run.metrics[divergence.replace(/^from/, "rung")] ?? 0;

// Metrics that are numbers of rungs, in the order of the task's ladder.
const numbered = /^(rung|level)(_held|_released)?$/;
export const is_rung = (metric: string) => numbered.test(metric);

type Metrics = WholeRun["metrics"];

// The rung of the least distance, among the metrics "from_…" or "rung_…" with the ending of a change; "" if there is none.
function nearest_of(metrics: Metrics, begin: "from_" | "rung_", change: string, distance: (value: number) => number) {
  const far = (name: string) => distance(metrics[name] ?? Infinity);
  const [nearest] = Object.keys(metrics)
    .filter(name => name.startsWith(begin) && !is_rung(name) && /(_held|_released|)$/.exec(name)![0] === change)
    .sort((a, b) => far(a) - far(b));
  return nearest ? rung_name(nearest.slice(0, nearest.length - change.length)) : "";
}

// The rung that the run ends nearest to, by KL divergence.
export const nearest_at_end = ({ metrics }: { metrics: Metrics }, change = "") =>
  nearest_of(metrics, "from_", change, divergence => divergence);

// The name of the rung that a metric numbers, if it is that of the run's end: the nearest by divergence, or by loss. Equal
// numbers have one name. The loss at the last position alone is not known, so there the rungs are counted from the highest.
export function rung_called(
  { metrics, settings }: Pick<WholeRun, "metrics" | "settings">,
  metric: string,
  number: unknown,
) {
  const [, is, change = ""] = numbered.exec(metric) ?? [];
  if (!is || number === null || number !== metrics[metric]) return undefined;
  const loss = metrics[`loss${change}`] ?? Infinity;
  const nearest = nearest_at_end({ metrics }, change),
    by_kl = metrics[`rung${change}`];
  if (nearest && (is === "rung" || number === by_kl)) return nearest;
  if (!rungs_of_last({ settings }))
    return nearest_of(metrics, "rung_", "", height => Math.abs(height - loss)) || undefined;
  const names = Object.keys(metrics)
    .filter(name => /^rung_(?!held$|released$)/.test(name) && !/(_held|_released)$/.test(name))
    .sort((a, b) => (metrics[b] ?? 0) - (metrics[a] ?? 0))
    .map(rung_name);
  return names[by_kl ?? -1] === nearest ? names[Number(number)] : undefined;
}

// Whether the rungs are of the last position alone, while the loss is of all positions.
export function rungs_of_last({ settings }: Pick<WholeRun, "settings">): boolean {
  const { ladder } = (settings.probe ?? {}) as Table;
  return (ladder as Table | undefined)?.place === "last" && (settings.task as Table | undefined)?.ask !== "last";
}
export const other_positions =
  "The rungs are of the last position, and the loss is of all positions. So no rungs are drawn. The KL divergences from the rungs are of the last position.";

// The nearest rung by KL divergence at each evaluation, as stretches of three evaluations or more.
export function nearest_rungs(run: WholeRun): { step: number; rung: string }[] {
  const names = divergences_of(run),
    all = names.map(name => series_of(run.series[name]!));
  if (names.length < 2) return [];
  const stretches: { step: number; rung: string; stays: number }[] = [];
  for (const step of all[0]!.steps) {
    const values = all.map(series => value_in(series, step) ?? Infinity);
    const least = Math.min(...values);
    if (!Number.isFinite(least)) continue;
    const rung = rung_name(names[values.indexOf(least)]!),
      last = stretches.at(-1);
    if (last?.rung === rung) ++last.stays;
    else stretches.push({ step, rung, stays: 1 });
  }
  const stay = stretches.filter(({ stays, step }) => stays >= least_stay || step === 0);
  return stay.filter(({ rung }, i) => rung !== stay[i - 1]?.rung).map(({ step, rung }) => ({ step, rung }));
}

const without_nearest = (rungs: string[], stays: { rung: string }[]) =>
  rungs.filter(name => stays.every(({ rung }) => rung !== name));

function rung_events(run: WholeRun): RunEvent[] {
  const names = divergences_of(run).map(rung_name);
  const stays = nearest_rungs(run);
  return stays.slice(1).map(({ step, rung }, i) => {
    const before = stays[i]!.rung;
    const between = names.slice(names.indexOf(before) + 1, Math.max(0, names.indexOf(rung))),
      skipped = without_nearest(between, stays.slice(0, i));
    const [rungs, are] = skipped.length === 1 ? ["rung", "is"] : ["rungs", "are"];
    const never = ` The ${rungs} ${skipped.join(" and ")} ${are} skipped: not nearest at ${least_stay} evaluations in a row.`;
    const change = `Nearest rung: ${rung}, no longer ${before}.${skipped.length === 0 ? "" : never}`;
    return { step, says: change, mark: `nearest rung: ${rung}` };
  });
}

function head_events(run: WholeRun): RunEvent[] {
  return rises_of(run)
    .filter(is_formed)
    .slice(0, most_heads)
    .map(formed => ({
      ...{ step: forms_at(formed), map: formed.map, mark: `${formed.head} forms` },
      says: `${capital(formed.head)} attends like ${formed.called}: it has made half of its rise, from weight ${short(formed.first)} to ${short(formed.most)} on ${formed.on}.`,
    }));
}

function accuracy_event(run: WholeRun): RunEvent[] {
  const { steps, values } = series_of(run.series.accuracy ?? []);
  const step = steps[values.findIndex(value => value !== null && value >= 0.9)];
  return step === undefined ? [] : [{ step, says: "Accuracy reaches 90 %.", mark: "accuracy 90 %" }];
}

const event_of = ({ step, says: mark }: Mark): RunEvent => ({ step, mark, says: `${capital(mark)}.`, set: true });

// The steps at which an intervention begins and ends.
function change_events(run: WholeRun): RunEvent[] {
  const { intervene } = run.settings;
  const marks = Array.isArray(intervene) ? marks_of_interventions(intervene as Table[]) : [];
  return marks.filter(({ step }) => step <= run.steps).map(event_of);
}

export function events_in(run: WholeRun): RunEvent[] {
  const loss = series_of(run.series.loss ?? []);
  return [...change_events(run), ...rung_events(run), ...head_events(run), ...accuracy_event(run)]
    .sort((a, b) => a.step - b.step)
    .map(event => {
      const value = value_in(loss, event.step);
      return typeof value === "number" ? { ...event, loss: value } : event;
    });
}

// How exact the steps of measured events are; "" if none was measured, or if it is not known.
export function precision_text(run: WholeRun, events: RunEvent[]): string {
  const apart = steps_apart(run);
  if (apart === 0 || events.every(({ set }) => set)) return "";
  const exact = events.some(({ set }) => set) ? " The steps of interventions are exact." : "";
  return `Evaluations are at most ${apart} steps apart, so a measured event may be up to ${apart} steps earlier.${exact}`;
}
