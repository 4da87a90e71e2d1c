// The plane of D and p with a start that can be put anywhere, and the course that it takes.
import { useRef } from "preact/hooks";
import { read_address } from "../address";
import type { ToyPoint } from "../engine/engine";
import { useWidth } from "../lines";
import { useScreen } from "../screen";
import {
  attention_of,
  type Course,
  change_toy,
  dots_of,
  type Frame,
  logit,
  read_state,
  root,
  type State,
  sigmoid,
} from "./state";
import type { Walker } from "./walk";

interface Props {
  state: State;
  course: Course | undefined;
  frame: Frame;
  walker: Walker | undefined;
  put: (start: Frame, frame: Frame, begins: boolean) => void; // a start, into a plane that has this frame
}

const margin = { left: 54, right: 10, top: 10, bottom: 38 };
const arrows: { [key: string]: [D: number, gate: number] } = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, 1],
  ArrowDown: [0, -1],
};

// Where points of the plane are in a drawing of this size, from −box to box; of the bounded gate, p from 0 to 1.
class Scale {
  constructor(
    readonly wide: number,
    readonly high: number,
    readonly box: Frame,
    readonly bounded: boolean,
  ) {}
  x = (D: number) => margin.left + ((D + this.box.D) / (2 * this.box.D)) * this.width;
  y = (gate: number) => this.height_of(this.bounded ? sigmoid(gate) : gate);
  height_of = (p: number) => margin.top + ((this.top - p) / (this.top - this.bottom)) * this.height;
  get top(): number {
    return this.bounded ? 1 : this.box.gate;
  }
  get bottom(): number {
    return this.bounded ? 0 : -this.box.gate;
  }
  get width(): number {
    return this.wide - margin.left - margin.right;
  }
  get height(): number {
    return this.high - margin.top - margin.bottom;
  }
  // The point under the pointer.
  at(event: PointerEvent, drawing: Element): Frame {
    const rectangle = drawing.getBoundingClientRect();
    const x = ((event.clientX - rectangle.left) / rectangle.width) * this.wide;
    const y = ((event.clientY - rectangle.top) / rectangle.height) * this.high;
    const clamp = (value: number, most: number) => Math.round(Math.max(-most, Math.min(most, value)) * 100) / 100;
    const p = this.top - ((y - margin.top) / this.height) * (this.top - this.bottom);
    return {
      D: clamp(((x - margin.left) / this.width) * 2 * this.box.D - this.box.D, this.box.D),
      gate: clamp(this.bounded ? logit(p) : p, this.box.gate),
    };
  }
}

export function Plane({ state, course, frame, walker, put: put_start }: Props) {
  const [holder, width] = useWidth();
  const screen = useScreen();
  const plane = useRef<SVGSVGElement>(null);
  const held = useRef<Frame | null>(null); // the frame when a drag began, so that it stays put
  // Of a wide window the plane is whole in view, with its axes, Play and the sliders of the start.
  const high = Math.max(260, Math.min(width, 900, screen.wide ? Math.max(360, screen.height - 470) : 900)),
    wide = Math.max(high, Math.min(width, 1.6 * high));
  const scale = new Scale(wide, high, held.current ?? frame, state.bounded);
  // The way back leads to where the start was before it was taken hold of.
  const put = (event: PointerEvent, begins = false) => put_start(scale.at(event, plane.current!), scale.box, begins);
  const let_go = () => {
    held.current = null;
  };
  const press = (event: KeyboardEvent) => {
    const by = arrows[event.key];
    if (!by) return;
    event.preventDefault();
    const size = event.shiftKey ? 0.5 : 0.1;
    const now = read_state(read_address().words);
    change_toy({ D: +(now.D + by[0] * size).toFixed(3), gate: +(now.gate + by[1] * size).toFixed(3) });
  };
  return (
    <div ref={holder} class="plane">
      {width > 0 && (
        <svg
          ref={plane}
          viewBox={`0 0 ${wide} ${high}`}
          width={wide}
          height={high}
          role="application"
          aria-label={`Plane of D and p. The start is at D ${state.D}, p ${+attention_of(state).toPrecision(3)}; arrow keys move it.`}
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
            <rect x={margin.left} y={margin.top} width={scale.width} height={scale.height} />
          </clipPath>
          <Axes scale={scale} />
          <g clip-path="url(#inside)">
            <Pulls scale={scale} course={course} />
            {!state.bounded && !state.logistic && <Separatrix scale={scale} />}
            <Paths scale={scale} course={course} />
          </g>
          {!state.bounded && !state.logistic && <Sides scale={scale} />}
          <circle
            class="start"
            cx={scale.x(state.D)}
            cy={scale.y(state.gate)}
            r={8}
            fill="var(--page)"
            stroke="currentColor"
            stroke-width="3"
          />
          {walker && <circle class="walker" cx={scale.x(walker.D)} cy={scale.y(walker.gate)} r={7} fill="var(--c0)" />}
        </svg>
      )}
    </div>
  );
}

// Numbers along an axis, few enough to read.
function ticks(from: number, to: number): number[] {
  const step = [0.25, 0.5, 1, 2, 5, 10, 20, 50].find(size => (to - from) / size <= 9) ?? 100;
  const all: number[] = [];
  for (let at = Math.ceil(from / step) * step; at <= to; at += step) all.push(at);
  return all;
}

function Axes({ scale }: { scale: Scale }) {
  const { x, height_of, box, wide, high, top, bottom } = scale;
  return (
    <>
      {ticks(-box.D, box.D).map(D => (
        <g>
          <line x1={x(D)} x2={x(D)} y1={height_of(bottom)} y2={height_of(top)} stroke="var(--line)" />
          <text x={x(D)} y={high - margin.bottom + 16} text-anchor="middle" font-size="12" fill="var(--soft)">
            {D}
          </text>
        </g>
      ))}
      {ticks(bottom, top).map(p => (
        <g>
          <line x1={x(-box.D)} x2={x(box.D)} y1={height_of(p)} y2={height_of(p)} stroke="var(--line)" />
          <text x={margin.left - 6} y={height_of(p) + 4} text-anchor="end" font-size="12" fill="var(--soft)">
            {p}
          </text>
        </g>
      ))}
      <text x={wide / 2} y={high - 4} text-anchor="middle" font-size="13" fill="currentColor">
        D = β₁ − β₀: knowledge about the key →
      </text>
      <text
        x={12}
        y={high / 2}
        text-anchor="middle"
        font-size="13"
        fill="currentColor"
        transform={`rotate(-90 12 ${high / 2})`}
      >
        p: attention on the key →
      </text>
    </>
  );
}

// On which side of the separatrix what becomes of a start.
function Sides({ scale: { x, y, box } }: { scale: Scale }) {
  const words = {
    "font-size": 13,
    fill: "var(--soft)",
    stroke: "var(--page)",
    "stroke-width": 4,
    "paint-order": "stroke",
  };
  return (
    <>
      <text x={x(-0.62 * box.D)} y={y(box.gate) + 20} {...words}>
        attention reaches the key
      </text>
      <text x={x(0.62 * box.D)} y={y(-box.gate) - 10} text-anchor="end" {...words}>
        attention never reaches it
      </text>
    </>
  );
}

// Where starts all over the plane are pulled: an arrow each, of one length.
function Pulls({ scale, course }: { scale: Scale; course: Course | undefined }) {
  const { x, y, box, bounded, top, bottom } = scale;
  return (
    <>
      {course?.field?.map(([D, gate, dD, dgate]) => {
        const p = sigmoid(gate),
          dp = (bounded ? p * (1 - p) : 1) * dgate; // a moves p less, the nearer p is to 0 or 1
        const across = dD / (2 * box.D),
          up = dp / (top - bottom),
          length = Math.hypot(across, up);
        if (!(length > 0)) return null;
        const sx = (across / length) * 11,
          sy = (-up / length) * 11;
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
    </>
  );
}

function Separatrix({ scale: { x, y, box } }: { scale: Scale }) {
  return (
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
  );
}

// The course by closed form and descent, and the flow above both.
function Paths({ scale: { x, y }, course }: { scale: Scale; course: Course | undefined }) {
  const line = (path: ToyPoint[] = []) => path.map(([D, gate]) => `${x(D).toFixed(2)},${y(gate).toFixed(2)}`).join(" ");
  return (
    <>
      <polyline
        class="closed"
        points={line(course?.closed)}
        fill="none"
        stroke="var(--edge)"
        stroke-width="6"
        stroke-opacity="0.5"
      />
      {dots_of(course).map(([D, gate]) => (
        <circle class="descent" cx={x(D)} cy={y(gate)} r={2.6} fill="var(--c2)" />
      ))}
      <polyline
        class="flow"
        points={line(course?.flow)}
        fill="none"
        stroke="var(--text)"
        stroke-width="2.5"
        stroke-dasharray="7 5"
      />
    </>
  );
}
