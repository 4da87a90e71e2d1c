// The toy gate: a start is put into the plane of D and p, and runs its course by closed form, flow and descent
// together.
import { useEffect, useId, useMemo, useRef, useState } from "preact/hooks";
import { change_address, read_address, useAddress } from "../address";
import { type Toy as Answer, engine, type ToyPoint } from "../engine/engine";
import { Figure } from "../figure";
import { Legend } from "../legend";
import { useWidth } from "../lines";
import { Equation } from "../story/equation";
import { type ToyStory, told_of, type Variant } from "../story/toy";
import { in_turn } from "../turns";

interface Numbers {
  D: number;
  gate: number; // p, or the bounded gate's logit of it
  sum: number; // β₀ + β₁ at the start
  rate: number;
  until: number;
}
type State = Numbers & Variant;
type Course = Answer & { of: State };

// A variant begins with its first story.
function first_of(variant: Variant): Numbers {
  const { stories, until } = told_of(variant);
  const { D, gate, sum } = stories[0]!;
  return { D, gate, sum, rate: 0.0625, until };
}

function read_state(words: URLSearchParams): State {
  const variant = { bounded: words.get("bounded") === "yes", logistic: words.get("logistic") === "yes" };
  const first = first_of(variant);
  const number = (name: keyof Numbers) => {
    const value = Number(words.get(name) ?? first[name]);
    return Number.isFinite(value) ? value : first[name];
  };
  const within = (name: keyof Numbers) => Math.max(-farthest, Math.min(farthest, number(name)));
  return {
    D: within("D"),
    gate: within("gate"),
    sum: variant.logistic ? within("sum") : 0,
    rate: Math.min(0.5, Math.max(0.0005, number("rate"))),
    until: Math.min(10, Math.max(0.1, number("until"))),
    ...variant,
  };
}

// What an address asks for that is drawn otherwise; "" where all is as it says.
function misread_in(words: URLSearchParams, state: State): string {
  const told: string[] = [];
  for (const name of ["D", "gate", "sum", "rate", "until"] as const) {
    const given = words.get(name);
    if (given !== null && !(Math.abs(Number(given) - state[name]) < 1e-9) && (name !== "sum" || state.logistic))
      told.push(`The address says ${name} "${given}", which cannot be drawn: it is ${state[name]} here.`);
  }
  return told.join(" ");
}

// Changes are made to what the address says now, which may be ahead of what is drawn.
function set(changes: Partial<State>, step = false) {
  const next = { ...read_state(read_address().words), ...changes };
  const first = first_of(next);
  const word = (name: keyof Numbers) => (next[name] === first[name] ? undefined : +next[name].toPrecision(6));
  change_address(
    {
      D: word("D"),
      gate: word("gate"),
      sum: next.logistic ? word("sum") : undefined,
      rate: word("rate"),
      until: word("until"),
      bounded: next.bounded ? "yes" : undefined,
      logistic: next.logistic ? "yes" : undefined,
    },
    step,
  );
}

const root = Math.SQRT2;
const farthest = 100; // from 0 that a start may be
const most_dots = 2000; // of descent, that are drawn
const edge = 0.02; // how near 0 and 1 p is when its logit is taken over

// Another variant from the same start: the attention on the key stays what it is, and so does the time where it was
// chosen.
function change_variant(state: State, variant: Variant) {
  const p = state.bounded ? 1 / (1 + Math.exp(-state.gate)) : state.gate;
  const inside = Math.min(1 - edge, Math.max(edge, p));
  const gate = variant.bounded ? Math.log(inside / (1 - inside)) : p;
  const until = state.until === first_of(state).until ? first_of(variant).until : state.until;
  set({ ...variant, gate: state.bounded === variant.bounded ? state.gate : +gate.toFixed(3), until }, true);
}

// The plane as it is drawn: wide enough for the start, of the linear gate the separatrix in view.
function frame_of(state: State) {
  const wide = Math.max(4, Math.abs(state.D) * 1.3);
  return {
    D: wide,
    gate: Math.max(
      state.bounded ? 4 : 3,
      Math.abs(state.gate) * 1.3,
      state.bounded || state.logistic ? 0 : wide / root,
    ),
  };
}

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
          ? "Above the separatrix: the key token wins."
          : "Below the separatrix: the wrong token wins.",
    );
  if (typeof course.reaches === "number") told.push(`p reaches ${course.level} at τ = ${course.reaches.toFixed(5)}.`);
  else if (course.reaches === null && course.patience)
    told.push(`p does not reach ${course.level} before τ = ${course.patience}.`);
  const end = course.flow.at(-1);
  if ((bounded || logistic) && end)
    told.push(
      `At τ = ${+(course.times[course.flow.length - 1] ?? until).toFixed(2)} p is ${short(end[2])} and the loss ${short(end[3])}.`,
    );
  return told.join(" ");
}

export function Toy() {
  const { words } = useAddress();
  const state = read_state(words);
  const [course, set_course] = useState<Course>();
  const [trouble, set_trouble] = useState("");
  const frame = useMemo(() => frame_of(state), [state.D, state.gate, state.bounded, state.logistic]);

  // While a start is dragged, as many courses as the engine can follow.
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

  const told = told_of(state);
  const is = (one: ToyStory) => one.D === state.D && one.gate === state.gate && one.sum === state.sum;
  const story = told.stories.find(is);
  const dots = dots_of(course).length,
    steps = (course?.descent.length ?? 1) - 1;
  return (
    <>
      <h1>Toy gate</h1>
      <p>
        The smallest system that learns where to look. It reads two symbols, 0 0 or 0 1, and is to say which of the two
        texts it was; only the second symbol, the key, tells. Two numbers are all that it learns: p, the attention on
        the key, and D = β₁ − β₀, how much more symbol 1 speaks for the text 0 1 than symbol 0 does. {told.idea}
      </p>
      <Equation lines={told.equations} />
      <fieldset class="presets" aria-label="Stories">
        {told.stories.map(one => (
          <button
            type="button"
            aria-pressed={one === story}
            onClick={() => set({ D: one.D, gate: one.gate, sum: one.sum }, true)}
          >
            {one.title}
          </button>
        ))}
      </fieldset>
      <p class="soft" role="status">
        {story ? `${story.says} ` : ""}
        {course && fate_of(course)}
      </p>
      <p class="problem" role="alert">
        {[misread_in(words, state), trouble].filter(Boolean).join(" ")}
      </p>
      <div class="two">
        <Figure
          title={state.bounded ? "The plane of D and a, the logit of p" : "The plane of D and p"}
          file="toy-gate-plane"
          table={() => table_of(course)}
        >
          <Portrait state={state} course={course} frame={frame} />
          <Legend
            entries={[
              ...(course?.closed ? [{ colour: "var(--c0)", text: "closed form", width: 6 }] : []),
              { colour: "var(--c1)", text: "flow, integrated", dash: "7 5" },
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
        </Figure>
        <form class="controls" onSubmit={event => event.preventDefault()}>
          <Slider label="Start: D" value={state.D} min={-20} max={20} step={0.1} set={D => set({ D })} />
          {state.bounded ? (
            <Slider
              label="Start: a, the logit of p"
              value={state.gate}
              min={-6}
              max={6}
              step={0.1}
              set={gate => set({ gate })}
            />
          ) : (
            <Slider label="Start: p" value={state.gate} min={-3} max={3} step={0.05} set={gate => set({ gate })} />
          )}
          <p class="soft">
            {state.bounded
              ? "p is a share here: a = 0 is p = 0.5, a = 3 is p = 0.95, a = −3 is p = 0.05."
              : "p is any number here, not a share: at 1 all attention is on the key, and nothing keeps p between 0 and 1."}
          </p>
          {state.logistic && (
            <Slider label="Start: β₀ + β₁" value={state.sum} min={-16} max={16} step={0.5} set={sum => set({ sum })} />
          )}
          <Slider
            label="Step size of descent"
            value={state.rate}
            min={0.0005}
            max={0.5}
            step={0.0005}
            set={rate => set({ rate })}
          />
          <Slider label="Time τ" value={state.until} min={0.1} max={10} step={0.1} set={until => set({ until })} />
          <label class="line">
            <input
              type="checkbox"
              checked={state.bounded}
              onChange={event =>
                change_variant(state, { bounded: event.currentTarget.checked, logistic: state.logistic })
              }
            />
            Bounded: p = σ(a)
          </label>
          <label class="line">
            <input
              type="checkbox"
              checked={state.logistic}
              onChange={event =>
                change_variant(state, { bounded: state.bounded, logistic: event.currentTarget.checked })
              }
            />
            Logistic loss
          </label>
          <p class="soft">
            Click or drag in the plane, or move the start by the arrow keys when the plane has the focus.
          </p>
          {course && course.descent.length > 1 && course.flow.length > 1 && <Distance course={course} />}
        </form>
      </div>
    </>
  );
}

// The steps of descent that are drawn: all, or evenly some of them, the last among them.
function dots_of(course: Course | undefined): ToyPoint[] {
  const all = course?.descent ?? [];
  if (all.length <= most_dots) return all;
  return Array.from({ length: most_dots }, (_, i) => all[Math.round((i * (all.length - 1)) / (most_dots - 1))]!);
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
        <label for={id}>{props.label}</label> <span class="value">{+props.value.toPrecision(4)}</span>
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

interface PortraitProps {
  state: State;
  course: Course | undefined;
  frame: Frame;
}
interface Frame {
  D: number;
  gate: number;
}

function Portrait({ state, course, frame }: PortraitProps) {
  const [holder, width] = useWidth();
  const plane = useRef<SVGSVGElement>(null);
  const held = useRef<Frame | null>(null); // the frame when a drag began, so that it stays put
  const side = Math.max(260, Math.min(width, 900));
  const margin = { left: 44, right: 10, top: 10, bottom: 38 };
  const box = held.current ?? frame;
  const x = (D: number) => margin.left + ((D + box.D) / (2 * box.D)) * (side - margin.left - margin.right);
  const y = (gate: number) => margin.top + ((box.gate - gate) / (2 * box.gate)) * (side - margin.top - margin.bottom);
  const line = (path: ToyPoint[] = []) => path.map(([D, gate]) => `${x(D).toFixed(2)},${y(gate).toFixed(2)}`).join(" ");
  const put = (event: PointerEvent, begins = false) => {
    const rectangle = plane.current!.getBoundingClientRect();
    const at_x = ((event.clientX - rectangle.left) / rectangle.width) * side;
    const at_y = ((event.clientY - rectangle.top) / rectangle.height) * side;
    const D = ((at_x - margin.left) / (side - margin.left - margin.right)) * 2 * box.D - box.D;
    const gate = box.gate - ((at_y - margin.top) / (side - margin.top - margin.bottom)) * 2 * box.gate;
    const clamp = (value: number, most: number) => Math.round(Math.max(-most, Math.min(most, value)) * 100) / 100;
    // The way back leads to where the start was before it was taken hold of.
    set({ D: clamp(D, box.D), gate: clamp(gate, box.gate) }, begins);
  };
  const arrows: { [key: string]: [number, number] } = {
    ArrowLeft: [-1, 0],
    ArrowRight: [1, 0],
    ArrowUp: [0, 1],
    ArrowDown: [0, -1],
  };
  const let_go = () => {
    held.current = null;
  };
  const press = (event: KeyboardEvent) => {
    const by = arrows[event.key];
    if (!by) return;
    event.preventDefault();
    const size = event.shiftKey ? 0.5 : 0.1;
    const now = read_state(read_address().words);
    set({ D: +(now.D + by[0] * size).toFixed(3), gate: +(now.gate + by[1] * size).toFixed(3) });
  };
  const axis = state.bounded ? "a, the logit of p" : "p";
  const ticks = (most: number) => {
    const step = [0.5, 1, 2, 5, 10, 20, 50].find(size => (2 * most) / size <= 9) ?? 100;
    const all: number[] = [];
    for (let at = Math.ceil(-most / step) * step; at <= most; at += step) all.push(at);
    return all;
  };
  return (
    <div ref={holder} class="plane">
      {width > 0 && (
        <svg
          ref={plane}
          viewBox={`0 0 ${side} ${side}`}
          width={side}
          height={side}
          role="application"
          aria-label={`Plane of D and ${axis}. The start is at D ${state.D}, ${axis} ${state.gate}; arrow keys move it.`}
          tabindex={0}
          onKeyDown={press}
          onPointerDown={event => {
            held.current = frame;
            plane.current!.setPointerCapture(event.pointerId);
            put(event, true);
          }}
          onPointerMove={event => held.current && put(event)}
          onPointerUp={let_go}
          onPointerCancel={let_go}
        >
          <clipPath id="inside">
            <rect
              x={margin.left}
              y={margin.top}
              width={side - margin.left - margin.right}
              height={side - margin.top - margin.bottom}
            />
          </clipPath>
          {ticks(box.D).map(D => (
            <g>
              <line x1={x(D)} x2={x(D)} y1={y(-box.gate)} y2={y(box.gate)} stroke="var(--line)" />
              <text x={x(D)} y={side - margin.bottom + 16} text-anchor="middle" font-size="12" fill="var(--soft)">
                {D}
              </text>
            </g>
          ))}
          {ticks(box.gate).map(gate => (
            <g>
              <line x1={x(-box.D)} x2={x(box.D)} y1={y(gate)} y2={y(gate)} stroke="var(--line)" />
              <text x={margin.left - 6} y={y(gate) + 4} text-anchor="end" font-size="12" fill="var(--soft)">
                {gate}
              </text>
            </g>
          ))}
          <text x={side / 2} y={side - 4} text-anchor="middle" font-size="13" fill="currentColor">
            D = β₁ − β₀
          </text>
          <text
            x={12}
            y={side / 2}
            text-anchor="middle"
            font-size="13"
            fill="currentColor"
            transform={`rotate(-90 12 ${side / 2})`}
          >
            {axis}
          </text>
          <g clip-path="url(#inside)">
            {course?.field?.map(([D, gate, dD, dgate]) => {
              const length = Math.hypot(dD / box.D, dgate / box.gate);
              if (!(length > 0)) return null;
              const sx = (dD / box.D / length) * 11,
                sy = (-dgate / box.gate / length) * 11;
              return (
                <line
                  class="pull"
                  x1={x(D) - sx}
                  y1={y(gate) - sy}
                  x2={x(D) + sx}
                  y2={y(gate) + sy}
                  stroke="var(--edge)"
                  stroke-opacity="0.55"
                  marker-end="url(#tip)"
                />
              );
            })}
            <marker id="tip" viewBox="0 0 6 6" refX="5" refY="3" markerWidth="5" markerHeight="5" orient="auto">
              <path d="M0,0 L6,3 L0,6 z" fill="var(--edge)" />
            </marker>
            {!state.bounded && !state.logistic && (
              <line
                x1={x(-box.gate * root)}
                y1={y(box.gate)}
                x2={x(box.gate * root)}
                y2={y(-box.gate)}
                stroke="var(--soft)"
                stroke-width="2"
                stroke-dasharray="2 5"
                class="separatrix"
              />
            )}
            <polyline
              class="closed"
              points={line(course?.closed)}
              fill="none"
              stroke="var(--c0)"
              stroke-width="6"
              stroke-opacity="0.5"
            />
            <polyline
              class="flow"
              points={line(course?.flow)}
              fill="none"
              stroke="var(--c1)"
              stroke-width="2.5"
              stroke-dasharray="7 5"
            />
            {dots_of(course).map(([D, gate]) => (
              <circle class="descent" cx={x(D)} cy={y(gate)} r={2.6} fill="var(--c2)" />
            ))}
          </g>
          <circle
            class="start"
            cx={x(state.D)}
            cy={y(state.gate)}
            r={8}
            fill="var(--page)"
            stroke="currentColor"
            stroke-width="3"
          />
        </svg>
      )}
    </div>
  );
}
