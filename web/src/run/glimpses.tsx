// The way of the glimpses over an image, at one look of a run: what each sees sharply as a box with its number, in
// order.
import { useMemo } from "preact/hooks";
import { Figure } from "../figure";
import type { Kept } from "./kept";

const unit = 20; // of the drawing to a pixel of the image

interface Box {
  left: number;
  top: number;
  width: number;
  height: number;
}

// The smallest box around the pixels that have weight; outside the image there are none.
function box_of(weights: Float32Array, side: number): Box {
  let left = side,
    top = side,
    right = 0,
    bottom = 0;
  weights.forEach((weight, i) => {
    if (weight === 0) return;
    [left, right] = [Math.min(left, i % side), Math.max(right, (i % side) + 1)];
    [top, bottom] = [Math.min(top, Math.floor(i / side)), Math.max(bottom, Math.floor(i / side) + 1)];
  });
  return { left, top, width: right - left, height: bottom - top };
}

type Point = readonly [x: number, y: number];
const around: Point[] = [
  [0, 0],
  [1, 0],
  [-1, 0],
  [0, -1],
  [0, 1],
  [1, -1],
  [-1, -1],
  [1, 1],
  [-1, 1],
];

// The points, and where one is nearer to those before it than `least`, a place beside it.
function apart(points: Point[], least: number): Point[] {
  const placed: Point[] = [];
  for (const [x, y] of points) {
    const tried = around.map(([right, down]) => [x + right * least, y + down * least] as const);
    placed.push(
      tried.find(one => placed.every(other => Math.hypot(one[0] - other[0], one[1] - other[1]) >= 0.95 * least)) ?? [
        x,
        y,
      ],
    );
  }
  return placed;
}

export function Glimpses({
  training,
  images,
  at,
  example,
}: {
  training: Kept;
  images: Float32Array;
  at: number;
  example: number;
}) {
  const look = training.look_at(at);
  const [, glimpses, pixels] = look?.shape ?? [0, 0, 0];
  const side = Math.round(Math.sqrt(pixels));
  const ink = useMemo(() => {
    const image = images.subarray(example * pixels, (example + 1) * pixels);
    const most = image.reduce((most, one) => Math.max(most, one), 0.01);
    return [...image].flatMap((one, i) =>
      one > 0
        ? [
            <rect
              x={(i % side) * unit}
              y={Math.floor(i / side) * unit}
              width={unit}
              height={unit}
              fill-opacity={(one / most).toFixed(2)}
            />,
          ]
        : [],
    );
  }, [images, example, pixels]);
  if (!look) return null;
  const boxes = Array.from({ length: glimpses }, (_, t) =>
    box_of(look.alpha.subarray((example * glimpses + t) * pixels, (example * glimpses + t + 1) * pixels), side),
  );
  const middles = boxes.map(
    ({ left, top, width, height }) => [(left + width / 2) * unit, (top + height / 2) * unit] as const,
  );
  const size = (side * unit) / 20; // of the numbers
  const label = training.class_of(example);
  const way = middles.map(([x, y]) => `${(x / unit).toFixed(1)}, ${(y / unit).toFixed(1)}`).join("; ");
  return (
    <section class="attention glimpses" aria-label="Glimpses">
      <Figure
        title="The way of the glimpses"
        file={`glimpses-step-${look.step}`}
        table={() => ({
          columns: ["glimpse", "left", "top", "width", "height"],
          rows: boxes.map(({ left, top, width, height }, t) => [t + 1, left, top, width, height]),
        })}
      >
        <svg
          viewBox={`0 0 ${side * unit} ${side * unit}`}
          role="img"
          aria-label={`${glimpses} glimpses at step ${look.step}, of an image of ${side} by ${side} pixels. Their middles, across and down: ${way}.`}
        >
          <g fill="currentColor" shape-rendering="crispEdges">
            {ink}
          </g>
          <g fill="none" stroke="var(--c1)" stroke-width={0.12 * unit}>
            {boxes.map(({ left, top, width, height }) => (
              <rect
                x={left * unit}
                y={top * unit}
                width={width * unit}
                height={height * unit}
                stroke-dasharray={`${0.5 * unit} ${0.3 * unit}`}
              />
            ))}
            <polyline points={middles.join(" ")} stroke-width={0.25 * unit} stroke-linejoin="round" />
          </g>
          <g
            fill="var(--c1)"
            stroke="var(--page)"
            stroke-width={0.25 * size}
            stroke-linejoin="round"
            paint-order="stroke"
            font-size={size}
            font-weight="bold"
            text-anchor="middle"
          >
            {apart(middles, 0.9 * size).map(([x, y], t) => (
              <text x={x} y={y + 0.36 * size}>
                {t + 1}
              </text>
            ))}
          </g>
        </svg>
      </Figure>
      <p class="soft">
        Example {example + 1} at step {look.step}: glimpses 1 to {glimpses}, in their order. A box is what a glimpse
        sees sharply.
        {label && ` Its class is ${label}.`}
      </p>
    </section>
  );
}
