// Attention as a map on a canvas: its rows down, its columns across. Drawn from one byte image, so that scrubbing stays
// smooth.
import { useId, useLayoutEffect, useRef } from "preact/hooks";
import { Item } from "./legend";
import { palette, useRepaint } from "./theme";

// White to dark blue in light, black to light blue in dark; evenly in lightness.
const stops_of = {
  light: [
    [244, 247, 250],
    [156, 202, 232],
    [0, 114, 178],
    [0, 38, 77],
  ],
  dark: [
    [27, 32, 39],
    [24, 74, 122],
    [75, 163, 227],
    [224, 242, 255],
  ],
};

function ramp(stops: number[][]): Uint32Array {
  const bytes = new Uint8ClampedArray(256 * 4);
  for (let i = 0; i < 256; ++i) {
    const at = (i / 255) * (stops.length - 1);
    const below = Math.min(Math.floor(at), stops.length - 2);
    for (let c = 0; c < 3; ++c)
      bytes[4 * i + c] = stops[below]![c]! + (at - below) * (stops[below + 1]![c]! - stops[below]![c]!);
    bytes[4 * i + 3] = 255;
  }
  return new Uint32Array(bytes.buffer);
}

const ramps = { light: ramp(stops_of.light), dark: ramp(stops_of.dark) };
const theme = () => (palette().dark ? "dark" : "light");

const arrows: { [key: string]: [down: number, right: number] } = {
  ArrowUp: [-1, 0],
  ArrowDown: [1, 0],
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
};

interface Map {
  values: ArrayLike<number>;
  offset: number;
  rows: number;
  columns: number;
  most: number; // what the last colour stands for; the first stands for 0
  label: string;
  pointed?: [row: number, column: number] | undefined;
  point?: (row: number, column: number) => void; // by pointer or arrow keys; without it the map is only looked at
}

export function Heatmap({ values, offset, rows, columns, most, label, pointed, point }: Map) {
  const canvas = useRef<HTMLCanvasElement>(null);
  useRepaint();
  // With the page, not after it: the map is of the step that the page says.
  useLayoutEffect(() => {
    const context = canvas.current!.getContext("2d")!;
    const colours = ramps[theme()];
    const image = context.createImageData(columns, rows);
    const pixels = new Uint32Array(image.data.buffer);
    for (let i = 0; i < pixels.length; ++i)
      pixels[i] = colours[Math.round(255 * Math.min(1, Math.max(0, (values[offset + i] ?? 0) / most)))]!;
    context.putImageData(image, 0, 0);
  });
  const step = (event: KeyboardEvent) => {
    const by = arrows[event.key];
    if (!by || !point) return;
    event.preventDefault();
    const [row, column] = pointed ?? [-by[0], -by[1]];
    point(Math.min(rows - 1, Math.max(0, row + by[0])), Math.min(columns - 1, Math.max(0, column + by[1])));
  };
  const tell = (event: PointerEvent) => {
    const box = canvas.current!.getBoundingClientRect();
    const at = (share: number, count: number) => Math.min(count - 1, Math.max(0, Math.floor(share * count)));
    point?.(at((event.clientY - box.top) / box.height, rows), at((event.clientX - box.left) / box.width, columns));
  };
  // biome-ignore lint/a11y/noAriaHiddenOnFocusable: without a tabIndex nothing focuses a canvas
  if (!point) return <canvas ref={canvas} class="map" width={columns} height={rows} aria-hidden="true" />;
  return (
    <canvas
      ref={canvas}
      class="map"
      width={columns}
      height={rows}
      role="img"
      aria-label={label}
      tabIndex={0}
      onKeyDown={step}
      onPointerMove={tell}
      onPointerDown={tell}
    />
  );
}

// Which colour stands for how much.
export function ColourBar({ most }: { most: number }) {
  const id = useId();
  useRepaint();
  const stops = stops_of[theme()];
  return (
    <ul class="legend">
      <Item text={`attention, from 0 to ${most}`} width={120}>
        <linearGradient id={id}>
          {stops.map((stop, i) => (
            <stop offset={i / (stops.length - 1)} stop-color={`rgb(${stop.join()})`} />
          ))}
        </linearGradient>
        <rect x="0.5" y="0.5" width="119" height="7" fill={`url(#${id})`} stroke="var(--edge)" />
      </Item>
    </ul>
  );
}
