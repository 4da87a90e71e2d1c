// A figure with its title, and its ways out: as SVG, as PNG, its numbers as CSV.
import { type ComponentChildren, cloneElement, render, type VNode } from "preact";
import { useRef, useState } from "preact/hooks";
import { pdf_of } from "./pdf";
import { png_of, svg_text } from "./picture";
import { save, save_text } from "./save";

export interface Table {
  columns: string[];
  rows: (string | number | null)[][];
}

export function csv_text(table: Table): string {
  const cell = (value: string | number | null) => {
    const text = value === null ? "" : String(value);
    return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  return [table.columns, ...table.rows].map(row => `${row.map(cell).join(",")}\n`).join("");
}

// Widths of a printed page, in points of the page (96 to an inch).
const papers = [
  { name: "as shown", width: 0 },
  { name: "one column, 85 mm", width: 321 },
  { name: "two columns, 175 mm", width: 661 },
];

// The figure drawn anew at that width, dark on white, in a place that nobody sees; it is there when its drawing is.
async function on_paper(children: ComponentChildren, width: number): Promise<string> {
  const sheet = document.createElement("div");
  sheet.className = "on-white";
  sheet.style.width = `${width}px`;
  document.body.append(sheet);
  try {
    render(cloneElement(children as VNode), sheet);
    for (let frames = 0; frames < 60 && !sheet.querySelector(".plot > svg"); ++frames)
      await new Promise(done => setTimeout(done, 16));
    return svg_text(sheet);
  } finally {
    render(null, sheet);
    sheet.remove();
  }
}

// `paper`: its one child can be drawn again at another width. `caption`: the title in the picture of a map. `empty`: there is nothing to save yet.
export function Figure(props: {
  title: string;
  file: string;
  table?: (() => Table) | undefined;
  paper?: boolean;
  caption?: string;
  empty?: boolean;
  menu?: boolean; // its ways out are folded: there is little room
  children: ComponentChildren;
}) {
  const holder = useRef<HTMLDivElement>(null);
  const [problem, set_problem] = useState("");
  const [width, set_width] = useState(0);
  const svg = async () =>
    width && props.caption === undefined
      ? on_paper(props.children, width)
      : svg_text(holder.current!, props.caption, width);
  // Too large a picture, for one, cannot be made of points.
  const try_to = async (as: string, make: () => void | Promise<void>) => {
    try {
      await make();
      set_problem("");
    } catch (error) {
      set_problem(
        `The figure could not be saved as ${as} (${(error as Error).message}): try another form${as === "PNG" ? ", or a narrower window" : ""}.`,
      );
    }
  };
  const ways_out = (
    <fieldset
      class="ways-out"
      style={props.empty ? { visibility: "hidden" } : undefined}
      aria-label={`Save the figure: ${props.title}`}
    >
      {(props.paper || props.caption !== undefined) && (
        <label class="paper">
          <span class="hidden">Size of the saved figure</span>
          <select value={String(width)} onChange={event => set_width(Number(event.currentTarget.value))}>
            {papers.map(paper => (
              <option value={String(paper.width)}>{paper.name}</option>
            ))}
          </select>
        </label>
      )}
      <button
        type="button"
        class="quiet"
        onClick={() => try_to("SVG", async () => save_text(await svg(), `${props.file}.svg`, "image/svg+xml"))}
      >
        SVG
      </button>
      <button
        type="button"
        class="quiet"
        onClick={() => try_to("PDF", async () => save(await pdf_of(await svg()), `${props.file}.pdf`))}
      >
        PDF
      </button>
      <button
        type="button"
        class="quiet"
        onClick={() => try_to("PNG", async () => save(await png_of(await svg(), width ? 4 : 2), `${props.file}.png`))}
      >
        PNG
      </button>
      {props.table && (
        <button
          type="button"
          class="quiet"
          onClick={() => save_text(csv_text(props.table!()), `${props.file}.csv`, "text/csv")}
        >
          CSV
        </button>
      )}
    </fieldset>
  );
  return (
    <figure class="figure">
      <figcaption>
        <span>{props.title}</span>
        {props.menu ? (
          <details class="menu">
            <summary>Save</summary>
            {ways_out}
          </details>
        ) : (
          ways_out
        )}
      </figcaption>
      <p class="problem" role="alert">
        {problem}
      </p>
      <div ref={holder}>{props.children}</div>
    </figure>
  );
}
