// A part of a figure that is marked by the pointer.
import type * as Plot from "@observablehq/plot";
import { useEffect } from "preact/hooks";
import type { Window } from "./curves";

// A part that the pointer is drawn over becomes the window; a double click shows the whole. What is drawn over in width
// alone keeps its height to the values that are in it.
export function useBrush(
  holder: { current: HTMLDivElement | null },
  scales: { current?: { x: Plot.Scale; y: Plot.Scale } | undefined },
  zoom: ((to: Window | undefined) => void) | undefined,
) {
  useEffect(() => {
    const figure = holder.current;
    if (!figure || !zoom) return;
    let from: [number, number] | undefined;
    const box = document.createElement("div");
    box.className = "brush";
    const at = (event: PointerEvent): [number, number] => {
      const { left, top } = figure.getBoundingClientRect();
      const { x, y } = scales.current!;
      const within = (value: number, ends: number[]) => Math.max(Math.min(...ends), Math.min(Math.max(...ends), value));
      return [within(event.clientX - left, x.range as number[]), within(event.clientY - top, y.range as number[])];
    };
    const down = (event: PointerEvent) => {
      if (event.button !== 0 || !scales.current) return;
      from = at(event);
      figure.setPointerCapture(event.pointerId);
    };
    const move = (event: PointerEvent) => {
      if (!from) return;
      const to = at(event),
        flat = Math.abs(to[1] - from[1]) < 16;
      const [top, bottom] = flat
        ? (scales.current!.y.range as number[]).slice().sort((a, b) => a - b)
        : [from[1], to[1]].sort((a, b) => a - b);
      const left = Math.min(from[0], to[0]);
      Object.assign(box.style, {
        left: `${left}px`,
        width: `${Math.abs(to[0] - from[0])}px`,
        top: `${top}px`,
        height: `${bottom! - top!}px`,
      });
      if (!box.isConnected) figure.append(box);
    };
    const up = (event: PointerEvent) => {
      if (!from) return;
      const to = at(event),
        began = from;
      end();
      if (Math.abs(to[0] - began[0]) < 6) return;
      const { x, y } = scales.current!;
      const ends = (scale: Plot.Scale, a: number, b: number) =>
        [scale.invert!(a), scale.invert!(b)].sort((a, b) => a - b) as [number, number];
      zoom({ x: ends(x, began[0], to[0]), y: Math.abs(to[1] - began[1]) < 16 ? undefined : ends(y, began[1], to[1]) });
    };
    const end = () => {
      from = undefined;
      box.remove();
    };
    const whole = () => zoom(undefined);
    figure.classList.add("brushed");
    const all = [
      ["pointerdown", down],
      ["pointermove", move],
      ["pointerup", up],
      ["pointercancel", end],
      ["dblclick", whole],
    ] as [string, EventListener][];
    for (const [name, listen] of all) figure.addEventListener(name, listen, true); // before the tip takes it
    return () => {
      for (const [name, listen] of all) figure.removeEventListener(name, listen, true);
      box.remove();
    };
  }, [zoom]);
}
