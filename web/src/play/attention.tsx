// Attention of one example at one step: the map, what its words are, and α against β as dots that move.
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { useAddress } from "../address";
import type { Look, Looks } from "../engine/looks";
import { Figure, type Table } from "../figure";
import { ColourBar, Heatmap } from "../heatmap";
import { useWidth } from "../lines";
import { Explained } from "../term";
import { palette, useRepaint } from "../theme";

const most_words = 24; // more cannot be read beside the map: then some stand for all
const scales = [0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.6, 0.8, 1]; // of the map's colours
const letter = 8; // about how wide one is
const line = 11; // and how high a line of them
const beside = 48; // and what stands beside a map
const in_a_room = 1.8; // times as large, shown to a room

interface Props {
  training: Looks;
  at: number;
  example: number;
}

// What rows and columns are called: one, and several.
const row_names = {
  example: ["example", "examples"],
  target_word: ["output", "outputs"],
  query: ["query", "queries"],
  place: ["place", "places"],
  access: ["access", "accesses"],
  glimpse: ["glimpse", "glimpses"],
} as const;
const column_names = {
  source_word: ["input", "inputs"],
  item: ["item", "items"],
  feature: ["feature", "features"],
  key: ["key", "keys"],
  expert: ["expert", "experts"],
  pixel: ["pixel", "pixels"],
} as const;
interface Names {
  row: string;
  rows: string;
  column: string;
  columns: string;
}
function names_of({ axes }: Looks): Names {
  const [row, rows] = row_names[axes.rows];
  const [column, columns] =
    axes.rows === "place" ? ["place", "the places that they attend to"] : column_names[axes.columns];
  return { row, rows, column, columns };
}
const capital = (word: string) => word.charAt(0).toUpperCase() + word.slice(1);

// The most attention that any look has had so far: of many inputs, to which little comes each, the map's colours go as
// far as that. It only grows, so that colours mean the same while a person scrubs, and at trainings side by side.
const seen = new WeakMap<Looks, { looks: number; most: number }>();
function most_in(training: Looks): number {
  const known = seen.get(training) ?? { looks: 0, most: 0 };
  for (; known.looks < training.looks.length; ++known.looks)
    for (const alpha of training.looks[known.looks]!.alpha) if (alpha > known.most) known.most = alpha;
  seen.set(training, known);
  return known.most;
}
function scale_of(trainings: Looks[]): number {
  const most = Math.max(...trainings.map(most_in));
  return scales.find(scale => scale >= most) ?? 1;
}

export function Attention({ training, at, example }: Props) {
  const [pointed, set_pointed] = useState<[row: number, column: number]>();
  const [frame, width] = useWidth();
  const large = useAddress().words.get("present") === "1" ? in_a_room : 1;
  const look = training.look_at(at, example);
  if (!look) return null;
  const { rows, columns, offset, inputs, outputs, file } = example_of(training, look, example);
  const names = names_of(training);
  const decides = (row: number, column: number) => (training.truth?.[offset + row * columns + column] ?? 0) > 0;
  const entropy = training.value_at(look.held ? "entropy_held" : "entropy", look.step);
  const label = training.class_of(example);
  const most = columns > most_words ? scale_of(training.company) : 1;
  const [row, column] = pointed ?? [0, 0];
  const cell_room = width ? (width / large - (rows > 1 ? beside : 0)) / columns : Infinity;
  const cell = offset + row * columns + column;
  return (
    <section class="attention" aria-label={`Attention${training.title && ` with ${training.title}`}`}>
      <h2 class="hidden">Attention{training.title && `, with ${training.title}`}</h2>
      <Figure
        title={training.title ? `With ${training.title}` : "The attention map"}
        file={file}
        table={() => cells_of(look, offset, inputs, outputs, names, training.truth)}
      >
        <div ref={frame} class="map-frame" style={{ "--rows": rows, "--columns": columns }}>
          {rows > 1 && <Words across={false} room={cell_room} words={outputs} />}
          <div
            class={rows === 1 ? "map-holder flat" : "map-holder"}
            style={{ aspectRatio: rows === 1 ? undefined : `${columns} / ${rows}` }}
          >
            <Heatmap
              values={look.alpha}
              offset={offset}
              rows={rows}
              columns={columns}
              most={most}
              label={`Attention map at step ${look.step}, ${rows} ${rows === 1 ? names.row : names.rows} by ${columns} ${names.columns}. ${in_words(look, offset, rows, columns, inputs, outputs, names)}`}
              pointed={pointed}
              point={(row, column) => set_pointed([row, column])}
            />
          </div>
          <Words
            across
            room={cell_room}
            words={inputs}
            marked={rows === 1 ? inputs.map((_, i) => decides(0, i)) : undefined}
          />
        </div>
        <ColourBar most={most} />
      </Figure>
      <p class="soft">
        {training.title && <span class="whose">With {training.title}:</span>}
        <span class="reads">
          Example {example + 1} at step {look.step}
          {rows > 1
            ? `: ${names.rows} from top to bottom, ${names.columns} from left to right.`
            : `: its ${names.columns}.`}
          {training.axes.rows === "target_word" &&
            /^\d+$/.test(inputs[0] ?? "") &&
            " The words of this task are numbers."}
          {label && ` Its class is ${label}.`}
          {training.mean_of > 1 && ` The mean over the ${training.mean_of} heads.`}
        </span>
        {typeof entropy === "number" && (
          <Explained text={` Normalised entropy ${entropy.toFixed(3)} (all examples together).`} />
        )}
      </p>
      <p class={`soft pointed${pointed ? "" : " asks"}`} aria-live="polite">
        {pointed && row < rows && column < columns
          ? `${rows > 1 ? `${capital(names.row)} ${row + 1} (${outputs[row]}) from ${names.column}` : capital(names.column)} ${column + 1} (${inputs[column]}): α ${look.alpha[cell]!.toFixed(3)}${look.beta && Number.isFinite(look.beta[cell]) ? `, β ${look.beta[cell]!.toFixed(3)}` : ""}`
          : "Point at the map, or go through it by the arrow keys, for its numbers."}
      </p>
    </section>
  );
}

// An example as a figure of it has it: what goes in and what comes out, and what its files are called.
function example_of(training: Looks, look: Look, example: number) {
  const [, rows, columns] = look.shape;
  const offset = example * rows * columns;
  const accesses = training.axes.rows === "access"; // three tokens of the source are one: counter, page and offset
  const inputs = Array.from({ length: columns }, (_, i) => (accesses ? String(i + 1) : training.input(example, i)));
  const access = (t: number) => `${training.input(example, 3 * t + 1)}:${training.input(example, 3 * t + 2)}`;
  const outputs = accesses
    ? Array.from({ length: rows }, (_, t) => access(t))
    : (training.target[example]?.slice(0, rows).map(token => training.output_word(token)) ??
      (rows === columns ? inputs : Array.from({ length: rows }, () => "")));
  const file = ["attention", training.title.replace(/[^a-z0-9.]+/gi, "-"), `step-${look.step}`]
    .filter(Boolean)
    .join("-");
  return { rows, columns, offset, inputs, outputs, file };
}

// α against β, where the model has both.
export function Dots({ training, at, example }: Props) {
  const look = training.look_at(at, example);
  if (!look?.beta) return null;
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

// A row per cell of the map.
function cells_of(look: Look, offset: number, inputs: string[], outputs: string[], names: Names, truth?: Float32Array) {
  const columns = [
    names.row,
    `${names.row} word`,
    names.column === names.row ? `attended ${names.column}` : names.column,
    `${names.column === names.row ? "attended" : names.column} word`,
    "attention",
    ...(look.beta ? ["beta"] : []),
    ...(truth ? ["decides"] : []),
  ];
  return {
    columns,
    rows: outputs.flatMap((output, row) =>
      inputs.map((input, column) => {
        const cell = offset + row * inputs.length + column;
        return [
          row + 1,
          output,
          column + 1,
          input,
          look.alpha[cell]!,
          ...(look.beta ? [Number.isNaN(look.beta[cell]) ? "" : look.beta[cell]!] : []),
          ...(truth ? [Number(truth[cell]! > 0)] : []),
        ];
      }),
    ),
  };
}

// Where most of the attention of the first rows goes, for who cannot see the map.
function in_words(
  look: Look,
  offset: number,
  rows: number,
  columns: number,
  inputs: string[],
  outputs: string[],
  names: Names,
): string {
  return Array.from({ length: Math.min(rows, 6) }, (_, row) => {
    const weights = look.alpha.subarray(offset + row * columns, offset + (row + 1) * columns);
    const most = weights.indexOf(Math.max(...weights));
    return `${rows > 1 ? `${capital(names.row)} ${row + 1} (${outputs[row]})` : "It"} attends most to ${names.column} ${most + 1} (${inputs[most]}), ${Math.round(100 * weights[most]!)} %.`;
  }).join(" ");
}

// One that has no room beside the others stands on end; of too many, every second or tenth stands for those around it.
function Words({
  across,
  room,
  words,
  marked,
}: {
  across: boolean;
  room: number;
  words: string[];
  marked?: boolean[] | undefined;
}) {
  const every = Math.max(
    Math.ceil(words.length / (words.length > most_words ? most_words / 2 : most_words)),
    words.length > 1 ? Math.ceil(line / room) : 1,
  );
  // Those that are marked stand there in any case, and none beside them.
  const shown = (i: number) =>
    marked?.[i] ||
    every === 1 ||
    (i % every === 0 && !marked?.slice(Math.max(0, i - every + 1), i + every).some(Boolean));
  return (
    <div
      class={["words", across ? "across" : "down", every > 1 && "some"].filter(Boolean).join(" ")}
      aria-hidden="true"
    >
      {words.map((word, i) => (
        <span
          class={[marked?.[i] && "decides", across && word.length * letter > room * every && "tall"]
            .filter(Boolean)
            .join(" ")}
        >
          {shown(i) && word}
        </span>
      ))}
    </div>
  );
}

// To one decimal, and never as "-0.0".
function rounded(x: number): string {
  return (Math.round(10 * x) / 10 || 0).toFixed(1);
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

// Every position as a dot: how much it speaks for the right output across (β), the attention on it up (α). β's axis is
// that of all looks so far, at trainings side by side the same one, so that dots move and the axis does not.
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
    const left = 34,
      top = 10,
      right = size - 8,
      bottom = size - 36;
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
    for (const share of [0, 0.5, 1]) context.fillText(String(share), left - 6, bottom - share * (bottom - top) + 4);
    context.fillText(rounded(high), right, bottom + 16);
    context.textAlign = "left";
    context.fillText(rounded(low), left, bottom + 16);
    context.fillStyle = text;
    context.textAlign = "center";
    context.fillText("β", (left + right) / 2, bottom + 28);
    context.fillText("α", 10, (top + bottom) / 2 - (bottom - top) / 4);
    const draw = (truth: boolean) => {
      context.fillStyle = colour(truth ? "--c1" : "--c0");
      context.globalAlpha = truth ? 0.9 : 0.45;
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
        A dot per position: how much it speaks for the right output (β), and the attention on it (α).{" "}
        {training.truth?.some(one => one > 0) && (
          <>
            <span class="decides">■</span> is the position that decides.
          </>
        )}
      </p>
    </div>
  );
}
