// A figure as a file of its own: with its size, its background, its legend, and colours instead of variables.
const name_space = "http://www.w3.org/2000/svg";
const row = 20,
  line_height = 15,
  gap = 18; // of the legend
const fine = 2; // points of a picture to one of the page's

function element(name: string, attributes: { [name: string]: string | number }): SVGElement {
  const made = document.createElementNS(name_space, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, String(value));
  return made;
}

// The canvas as an image within an SVG; one of a point per cell stays one of squares.
function svg_of(canvas: HTMLCanvasElement): SVGElement {
  const { left, top, width, height } = canvas.getBoundingClientRect();
  const copy = document.createElement("canvas");
  copy.width = Math.round(width * fine);
  copy.height = Math.round(height * fine);
  const context = copy.getContext("2d")!;
  context.imageSmoothingEnabled = canvas.width >= width;
  context.drawImage(canvas, 0, 0, copy.width, copy.height);
  // And the words beside it, where they stand.
  const frame = canvas.closest(".map-frame") ?? canvas,
    whole = frame.getBoundingClientRect();
  const svg = element("svg", { viewBox: `0 0 ${Math.round(whole.width)} ${Math.round(whole.height)}` });
  svg.append(element("image", { href: copy.toDataURL(), x: left - whole.left, y: top - whole.top, width, height }));
  for (const word of frame.querySelectorAll<HTMLElement>(".words span, .map-axis")) {
    if (!word.textContent) continue;
    const box = word.getBoundingClientRect(),
      style = getComputedStyle(word);
    const x = (box.left + box.right) / 2 - whole.left,
      y = (box.top + box.bottom) / 2 - whole.top;
    const transform = `rotate(${style.writingMode.startsWith("vertical") ? 90 : 0} ${x} ${y})`;
    const text = element("text", {
      x,
      y,
      "text-anchor": "middle",
      "dominant-baseline": "central",
      "font-size": style.fontSize,
      fill: style.color,
      transform,
    });
    text.textContent = word.textContent;
    svg.append(text);
  }
  return svg;
}

// The drawing that `holder` has, apart from its legend's swatches, and how its colours are got at.
function copy_of(holder: Element): SVGElement {
  const drawn = [...holder.querySelectorAll<SVGSVGElement>("svg[viewBox]")].find(one => !one.closest(".legend"));
  if (!drawn) {
    const canvas = holder.querySelector("canvas");
    if (!canvas) throw new Error("there is no figure to save");
    return svg_of(canvas);
  }
  const copy = drawn.cloneNode(true) as SVGElement;
  const originals = [drawn, ...drawn.querySelectorAll("*")];
  // Where the page gives a plain colour another one, in the dark, the figure keeps that.
  [copy, ...copy.querySelectorAll("*")].forEach((one, i) => {
    for (const name of ["stroke", "fill"])
      if (one.getAttribute(name)?.startsWith("#"))
        one.setAttribute(name, getComputedStyle(originals[i]!).getPropertyValue(name));
  });
  // Where somebody looked is nothing of the figure.
  for (const part of copy.querySelectorAll("line.now, rect.later")) part.remove();
  return copy;
}

// A text in lines that are no wider than `room`, broken between words, and within one that is wider by itself.
function lines_of(text: string, room: number, width_of: (part: string) => number): string[] {
  const lines = [""];
  for (const part of text.split(/(?<=[ ,;=])/)) {
    for (const piece of width_of(part) > room ? [...part] : [part]) {
      if (width_of((lines.at(-1) + piece).trimEnd()) > room) lines.push("");
      lines[lines.length - 1] += piece;
    }
  }
  return lines.map(line => line.trim()).filter(line => line !== "");
}

// Under the figure, in as many rows as it wants.
function add_legend(copy: SVGElement, holder: Element) {
  const entries = [...holder.querySelectorAll(".legend li")].filter(
    one => !one.querySelector('[aria-pressed="false"]'),
  );
  if (entries.length === 0) return;
  const [left = 0, top = 0, width = 0, height = 0] = copy
    .getAttribute("viewBox")!
    .split(/[\s,]+/)
    .map(Number);
  const pen = document.createElement("canvas").getContext("2d")!;
  pen.font = "12px sans-serif";
  const group = element("g", {
    "font-size": 12,
    "text-anchor": "start",
    fill: "currentColor",
    stroke: "none",
    class: "legend",
  });
  let x = left,
    y = top + height;
  for (const entry of entries) {
    const swatch = entry.querySelector("svg")!.cloneNode(true) as SVGElement;
    const across = Number(swatch.getAttribute("width")),
      text = entry.textContent!.trim();
    const indent = across + 6;
    const lines = lines_of(text, width - indent, part => pen.measureText(part).width);
    const room = indent + Math.max(...lines.map(line => pen.measureText(line).width)) + gap;
    if (x > left && x - gap + room > left + width) [x, y] = [left, y + row];
    for (const [key, value] of Object.entries({ x, y: y + 6 })) swatch.setAttribute(key, String(value));
    group.append(swatch);
    lines.forEach((line, i) => {
      const words = element("text", { x: x + indent, y: y + 14 + i * line_height });
      words.textContent = line;
      group.append(words);
    });
    x += room;
    if (lines.length > 1) [x, y] = [left, y + row + (lines.length - 1) * line_height];
  }
  copy.append(group);
  copy.setAttribute("viewBox", [left, top, width, y + (x > left ? row : 0) + 4 - top].join(" "));
}

export function svg_text(holder: Element): string {
  const copy = copy_of(holder);
  add_legend(copy, holder);
  const style = getComputedStyle(holder);
  const [, , width, height] = copy.getAttribute("viewBox")!.split(/[\s,]+/);
  copy.setAttribute("xmlns", name_space);
  copy.setAttribute("width", width!);
  copy.setAttribute("height", height!);
  copy.setAttribute(
    "style",
    `color:${style.color};background:${style.getPropertyValue("--page")};font:11px sans-serif`,
  );
  const plain = (text: string) =>
    text.replace(/var\((--[a-z0-9-]+)\)/g, (_, name) => style.getPropertyValue(name).trim());
  for (const one of [copy, ...copy.querySelectorAll("*")])
    for (const { name, value } of [...one.attributes]) if (value.includes("var(")) one.setAttribute(name, plain(value));
  return new XMLSerializer().serializeToString(copy);
}

// `fine`: points of the picture to one of the figure.
export async function png_of(svg: string, fine: number): Promise<Blob> {
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
  await image.decode();
  const canvas = document.createElement("canvas");
  canvas.width = image.width * fine;
  canvas.height = image.height * fine;
  canvas.getContext("2d")!.drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((done, fail) =>
    canvas.toBlob(blob => (blob ? done(blob) : fail(new Error("no picture"))), "image/png"),
  );
}
