// What happened in a run, in the order of its steps: the nearest rungs, the heads that rose, and accuracy.
import { capital } from "../capital";
import type { Mark } from "../curves";
import { value_in } from "../engine/looks";
import type { Table, WholeRun } from "../model";
import { marks_of_interventions } from "../play/acts";
import { rises_of } from "./heads_told";
import { series_of } from "./kept";

export interface RunEvent {
  step: number;
  says: string;
  mark: string; // a few words, for a figure
  map?: string; // the attention map that shows it
  loss?: number;
}

const least_rise = 0.3, // of the way to 1, for a head that learned
  least_difference = 0.2,
  most_heads = 4,
  least_stay = 3; // evaluations, for a rung that is reached
const short = (value: number) => String(+value.toPrecision(2));
const rung_name = (metric: string) => metric.slice("from_".length).replaceAll("_", " ");

// The divergences from the rungs, from the highest rung down.
export const divergences_of = (run: WholeRun) =>
  Object.keys(run.series)
    .filter(name => /^from_/.test(name) && !/(_held|_released)$/.test(name) && run.series[name]!.length > 1)
    .sort((a, b) => height_of(run, b) - height_of(run, a));
const height_of = (run: WholeRun, divergence: string) => run.metrics[divergence.replace(/^from/, "rung")] ?? 0;

// The rung that the run ends nearest to, by KL divergence.
export function nearest_at_end({ metrics }: WholeRun): string {
  const names = Object.keys(metrics).filter(name => /^from_/.test(name) && !/(_held|_released)$/.test(name));
  const [nearest] = names.sort((a, b) => (metrics[a] ?? Infinity) - (metrics[b] ?? Infinity));
  return nearest ? rung_name(nearest) : "";
}

// Whether the rungs are of the last position alone, while the loss is of all positions.
export function rungs_of_last(run: WholeRun): boolean {
  const { ladder } = (run.settings.probe ?? {}) as Table;
  return (ladder as Table | undefined)?.place === "last";
}

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

function rung_events(run: WholeRun): RunEvent[] {
  const [start, ...later] = nearest_rungs(run);
  if (!start) return [];
  return later.map(({ step, rung }, i) => ({
    step,
    says: `Nearest rung: ${rung}, no longer ${[start, ...later][i]!.rung}.`,
    mark: `nearest rung: ${rung}`,
  }));
}

function head_events(run: WholeRun): RunEvent[] {
  return rises_of(run)
    .filter(({ rise, first, most }) => rise >= least_rise && most - first >= least_difference)
    .slice(0, most_heads)
    .map(({ series, first, most, called, head, on, map }) => ({
      step: series.steps[series.values.findIndex(value => value !== null && value >= (first + most) / 2)]!,
      says: `${called}: ${head} has made half of its rise, from weight ${short(first)} to ${short(most)} on ${on}.`,
      mark: `${head}: half of its rise`,
      map,
    }));
}

function accuracy_event(run: WholeRun): RunEvent[] {
  const { steps, values } = series_of(run.series.accuracy ?? []);
  const step = steps[values.findIndex(value => value !== null && value >= 0.9)];
  return step === undefined ? [] : [{ step, says: "Accuracy reaches 90 %.", mark: "accuracy 90 %" }];
}

const event_of = ({ step, says: mark }: Mark): RunEvent => ({ step, mark, says: capital(mark).concat(".") });

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
