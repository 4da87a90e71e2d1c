// The plane of D and p with a start that can be put anywhere, and the course that it takes.
import { useRef } from "preact/hooks";
import { read_address } from "../address";
import type { ToyPoint } from "../engine/engine";
import { useWidth } from "../lines";
import { useScreen } from "../screen";
import { type Course, change_toy, dots_of, type Frame, read_state, root, type State } from "./state";

interface Props {
  state: State;
  course: Course | undefined;
  frame: Frame;
  put: (start: Frame, frame: Frame, begins: boolean) => void; // a start, into a plane that has this frame
}

const margin = { left: 44, right: 10, top: 10, bottom: 38 };
const arrows: { [key: string]: [D: number, gate: number] } = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, 1],
  ArrowDown: [0, -1],
};

// Where points of the plane are in a drawing of this size, from −box to box.
class Scale {
  constructor(
    readonly side: number,
    readonly box: Frame,
  ) {}
  x = (D: number) => margin.left + ((D + this.box.D) / (2 * this.box.D)) * this.width;
  y = (gate: number) => margin.top + ((this.box.gate - gate) / (2 * this.box.gate)) * this.height;
  get width(): number {
    return this.side - margin.left - margin.right;
  }
  get height(): number {
    return this.side - margin.top - margin.bottom;
  }
  // The point under the pointer.
  at(event: PointerEvent, drawing: Element): Frame {
    const rectangle = drawing.getBoundingClientRect();
    const x = ((event.clientX - rectangle.left) / rectangle.width) * this.side;
    const y = ((event.clientY - rectangle.top) / rectangle.height) * this.side;
    const clamp = (value: number, most: number) => Math.round(Math.max(-most, Math.min(most, value)) * 100) / 100;
    return {
      D: clamp(((x - margin.left) / this.width) * 2 * this.box.D - this.box.D, this.box.D),
      gate: clamp(this.box.gate - ((y - margin.top) / this.height) * 2 * this.box.gate, this.box.gate),
    };
  }
}

export function Plane({ state, course, frame, put: put_start }: Props) {
  const [holder, width] = useWidth();
  const screen = useScreen();
  const plane = useRef<SVGSVGElement>(null);
  const held = useRef<Frame | null>(null); // the frame when a drag began, so that it stays put
  // Of a wide window the plane is whole in view, with its axes and what is to try beside it.
  const side = Math.max(260, Math.min(width, 900, screen.wide ? Math.max(400, screen.height - 314) : 900));
  const scale = new Scale(side, held.current ?? frame);
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
  const gate = state.bounded ? "a, the logit of p" : "p";
  return (
    <div ref={holder} class="plane">
      {width > 0 && (
        <svg
          ref={plane}
          viewBox={`0 0 ${side} ${side}`}
          width={side}
          height={side}
          role="application"
          aria-label={`Plane of D and ${gate}. The start is at D ${state.D}, ${gate} ${state.gate}; arrow keys move it.`}
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
          <Axes scale={scale} gate={gate} />
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
        </svg>
      )}
    </div>
  );
}

// Numbers along an axis from −most to most, few enough to read.
function ticks(most: number): number[] {
  const step = [0.5, 1, 2, 5, 10, 20, 50].find(size => (2 * most) / size <= 9) ?? 100;
  const all: number[] = [];
  for (let at = Math.ceil(-most / step) * step; at <= most; at += step) all.push(at);
  return all;
}

function Axes({ scale, gate: title }: { scale: Scale; gate: string }) {
  const { x, y, box, side } = scale;
  return (
    <>
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
        D = β₁ − β₀: knowledge about the key →
      </text>
      <text
        x={12}
        y={side / 2}
        text-anchor="middle"
        font-size="13"
        fill="currentColor"
        transform={`rotate(-90 12 ${side / 2})`}
      >
        {title}: attention on the key →
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
function Pulls({ scale: { x, y, box }, course }: { scale: Scale; course: Course | undefined }) {
  return (
    <>
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

// The course by closed form, flow and descent.
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
      <polyline
        class="flow"
        points={line(course?.flow)}
        fill="none"
        stroke="var(--text)"
        stroke-width="2.5"
        stroke-dasharray="7 5"
      />
      {dots_of(course).map(([D, gate]) => (
        <circle class="descent" cx={x(D)} cy={y(gate)} r={2.6} fill="var(--c2)" />
      ))}
    </>
  );
}
