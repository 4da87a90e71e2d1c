// What the colours and strokes of a figure mean. It is drawn as SVG, so that a saved figure has it, too.
import type { ComponentChild } from "preact";

export interface Entry {
  text: string;
  colour: string;
  dash?: string | undefined;
  width?: number;
}

const swatch = { width: 30, height: 8 };

export function Legend({ entries }: { entries: Entry[] }) {
  return (
    <ul class="legend">
      {entries.map(({ text, colour, dash, width = 3 }) => (
        <Item text={text}>
          <line x1="2" x2={swatch.width - 2} y1="4" y2="4" stroke={colour} stroke-width={width} stroke-dasharray={dash} stroke-linecap={dash ? "butt" : "round"} />
        </Item>
      ))}
    </ul>
  );
}

export function Item({ text, width = swatch.width, children }: { text: string; width?: number; children: ComponentChild }) {
  return (
    <li>
      <svg viewBox={`0 0 ${width} ${swatch.height}`} width={width} height={swatch.height} aria-hidden="true">
        {children}
      </svg>{" "}
      <span>{text}</span>
    </li>
  );
}
