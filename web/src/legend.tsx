// What the colours and strokes of a figure mean. It is drawn as SVG, so that a saved figure has it, too.
import type { ComponentChild } from "preact";

export interface Entry {
  text: string;
  colour: string;
  dash?: string | undefined;
  width?: number;
  toggle?: (() => void) | undefined; // it switches what it stands for on and off
  on?: boolean;
}

const swatch = { width: 30, height: 8 };

export function Legend({ entries }: { entries: Entry[] }) {
  return (
    <ul class="legend">
      {entries.map(({ text, colour, dash, width = 3, toggle, on = true }) => (
        <Item text={text} toggle={toggle} on={on}>
          <line
            x1="2"
            x2={swatch.width - 2}
            y1="4"
            y2="4"
            stroke={colour}
            stroke-width={width}
            stroke-dasharray={dash}
            stroke-linecap={dash ? "butt" : "round"}
          />
        </Item>
      ))}
    </ul>
  );
}

interface ItemProps {
  text: string;
  width?: number;
  toggle?: (() => void) | undefined;
  on?: boolean;
  children: ComponentChild;
}

export function Item({ text, width = swatch.width, toggle, on, children }: ItemProps) {
  const shown = (
    <>
      <svg viewBox={`0 0 ${width} ${swatch.height}`} width={width} height={swatch.height} aria-hidden="true">
        {children}
      </svg>{" "}
      <span>{text}</span>
    </>
  );
  if (!toggle) return <li>{shown}</li>;
  return (
    <li>
      <button type="button" class="switch" aria-pressed={on} onClick={toggle}>
        {shown}
      </button>
    </li>
  );
}
