// A figure with its title, and its ways out: as SVG, as PNG, its numbers as CSV.
import type { ComponentChildren } from "preact";
import { useRef, useState } from "preact/hooks";
import { png_of, svg_text } from "./picture";
import { save, save_text } from "./save";

export interface Table {
  columns: string[];
  rows: (string | number | null)[][];
}

export function csv_text(table: Table): string {
  const cell = (value: string | number | null) => {
    const text = value === null ? "" : String(value);
    return /[",\r\n]/.test(text) ? '"' + text.replaceAll('"', '""') + '"' : text;
  };
  return [table.columns, ...table.rows].map((row) => row.map(cell).join(",") + "\n").join("");
}

export function Figure(props: { title: string; file: string; table?: (() => Table) | undefined; children: ComponentChildren }) {
  const holder = useRef<HTMLDivElement>(null);
  const [problem, set_problem] = useState("");
  const svg = () => svg_text(holder.current!);
  // Too large a picture, for one, cannot be made.
  const try_to = async (as: string, make: () => void | Promise<void>) => {
    try {
      await make();
      set_problem("");
    } catch (error) {
      set_problem(`The figure could not be saved as ${as} (${(error as Error).message}): try another form, or a narrower window.`);
    }
  };
  return (
    <figure class="figure">
      <figcaption>
        <span>{props.title}</span>
        <span class="ways-out" role="group" aria-label={`Save the figure: ${props.title}`}>
          <button type="button" class="quiet" onClick={() => try_to("SVG", () => save_text(svg(), props.file + ".svg", "image/svg+xml"))}>
            SVG
          </button>
          <button type="button" class="quiet" onClick={() => try_to("PNG", async () => save(await png_of(svg()), props.file + ".png"))}>
            PNG
          </button>
          {props.table && (
            <button type="button" class="quiet" onClick={() => save_text(csv_text(props.table!()), props.file + ".csv", "text/csv")}>
              CSV
            </button>
          )}
        </span>
      </figcaption>
      <p class="problem" role="alert">
        {problem}
      </p>
      <div ref={holder}>{props.children}</div>
    </figure>
  );
}
