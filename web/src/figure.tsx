// A figure with its title, and its ways out: as SVG, as PNG, its numbers as CSV.
import type { ComponentChildren } from "preact";
import { useRef } from "preact/hooks";
import { save, save_text } from "./save";

export interface Table {
  columns: string[];
  rows: (string | number | null)[][];
}

export function csv_text(table: Table): string {
  const cell = (value: string | number | null) => {
    const text = value === null ? "" : String(value);
    return /[",\n]/.test(text) ? '"' + text.replaceAll('"', '""') + '"' : text;
  };
  return [table.columns, ...table.rows].map((row) => row.map(cell).join(",") + "\n").join("");
}

// The first SVG in `holder` as a file of its own: with its size, its background, and colours instead of variables.
export function svg_text(holder: Element): string {
  const drawn = holder.querySelector("svg[viewBox]") ?? holder.querySelector("svg");
  if (!drawn) throw new Error("there is no figure to save");
  const copy = drawn.cloneNode(true) as SVGElement;
  const style = getComputedStyle(holder);
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  const box = (drawn as SVGSVGElement).viewBox.baseVal;
  copy.setAttribute("width", String(box.width));
  copy.setAttribute("height", String(box.height));
  copy.setAttribute("style", `color:${style.color};background:${style.getPropertyValue("--page")};font:11px sans-serif`);
  const plain = (text: string) => text.replace(/var\((--[a-z0-9-]+)\)/g, (_, name) => style.getPropertyValue(name).trim());
  for (const element of [copy, ...copy.querySelectorAll("*")])
    for (const { name, value } of [...element.attributes]) if (value.includes("var(")) element.setAttribute(name, plain(value));
  return new XMLSerializer().serializeToString(copy);
}

async function png_of(svg: string, scale: number): Promise<Blob> {
  const image = new Image();
  image.src = "data:image/svg+xml;charset=utf-8," + encodeURIComponent(svg);
  await image.decode();
  const canvas = document.createElement("canvas");
  canvas.width = image.width * scale;
  canvas.height = image.height * scale;
  canvas.getContext("2d")!.drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((done, fail) => canvas.toBlob((blob) => (blob ? done(blob) : fail(new Error("no picture"))), "image/png"));
}

export function Figure(props: { title: string; file: string; table?: () => Table; children: ComponentChildren }) {
  const holder = useRef<HTMLDivElement>(null);
  const svg = () => svg_text(holder.current!);
  return (
    <figure class="figure">
      <figcaption>
        <span>{props.title}</span>
        <span class="ways-out" role="group" aria-label={`Save the figure: ${props.title}`}>
          <button type="button" class="quiet" onClick={() => save_text(svg(), props.file + ".svg", "image/svg+xml")}>
            SVG
          </button>
          <button type="button" class="quiet" onClick={async () => save(await png_of(svg(), 2), props.file + ".png")}>
            PNG
          </button>
          {props.table && (
            <button type="button" class="quiet" onClick={() => save_text(csv_text(props.table!()), props.file + ".csv", "text/csv")}>
              CSV
            </button>
          )}
        </span>
      </figcaption>
      <div ref={holder}>{props.children}</div>
    </figure>
  );
}
