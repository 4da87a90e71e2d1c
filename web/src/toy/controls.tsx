// Where a start is put by numbers, and what its course is: the variant, the time, and the steps of descent.
import { useId } from "preact/hooks";
import { attention_of, type Course, change_toy, change_variant, logit, most_time, type State, short } from "./state";

// Which values p can have.
export function Bounds({ state }: { state: State }) {
  const choice = (bounded: boolean, text: string) => (
    <label class="line">
      <input
        type="radio"
        name="bounds"
        checked={state.bounded === bounded}
        onChange={() => change_variant(state, { bounded, logistic: state.logistic })}
      />
      {text}
    </label>
  );
  return (
    <fieldset class="bounds" aria-label="Range of p">
      {choice(true, "Bounded: p is between 0 and 1, as in a softmax")}
      {choice(false, "Unbounded: p can be any number, as no softmax limits it, and some starts never reach the key")}
    </fieldset>
  );
}

export function Controls({ state, course }: { state: State; course: Course | undefined }) {
  return (
    <form class="controls" onSubmit={event => event.preventDefault()}>
      <Slider label="Start: D, knowledge" value={state.D} min={-20} max={20} step={0.1} set={D => change_toy({ D })} />
      {state.bounded ? (
        <Slider
          label="Start: p, attention"
          value={attention_of(state)}
          min={0.02}
          max={0.98}
          step={0.01}
          set={p => change_toy({ gate: +logit(p).toFixed(3) })}
        />
      ) : (
        <Slider
          label="Start: p, attention"
          value={state.gate}
          min={-3}
          max={3}
          step={0.05}
          set={gate => change_toy({ gate })}
        />
      )}
      {state.logistic && (
        <Slider
          label="Start: β₀ + β₁"
          value={state.sum}
          min={-16}
          max={16}
          step={0.5}
          set={sum => change_toy({ sum })}
        />
      )}
      <Slider
        label="Step size of descent"
        value={state.rate}
        min={0.0005}
        max={0.5}
        step={0.0005}
        set={rate => change_toy({ rate })}
      />
      <Slider
        label="Time τ"
        value={state.until}
        min={0.1}
        max={most_time(state)}
        step={0.1}
        set={until => change_toy({ until })}
      />
      <label class="line">
        <input
          type="checkbox"
          checked={state.logistic}
          onChange={event => change_variant(state, { bounded: state.bounded, logistic: event.currentTarget.checked })}
        />
        Logistic loss
      </label>
      {course && course.descent.length > 1 && course.flow.length > 1 && <Distance course={course} />}
    </form>
  );
}

function Slider(props: {
  label: string;
  value: number;
  min: number;
  max: number;
  step: number;
  set: (value: number) => void;
}) {
  const id = useId();
  return (
    <div class="field">
      <span class="with-value">
        <label for={id}>{props.label}</label> <span class="value">{short(props.value)}</span>
      </span>
      <input
        id={id}
        type="range"
        min={props.min}
        max={props.max}
        step={props.step}
        value={props.value}
        onInput={event => props.set(Number(event.currentTarget.value))}
      />
    </div>
  );
}

// How far descent is from the flow at the latest time that both came to: a flow ends where it leaves the numbers there
// are.
function Distance({ course }: { course: Course }) {
  const { rate } = course.of;
  const between = course.times[1]! - course.times[0]!;
  const last = Math.min(course.descent.length - 1, Math.floor(((course.flow.length - 1) * between) / rate + 1e-9));
  if (last < 1) return null;
  const at = (last * rate) / between;
  const below = Math.floor(at + 1e-9);
  const a = course.flow[below];
  if (!a) return null;
  const b = course.flow[below + 1] ?? a;
  const part = at - below;
  const [D, p] = course.descent[last]!;
  const distance = Math.hypot(a[0] + part * (b[0] - a[0]) - D, a[1] + part * (b[1] - a[1]) - p);
  return (
    <p class="soft">
      At τ = {short(last * rate)} gradient descent is {short(distance)} away from the flow. With smaller steps it is
      nearer.
    </p>
  );
}
