// The toy gate: a start is put into the plane of D and p, and runs its course by closed form, flow and descent
// together.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { useAddress } from "../address";
import { type Toy as Answer, engine, type ToyPoint } from "../engine/engine";
import { Figure } from "../figure";
import { Legend } from "../legend";
import { Equation } from "../story/equation";
import { type ToyStory, told_of } from "../story/toy";
import { Term } from "../term";
import { Controls } from "../toy/controls";
import { OverTime } from "../toy/over_time";
import { Plane } from "../toy/plane";
import {
  type Course,
  change_toy,
  dots_of,
  type Frame,
  frame_of,
  misread_in,
  read_state,
  type State,
} from "../toy/state";
import { in_turn } from "../turns";

const short = (x: number) => String(+x.toPrecision(3)).replace("-", "−");

// What comes of the start.
function fate_of(course: Course): string {
  const { bounded, logistic, until } = course.of;
  const told: string[] = [];
  if (course.above !== undefined)
    told.push(
      Math.abs(course.above) < 1e-9
        ? "On the separatrix: it stays undecided for ever."
        : course.above > 0
          ? "Above the separatrix: the key wins."
          : "Below the separatrix: the wrong word wins.",
    );
  if (course.above !== undefined && course.above < -1e-9 && !bounded && !logistic)
    told.push("With Bounded, as in a softmax, attention would still reach the key.");
  const p = course.flow[0]?.[2] ?? 0;
  if (typeof course.reaches === "number")
    told.push(
      course.reaches === 0
        ? `p starts ${p > course.level ? "above" : "at"} ${course.level}.`
        : `p reaches ${course.level} at τ = ${course.reaches.toFixed(5)}.`,
    );
  else if (course.reaches === null && course.patience)
    told.push(`p does not reach ${course.level} before τ = ${course.patience}.`);
  const end = course.flow.at(-1);
  if ((bounded || logistic) && end)
    told.push(
      `At τ = ${+(course.times[course.flow.length - 1] ?? until).toFixed(2)} p is ${short(end[2])} and the loss ${short(end[3])}.`,
    );
  return told.join(" ");
}

const start_text = ({ D, gate, bounded, logistic }: State) => JSON.stringify([D, gate, bounded, logistic]);

// While a start is dragged, as many courses as the engine can follow.
function useCourse(state: State): { course: Course | undefined; trouble: string } {
  const [course, set_course] = useState<Course>();
  const [trouble, set_trouble] = useState("");
  const newest = useRef(state);
  newest.current = state;
  const look = useMemo(
    () =>
      in_turn(() => {
        const of = newest.current;
        return engine.ask<Answer>({ ask: "toy", ...of, bound: 60, frame: frame_of(of) }).then(
          answer => {
            set_course({ ...answer, of });
            set_trouble("");
          },
          error => set_trouble(error.message),
        );
      }),
    [],
  );
  useEffect(look, [state.D, state.gate, state.sum, state.rate, state.until, state.bounded, state.logistic]);
  return { course, trouble };
}

export function Toy() {
  const { words } = useAddress();
  const state = read_state(words);
  // A start that is put into the plane leaves the axes as they are.
  const [put, note_put] = useState<{ at: string; frame: Frame }>();
  const at = start_text(state);
  const frame = useMemo(() => (put?.at === at ? put.frame : frame_of(state)), [at, put]);
  const { course, trouble } = useCourse(state);
  const told = told_of(state);
  const is = (one: ToyStory) => one.D === state.D && one.gate === state.gate && one.sum === state.sum;
  const story = told.stories.find(is);
  return (
    <div class="toy">
      <h1>Toy gate: two numbers that learn where to look</h1>
      <Introduction bounded={state.bounded} />
      <div class="toy-text">
        <p>
          <b>Why attention waits.</b> The speed of attention is proportional to D ({told.drives}). At D = 0 the model
          has no knowledge of the key, and nothing moves attention.
        </p>
        <p>{told.idea}</p>
        <p>
          <b>Try it.</b>{" "}
          {state.bounded || state.logistic
            ? "Drag the ring to the far left. Does attention still reach the key?"
            : "Drag the ring below the dotted line. What becomes of attention?"}{" "}
          Or take one of three starts:
        </p>
        <fieldset class="presets" aria-label="Stories">
          {told.stories.map(one => (
            <button
              type="button"
              aria-pressed={one === story}
              onClick={() => change_toy({ D: one.D, gate: one.gate, sum: one.sum }, true)}
            >
              {one.title}
            </button>
          ))}
        </fieldset>
        <p class="fate" role="status">
          {story ? `${story.says} ` : ""}
          {course && fate_of(course)}
          {frame.D > 4 &&
            ` The axes are wider here: D from −${short(frame.D)} to ${short(frame.D)}, ${state.bounded ? "a" : "p"} from −${short(frame.gate)} to ${short(frame.gate)}.`}
        </p>
        <OverTime course={course} frame={frame} />
        <p class="problem" role="alert">
          {[misread_in(words, state), trouble].filter(Boolean).join(" ")}
        </p>
      </div>
      <div class="toy-plane">
        <Figure
          title={state.bounded ? "Knowledge (D) and attention (a, the logit of p)" : "Knowledge (D) and attention (p)"}
          file="toy-gate-plane"
          table={() => table_of(course)}
        >
          <Plane
            state={state}
            course={course}
            frame={frame}
            put={(start, frame, begins) => {
              note_put({ at: start_text({ ...state, ...start }), frame });
              change_toy(start, begins);
            }}
          />
          <PlaneLegend state={state} course={course} />
        </Figure>
        <p class="soft">
          Flow: training in steps that are infinitely small. Gradient descent: training in steps of the size under "Step
          size of descent". {!state.bounded && !state.logistic && "Closed form: the exact solution as a formula. "}
          {state.bounded && "Logit: a = log(p / (1 − p)), so p = 1 / (1 + e⁻ᵃ). "}
        </p>
      </div>
      <div>
        <Controls state={state} course={course} />
        <Equation lines={told.equations} />
      </div>
    </div>
  );
}

// The two numbers and the plane, explained before the figure.
function Introduction({ bounded }: { bounded: boolean }) {
  return (
    <div class="toy-told">
      <p class="lead">
        A text is two words: <i>blank blank</i>, or <i>blank key</i>. Its second word alone decides the label. The
        smallest model that can learn this has two numbers.
      </p>
      <dl class="axes">
        <dt class="across">D, from left to right: knowledge</dt>
        <dd>
          How much (<Term word="β">β</Term>) <i>key</i> speaks for its label, minus how much <i>blank</i> does. Below 0
          it speaks for the wrong one.
        </dd>
        <dt class="up">{bounded ? "a, from below to above: attention" : "p, from below to above: attention"}</dt>
        <dd>
          How much the model looks (<Term word="α">α</Term>) at the second word.{" "}
          {bounded
            ? "a = 0 is p = 0.5, both words alike; a = 3 is p = 0.95."
            : "0.5: both words alike. 1: the second alone."}
        </dd>
        <dt>The plane</dt>
        <dd>A point is a state of the model, an arrow the next step of training, the ring the start.</dd>
      </dl>
    </div>
  );
}

function table_of(course: Course | undefined) {
  const rows: (string | number)[][] = [];
  const add = (name: string, path: ToyPoint[] = [], time: (i: number) => number) => {
    for (const [i, [D, , p, loss]] of path.entries()) rows.push([name, time(i), D, p, loss]);
  };
  if (course) {
    add("closed form", course.closed, i => course.times[i]!);
    add("flow", course.flow, i => course.times[i]!);
    add("descent", course.descent, i => i * course.of.rate);
  }
  return { columns: ["solver", "time", "D", "p", "loss"], rows };
}

function PlaneLegend({ state, course }: { state: State; course: Course | undefined }) {
  const dots = dots_of(course).length,
    steps = (course?.descent.length ?? 1) - 1;
  return (
    <Legend
      entries={[
        ...(course?.closed ? [{ colour: "var(--edge)", text: "closed form", width: 6 }] : []),
        { colour: "var(--text)", text: "flow, integrated", dash: "7 5" },
        {
          colour: "var(--c2)",
          text: `gradient descent, ${dots > steps ? "a dot a step" : `${dots} dots for ${steps} steps`} of ${+state.rate.toPrecision(3)}`,
          dash: "4 4",
        },
        ...(course?.closed ? [{ colour: "var(--soft)", text: "separatrix, D = −√2 p", dash: "2 4" }] : []),
        {
          colour: "var(--edge)",
          text: state.logistic
            ? `where a start with β₀ + β₁ = ${+state.sum.toPrecision(3)} is pulled`
            : "where the flow goes",
          width: 1,
        },
      ]}
    />
  );
}
