// The time axis with its handles: the step that is looked at, and the steps from and until which something is done to
// attention.
import { useEffect, useId, useRef, useState } from "preact/hooks";
import { acts, type Task } from "./tasks";
import type { State } from "./state";

interface Props {
  total: number;
  at: number;
  reached: number;
  task: Task;
  state: State;
  still: boolean; // what stands there is not to be trained
  set: (changes: Partial<State>) => void;
  go: (step: number) => void;
}

export function TimeAxis({ total, at, reached, task, state, still, set, go }: Props) {
  const id = useId();
  const hold = useHandle(state.hold, (step) => set({ hold: step, from: Math.min(state.from, Math.max(0, step - 1)) }));
  const from = useHandle(state.from, (step) => set({ from: Math.min(step, Math.max(0, state.hold - 1)) }));
  const title = acts.find((act) => act.name === state.act)!.title;
  const part = (step: number) => (total > 0 ? Math.min(1, step / total) : 0);
  return (
    <div class="axis" style={{ "--reached": part(reached), "--held": part(hold.value), "--from": part(Math.min(from.value, hold.value)) }}>
      <label for={id}>Look at step</label>
      <input id={id} class="look" type="range" min={0} max={total} step={1} value={at} disabled={still} onInput={(event) => go(Number(event.currentTarget.value))} />
      <output class="value">{at}</output>
      <span class="act">
        <label for={`${id}-hold`} class="hidden">
          Step until which attention is {title}
        </label>
        <label>
          <span class="hidden">What is done to attention</span>
          Attention is{" "}
          <select value={state.act} onChange={(event) => set({ act: event.currentTarget.value, step: 0 })}>
            {acts
              .filter((act) => task.acts.includes(act.name))
              .map((act) => (
                <option value={act.name} selected={act.name === state.act}>
                  {act.title}
                </option>
              ))}
          </select>
          {hold.value > 0 && " until"}
        </label>
      </span>
      <input id={`${id}-hold`} class="hold" type="range" min={0} max={total} step={1} {...hold.handle} />
      <output class="value">{hold.value === 0 ? "never" : hold.value}</output>
      {hold.value > 0 && (
        <>
          <label for={`${id}-from`}>
            <span class="hidden">Step </span>from<span class="hidden"> which attention is {title}</span>
          </label>
          <input id={`${id}-from`} class="from" type="range" min={0} max={total} step={1} {...from.handle} />
          <output class="value">{from.value}</output>
        </>
      )}
    </div>
  );
}

const rest = 600; // milliseconds: longer than a key that is held waits before it repeats

// A handle that begins another training where it is let go. A key moves it one step at a time: there it is let go when it
// has rested, or is left.
function useHandle(value: number, set: (value: number) => void) {
  const [moved, move] = useState<number>(); // while it is
  const by_key = useRef(false);
  const waits = useRef<{ timer: number; value: number }>();
  const newest = useRef(set);
  newest.current = set;
  const settle = () => {
    if (!waits.current) return;
    const { timer, value } = waits.current;
    clearTimeout(timer);
    waits.current = undefined;
    move((now) => (now === value ? undefined : now));
    newest.current(value);
  };
  useEffect(() => () => clearTimeout(waits.current?.timer), []);
  return {
    value: moved ?? value,
    handle: {
      value: moved ?? value,
      onPointerDown: () => (by_key.current = false),
      onKeyDown: () => (by_key.current = true),
      onInput: (event: { currentTarget: HTMLInputElement }) => move(Number(event.currentTarget.value)),
      onChange: (event: { currentTarget: HTMLInputElement }) => {
        const value = Number(event.currentTarget.value);
        clearTimeout(waits.current?.timer);
        waits.current = { value, timer: window.setTimeout(settle, rest) };
        if (!by_key.current) settle();
      },
      onBlur: settle,
    },
  };
}
