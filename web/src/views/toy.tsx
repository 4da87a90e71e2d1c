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
import { arrival_of, late_text } from "../toy/arrival";
import { Bounds, Controls } from "../toy/controls";
import { OverTime } from "../toy/over_time";
import { Plane } from "../toy/plane";
import {
  type Course,
  change_toy,
  dots_of,
  type Frame,
  frame_of,
  misread_in,
  most_time,
  narrow,
  read_state,
  type State,
  short,
} from "../toy/state";
import { useWalk, WalkControls, walker_of } from "../toy/walk";
import { in_turn } from "../turns";

// What comes of the start.
function fate_of(course: Course): string {
  const { bounded, logistic, until, D, gate } = course.of;
  const told: string[] = [];
  if (course.above !== undefined)
    told.push(
      Math.abs(course.above) < 1e-9
        ? "On the dotted line: it stays undecided for ever."
        : course.above > 0
          ? "Above the dotted line: attention reaches the key."
          : "Below the dotted line: attention never reaches the key.",
    );
  if (course.above !== undefined && course.above < -1e-9 && !bounded && !logistic)
    told.push("If p is bounded, as in a softmax, attention still reaches it.");
  const p = course.flow[0]?.[2] ?? 0,
    corrects = bounded && !logistic && D < 0 && course.reaches !== 0;
  if (corrects) told.push("Yes, attention still reaches the key. It falls at first, and comes back.");
  if (typeof course.reaches === "number")
    told.push(
      course.reaches === 0
        ? `p starts ${p > course.level ? "above" : "at"} ${course.level}.`
        : `p reaches ${course.level} at τ = ${short(course.reaches)}.`,
    );
  else if (bounded && !logistic)
    told.push(
      `This is too slow to be shown: p reaches ${course.level} at τ = ${late_text(arrival_of(D, gate, course.level))}.`,
    );
  else if (course.reaches === null && course.patience)
    told.push(`p does not reach ${course.level} before τ = ${course.patience}.`);
  if (
    corrects &&
    typeof course.reaches === "number" &&
    course.reaches > until &&
    course.reaches <= most_time(course.of)
  )
    told.push("That is later than the curves end: increase “Time τ” to see it.");
  const end = course.flow.at(-1);
  if ((bounded || logistic) && end)
    told.push(
      `At τ = ${short(course.times[course.flow.length - 1] ?? until)} p is ${short(end[2])} and the loss ${short(end[3])}.${logistic ? "" : " This loss is −p D, so it is below 0 when p and D are above 0, and it has no lower limit."}`,
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
  const walk = useWalk(course),
    walker = walker_of(course, frame, walk.at);
  return (
    <div class="toy">
      <h1>Toy gate: two numbers that learn where to look</h1>
      <p class="lead">
        A text is two words: <i>blank blank</i>, or <i>blank key</i>. The second word alone decides the label. The
        smallest model that can learn this has two numbers, D and p. Which one grows first?
      </p>
      <Axes bounded={state.bounded} />
      <div class="toy-plane">
        <Bounds state={state} />
        <Figure title="Knowledge (D) and attention (p)" file="toy-gate-plane" table={() => table_of(course)}>
          <Plane
            state={state}
            course={course}
            frame={frame}
            walker={walker}
            put={(start, frame, begins) => {
              note_put({ at: start_text({ ...state, ...start }), frame });
              change_toy(start, begins);
            }}
          />
          <PlaneLegend state={state} course={course} />
        </Figure>
        <WalkControls walk={walk} walker={walker} />
        <Controls state={state} course={course} />
      </div>
      <div class="toy-text">
        <p>
          <b>Why attention waits.</b> More attention on the key improves the answer only if the model has some knowledge
          of the key. So the speed of attention is proportional to D ({told.drives}). At D = 0 nothing moves attention.
        </p>
        <p>
          <b>Try it.</b> Press Play. From the first start, the point moves right at first, and then up.{" "}
          {state.bounded && !state.logistic && "Then drag the ring left to D = −2. Does attention still reach the key?"}
          {state.logistic && "Then drag the ring to the left. Does attention still reach the key?"}
          {!state.bounded && !state.logistic && "Then drag the ring below the dotted line. What becomes of attention?"}{" "}
          The tinted box below has the answer.
        </p>
        <p>Or take one of three starts:</p>
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
        <p class="fate" role="status" data-reaches={course?.reaches ?? undefined}>
          {story ? `${story.says} ` : ""}
          {course && fate_of(course)}
          {frame.D > narrow(state) &&
            ` The axes are wider here: D from −${short(frame.D)} to ${short(frame.D)}${state.bounded ? "" : `, p from −${short(frame.gate)} to ${short(frame.gate)}`}.`}
        </p>
        <OverTime course={course} frame={frame} walker={walker} />
        <p>{told.idea}</p>
        <p class="problem" role="alert">
          {[misread_in(words, state), trouble].filter(Boolean).join(" ")}
        </p>
      </div>
      <div class="toy-more">
        <Equation lines={told.equations} />
        <p class="soft">
          τ is the time of training: the number of steps, multiplied by the step size. The loss measures mistakes, and
          training makes it smaller. The ring is the start: click or drag it in the plane, or move it by the arrow keys.
          Flow: training in steps that are infinitely small. Gradient descent: training in steps of the size under “Step
          size of descent”. {!state.bounded && !state.logistic && "Closed form: the exact solution as a formula. "}
          {state.bounded && "a: the parameter that is trained, with p = σ(a) = 1 / (1 + e⁻ᵃ)."}
        </p>
      </div>
    </div>
  );
}

// The two numbers and the plane, explained before the figure.
function Axes({ bounded }: { bounded: boolean }) {
  return (
    <dl class="axes">
      <dt class="across">D, from left to right: knowledge</dt>
      <dd>
        0: the model has no knowledge of <i>key</i>. Right of 0: it takes <i>key</i> for the right label. Left of 0: for
        the wrong one. D is <Term word="β">β</Term> of <i>key</i> minus β of <i>blank</i>.
      </dd>
      <dt class="up">p, from below to above: attention</dt>
      <dd>
        p is the <Term word="α">α</Term> of the second word: how much the model looks at it. 0.5: at both words alike.
        1: at the second alone.
        {!bounded && " Unbounded: p itself is trained, without a softmax, so it can be below 0 or above 1."}
      </dd>
      <dt>The plane</dt>
      <dd>A point is a state of the model. The ring is the start, and an arrow the next step of training.</dd>
    </dl>
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
