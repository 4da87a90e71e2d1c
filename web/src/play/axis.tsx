// The time axis with its handles: the step that is looked at, and the steps from and until which something is done to
// attention.
import type { JSX } from "preact";
import { useEffect, useId, useRef, useState } from "preact/hooks";
import { does } from "../start/change";
import { act_text, acts } from "./acts";
import { head_title } from "./attention";
import { factor_in, type State } from "./state";
import type { Task } from "./tasks";

interface Props {
  total: number;
  at: number;
  still: boolean; // what stands there is not to be trained
  go: (step: number) => void;
}

const part = (step: number, total: number) => (total > 0 ? Math.min(1, step / total) : 0);

export function TimeAxis({ total, at, still, go }: Props) {
  const id = useId();
  const [moves, count_move] = useState(0); // of the handle
  return (
    <div class="axis" style={{ "--reached": part(at, total) }}>
      <label for={id}>Look at step</label>
      <StepSlider
        id={id}
        kind="look"
        total={total}
        still={still}
        handle={{
          value: at,
          onInput: event => {
            count_move(moves + 1);
            go(Number(event.currentTarget.value));
          },
        }}
        field={{ name: "Step that is looked at", value: at, most: total, of: moves, take: go }}
      />
    </div>
  );
}

// A handle on the axis, and its step as a number beside it.
interface SliderProps {
  id: string;
  kind: "look" | "from" | "hold";
  total: number;
  still: boolean;
  handle: JSX.InputHTMLAttributes<HTMLInputElement>;
  field: Omit<StepProps, "still">;
}

function StepSlider({ id, kind, total, still, handle, field }: SliderProps) {
  return (
    <>
      <input id={id} class={kind} type="range" min={0} max={total} step={1} disabled={still} {...handle} />
      <StepField still={still} {...field} />
    </>
  );
}

// What is done to attention, and from which step until which. Nothing here moves while a handle is.
interface HoldProps {
  total: number;
  task: Task;
  heads: string[];
  state: State;
  still: boolean;
  set: (changes: Partial<State>) => void;
}

export function HoldAxis({ total, task, heads, state, still, set }: HoldProps) {
  const id = useId();
  const set_hold = (step: number) => set({ hold: step, from: Math.min(state.from, Math.max(0, step - 1)) });
  // A change that has no end yet lasts to the end.
  const set_from = (step: number) =>
    set(state.hold > 0 ? { from: Math.min(step, state.hold - 1) } : { from: Math.min(step, total - 1), hold: total });
  const hold = useHandle(state.hold, total, set_hold);
  const from = useHandle(state.from, total, set_from);
  const title = act_text(state.act, state.by);
  const from_start = state.hold > 0 ? { step: 0 } : {}; // where nothing is changed yet, what is trained stays
  return (
    <div
      class="axis holds"
      style={{ "--held": part(hold.value, total), "--from": part(Math.min(from.value, hold.value), total) }}
    >
      <span class="act">
        <label for={`${id}-from`} class="hidden">
          Step from which attention is {title}
        </label>
        <span>
          Change:{" "}
          {heads.length > 1 && (
            <select
              aria-label="Head that is changed"
              value={state.of}
              disabled={still}
              onChange={event => set({ of: event.currentTarget.value, ...from_start })}
            >
              <option value="">all attention</option>
              {heads.map(head => (
                <option value={head} selected={head === state.of}>
                  {head_title(head)}
                </option>
              ))}
            </select>
          )}{" "}
          <select
            aria-label="What is done to attention"
            value={state.act}
            disabled={still}
            onChange={event => set({ act: event.currentTarget.value, ...from_start })}
          >
            {acts
              .filter(act => task.acts.includes(act.name))
              .map(act => (
                <option value={act.name} selected={act.name === state.act}>
                  {does[act.name]}
                </option>
              ))}
          </select>{" "}
          {acts.find(act => act.name === state.act)!.factor && (
            <>
              by <FactorField value={state.by} still={still} take={by => set({ by, ...from_start })} />{" "}
            </>
          )}
          from step
        </span>
      </span>
      <StepSlider
        id={`${id}-from`}
        kind="from"
        total={total}
        still={still}
        handle={from.handle}
        field={{
          name: "Held from, as a number",
          value: from.value,
          most: (state.hold || total) - 1,
          of: from.value,
          take: set_from,
        }}
      />
      <label for={`${id}-hold`} class="release">
        <span aria-hidden="true">release at step</span>
        <span class="hidden">Step until which attention is {title}</span>
      </label>
      <StepSlider
        id={`${id}-hold`}
        kind="hold"
        total={total}
        still={still}
        handle={hold.handle}
        field={{
          name: "Held until, as a number",
          value: hold.value,
          most: total,
          none: "off",
          of: hold.value,
          take: set_hold,
        }}
      />
    </div>
  );
}

interface StepProps {
  name: string;
  value: number;
  most: number;
  none?: string; // stands for 0
  still: boolean;
  of: number; // where that changes, what could not be taken over is forgotten
  take: (step: number) => void;
}

// A step as a number that can be typed: taken over by Enter, or when it is left. What cannot be stays there, and why
// below it.
export function StepField({ name, value, most, none, still, of, take }: StepProps) {
  const id = useId();
  const [written, write] = useState<string>(); // while it is
  const [wrong, say] = useState("");
  const forget = () => {
    write(undefined);
    say("");
  };
  useEffect(() => {
    if (wrong) forget();
  }, [of, most]);
  const done = () => {
    const text = written?.trim() ?? "";
    const step = none && ["", none].includes(text.toLowerCase()) ? 0 : /^\d+(e\d+)?$/i.test(text) ? Number(text) : NaN;
    if (text !== "" && !(step <= most))
      return say(`A step from 0 to ${most} is wanted${none ? `, or ${none}` : ""}, not "${text}".`);
    if (written !== undefined && step >= 0 && step !== value) take(step);
    forget();
  };
  return (
    <>
      <input
        class="step"
        type="text"
        inputMode="numeric"
        autocomplete="off"
        disabled={still}
        aria-label={name}
        aria-describedby={wrong ? id : undefined}
        aria-invalid={wrong ? true : undefined}
        placeholder={none}
        value={written ?? (value === 0 && none ? "" : String(value))}
        onInput={event => write(event.currentTarget.value)}
        onBlur={done}
        onKeyDown={event => event.key === "Enter" && done()}
      />
      {wrong && (
        <span id={id} class="problem" role="alert">
          {wrong}
        </span>
      )}
    </>
  );
}

// A factor that is typed: taken over by Enter, or when it is left; what cannot be is forgotten.
function FactorField({ value, still, take }: { value: number; still: boolean; take: (factor: number) => void }) {
  const [written, write] = useState<string>();
  const done = () => {
    const factor = factor_in(written ?? null);
    if (factor !== undefined && factor !== value) take(factor);
    write(undefined);
  };
  return (
    <input
      class="step"
      type="text"
      inputMode="decimal"
      autocomplete="off"
      disabled={still}
      aria-label="Factor of attention on the right words: 0 to 1000, and not 1"
      value={written ?? String(value)}
      onInput={event => write(event.currentTarget.value)}
      onBlur={done}
      onKeyDown={event => event.key === "Enter" && done()}
    />
  );
}

const rest = 600; // milliseconds: longer than a key that is held waits before it repeats

// The least of the round step sizes that a pointer can tell apart, where a step is so many points wide.
function nice(points: number): number {
  return [1, 2, 5, 10, 20, 50, 100].find(size => size * points >= 8) ?? 200;
}

// A handle that begins another training where it is let go. A key moves it one step at a time: there it is let go when
// it has rested, or is left.
function useHandle(value: number, total: number, set: (value: number) => void) {
  const [moved, move] = useState<number>(); // while it is
  const by_key = useRef(false),
    dragged = useRef(false);
  const read = (input: HTMLInputElement) => {
    const size = dragged.current ? nice(input.clientWidth / Math.max(1, total)) : 1;
    return Math.min(total, Math.round(Number(input.value) / size) * size);
  };
  const waits = useRef<{ timer: number; value: number }>();
  const newest = useRef(set);
  newest.current = set;
  const settle = () => {
    if (!waits.current) return;
    const { timer, value } = waits.current;
    clearTimeout(timer);
    waits.current = undefined;
    move(now => (now === value ? undefined : now));
    newest.current(value);
  };
  useEffect(() => () => clearTimeout(waits.current?.timer), []);
  return {
    value: moved ?? value,
    handle: {
      value: moved ?? value,
      onPointerDown: () => {
        by_key.current = false;
        dragged.current = true;
      },
      onKeyDown: () => {
        by_key.current = true;
        dragged.current = false;
      },
      onInput: (event: { currentTarget: HTMLInputElement }) => {
        event.currentTarget.value = String(read(event.currentTarget));
        move(Number(event.currentTarget.value));
      },
      onChange: (event: { currentTarget: HTMLInputElement }) => {
        const value = read(event.currentTarget);
        dragged.current = false;
        clearTimeout(waits.current?.timer);
        waits.current = { value, timer: window.setTimeout(settle, rest) };
        if (!by_key.current) settle();
      },
      onBlur: settle,
    },
  };
}
