// Attention of one example at one step: the map, and what its words are.

import { useState } from "preact/hooks";
import { useAddress } from "../address";
import { capital } from "../capital";
import { type Look, type Looks, plain } from "../engine/looks";
import { Figure } from "../figure";
import { ColourBar, Heatmap } from "../heatmap";
import { useWidth } from "../lines";
import { percent } from "../start/flags";
import { Explained } from "../term";
import { chance_text } from "./chance";

const most_words = 24; // more cannot be read beside the map: then some stand for all
const scales = [0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.6, 0.8, 1]; // of the map's colours
const letter = 8; // about how wide one is
const line = 11; // and how high a line of them
const line_in_a_room = 15; // where its letters are larger
const beside = 66; // and what stands beside a map: its axis and its words
const in_a_room = 1.8; // times as large, shown to a room

export interface AttentionProps {
  training: Looks;
  at: number;
  example: number;
  head?: string; // the one whose map it is, "layer.1.head.2"; else the model's
  name?: string | undefined; // the run's name, if there are two
  menu?: boolean; // its ways out are folded: another map stands beside it
}

// What rows and columns are called: one, and several.
const row_names = {
  example: ["example", "examples"],
  target_word: ["output", "outputs"],
  query: ["query", "queries"],
  place: ["position", "positions"],
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
export function names_of({ axes }: Looks): Names {
  const [row, rows] = row_names[axes.rows];
  const [column, columns] =
    axes.rows === "place" ? ["position", "the positions that they attend to"] : column_names[axes.columns];
  return { row, rows, column, columns };
}
export const head_title = (head: string) => head.replace(/^layer\.(\d+)\.head\.(\d+)$/, "layer $1, head $2");

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

export function Attention({ training, at, example, head = "", name, menu = false }: AttentionProps) {
  const [pointed, set_pointed] = useState<[row: number, column: number]>();
  const [frame, width] = useWidth();
  const large = useAddress().words.get("present") === "1" ? in_a_room : 1,
    high = large > 1 ? line_in_a_room : line;
  const whole = training.look_at(at, example);
  const of_heads = head ? training.heads_at(at) : undefined,
    own = of_heads?.heads.get(head);
  const look = own ? { ...of_heads!, alpha: own, held: false } : whole;
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
        title={[
          name
            ? `${name} ${training === training.company[0] ? "(solid)" : "(dashed)"}`
            : training.title
              ? `With ${training.title}`
              : "The attention map",
          own ? head_title(head) : whose_map(training),
        ]
          .filter(Boolean)
          .join(": ")}
        menu={menu}
        file={own ? `${file}-${head.replaceAll(".", "-")}` : file}
        caption={caption_of(training, own ? head_title(head) : "", look, example)}
        table={() => cells_of(look, offset, inputs, outputs, names, training.truth)}
      >
        <div ref={frame} class="map-frame" style={{ "--rows": rows, "--columns": columns }}>
          {rows > 1 && (
            <span class="map-axis down" aria-hidden="true">
              {names.rows} →
            </span>
          )}
          {rows > 1 && <Words across={false} room={cell_room} high={high} words={outputs} />}
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
            high={high}
            words={inputs}
            marked={rows === 1 ? inputs.map((_, i) => decides(0, i)) : undefined}
          />
          {rows > 1 && (
            <span class="map-axis across" aria-hidden="true">
              {training.axes.rows === "place" ? "positions attended to" : names.columns} →
            </span>
          )}
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
          {one_in(inputs, cell_room, high) > 1 &&
            ` One word of ${one_in(inputs, cell_room, high)} is written at the map.`}
          {training.axes.rows === "target_word" &&
            /^\d+$/.test(inputs[0] ?? "") &&
            " The words of this task are numbers."}
          {label && ` Its class is ${label}.`}
          {training.mean_of > 1 && !own && ` The mean over the ${training.mean_of} heads.`}
        </span>
        {typeof entropy === "number" && !own && (
          <Explained text={` Normalised entropy ${entropy.toFixed(3)} (all examples together).`} />
        )}
      </p>
      <p class={`soft pointed${pointed ? "" : " asks"}`} aria-live="polite">
        {pointed && row < rows && column < columns
          ? `${rows > 1 ? `${capital(names.row)} ${row + 1} (${outputs[row]}) from ${names.column}` : capital(names.column)} ${column + 1} (${inputs[column]}): attention (α) ${percent(look.alpha[cell]!)}.${chance_text(training, look.beta?.[cell], outputs[row] ?? "")}`
          : "Point at the map, or go through it by the arrow keys, for its numbers."}
      </p>
    </section>
  );
}

// The head whose map is the model's: the head of the last layer, or the mean of its heads.
function whose_map({ heads }: Looks): string {
  const layer = /^layer\.\d+\./.exec(heads.at(-1) ?? "")?.[0];
  if (!layer) return "";
  const of_layer = heads.filter(head => head.startsWith(layer));
  return of_layer.length === 1
    ? head_title(of_layer[0]!)
    : `${head_title(of_layer[0]!).split(",")[0]}, mean of its heads`;
}

// The title in the saved picture of a map: run, head and step.
function caption_of(training: Looks, head: string, { step, held }: Look, example: number): string {
  const of = [training.caption || training.title, head].filter(Boolean).join(", ");
  return `${of ? `${of}: attention` : "Attention"} at step ${step}${held ? ", held" : ""}, example ${example + 1}`;
}

// An example as a figure of it has it: what goes in and what comes out, and what its files are called.
export function example_of(training: Looks, look: Look, example: number) {
  const [, rows, columns] = look.shape;
  const offset = example * rows * columns;
  const accesses = training.axes.rows === "access"; // three tokens of the source are one: counter, page and offset
  const inputs = Array.from({ length: columns }, (_, i) =>
    accesses ? String(i + 1) : plain(training.input(example, i)),
  );
  const access = (t: number) => `${training.input(example, 3 * t + 1)}:${training.input(example, 3 * t + 2)}`;
  const outputs = accesses
    ? Array.from({ length: rows }, (_, t) => access(t))
    : (training.target[example]?.slice(0, rows).map(token => plain(training.output_word(token))) ??
      (rows === columns ? inputs : Array.from({ length: rows }, () => "")));
  const file = `${training.file}-step-${look.step}`;
  return { rows, columns, offset, inputs, outputs, file };
}

// A row per cell of the map.
export function cells_of(
  look: Look,
  offset: number,
  inputs: string[],
  outputs: string[],
  names: Names,
  truth?: Float32Array,
) {
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

// One of so many words is written, as there is room.
const one_in = (words: string[], room: number, high: number) =>
  Math.max(
    Math.ceil(words.length / (words.length > most_words ? most_words / 2 : most_words)),
    words.length > 1 ? Math.ceil(high / room) : 1,
  );

// If a word has no room beside the others, all words are drawn vertically. Of too many words, every second or tenth is
// written.
function Words({
  across,
  room,
  high,
  words,
  marked,
}: {
  across: boolean;
  room: number;
  high: number;
  words: string[];
  marked?: boolean[] | undefined;
}) {
  const every = one_in(words, room, high);
  // Those that are marked stand there in any case, and none beside them.
  const shown = (i: number) =>
    marked?.[i] ||
    every === 1 ||
    (i % every === 0 && !marked?.slice(Math.max(0, i - every + 1), i + every).some(Boolean));
  const tall = across && words.some((word, i) => shown(i) && word.length * letter > room * every);
  return (
    <div
      class={["words", across ? "across" : "down", every > 1 && "some"].filter(Boolean).join(" ")}
      aria-hidden="true"
    >
      {words.map((word, i) => (
        <span data-word={word} class={[marked?.[i] && "decides", tall && "tall"].filter(Boolean).join(" ")}>
          {shown(i) && word}
        </span>
      ))}
    </div>
  );
}
