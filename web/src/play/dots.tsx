// α against β: every position of one example as a dot that moves.
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Look, Looks } from "../engine/looks";
import { Figure, type Table } from "../figure";
import { useWidth } from "../lines";
import { palette, useRepaint } from "../theme";
import { type AttentionProps, cells_of, example_of, names_of } from "./attention";
import { chance_ticks } from "./chance";

// α against β, where the model has both. Before training every β is the same.
export function Dots({ training, at, example }: AttentionProps) {
  const look = training.look_at(at, example);
  if (!look?.beta || at === 0) return null;
  const { rows, columns, offset, inputs, outputs, file } = example_of(training, look, example);
  return (
    <Scatter
      training={training}
      look={look}
      offset={offset}
      count={rows * columns}
      file={`${file}-scatter`}
      table={() => cells_of(look, offset, inputs, outputs, names_of(training), training.truth)}
    />
  );
}

// The least and the most β of an example in all looks so far, which only grows: each look is read once.
function useRange(company: Looks[], example: number): [number, number] {
  const known = useRef<{ company: Looks[]; example: number; read: number[]; low: number; high: number }>();
  if (known.current?.company !== company || known.current.example !== example)
    known.current = { company, example, read: company.map(() => -1), low: Infinity, high: -Infinity };
  const range = known.current;
  company.forEach((one, i) => {
    for (const {
      step,
      beta,
      shape: [, rows, columns],
    } of one.looks) {
      if (!beta || step <= range.read[i]!) continue;
      range.read[i] = step;
      const from = example * rows * columns; // texts may be of another length there
      for (let cell = from; cell < from + rows * columns; ++cell) {
        if (Number.isNaN(beta[cell])) continue; // not measured there, or not to be looked at
        range.low = Math.min(range.low, beta[cell]!);
        range.high = Math.max(range.high, beta[cell]!);
      }
    }
  });
  const edge = range.high > range.low ? 0.03 * (range.high - range.low) : 1; // so that no dot lies on the border
  return [range.low - edge, range.high + edge];
}

// Whether it is in the window, or about to be.
function useSeen(holder: { current: HTMLElement | null }): boolean {
  const [seen, set] = useState(false);
  useEffect(() => {
    const watch = new IntersectionObserver(entries => set(entries.at(-1)!.isIntersecting), { rootMargin: "100px" });
    watch.observe(holder.current!);
    return () => watch.disconnect();
  }, []);
  return seen;
}

// Every position as a dot: how much it speaks for the right output across (β, labelled by its chance), the attention on
// it up (α). β's axis is that of all looks so far, at trainings side by side the same one, so that dots move and the axis does not.
function Scatter({
  training,
  look,
  offset,
  count,
  file,
  table,
}: {
  training: Looks;
  look: Look;
  offset: number;
  count: number;
  file: string;
  table: () => Table;
}) {
  const [holder, width] = useWidth();
  const canvas = useRef<HTMLCanvasElement>(null);
  useRepaint();
  const seen = useSeen(holder);
  const size = Math.max(220, Math.min(380, width));
  const [low, high] = useRange(training.company, offset / count);
  useLayoutEffect(() => {
    if (!width || !seen) return;
    const context = canvas.current!.getContext("2d")!;
    const scale = Math.max(2, devicePixelRatio); // as fine as it is saved
    canvas.current!.width = canvas.current!.height = size * scale;
    context.scale(scale, scale);
    const { of: colour, text, font } = palette();
    const left = 46,
      top = 10,
      right = size - 8,
      bottom = size - 40;
    context.strokeStyle = colour("--line");
    for (const share of [0, 0.5, 1]) {
      const y = bottom - share * (bottom - top);
      context.beginPath();
      context.moveTo(left, y);
      context.lineTo(right, y);
      context.stroke();
    }
    context.fillStyle = colour("--soft");
    context.font = `12px ${font}`;
    context.textAlign = "right";
    for (const share of [0, 0.5, 1])
      context.fillText(`${100 * share} %`, left - 6, bottom - share * (bottom - top) + 4);
    context.textAlign = "center";
    for (const { beta, says } of chance_ticks(training, low, high)) {
      const x = left + ((beta - low) / (high - low)) * (right - left);
      context.beginPath();
      context.moveTo(x, top);
      context.lineTo(x, bottom);
      context.stroke();
      context.fillText(says, Math.min(x, right - 14), bottom + 16);
    }
    context.fillStyle = text;
    context.fillText("β: chance of the right answer by one position alone", (left + right) / 2, bottom + 32);
    context.fillText("α", 12, (top + bottom) / 2 - (bottom - top) / 4);
    const draw = (truth: boolean) => {
      context.fillStyle = truth ? text : colour("--edge");
      context.globalAlpha = truth ? 0.9 : 0.6;
      for (let i = 0; i < count; ++i) {
        if ((training.truth?.[offset + i] ?? 0) > 0 !== truth) continue;
        const x = left + ((look.beta![offset + i]! - low) / (high - low)) * (right - left),
          y = bottom - look.alpha[offset + i]! * (bottom - top);
        if (truth) context.fillRect(x - 3, y - 3, 6, 6);
        else {
          context.beginPath();
          context.arc(x, y, 2.5, 0, 2 * Math.PI);
          context.fill();
        }
      }
    };
    draw(false);
    draw(true);
  });
  return (
    <div class="scatter">
      <Figure title={`α against β${training.title && `, with ${training.title}`}`} file={file} table={table}>
        <div ref={holder}>
          <canvas
            ref={canvas}
            style={{ width: size, height: size }}
            role="img"
            aria-label={`Attention α against β of every position at step ${look.step}`}
          />
        </div>
      </Figure>
      <p class="soft">
        {training.truth?.some(one => one > 0) && (
          <>
            Look at the squares, the positions that decide: do they first go right (β), or up (α)? A dot is any other
            position.{" "}
          </>
        )}
        Across: how likely the right answer would be, if all attention were on the position (β). Up: the attention on it
        (α).
      </p>
    </div>
  );
}
