// A kept run as an address of the playground, which trains it anew: the same spec and seed, so the same numbers.

import { write_address } from "../address";
import { Training } from "../engine/training";
import { flat_settings, type Setting, type WholeRun } from "../model";
import { act_of } from "../play/acts";
import { first, plan_of, type State, settings_text, words_of } from "../play/state";
import { tasks } from "../play/tasks";
import { Trouble } from "../trouble";

const not_of_numbers =
  /^(train\.(threads|keep_weights|checkpoints|data_parallel|shards)|probe\.(?!every$).*|seed|intervene)$/;

// Why the playground cannot train it; "" where it can.
export function not_there(run: WholeRun): string {
  const settings = flat_settings(run.settings);
  if (settings.has("train.program")) return `It was trained by another program (${settings.get("train.program")}).`;
  if (!place_of(run))
    return `The playground has no task "${settings.get("task.name") ?? "?"}" with a model "${settings.get("model.name") ?? "?"}".`;
  if (!done_in(run)) return "What was done to its attention cannot be set there.";
  return "";
}

function place_of(run: WholeRun) {
  const settings = flat_settings(run.settings);
  for (const task of tasks) {
    const model = task.models.find(one => one.settings.name === settings.get("model.name"));
    if (model && task.task?.name === settings.get("task.name")) return { task, model };
  }
  return undefined;
}

function done_in(run: WholeRun): Partial<State> | undefined {
  const all = (run.settings.intervene ?? []) as { [word: string]: Setting }[];
  if (!Array.isArray(all) || all.length > 1) return undefined;
  const [one] = all;
  if (!one) return {};
  const act = act_of(one);
  const known = act && Object.keys(one).every(word => [act.word, "of", "from", "until"].includes(word));
  if (!known || typeof one.until !== "number") return undefined;
  const of = String((act.is === undefined && !act.factor ? one[act.word] : one.of) ?? "");
  const by = act.factor && { by: Number(one[act.word]) };
  return { act: act.name, of, from: Number(one.from ?? 0), hold: one.until, ...by };
}

// The playground's task of a run, if it has it.
export const task_of = (run: WholeRun) => place_of(run)?.task;

// `done`: what is done to attention there; else what was done in the run.
export async function address_in_playground(run: WholeRun, done = done_in(run)): Promise<string> {
  const place = place_of(run)!;
  const state: State = {
    ...first,
    task: place.task.name,
    model: place.model === place.task.models[0] ? "" : place.model.name,
    seed: run.seed,
    ...done,
  };
  // What differs from what the playground would begin by itself.
  const training = await new Training(plan_of(state)!).begin();
  const usual = flat_settings(training.settings);
  training.end();
  const own = new Map<string, string>();
  for (const [name, text] of flat_settings(run.settings))
    if (!not_of_numbers.test(name) && !/^intervene/.test(name) && usual.get(name) !== text) own.set(name, text);
  if ([...own.values()].some(text => text.includes(";")))
    throw new Trouble("A setting of it has a semicolon, which an address of the playground cannot say.");
  const words = new URLSearchParams();
  for (const [word, value] of Object.entries(words_of({ ...state, set: settings_text(own) })))
    if (value !== undefined) words.set(word, String(value));
  return write_address({ view: "play", words });
}
