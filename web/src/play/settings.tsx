// What a training is made of: task, model, seed and settings, and what the run beside it has otherwise.
import { useEffect, useId, useState } from "preact/hooks";
import { engine, type Parts } from "../engine/engine";
import type { Training } from "../engine/training";
import type { Table } from "../model";
import type { Refusal } from "./player";
import { words_for } from "./setting_words";
import { type State, settings_in, settings_text, task_of, to_seed } from "./state";

interface Props {
  state: State;
  set: (changes: Partial<State>) => void;
  training: Training | undefined;
  refusals: Refusal[];
  amiss: (field: string, is: boolean) => void; // what stands in a field cannot be taken over
}

interface Setting {
  name: string; // "task.vocab"
  help: string;
  choices: string[]; // none: it is written
}

export function Settings({ state, set, training, refusals, amiss }: Props) {
  const [parts, set_parts] = useState<Parts>();
  useEffect(() => {
    engine.ask<Parts>({ ask: "parts" }).then(set_parts, () => {});
  }, []);
  const task = task_of(state);
  const own = settings_in(state.set);
  const all = settings_of(parts, state, training);
  const [open, set_open] = useState(false);
  useEffect(() => {
    if (refusals.length > 0) set_open(true);
  }, [refusals]);
  const change = (name: string, text: string) => {
    if (text === "") own.delete(name);
    else own.set(name, text);
    set({ set: settings_text(own), step: 0 });
  };
  const of = training_of(state);
  const field = (setting: Setting) => (
    <Field
      key={setting.name}
      of={of}
      setting={setting}
      value={own.get(setting.name) ?? text_of(training, setting.name)}
      refused={why(refusals, setting.name, 0)}
      amiss={amiss}
      change={text => change(setting.name, text)}
    />
  );
  const shown = all.filter(setting => task.shown.includes(setting.name)),
    others = all.filter(setting => !task.shown.includes(setting.name));
  const opens = others.some(setting => why(refusals, setting.name, 0));
  return (
    <details
      class="settings"
      open={open}
      onToggle={event => event.target === event.currentTarget && set_open(event.currentTarget.open)}
    >
      <summary>
        Settings: seed {state.seed}
        {own.size > 0 && `, ${[...own].map(([name, value]) => `${words_for(name)} ${value}`).join(", ")}`}
      </summary>
      <form onSubmit={event => event.preventDefault()}>
        <div class="filters">
          <label>
            Model
            <select
              value={state.model || task.models[0]!.name}
              onChange={event =>
                set({
                  model: event.currentTarget.value === task.models[0]!.name ? "" : event.currentTarget.value,
                  set: settings_text(without(own, "model.")),
                  step: 0,
                })
              }
            >
              {task.models.map(one => (
                <option value={one.name} selected={one.name === (state.model || task.models[0]!.name)}>
                  {one.title}
                </option>
              ))}
            </select>
          </label>
          <Field
            of={of}
            setting={{ name: "seed", help: "seed of all random numbers", choices: [] }}
            value={String(state.seed)}
            refuse={text =>
              /^\d*$/.test(text) && Number.isSafeInteger(Number(text))
                ? ""
                : `A seed is a whole number from ${to_seed} here, not "${text}".`
            }
            amiss={amiss}
            change={text => set({ seed: Number(text), step: 0 })}
          />
          {shown.map(field)}
        </div>
        <details open={opens || undefined}>
          <summary>All settings{own.size > 0 ? ` (${own.size} changed)` : ""}</summary>
          <div class="filters">{others.map(field)}</div>
          {own.size > 0 && (
            <button type="button" onClick={() => set({ set: "", step: 0 })}>
              Back to the defaults
            </button>
          )}
        </details>
        <Beside state={state} set={set} all={all} training={training} refusals={refusals} amiss={amiss} />
      </form>
    </details>
  );
}

// A second run that differs in one setting.
function Beside({ state, set, all, training, refusals, amiss }: Props & { all: Setting[] }) {
  const [[given] = [], value = ""] = [
    [...settings_in(state.beside).keys()],
    [...settings_in(state.beside).values()][0],
  ];
  const [picked, pick] = useState(""); // which is no choice before it has a value
  const chosen = given ?? picked;
  const choices = [...others.filter(({ name }) => name !== "from" || state.hold > 0), ...all];
  const setting = choices.find(one => one.name === chosen);
  return (
    <div class="filters beside">
      <label>
        Compare with a second run that has another
        <select
          value={chosen}
          onChange={event => {
            pick(event.currentTarget.value);
            if (state.beside) set({ beside: "" });
          }}
        >
          <option value="">nothing</option>
          {choices.map(one => (
            <option value={one.name} selected={one.name === chosen}>
              {words_for(one.name)}
            </option>
          ))}
        </select>
      </label>
      {setting && (
        <Field
          key={setting.name}
          of={training_of(state)}
          setting={{ ...setting, help: "in the second run" }}
          title={`${words_for(setting.name)}, second run`}
          value={value}
          refused={why(refusals, setting.name, 1)}
          amiss={amiss}
          placeholder={String(text_of(training, setting.name) ?? "")}
          change={text => set({ beside: text === "" ? "" : `${setting.name}=${text}` })}
        />
      )}
    </div>
  );
}

const others: Setting[] = [
  { name: "seed", help: "", choices: [] },
  { name: "hold", help: "", choices: [] },
  { name: "from", help: "", choices: [] },
];

function why(refusals: Refusal[], setting: string, run: number): string | undefined {
  return refusals.find(one => one.setting === setting && one.run === run)?.why;
}

function training_of({ task, model, seed, set, beside }: State): string {
  return JSON.stringify([task, model, seed, set, beside]);
}

// An address parts settings by it.
const no_semicolon = (text: string) => (text.includes(";") ? "No setting has a semicolon in it." : "");

interface FieldProps {
  setting: Setting;
  value: string | undefined;
  change: (text: string) => void;
  of: string; // what the training is: where that changes, so does what the field is about
  refuse?: (text: string) => string; // why it cannot be; "" where it can
  refused?: string | undefined; // why what was taken over cannot be
  amiss: Props["amiss"];
  title?: string;
  placeholder?: string;
}

// A number or word is taken over when its field is left or Enter pressed; what cannot be stays there, and why beside
// it.
function Field(props: FieldProps) {
  const id = useId();
  const { setting } = props;
  const [written, write] = useState<string>(); // while it is
  const [wrong, say] = useState(""); // with what is written
  const problem = wrong || (written === undefined ? props.refused : "");
  useEffect(() => {
    if (!wrong) return; // what is only not taken over yet stays
    write(undefined);
    say("");
  }, [props.of]);
  useEffect(() => {
    if (!wrong) return undefined;
    props.amiss(id, true);
    return () => props.amiss(id, false);
  }, [wrong]);
  const text = written ?? props.value ?? "";
  const take = () => {
    const why = (props.refuse ?? no_semicolon)(text.trim());
    say(why);
    if (why) return;
    write(undefined);
    if (text.trim() !== (props.value ?? "")) props.change(text.trim());
  };
  return (
    <div class="field" title={setting.help}>
      <label for={id}>{props.title ?? words_for(setting.name)}</label>
      {setting.choices.length > 0 ? (
        <select
          id={id}
          value={text}
          onChange={event => props.change(event.currentTarget.value)}
          aria-describedby={problem ? `${id}-problem` : undefined}
          aria-invalid={problem ? true : undefined}
        >
          {(setting.choices.includes(text) ? setting.choices : ["", ...setting.choices]).map(choice => (
            <option value={choice} selected={choice === text}>
              {choice}
            </option>
          ))}
        </select>
      ) : (
        <input
          id={id}
          type="text"
          class="short"
          spellcheck={false}
          autocomplete="off"
          value={text}
          placeholder={props.placeholder}
          onInput={event => write(event.currentTarget.value)}
          onBlur={take}
          onKeyDown={event => event.key === "Enter" && take()}
          aria-describedby={problem ? `${id}-problem` : undefined}
          aria-invalid={problem ? true : undefined}
        />
      )}
      {problem && (
        <span id={`${id}-problem`} class="problem" role="alert">
          {problem}
        </span>
      )}
    </div>
  );
}

// Those of the task, the model and the training that is under way.
function settings_of(parts: Parts | undefined, state: State, training: Training | undefined): Setting[] {
  if (!parts) return [];
  const task = task_of(state);
  // If there is no training yet, since something in the address cannot be, as the page would ask for it.
  const named = (section: string, table: Table | undefined) =>
    String(training?.setting(section, "name") ?? table?.name);
  const read = (section: string, part: Parts["tasks"][string] | undefined): Setting[] =>
    (part?.settings ?? []).map(({ name, kind, help }) => ({
      name: `${section}.${name}`,
      help,
      choices: kind.startsWith("one of: ")
        ? kind.slice(8).split(", ")
        : kind === "true or false"
          ? ["true", "false"]
          : [],
    }));
  const not_here = new Set([
    "task.texts",
    "task.labels",
    "task.x",
    "task.y",
    "train.threads",
    "train.data_parallel",
    "train.shards",
    "train.keep_weights",
    "train.checkpoints",
  ]);
  return [
    ...read("task", parts.tasks[named("task", task.task)]),
    ...read(
      "model",
      parts.models[named("model", (task.models.find(({ name }) => name === state.model) ?? task.models[0]!).settings)],
    ),
    ...read("train", parts.settings.train),
    { name: "probe.every", help: "steps from one evaluation to the next", choices: [] },
    { name: "probe.examples", help: "examples that are looked at", choices: [] },
  ].filter(({ name }) => !not_here.has(name));
}

function text_of(training: Training | undefined, name: string): string | undefined {
  const [section, key] = name.split(".") as [string, string];
  const value = training?.setting(section, key);
  return value === undefined || value === null ? undefined : typeof value === "string" ? value : JSON.stringify(value);
}

function without(all: Map<string, string>, front: string): Map<string, string> {
  return new Map([...all].filter(([name]) => !name.startsWith(front)));
}
