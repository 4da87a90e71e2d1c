// Attention as arcs between two columns of words: the thicker an arc, the more weight. Beside it the same as a map.
import { Heatmap } from "../heatmap";
import { useWidth } from "../lines";

// What is pointed at: a row, a column, or a cell of both.
export interface Pointed {
  row?: number;
  column?: number;
}

// The attention of one example at one step.
export interface Seen {
  inputs: string[];
  outputs: string[];
  weights: Float32Array; // a row for each output
  right: (row: number, column: number) => boolean;
}

interface Props {
  seen: Seen;
  label: string;
  pointed: Pointed;
  point: (pointed: Pointed) => void;
}
interface ArcsProps extends Props {
  choose?: () => void; // on a click
  tallest?: number; // points for all words together
}

export const arc = (x1: number, y1: number, x2: number, y2: number) =>
  `M${x1} ${y1}C${(x1 + x2) / 2} ${y1} ${(x1 + x2) / 2} ${y2} ${x2} ${y2}`;
const least = 0.02; // of a weight, to be drawn
const words = 66; // the room of a column of words
export const arc_width = (weight: number) => 0.3 + 9 * Math.min(2, weight); // what is multiplied may pass 1

// Of a cell its whole row counts.
const is_on = (pointed: Pointed, row: number, column: number) =>
  pointed.row !== undefined ? pointed.row === row : (pointed.column ?? column) === column;

export function Arcs({ seen, label, pointed, point, choose, tallest = 350 }: ArcsProps) {
  const [holder, width] = useWidth();
  const { inputs, outputs, weights, right } = seen;
  const most = Math.max(inputs.length, outputs.length);
  const row_height = Math.max(tallest < 350 ? 10 : 15, Math.min(27, tallest / most)),
    height = most * row_height,
    letters = Math.min(13, row_height);
  const y_of = (i: number, count: number) => ((i + 0.5) * height) / count;
  const from = words,
    to = Math.max(from + 60, width - words);
  // Of a cell the row and the column count here; of a map that is one row, the column.
  const at = (event: PointerEvent) => {
    const box = (event.currentTarget as Element).getBoundingClientRect();
    const share = Math.max(0, Math.min(0.999, (event.clientY - box.top) / box.height));
    const left = outputs.length === 1 || event.clientX < box.left + box.width / 2;
    point(left ? { column: Math.floor(share * inputs.length) } : { row: Math.floor(share * outputs.length) });
  };
  const by_key = (event: KeyboardEvent) => {
    if (choose && (event.key === "Enter" || event.key === " ")) {
      event.preventDefault();
      return choose();
    }
    const by = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    if (!by) return;
    event.preventDefault();
    const across = outputs.length === 1;
    const now = (across ? pointed.column : pointed.row) ?? (by > 0 ? -1 : 1);
    const next = Math.max(0, Math.min((across ? inputs : outputs).length - 1, now + by));
    point(across ? { column: next } : { row: next });
  };
  return (
    <div ref={holder} class="arcs">
      {width > 0 && (
        <svg
          class={choose && "clicked"}
          viewBox={`0 0 ${width} ${height}`}
          width={width}
          height={height}
          font-size={letters}
          role="img"
          aria-label={label}
          tabindex={0}
          onPointerMove={at}
          onPointerDown={at}
          onPointerLeave={() => point({})}
          onClick={choose}
          onKeyDown={by_key}
        >
          {outputs.map((_, row) =>
            inputs.map((_, column) => {
              const weight = weights[row * inputs.length + column]!;
              if (weight < least) return null;
              const on = is_on(pointed, row, column);
              return (
                <path
                  class={right(row, column) ? "arc right" : "arc"}
                  d={arc(from, y_of(column, inputs.length), to, y_of(row, outputs.length))}
                  stroke-width={arc_width(weight).toFixed(2)}
                  stroke-opacity={(on ? Math.min(1, 0.25 + 0.75 * weight) : 0.04).toFixed(2)}
                />
              );
            }),
          )}
          {inputs.map((word, column) => (
            <text
              class={pointed.column === column || strong(seen, pointed.row, column) ? "lit" : ""}
              x={from - 6}
              y={y_of(column, inputs.length) + 4}
              text-anchor="end"
            >
              {word}
            </text>
          ))}
          {outputs.map((word, row) => (
            <text class={pointed.row === row ? "lit" : ""} x={to + 6} y={y_of(row, outputs.length) + 4}>
              {word}
            </text>
          ))}
        </svg>
      )}
    </div>
  );
}

// Whether a row gives the column the largest of its weights.
function strong({ inputs, weights }: Seen, row: number | undefined, column: number): boolean {
  if (row === undefined) return false;
  const own = weights.subarray(row * inputs.length, (row + 1) * inputs.length);
  return own[column] === Math.max(...own);
}

// The map, with the words of its rows and columns; the row that is pointed at is framed.
export function WordMap({ seen, label, pointed, point, axes }: Props & { axes: { rows: string; columns: string } }) {
  const { inputs, outputs, weights } = seen;
  const frame = pointed.row !== undefined && {
    top: `${(100 * pointed.row) / outputs.length}%`,
    height: `${100 / outputs.length}%`,
  };
  return (
    <div
      class="word-map"
      style={{ "--rows": outputs.length, "--columns": inputs.length }}
      onPointerLeave={() => point({})}
    >
      <p class="axes" aria-hidden="true">
        Rows: {axes.rows}. Columns: {axes.columns}.
      </p>
      <div class="across" aria-hidden="true">
        {inputs.map((word, column) => (
          <span class={pointed.column === column || strong(seen, pointed.row, column) ? "lit" : ""}>{word}</span>
        ))}
      </div>
      <div class="down" aria-hidden="true">
        {outputs.map((word, row) => (
          <span class={pointed.row === row ? "lit" : ""}>{word}</span>
        ))}
      </div>
      <div class="cells" style={{ aspectRatio: `${inputs.length} / ${outputs.length}` }}>
        <Heatmap
          values={weights}
          offset={0}
          rows={outputs.length}
          columns={inputs.length}
          most={1}
          label={label}
          pointed={pointed.row === undefined ? undefined : [pointed.row, pointed.column ?? 0]}
          point={(row, column) => point({ row, column })}
        />
        {frame && <span class="frame" style={frame} />}
      </div>
    </div>
  );
}
