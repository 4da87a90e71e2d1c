// The time axis with its two handles: the step that is looked at, and the step at which attention is let go.
import { useId, useState } from "preact/hooks";
import { acts } from "./tasks";
import type { State } from "./state";

interface Props {
  total: number;
  at: number;
  reached: number;
  state: State;
  set: (changes: Partial<State>) => void;
  go: (step: number) => void;
}

export function TimeAxis({ total, at, reached, state, set, go }: Props) {
  const ids = [useId(), useId()];
  const [dragged, drag] = useState<number>(); // while it is
  const held = dragged ?? state.hold;
  const part = (step: number) => (total > 0 ? Math.min(1, step / total) : 0);
  return (
    <div class="axis" style={{ "--reached": part(reached), "--held": part(held) }}>
      <label for={ids[0]}>Look at step</label>
      <input id={ids[0]} class="look" type="range" min={0} max={total} step={1} value={at} onInput={(event) => go(Number(event.currentTarget.value))} />
      <output class="value">{at}</output>
      <span class="act">
        <label for={ids[1]} class="hidden">
          Step until which attention is {acts.find((act) => act.name === state.act)!.title}
        </label>
        <label>
          <span class="hidden">What is done to attention</span>
          Attention is{" "}
          <select value={state.act} onChange={(event) => set({ act: event.currentTarget.value, step: 0 })}>
            {acts.map((act) => (
              <option value={act.name} selected={act.name === state.act}>
                {act.title}
              </option>
            ))}
          </select>{" "}
          until
        </label>
      </span>
      <input
        id={ids[1]}
        class="hold"
        type="range"
        min={0}
        max={total}
        step={1}
        value={held}
        onInput={(event) => drag(Number(event.currentTarget.value))}
        onChange={(event) => {
          drag(undefined);
          set({ hold: Number(event.currentTarget.value) });
        }}
      />
      <output class="value">{held === 0 ? "never" : held}</output>
    </div>
  );
}
