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

const pad = 10,
  word = 11, // height of a word next to a map
  least = 8, // and of one that can still be read
  margin = 6;

// A text that ends or begins at a point, turned where it reads downwards.
function words_at(text: string, x: number, y: number, anchor: string, size: number, down = false): SVGElement {
  const made = element("text", {
    x,
    y,
    "text-anchor": anchor,
    "dominant-baseline": "central",
    "font-size": size,
    fill: "currentColor",
    ...(down && { transform: `rotate(90 ${x} ${y})` }),
  });
  made.textContent = text;
  return made;
}

// The canvas as an image within an SVG, with a frame, its words and its caption; one of a point per cell stays one of
// squares. Every word is there that can be read.
function svg_of(canvas: HTMLCanvasElement, caption: string): SVGElement {
  const { width, height } = canvas.getBoundingClientRect();
  const copy = document.createElement("canvas");
  copy.width = Math.round(width * fine);
  copy.height = Math.round(height * fine);
  const context = copy.getContext("2d")!;
  context.imageSmoothingEnabled = canvas.width >= width;
  context.drawImage(canvas, 0, 0, copy.width, copy.height);
  const frame = canvas.closest(".map-frame");
  const words_of = (side: string) =>
    [...(frame?.querySelectorAll<HTMLElement>(`.words.${side} > span`) ?? [])].map(one => one.dataset.word ?? "");
  const axis = (side: string) => frame?.querySelector(`.map-axis.${side}`)?.textContent ?? "";
  const [down, across] = [words_of("down"), words_of("across")];
  const pen = document.createElement("canvas").getContext("2d")!;
  pen.font = `${word}px sans-serif`;
  const longest = (words: string[]) => Math.max(0, ...words.map(one => pen.measureText(one).width));
  // If not every word has room, some are left out.
  const every = (words: string[], room: number) => Math.max(1, Math.ceil((words.length * least) / room));
  const size = (words: string[], room: number) => Math.min(word, (every(words, room) * room) / words.length);
  const flat = longest(across) <= width / Math.max(1, across.length) - 2;
  const lines = caption ? lines_of(caption, width + longest(down), part => pen.measureText(part).width) : [];
  const left = pad + (axis("down") ? word + margin : 0) + (down.length ? longest(down) + margin : 0),
    top = pad + lines.length * line_height + (lines.length ? margin : 0);
  const under = across.length ? (flat ? word : longest(across)) + 2 * margin : 0;
  const whole = {
    width: left + width + pad,
    height: top + height + under + (axis("across") ? word + margin : 0) + pad,
  };
  const svg = element("svg", { viewBox: `0 0 ${Math.ceil(whole.width)} ${Math.ceil(whole.height)}` });
  svg.append(element("image", { href: copy.toDataURL(), x: left, y: top, width, height }));
  svg.append(element("rect", { x: left, y: top, width, height, fill: "none", stroke: "currentColor" }));
  svg.append(...lines.map((text, i) => words_at(text, pad, pad + (i + 0.5) * line_height, "start", word)));
  down.forEach((text, i) => {
    if (text && i % every(down, height) === 0)
      svg.append(words_at(text, left - margin, top + ((i + 0.5) * height) / down.length, "end", size(down, height)));
  });
  across.forEach((text, i) => {
    const x = left + ((i + 0.5) * width) / across.length,
      y = top + height + margin;
    if (text && flat) svg.append(words_at(text, x, y + word / 2, "middle", word));
    else if (text && i % every(across, width) === 0)
      svg.append(words_at(text, x, y, "start", size(across, width), true));
  });
  if (axis("down")) svg.append(words_at(axis("down"), pad + word / 2, top + height / 2, "middle", word, true));
  if (axis("across"))
    svg.append(words_at(axis("across"), left + width / 2, whole.height - pad - word / 2, "middle", word));
  return svg;
}

// The drawing that `holder` has, apart from its legend's swatches, and how its colours are got at.
function copy_of(holder: Element, caption: string): SVGElement {
  const drawn = [...holder.querySelectorAll<SVGSVGElement>("svg[viewBox]")].find(one => !one.closest(".legend"));
  if (!drawn) {
    const canvas = holder.querySelector("canvas");
    if (!canvas) throw new Error("there is no figure to save");
    return svg_of(canvas, caption);
  }
  const copy = drawn.cloneNode(true) as SVGElement;
  const originals = [drawn, ...drawn.querySelectorAll("*")];
  // If the dark page gives a plain colour another one, the figure keeps that one.
  [copy, ...copy.querySelectorAll("*")].forEach((one, i) => {
    for (const name of ["stroke", "fill"])
      if (one.getAttribute(name)?.startsWith("#"))
        one.setAttribute(name, getComputedStyle(originals[i]!).getPropertyValue(name));
  });
  // The cursor of the person at the page is no part of the figure.
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
  const begin = left + (copy.querySelector("image") ? pad : 0); // next to a map the edge is free
  let x = begin,
    y = top + height;
  for (const entry of entries) {
    const swatch = entry.querySelector("svg")!.cloneNode(true) as SVGElement;
    const across = Number(swatch.getAttribute("width")),
      text = entry.textContent!.trim();
    const indent = across + 6;
    const lines = lines_of(text, width - indent, part => pen.measureText(part).width);
    const room = indent + Math.max(...lines.map(line => pen.measureText(line).width)) + gap;
    if (x > begin && x - gap + room > left + width) [x, y] = [begin, y + row];
    for (const [key, value] of Object.entries({ x, y: y + 6 })) swatch.setAttribute(key, String(value));
    group.append(swatch);
    lines.forEach((line, i) => {
      const words = element("text", { x: x + indent, y: y + 14 + i * line_height });
      words.textContent = line;
      group.append(words);
    });
    x += room;
    if (lines.length > 1) [x, y] = [begin, y + row + (lines.length - 1) * line_height];
  }
  copy.append(group);
  copy.setAttribute("viewBox", [left, top, width, y + (x > begin ? row : 0) + 4 - top].join(" "));
}

function scale(copy: SVGElement, wide: number) {
  const [, , width = 1, height = 1] = copy
    .getAttribute("viewBox")!
    .split(/[\s,]+/)
    .map(Number);
  const all = element("g", { transform: `scale(${wide / width})` });
  all.append(...copy.childNodes);
  copy.append(all);
  copy.setAttribute("viewBox", `0 0 ${wide} ${Math.ceil((height * wide) / width)}`);
}

// `caption`: the title in the picture of a map. `wide`: its width; 0: as on the page.
export function svg_text(holder: Element, caption = "", wide = 0): string {
  const copy = copy_of(holder, caption);
  add_legend(copy, holder);
  if (wide) scale(copy, wide);
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
