// D and p of the flow over the time of training, each on a scale of its own: one moves at once, the other waits.
import { useWidth } from "../lines";
import { type Course, type Frame, inside_of, short } from "./state";
import type { Walker } from "./walk";

const height = 96,
  edges = { left: 46, right: 10, top: 24, bottom: 8 };

// What the two curves show, by where they begin.
function says_of({ of }: Course): string {
  if (Math.abs(of.D) < 1e-9)
    return "The path leaves the ring sideways: D moves at once, and p waits. The speed of p is 0 as long as D is 0.";
  return of.D > 0
    ? "D is above 0 at the start, so p rises at once."
    : "D is below 0 at the start, so p falls at first.";
}

interface Props {
  course: Course | undefined;
  frame: Frame;
  walker: Walker | undefined;
}

export function OverTime({ course, frame, walker }: Props) {
  const [holder, width] = useWidth();
  const inside = course ? inside_of(course, frame) : [],
    count = inside.length;
  const until = course?.times[count - 1] ?? 0;
  return (
    <div ref={holder} class="over-time">
      {width > 0 && course && count > 1 && (
        <>
          <p class="soft">{says_of(course)}</p>
          {[
            { name: "D", at: 0, colour: "var(--c1)", is: "knowledge" },
            { name: "p", at: 2, colour: "var(--c0)", is: "attention" },
          ].map(({ name, at, colour, is }) => {
            const values = inside.map(point => point[at]!),
              low = Math.min(0, ...values),
              high = Math.max(low + 1e-9, ...values);
            const at_time = (time: number) => edges.left + (time / until) * (width - edges.left - edges.right),
              x = (i: number) => at_time(course.times[i]!),
              y = (value: number) =>
                height - edges.bottom - ((value - low) / (high - low)) * (height - edges.top - edges.bottom);
            return (
              <svg
                key={name}
                viewBox={`0 0 ${width} ${height}`}
                width={width}
                height={height}
                role="img"
                aria-label={`${name}, ${is}, over time: from ${short(values[0]!)} to ${short(values.at(-1)!)} at τ = ${short(until)}`}
              >
                {[low, high].map(value => (
                  <g key={value}>
                    <line x1={edges.left} x2={width - edges.right} y1={y(value)} y2={y(value)} stroke="var(--line)" />
                    <text x={edges.left - 5} y={y(value) + 4} text-anchor="end">
                      {short(value)}
                    </text>
                  </g>
                ))}
                <polyline
                  class={`of-${name}`}
                  points={values.map((value, i) => `${x(i).toFixed(1)},${y(value).toFixed(1)}`).join(" ")}
                  fill="none"
                  stroke={colour}
                  stroke-width="2.5"
                />
                {walker && (
                  <circle
                    class="walker"
                    cx={at_time(walker.time)}
                    cy={y(name === "D" ? walker.D : walker.p)}
                    r={5}
                    fill={colour}
                  />
                )}
                <text class="name" x={edges.left} y={14}>
                  {name}, {is}
                </text>
              </svg>
            );
          })}
          <p class="soft across">
            <span>τ = 0</span>
            <span>time of training</span>
            <span>τ = {short(until)}</span>
          </p>
          {count < course.flow.length && (
            <p class="soft">The curves end at τ = {short(until)}, where the path leaves the plane.</p>
          )}
        </>
      )}
    </div>
  );
}
