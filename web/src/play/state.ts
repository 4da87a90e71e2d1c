// What the playground shows, whole: it stands in the address, so a link is an experiment at a step.
import { Refused } from "../engine/engine";
import type { Plan } from "../engine/training";
import { own_points } from "../own/points";
import { own_texts } from "../own/texts";
import { act_text, interventions_of } from "./acts";
import { beside } from "./setting_words";
import { may_lack, probe_of } from "./task_metrics";
import { type Task, tasks } from "./tasks";

export interface State {
  task: string;
  model: string;
  seed: number;
  set: string; // "task.vocab=30;train.rate=0.002"
  act: string; // what is done to attention
  by: number; // the factor, where attention is multiplied
  of: string; // of which head, "layer.1.head.2"; "": of all
  hold: number; // until this step; 0: nothing
  from: number; // and from this one on
  beside: string; // what the second run has otherwise, "train.rate=0.01"; "": there is none
  step: number; // where the person looks
  example: number; // -1: the first that tells something
}

// Numbers past it are not all told apart by a browser.
export const to_seed = `0 to ${Number.MAX_SAFE_INTEGER}`;

export const ghost = "hold=0"; // the run beside a changed one that nothing is done to

export const first: State = {
  task: "copy",
  model: "",
  seed: 0,
  set: "",
  act: "uniform",
  by: 4,
  of: "",
  hold: 0,
  from: 0,
  beside: "",
  step: 0,
  example: -1,
};

// A task by its name here, or by its name in a spec.
const task_named = (name: string | null) =>
  tasks.find(one => one.name === name) ?? tasks.find(one => one.task?.name === name);

export function read_state(words: URLSearchParams): State {
  const whole = (name: "seed" | "hold" | "from" | "step" | "example") => {
    const value = Number(words.get(name) ?? NaN);
    return Number.isSafeInteger(value) && value >= 0 ? value : first[name];
  };
  const task = task_named(words.get("task")) ?? tasks[0]!;
  return {
    task: task.name,
    model: task.models.find(one => one.name === words.get("model"))?.name ?? "",
    seed: whole("seed"),
    set: words.get("set") ?? "",
    act: task.acts.find(name => name === words.get("act")) ?? first.act,
    by: factor_in(words.get("by")) ?? first.by,
    of: words.get("of") ?? "",
    hold: words.has("act") && !task.acts.includes(words.get("act")!) ? 0 : whole("hold"),
    from: whole("from"),
    beside: words.get("beside") ?? "",
    step: whole("step"),
    example: whole("example"),
  };
}

// A factor of attention, as it is typed; undefined if it is none. By 1 nothing would change.
export function factor_in(text: string | null): number | undefined {
  const factor = /^\s*\d{1,4}(\.\d{1,6})?\s*$/.test(text ?? "") ? Number(text) : NaN;
  return factor >= 0 && factor <= 1000 && factor !== 1 ? factor : undefined;
}

// What an address asks for that there is not here; "" if all is understood.
export function misread_in(words: URLSearchParams): string {
  const state = read_state(words);
  const task = task_of(state);
  const given = (name: string) => words.get(name) ?? "";
  const misread: string[] = [];
  if (given("task") && !task_named(given("task")))
    misread.push(
      `The address asks for a task "${given("task")}", which is not one of this page's: "${task.title}" is shown.`,
    );
  else {
    if (given("model") && !task.models.some(({ name }) => name === given("model")))
      misread.push(
        `The address asks for a model "${given("model")}", which this task does not have here: "${task.models[0]!.title}" is shown.`,
      );
    if (given("act") && !task.acts.includes(given("act")))
      misread.push(
        `The address asks for "${given("act")}" to be done to attention, which cannot be done here: nothing is.`,
      );
  }
  for (const name of ["seed", "step", "hold", "from", "example"] as const)
    if (given(name) && !(/^\d+$/.test(given(name)) && Number.isSafeInteger(Number(given(name)))))
      misread.push(
        `The address says ${name} "${given(name)}", which is not a whole number${/^\d+$/.test(given(name)) ? ` below 2⁵³` : ""}${name === "example" ? ": the first example that tells something is shown" : `: it is ${state[name]} here`}.`,
      );
  if (given("by") && factor_in(given("by")) === undefined)
    misread.push(`The factor by="${given("by")}" is not a number from 0 to 1000: ${state.by} is used.`);
  if (state.from > 0 && !Number(given("hold")) && !settings_in(state.beside).has("hold"))
    misread.push(`The address says from "${given("from")}", and not until when (hold): attention is left to itself.`);
  return misread.join(" ");
}

// As words of an address; what is as at first is left out.
export function words_of(changes: Partial<State>): { [word: string]: string | number | undefined } {
  return Object.fromEntries(
    Object.entries(changes).map(([word, value]) => [word, value === first[word as keyof State] ? undefined : value]),
  );
}

export function task_of(state: State): Task {
  return tasks.find(one => one.name === state.task)!;
}

// "a=1;b=2" as a map, and back.
export function settings_in(text: string): Map<string, string> {
  const all = new Map<string, string>();
  for (const words of text.split(";")) {
    const mark = words.indexOf("=");
    if (words.trim())
      all.set((mark < 0 ? words : words.slice(0, mark)).trim(), mark < 0 ? "" : words.slice(mark + 1).trim());
  }
  return all;
}
export function settings_text(all: Map<string, string>): string {
  return [...all].map(([name, value]) => `${name}=${value}`).join(";");
}

export const owns = { texts: own_texts, points: own_points };

// What the run beside the first is called.
export function title_of(state: State, more: string): string {
  const act = act_text(state.act, state.by);
  const all = [...settings_in(more)].map(([name, value]) =>
    name === "hold"
      ? value === "0"
        ? "untouched training"
        : `attention ${act} until step ${value}`
      : name === "from"
        ? `attention ${act} from step ${value}`
        : `${beside[name] ?? name} ${value}`,
  );
  return all.join(" and ");
}

// What a training is begun with; `more` is what the run beside it has otherwise. There is none while the person's own
// data are wanted and not there.
export function plan_of(state: State, more = ""): Plan | undefined {
  const task = task_of(state);
  const table = task.own ? owns[task.own].task : task.task;
  if (!table) return undefined;
  const model = task.models.find(one => one.name === state.model) ?? task.models[0]!;
  const set = new Map([...settings_in(state.set), ...settings_in(more)]);
  const whole = (name: string, otherwise: number) => {
    const text = set.get(name) ?? String(otherwise);
    set.delete(name);
    if (!/^\d+$/.test(text) || !Number.isSafeInteger(Number(text)))
      throw new Refused(`It cannot be "${text}". Give a whole number from ${to_seed}.`, name);
    return Number(text);
  };
  const seed = whole("seed", state.seed),
    hold = whole("hold", state.hold),
    from = whole("from", state.from),
    steps = Number(set.get("train.steps") ?? task.train.steps),
    layers =
      model.settings.name === "transformer"
        ? Math.min(16, Number(set.get("model.layers") ?? model.settings.layers) || 1)
        : 1;
  // A model without attention can be trained, too: what is of attention is left out then.
  const probes = [
    ...new Set([
      ...task.metrics.map(metric => probe_of[metric] ?? metric),
      ...(task.probes ?? []),
      ...Object.keys(model.probes ?? {}),
    ]),
  ].sort();
  const probe = {
    keep: task.own ? 100 : 8,
    ...task.probe,
    ...model.probes,
    names: probes.filter(name => !may_lack.has(name)),
    optional: [...probes.filter(name => may_lack.has(name)), "kept_beta"],
  };
  const spec = {
    task: table,
    model: model.settings,
    train: task.train,
    probe,
    ...(hold > 0 && {
      intervene: interventions_of(state.act, state.of, from, hold < steps ? hold : undefined, state.by, layers),
    }),
  };
  return { spec, seed, set: Object.fromEntries(set), ...(task.words && { words: task.words }) };
}
