// Where a start is put by numbers, and what its course is: the variant, the time, and the steps of descent.
import { useId } from "preact/hooks";
import { type Course, change_toy, change_variant, most_time, type State } from "./state";

export function Controls({ state, course }: { state: State; course: Course | undefined }) {
  return (
    <form class="controls" onSubmit={event => event.preventDefault()}>
      <Slider label="Start: D, knowledge" value={state.D} min={-20} max={20} step={0.1} set={D => change_toy({ D })} />
      {state.bounded ? (
        <Slider
          label="Start: a, attention as the logit of p"
          value={state.gate}
          min={-6}
          max={6}
          step={0.1}
          set={gate => change_toy({ gate })}
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
      <p class="soft">
        {state.bounded
          ? "p stays between 0 and 1, as under a softmax. a = 0 is p = 0.5, a = 3 is p = 0.95, a = −3 is p = 0.05."
          : "p is any number here: nothing keeps it between 0 and 1. Tick Bounded to keep it there, as the softmax of a transformer does."}
      </p>
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
          checked={state.bounded}
          onChange={event => change_variant(state, { bounded: event.currentTarget.checked, logistic: state.logistic })}
        />
        Bounded: p = σ(a)
      </label>
      <label class="line">
        <input
          type="checkbox"
          checked={state.logistic}
          onChange={event => change_variant(state, { bounded: state.bounded, logistic: event.currentTarget.checked })}
        />
        Logistic loss
      </label>
      <p class="soft">Click or drag in the plane, or move the start by the arrow keys when the plane has the focus.</p>
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
        <label for={id}>{props.label}</label>{" "}
        <span class="value">{String(+props.value.toPrecision(4)).replace("-", "−")}</span>
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
      At τ = {(last * rate).toFixed(3)} descent is {distance.toPrecision(3)} from the flow. Small steps make that
      smaller in proportion.
    </p>
  );
}
