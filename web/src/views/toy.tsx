// The toy gate: a start is put into the plane of D and p, and runs its course by closed form, flow and descent together.
import { useEffect, useId, useMemo, useRef, useState } from "preact/hooks";
import { change_address, read_address, useAddress } from "../address";
import { engine, type Toy as Course, type ToyPoint } from "../engine/engine";
import { Figure } from "../figure";
import { useWidth } from "../lines";

const stories = [
  { name: "uniform", title: "Uniform", D: 0, gate: 0.5, says: "No word is known yet. Attention rises at first slowly, then ever faster." },
  { name: "mistaken", title: "Mistaken", D: -20, gate: 0.5, says: "The wrong word was learned. Attention falls, and never comes back." },
  { name: "lowloss", title: "Low loss", D: 8, gate: 0.5, says: "The loss is as low as you like, and attention is still uniform." },
];

interface State {
  D: number;
  gate: number;
  rate: number;
  until: number;
  bounded: boolean;
  logistic: boolean;
}

const first: State = { D: 0, gate: 0.5, rate: 0.0625, until: 2.5, bounded: false, logistic: false };

function read_state(words: URLSearchParams): State {
  const number = (name: "D" | "gate" | "rate" | "until") => {
    const value = Number(words.get(name) ?? first[name]);
    return Number.isFinite(value) ? value : first[name];
  };
  return {
    D: number("D"),
    gate: number("gate"),
    rate: Math.min(0.5, Math.max(0.0005, number("rate"))),
    until: Math.min(10, Math.max(0.1, number("until"))),
    bounded: words.get("bounded") === "yes",
    logistic: words.get("logistic") === "yes",
  };
}

// Changes are made to what the address says now, which may be ahead of what is drawn.
function set(changes: Partial<State>, step = false) {
  const next = { ...read_state(read_address().words), ...changes };
  const word = (name: "D" | "gate" | "rate" | "until") => (next[name] === first[name] ? undefined : +next[name].toPrecision(6));
  change_address(
    {
      D: word("D"),
      gate: word("gate"),
      rate: word("rate"),
      until: word("until"),
      bounded: next.bounded ? "yes" : undefined,
      logistic: next.logistic ? "yes" : undefined,
    },
    step,
  );
}

const root = Math.SQRT2;

// The plane as it is drawn: wide enough for the start, the separatrix in view.
function frame_of(state: State) {
  const wide = Math.max(4, Math.abs(state.D) * 1.3);
  return { D: wide, p: Math.max(3, Math.abs(state.gate) * 1.3, wide / root) };
}

export function Toy() {
  const { words } = useAddress();
  const state = read_state(words);
  const [course, set_course] = useState<Course>();
  const [trouble, set_trouble] = useState("");
  const frame = useMemo(() => frame_of(state), [state.D, state.gate]);

  useEffect(() => {
    let wanted = true;
    engine.ask<Course>({ ask: "toy", ...state, bound: 60 }).then(
      (answer) => wanted && (set_course(answer), set_trouble("")),
      (error) => wanted && set_trouble(error.message),
    );
    return () => void (wanted = false);
  }, [state.D, state.gate, state.rate, state.until, state.bounded, state.logistic]);

  const story = stories.find((one) => one.D === state.D && one.gate === state.gate);
  const fate =
    course?.above === undefined ? "" : Math.abs(course.above) < 1e-9 ? "On the separatrix: it stays undecided for ever." : course.above > 0 ? "Above the separatrix: the key token wins." : "Below the separatrix: the wrong token wins.";
  const reaches = course?.reaches;
  return (
    <>
      <h1>Toy gate</h1>
      <p>
        Two sequences, (0, 0) and (0, 1); the second is positive. What symbol 1 says more than symbol 0 is D = β₁ − β₀, and p is the
        attention on the key. D grows with p and p grows with D: a saddle, parted by one line.
      </p>
      <p class="equation">dD/dτ = 2p, dp/dτ = D</p>
      <div class="presets" role="group" aria-label="Stories">
        {stories.map((one) => (
          <button type="button" aria-pressed={one === story} onClick={() => set({ D: one.D, gate: one.gate }, true)}>
            {one.title}
          </button>
        ))}
      </div>
      <p class="soft" role="status">
        {story ? story.says + " " : ""}
        {fate} {reaches !== null && reaches !== undefined ? `p reaches 1 at τ = ${reaches.toFixed(5)}.` : ""}
      </p>
      <p class="problem" role="alert">
        {trouble}
      </p>
      <div class="two">
        <Figure title={state.bounded ? "The plane of D and the logit of p" : "The plane of D and p"} file="toy-gate-plane" table={() => table_of(course, state)}>
          <Portrait state={state} course={course} frame={frame} />
          <ul class="legend">
            {course?.closed && <Key colour="var(--c0)" text="closed form" dash="none" />}
            <Key colour="var(--c1)" text="flow, integrated" dash="7 5" />
            <Key colour="var(--c2)" text={`gradient descent, a dot a step of ${+state.rate.toPrecision(3)}`} dash="1 5" />
            {!state.bounded && <Key colour="var(--soft)" text="separatrix, D = −√2 p" dash="2 4" />}
          </ul>
        </Figure>
        <form class="controls" onSubmit={(event) => event.preventDefault()}>
          <Slider label="Start: D" value={state.D} min={-20} max={20} step={0.1} set={(D) => set({ D })} />
          <Slider label={state.bounded ? "Start: logit of p" : "Start: p"} value={state.gate} min={-3} max={3} step={0.05} set={(gate) => set({ gate })} />
          <Slider label="Step size of descent" value={state.rate} min={0.0005} max={0.5} step={0.0005} set={(rate) => set({ rate })} />
          <Slider label="Time τ" value={state.until} min={0.1} max={10} step={0.1} set={(until) => set({ until })} />
          <label class="line">
            <input type="checkbox" checked={state.bounded} onChange={(event) => set({ bounded: event.currentTarget.checked }, true)} />
            Bounded: p = σ(a)
          </label>
          <label class="line">
            <input type="checkbox" checked={state.logistic} onChange={(event) => set({ logistic: event.currentTarget.checked }, true)} />
            Logistic loss
          </label>
          <p class="soft">Click or drag in the plane, or move the start by the arrow keys when the plane has the focus.</p>
          {course && course.descent.length > 1 && course.flow.length > 1 && <Distance course={course} state={state} />}
        </form>
      </div>
    </>
  );
}

function Key({ colour, text, dash }: { colour: string; text: string; dash: string }) {
  return (
    <li>
      <svg width="30" height="8" aria-hidden="true">
        <line x1="1" x2="29" y1="4" y2="4" style={{ stroke: colour }} stroke-width="3" stroke-dasharray={dash} stroke-linecap="round" />
      </svg>{" "}
      {text}
    </li>
  );
}

function Slider(props: { label: string; value: number; min: number; max: number; step: number; set: (value: number) => void }) {
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
        onInput={(event) => props.set(Number(event.currentTarget.value))}
      />
    </div>
  );
}

// How far descent is from the flow where both are at the same time.
function Distance({ course, state }: { course: Course; state: State }) {
  const last = course.descent.length - 1;
  const at = (last * state.rate) / (course.times[1]! - course.times[0]!);
  const below = Math.floor(at + 1e-9);
  const a = course.flow[below];
  if (!a) return null;
  const b = course.flow[below + 1] ?? a;
  const part = at - below;
  const [D, p] = course.descent[last]!;
  const distance = Math.hypot(a[0] + part * (b[0] - a[0]) - D, a[1] + part * (b[1] - a[1]) - p);
  return <p class="soft">At τ = {(last * state.rate).toFixed(3)} descent is {distance.toPrecision(3)} from the flow. Small steps make that smaller in proportion.</p>;
}

function table_of(course: Course | undefined, state: State) {
  const rows: (string | number)[][] = [];
  const add = (name: string, path: ToyPoint[] | undefined, time: (i: number) => number) =>
    path?.forEach(([D, , p, loss], i) => rows.push([name, time(i), D, p, loss]));
  if (course) {
    add("closed form", course.closed, (i) => course.times[i]!);
    add("flow", course.flow, (i) => course.times[i]!);
    add("descent", course.descent, (i) => i * state.rate);
  }
  return { columns: ["solver", "time", "D", "p", "loss"], rows };
}

interface PortraitProps {
  state: State;
  course: Course | undefined;
  frame: { D: number; p: number };
}

function Portrait({ state, course, frame }: PortraitProps) {
  const [holder, width] = useWidth();
  const plane = useRef<SVGSVGElement>(null);
  const held = useRef<{ D: number; p: number } | null>(null); // the frame when a drag began, so that it stays put
  const side = Math.max(260, Math.min(width, 640));
  const margin = { left: 44, right: 10, top: 10, bottom: 38 };
  const box = held.current ?? frame;
  const x = (D: number) => margin.left + ((D + box.D) / (2 * box.D)) * (side - margin.left - margin.right);
  const y = (p: number) => margin.top + ((box.p - p) / (2 * box.p)) * (side - margin.top - margin.bottom);
  const line = (path: ToyPoint[] = []) => path.map(([D, gate]) => `${x(D).toFixed(2)},${y(gate).toFixed(2)}`).join(" ");
  const put = (event: PointerEvent) => {
    const rectangle = plane.current!.getBoundingClientRect();
    const at_x = ((event.clientX - rectangle.left) / rectangle.width) * side;
    const at_y = ((event.clientY - rectangle.top) / rectangle.height) * side;
    const D = ((at_x - margin.left) / (side - margin.left - margin.right)) * 2 * box.D - box.D;
    const gate = box.p - ((at_y - margin.top) / (side - margin.top - margin.bottom)) * 2 * box.p;
    const clamp = (value: number, most: number) => Math.round(Math.max(-most, Math.min(most, value)) * 100) / 100;
    set({ D: clamp(D, box.D), gate: clamp(gate, box.p) });
  };
  const arrows: { [key: string]: [number, number] } = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };
  const press = (event: KeyboardEvent) => {
    const by = arrows[event.key];
    if (!by) return;
    event.preventDefault();
    const size = event.shiftKey ? 0.5 : 0.1;
    const now = read_state(read_address().words);
    set({ D: +(now.D + by[0] * size).toFixed(3), gate: +(now.gate + by[1] * size).toFixed(3) });
  };
  const ticks = (most: number) => {
    const step = [0.5, 1, 2, 5, 10, 20].find((size) => (2 * most) / size <= 9) ?? 50;
    const all: number[] = [];
    for (let at = Math.ceil(-most / step) * step; at <= most; at += step) all.push(at);
    return all;
  };
  const arrow_field = useMemo(() => {
    const all: { D: number; p: number; dD: number; dp: number }[] = [];
    for (let i = -4; i <= 4; ++i)
      for (let j = -4; j <= 4; ++j) {
        const D = (i / 4.5) * frame.D, p = (j / 4.5) * frame.p;
        all.push({ D, p, dD: 2 * p, dp: D });
      }
    return all;
  }, [frame]);
  return (
    <div ref={holder} class="plane">
      {width > 0 && (
        <svg
          ref={plane}
          viewBox={`0 0 ${side} ${side}`}
          width={side}
          height={side}
          role="application"
          aria-label={`Plane of D and p. The start is at D ${state.D}, p ${state.gate}; arrow keys move it.`}
          tabindex={0}
          onKeyDown={press}
          onPointerDown={(event) => {
            held.current = frame;
            plane.current!.setPointerCapture(event.pointerId);
            put(event);
          }}
          onPointerMove={(event) => held.current && put(event)}
          onPointerUp={() => {
            held.current = null;
            set({}, true);
          }}
          onPointerCancel={() => void (held.current = null)}
        >
          <clipPath id="inside">
            <rect x={margin.left} y={margin.top} width={side - margin.left - margin.right} height={side - margin.top - margin.bottom} />
          </clipPath>
          {ticks(box.D).map((D) => (
            <g>
              <line x1={x(D)} x2={x(D)} y1={y(-box.p)} y2={y(box.p)} stroke="var(--line)" />
              <text x={x(D)} y={side - margin.bottom + 16} text-anchor="middle" font-size="12" fill="var(--soft)">
                {D}
              </text>
            </g>
          ))}
          {ticks(box.p).map((p) => (
            <g>
              <line x1={x(-box.D)} x2={x(box.D)} y1={y(p)} y2={y(p)} stroke="var(--line)" />
              <text x={margin.left - 6} y={y(p) + 4} text-anchor="end" font-size="12" fill="var(--soft)">
                {p}
              </text>
            </g>
          ))}
          <text x={side / 2} y={side - 4} text-anchor="middle" font-size="13" fill="currentColor">
            D = β₁ − β₀
          </text>
          <text x={12} y={side / 2} text-anchor="middle" font-size="13" fill="currentColor" transform={`rotate(-90 12 ${side / 2})`}>
            {state.bounded ? "logit of p" : "p"}
          </text>
          <g clip-path="url(#inside)">
            {!state.bounded && !state.logistic && (
              <>
                {arrow_field.map(({ D, p, dD, dp }) => {
                  const length = Math.hypot(dD / box.D, dp / box.p) || 1;
                  const sx = (dD / box.D / length) * 11, sy = (-dp / box.p / length) * 11;
                  return <line x1={x(D) - sx} y1={y(p) - sy} x2={x(D) + sx} y2={y(p) + sy} stroke="var(--edge)" stroke-opacity="0.55" marker-end="url(#tip)" />;
                })}
                <marker id="tip" viewBox="0 0 6 6" refX="5" refY="3" markerWidth="5" markerHeight="5" orient="auto">
                  <path d="M0,0 L6,3 L0,6 z" fill="var(--edge)" />
                </marker>
                <line x1={x(-box.p * root)} y1={y(box.p)} x2={x(box.p * root)} y2={y(-box.p)} stroke="var(--soft)" stroke-width="2" stroke-dasharray="2 5" class="separatrix" />
              </>
            )}
            <polyline class="closed" points={line(course?.closed)} fill="none" stroke="var(--c0)" stroke-width="6" stroke-opacity="0.5" />
            <polyline class="flow" points={line(course?.flow)} fill="none" stroke="var(--c1)" stroke-width="2.5" stroke-dasharray="7 5" />
            {course?.descent.slice(0, 2000).map(([D, gate]) => (
              <circle class="descent" cx={x(D)} cy={y(gate)} r={2.6} fill="var(--c2)" />
            ))}
          </g>
          <circle class="start" cx={x(state.D)} cy={y(state.gate)} r={8} fill="var(--page)" stroke="currentColor" stroke-width="3" />
        </svg>
      )}
    </div>
  );
}
