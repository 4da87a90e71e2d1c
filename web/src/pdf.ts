// A figure as PDF: what the browser would draw of an SVG, element by element, in vectors, with the fonts that every
// reader of PDF has.
import { letters, missing_in, width_of } from "./pdf_fonts";

const point = 0.75; // of paper, to one of the page (96 to an inch)
const short = (x: number) => String(+x.toFixed(3));
const bytes_of = (text: string) => Uint8Array.from(text, letter => letter.charCodeAt(0));

async function deflated(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(
    await new Response(new Blob([bytes]).stream().pipeThrough(new CompressionStream("deflate"))).arrayBuffer(),
  );
}

// Red, green, blue, each to 1, and how opaque; undefined where nothing is painted.
function colour_of(css: string): [rgb: string, opaque: number] | undefined {
  const numbers = /^rgba?\(([^)]*)\)/.exec(css)?.[1];
  if (numbers === undefined) return undefined;
  const [r = 0, g = 0, b = 0, a = 1] = numbers.split(/[\s,/]+/).map(Number);
  return a === 0 ? undefined : [[r, g, b].map(one => short(one / 255)).join(" "), a];
}

// The operators of an SVG path: lines, curves and arcs, absolute or not.
function path_of(d: string): string {
  const words = d.match(/[a-zA-Z]|[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?/gi) ?? [];
  const out: string[] = [];
  let i = 0,
    x = 0,
    y = 0,
    x0 = 0,
    y0 = 0,
    what = "";
  const next = () => Number(words[i++]);
  const put = (...all: (number | string)[]) =>
    out.push(all.map(one => (typeof one === "number" ? short(one) : one)).join(" "));
  while (i < words.length) {
    if (/[a-zA-Z]/.test(words[i]!)) what = words[i++]!;
    const relative = what === what.toLowerCase(),
      [dx, dy] = relative ? [x, y] : [0, 0];
    switch (what.toUpperCase()) {
      case "M":
        [x, y] = [x0, y0] = [next() + dx, next() + dy];
        put(x, y, "m");
        what = relative ? "l" : "L";
        break;
      case "L":
        [x, y] = [next() + dx, next() + dy];
        put(x, y, "l");
        break;
      case "H":
        x = next() + dx;
        put(x, y, "l");
        break;
      case "V":
        y = next() + dy;
        put(x, y, "l");
        break;
      case "C": {
        const [a, b, c, d] = [next() + dx, next() + dy, next() + dx, next() + dy];
        [x, y] = [next() + dx, next() + dy];
        put(a, b, c, d, x, y, "c");
        break;
      }
      case "A": {
        const [rx, ry, , large, sweep] = [next(), next(), next(), next(), next()];
        const [to_x, to_y] = [next() + dx, next() + dy];
        for (const piece of arc(x, y, rx, ry, large, sweep, to_x, to_y)) put(...piece, "c");
        [x, y] = [to_x, to_y];
        break;
      }
      case "Z":
        put("h");
        [x, y] = [x0, y0];
        break;
      default:
        throw new Error(`its path has a "${what}"`);
    }
  }
  return out.join("\n");
}

// An arc of an ellipse that stands upright, in curves of a quarter at most.
function arc(
  x: number,
  y: number,
  rx: number,
  ry: number,
  large: number,
  sweep: number,
  to_x: number,
  to_y: number,
): number[][] {
  const [px, py] = [(x - to_x) / 2 / rx, (y - to_y) / 2 / ry],
    half = Math.min(1, Math.hypot(px, py));
  if (half === 0) return [];
  const away = (Math.sqrt(1 - half * half) / half) * (large === sweep ? -1 : 1);
  const [cx, cy] = [(x + to_x) / 2 + away * py * rx, (y + to_y) / 2 - away * px * ry];
  const from = Math.atan2((y - cy) / ry, (x - cx) / rx);
  let turn = Math.atan2((to_y - cy) / ry, (to_x - cx) / rx) - from;
  if (sweep && turn < 0) turn += 2 * Math.PI;
  if (!sweep && turn > 0) turn -= 2 * Math.PI;
  const count = Math.ceil(Math.abs(turn) / (Math.PI / 2) - 1e-9),
    by = turn / count,
    k = (4 / 3) * Math.tan(by / 4);
  return Array.from({ length: count }, (_, i) => {
    const a = from + i * by,
      b = a + by;
    const at = (angle: number, along: number) => [
      cx + rx * (Math.cos(angle) - along * Math.sin(angle)),
      cy + ry * (Math.sin(angle) + along * Math.cos(angle)),
    ];
    return [...at(a, k), ...at(b, -k), ...at(b, 0)];
  });
}

const number_in = (element: Element, name: string) => Number(element.getAttribute(name) ?? 0);

function outline(element: Element): string {
  const [x, y, width, height, r] = ["x", "y", "width", "height", "r"].map(name => number_in(element, name)) as [
    number,
    number,
    number,
    number,
    number,
  ];
  switch (element.localName) {
    case "path":
      return path_of(element.getAttribute("d") ?? "");
    case "line":
      return path_of(
        `M${number_in(element, "x1")} ${number_in(element, "y1")}L${number_in(element, "x2")} ${number_in(element, "y2")}`,
      );
    case "polyline": {
      const points = (element.getAttribute("points") ?? "").trim();
      return points && path_of(`M${points.replace(/\s+/g, "L")}`);
    }
    case "rect":
      return path_of(`M${x} ${y}h${width}v${height}h${-width}Z`);
    case "circle": {
      const [cx, cy] = [number_in(element, "cx"), number_in(element, "cy")];
      return path_of(`M${cx + r} ${cy}A${r} ${r} 0 1 1 ${cx - r} ${cy}A${r} ${r} 0 1 1 ${cx + r} ${cy}Z`);
    }
  }
  return "";
}

class Sheet {
  readonly out: string[] = [];
  readonly states: string[] = []; // of opacity
  readonly images: { bytes: Uint8Array<ArrayBuffer>; width: number; height: number }[] = [];

  constructor(private readonly root: SVGSVGElement) {}

  async draw(element: Element, opaque = 1) {
    const style = getComputedStyle(element);
    if (
      style.display === "none" ||
      ["defs", "clipPath", "marker", "linearGradient", "title", "style"].includes(element.localName)
    )
      return;
    opaque *= Number(style.opacity);
    const clip = /url\("?#([^")]+)"?\)/.exec(element.getAttribute("clip-path") ?? "")?.[1];
    const rect = clip && this.root.querySelector(`#${CSS.escape(clip)} rect`);
    this.out.push("q");
    if (rect) this.out.push(this.corners(rect, element), "W n");
    if (style.visibility === "visible" && element instanceof SVGGraphicsElement)
      await this.mark(element, style, opaque);
    if (element.localName !== "text") for (const child of element.children) await this.draw(child, opaque);
    this.out.push("Q");
  }

  private matrix(element: Element): DOMMatrix {
    return this.root
      .getScreenCTM()!
      .inverse()
      .multiply((element as SVGGraphicsElement).getScreenCTM()!);
  }
  private corners(rect: Element, of: Element): string {
    const [x, y, width, height] = ["x", "y", "width", "height"].map(name => number_in(rect, name)) as [
      number,
      number,
      number,
      number,
    ];
    const matrix = this.matrix(of);
    const places = [
      [x, y],
      [x + width, y],
      [x + width, y + height],
      [x, y + height],
    ].map(([x, y]) => new DOMPoint(x, y).matrixTransform(matrix));
    return path_of(`${places.map((place, i) => `${i ? "L" : "M"}${place.x} ${place.y}`).join("")}Z`);
  }
  private state(fill: number, stroke: number): string {
    const state = `/ca ${short(fill)} /CA ${short(stroke)}`;
    if (!this.states.includes(state)) this.states.push(state);
    return `/G${this.states.indexOf(state)} gs`;
  }

  private async mark(element: SVGGraphicsElement, style: CSSStyleDeclaration, opaque: number) {
    const is = element.localName;
    if (!["path", "line", "polyline", "rect", "circle", "text", "image"].includes(is)) return;
    const { a, b, c, d, e, f } = this.matrix(element);
    this.out.push(`${[a, b, c, d, e, f].map(short).join(" ")} cm`);
    if (is === "image") return this.image(element);
    const fill = is === "line" ? undefined : colour_of(style.fill),
      stroke = colour_of(style.stroke);
    const width = parseFloat(style.strokeWidth);
    const fills = fill ? fill[1] * Number(style.fillOpacity) * opaque : 0,
      strokes = stroke && width > 0 ? stroke[1] * Number(style.strokeOpacity) * opaque : 0;
    this.out.push(this.state(fills, strokes));
    if (fill) this.out.push(`${fill[0]} rg`);
    if (stroke) {
      const dash =
        style.strokeDasharray === "none"
          ? ""
          : style.strokeDasharray
              .split(/[\s,]+/)
              .map(one => short(parseFloat(one)))
              .join(" ");
      const caps = ["butt", "round", "square"].indexOf(style.strokeLinecap),
        joins = ["miter", "round", "bevel"].indexOf(style.strokeLinejoin);
      this.out.push(`${stroke[0]} RG ${short(width)} w [${dash}] 0 d ${Math.max(0, caps)} J ${Math.max(0, joins)} j`);
    }
    if (is === "text") return this.text(element as SVGTextElement, style, fills > 0, strokes > 0);
    if (is === "rect" && style.fill.startsWith("url(")) this.gradient(element, style.fill);
    const drawn = outline(element);
    if (drawn && (fills > 0 || strokes > 0))
      this.out.push(drawn, fills > 0 && strokes > 0 ? "B" : fills > 0 ? "f" : "S");
    const tip = is === "line" && /#([^")]+)/.exec(element.getAttribute("marker-end") ?? "")?.[1];
    if (tip) {
      this.out.push(this.state(strokes, strokes));
      this.tip(element, this.root.querySelector(`#${CSS.escape(tip)}`)!, width);
    }
  }

  // The marker at the end of a line, turned as the line is.
  private tip(line: Element, marker: Element, width: number) {
    const [x1, y1, x2, y2] = ["x1", "y1", "x2", "y2"].map(name => number_in(line, name)) as [
      number,
      number,
      number,
      number,
    ];
    const [, , across = 1] = marker
      .getAttribute("viewBox")!
      .split(/[\s,]+/)
      .map(Number);
    const size = (number_in(marker, "markerWidth") * width) / across,
      long = Math.hypot(x2 - x1, y2 - y1) || 1;
    const [a, b] = [(size * (x2 - x1)) / long, (size * (y2 - y1)) / long],
      [x, y] = [number_in(marker, "refX"), number_in(marker, "refY")];
    this.out.push(`q ${[a, b, -b, a, x2 - a * x + b * y, y2 - b * x - a * y].map(short).join(" ")} cm`);
    for (const shape of marker.children)
      this.out.push(`${colour_of(getComputedStyle(shape).fill)![0]} rg`, outline(shape), "f");
    this.out.push("Q");
  }

  // From left to right, in strips.
  private gradient(rect: Element, fill: string) {
    const stops = [...this.root.querySelectorAll(`#${CSS.escape(/#([^")]+)/.exec(fill)![1]!)} stop`)].map(stop =>
      colour_of(getComputedStyle(stop).stopColor)![0].split(" ").map(Number),
    );
    const [x, y, width, height] = ["x", "y", "width", "height"].map(name => number_in(rect, name)) as [
      number,
      number,
      number,
      number,
    ];
    const strips = 60;
    this.out.push(this.state(1, 1));
    for (let i = 0; i < strips; ++i) {
      const at = (i / (strips - 1)) * (stops.length - 1),
        below = Math.min(Math.floor(at), stops.length - 2);
      const colour = stops[below]!.map((one, k) => one + (at - below) * (stops[below + 1]![k]! - one));
      this.out.push(
        `${colour.map(short).join(" ")} rg ${short(x + (width * i) / strips)} ${short(y)} ${short(width / strips)} ${short(height)} re f`,
      );
    }
  }

  private text(element: SVGTextElement, style: CSSStyleDeclaration, fills: boolean, strokes: boolean) {
    const said = element.textContent ?? "",
      size = parseFloat(style.fontSize),
      bold = Number(style.fontWeight) >= 600;
    if (said.trim() === "" || element.getNumberOfChars() === 0) return;
    const { x, y } = element.getStartPositionOfChar(0);
    const share = { start: 0, middle: 0.5, end: 1 }[style.textAnchor] ?? 0;
    const runs = letters(said);
    const left = x + share * (element.getComputedTextLength() - width_of(runs, size));
    const shown = runs
      .map(
        ({ font, codes, small, raised }) =>
          `/${font}${bold && font === "F" ? "B" : ""} ${short(size * small)} Tf ${short(raised * size)} Ts <${codes.map(code => code.toString(16).padStart(2, "0")).join("")}> Tj`,
      )
      .join(" ");
    for (const mode of [...(strokes ? [1] : []), ...(fills ? [0] : [])])
      this.out.push(`BT ${mode} Tr 1 0 0 -1 ${short(left)} ${short(y)} Tm ${shown} ET`);
  }

  private async image(element: Element) {
    const picture = new Image();
    picture.src = element.getAttribute("href")!;
    await picture.decode();
    const canvas = document.createElement("canvas");
    [canvas.width, canvas.height] = [picture.naturalWidth, picture.naturalHeight];
    const pen = canvas.getContext("2d")!;
    pen.drawImage(picture, 0, 0);
    const all = pen.getImageData(0, 0, canvas.width, canvas.height).data;
    const bytes = new Uint8Array(canvas.width * canvas.height * 3);
    for (let i = 0, to = 0; i < all.length; ++i) if (i % 4 !== 3) bytes[to++] = all[i]!;
    const [x, y, width, height] = ["x", "y", "width", "height"].map(name => number_in(element, name)) as [
      number,
      number,
      number,
      number,
    ];
    this.out.push(
      `${this.state(1, 1)} ${short(width)} 0 0 ${short(-height)} ${short(x)} ${short(y + height)} cm /I${this.images.length} Do`,
    );
    this.images.push({ bytes, width: canvas.width, height: canvas.height });
  }
}

// Objects one after the other, and where each begins.
async function file_of(sheet: Sheet, box: string): Promise<Blob> {
  const pieces: Uint8Array<ArrayBuffer>[] = [],
    begins: number[] = [];
  let length = 0;
  const put = (piece: string | Uint8Array<ArrayBuffer>) => {
    const bytes = typeof piece === "string" ? bytes_of(piece) : piece;
    pieces.push(bytes);
    length += bytes.length;
  };
  const object = (words: string, stream?: Uint8Array<ArrayBuffer>) => {
    begins.push(length);
    put(`${begins.length} 0 obj\n${words}\n`);
    if (stream) for (const part of ["stream\n", stream, "\nendstream\n"]) put(part);
    put("endobj\n");
  };
  const first_image = 8;
  const resources = `<< /Font << /F 5 0 R /FB 6 0 R /S 7 0 R >> /ExtGState << ${sheet.states.map((state, i) => `/G${i} << ${state} >>`).join(" ")} >> /XObject << ${sheet.images.map((_, i) => `/I${i} ${first_image + i} 0 R`).join(" ")} >> >>`;
  const content = await deflated(bytes_of(sheet.out.join("\n")));
  put("%PDF-1.4\n");
  object("<< /Type /Catalog /Pages 2 0 R >>");
  object("<< /Type /Pages /Kids [3 0 R] /Count 1 >>");
  object(`<< /Type /Page /Parent 2 0 R /MediaBox [${box}] /Contents 4 0 R /Resources ${resources} >>`);
  object(`<< /Length ${content.length} /Filter /FlateDecode >>`, content);
  for (const name of ["Helvetica", "Helvetica-Bold"])
    object(`<< /Type /Font /Subtype /Type1 /BaseFont /${name} /Encoding /WinAnsiEncoding >>`);
  object("<< /Type /Font /Subtype /Type1 /BaseFont /Symbol >>");
  for (const { bytes, width, height } of sheet.images) {
    const packed = await deflated(bytes);
    object(
      `<< /Type /XObject /Subtype /Image /Width ${width} /Height ${height} /ColorSpace /DeviceRGB /BitsPerComponent 8 /Filter /FlateDecode /Length ${packed.length} >>`,
      packed,
    );
  }
  const table = length;
  put(
    `xref\n0 ${begins.length + 1}\n0000000000 65535 f \n${begins.map(at => `${String(at).padStart(10, "0")} 00000 n \n`).join("")}`,
  );
  put(`trailer\n<< /Size ${begins.length + 1} /Root 1 0 R >>\nstartxref\n${table}\n%%EOF\n`);
  return new Blob(pieces, { type: "application/pdf" });
}

// `svg`: as svg_text() makes it.
export async function pdf_of(svg: string): Promise<Blob> {
  const holder = document.createElement("div");
  holder.className = "sheet";
  const inside = holder.attachShadow({ mode: "open" }); // where the page's style is not the figure's
  inside.append(document.importNode(new DOMParser().parseFromString(svg, "image/svg+xml").documentElement, true));
  document.body.append(holder);
  try {
    const root = inside.querySelector("svg")!;
    const [left, top, width, height] = root
      .getAttribute("viewBox")!
      .split(/[\s,]+/)
      .map(Number) as [number, number, number, number];
    const missing = missing_in([...root.querySelectorAll("text")].map(text => text.textContent).join(""));
    if (missing) throw new Error(`it has "${missing}", which the fonts of a PDF lack`);
    const sheet = new Sheet(root);
    const back = colour_of(getComputedStyle(root).backgroundColor);
    if (back) sheet.out.push(`${back[0]} rg 0 0 ${short(width * point)} ${short(height * point)} re f`);
    sheet.out.push(`${point} 0 0 ${-point} ${short(-left * point)} ${short((top + height) * point)} cm`);
    await sheet.draw(root);
    return await file_of(sheet, `0 0 ${short(width * point)} ${short(height * point)}`);
  } finally {
    holder.remove();
  }
}
