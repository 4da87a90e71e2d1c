// A video or a GIF of the training, six seconds long, made in the browser: the words with their arcs, and the curves.
import type { Look, Series } from "../engine/looks";
import { Gif } from "../gif";
import { palette } from "../theme";
import { Trouble } from "../trouble";
import { arc, arc_width, type Seen } from "./arcs";
import { path_until } from "./plot";

export interface Film {
  title: string;
  caption: string; // the seed, and what is changed
  changed: [from: number, until: number] | undefined; // while attention is changed
  looks: Look[]; // as far as it was watched
  seen: (look: Look) => Seen;
  total: number;
  lines: { series: Series | undefined; colour: string; ghost: boolean; until: number; name: string }[];
  bets: { step: number; colour: string; own: boolean }[]; // own: the person's, not Fovea's
}

const size = { width: 960, height: 540 };
const gif_scale = 0.75; // so that its file stays small
const seconds = 6,
  still = 0.15; // of it, that its end stands still
const types = ["video/webm;codecs=vp9", "video/webm;codecs=vp8", "video/webm", "video/mp4"];

export async function film_of(film: Film): Promise<Blob> {
  const type = globalThis.MediaRecorder && types.find(one => MediaRecorder.isTypeSupported(one));
  if (!type) throw new Trouble("This browser records no video of a page.");
  const { canvas, context } = canvas_of(1);
  draw(context, film, film.looks[0]!);
  const recorder = new MediaRecorder(canvas.captureStream(30), { mimeType: type, videoBitsPerSecond: 4e6 });
  const parts: Blob[] = [];
  recorder.ondataavailable = ({ data }) => parts.push(data);
  const done = new Promise<void>(end => (recorder.onstop = () => end()));
  recorder.start();
  const began = performance.now();
  for (let share = 0; share < 1; ) {
    await new Promise(next => setTimeout(next, 33));
    share = (performance.now() - began) / (1000 * seconds);
    draw(context, film, look_in(film, share / (1 - still)));
  }
  recorder.stop();
  await done;
  return new Blob(parts, { type: type.split(";")[0]! });
}

// Every browser shows it, also in a slide or a mail.
export async function gif_of(film: Film): Promise<Blob> {
  const { canvas, context } = canvas_of(gif_scale);
  const pixels_of = (look: Look) => {
    draw(context, film, look);
    return context.getImageData(0, 0, canvas.width, canvas.height).data;
  };
  const sample = (share: number) => pixels_of(look_in(film, share));
  const gif = new Gif(canvas.width, canvas.height, [0, 0.5, 1].map(sample));
  const moving = Math.round(10 * seconds * (1 - still)); // ten frames a second
  for (let i = 0; i <= moving; ++i) {
    gif.add({ pixels: sample(i / moving), hundredths: i < moving ? 10 : 100 * seconds - 10 * moving });
    await new Promise(next => setTimeout(next)); // the page stays alive
  }
  return gif.blob();
}

function canvas_of(scale: number) {
  const canvas = document.createElement("canvas");
  canvas.width = scale * size.width;
  canvas.height = scale * size.height;
  const context = canvas.getContext("2d", { willReadFrequently: scale !== 1 })!;
  context.scale(scale, scale);
  return { canvas, context };
}

// What is shown when a share of the moving part is over.
const look_in = ({ looks }: Film, share: number) => looks[Math.round(Math.min(1, share) * (looks.length - 1))]!;

function draw(context: CanvasRenderingContext2D, film: Film, look: Look) {
  const { of, text, font } = palette();
  const colour = (name: string) => of(name.replace(/^var\((.*)\)$/, "$1"));
  const { width, height } = size;
  context.globalAlpha = 1;
  context.fillStyle = of("--page");
  context.fillRect(0, 0, width, height);
  context.fillStyle = text;
  context.textAlign = "left";
  context.font = `600 22px ${font}`;
  context.fillText(film.title, 30, 40);
  context.fillStyle = of("--soft");
  context.font = `16px ${font}`;
  context.fillText(`step ${look.step} of ${film.total}, ${film.caption}`, 30, 66);
  draw_arcs(context, film.seen(look), of, text, font);
  // The curves.
  const left = 540,
    right = width - 30,
    top = 110,
    bottom = height - 110;
  const x = (step: number) => left + (step / film.total) * (right - left),
    y = (value: number) => bottom - value * (bottom - top);
  if (film.changed) {
    const [begins, ends] = film.changed.map(x) as [number, number];
    context.fillStyle = of("--c4");
    context.globalAlpha = 0.18;
    context.fillRect(begins, top, Math.max(1, ends - begins), bottom - top);
    context.globalAlpha = 1;
  }
  context.strokeStyle = of("--line");
  context.lineWidth = 1;
  context.fillStyle = of("--soft");
  context.font = `14px ${font}`;
  context.textAlign = "center";
  for (const part of [0, 0.25, 0.5, 0.75, 1]) {
    const step = Math.round(part * film.total);
    context.fillText(part === 0 ? `step ${step}` : String(step), x(step), bottom + 20);
  }
  context.textAlign = "right";
  for (const level of [0, 0.5, 1]) {
    context.stroke(new Path2D(`M${left} ${y(level)}H${right}`));
    context.fillText(`${100 * level} %`, left - 8, y(level) + 5);
  }
  for (const { step, colour: flag, own } of film.bets) {
    context.strokeStyle = context.fillStyle = colour(flag);
    context.lineWidth = own ? 2 : 1;
    context.stroke(new Path2D(`M${x(step)} ${top - 20}V${bottom}`));
    const flown = new Path2D(`M${x(step)} ${top - 20}l16 7l-16 7z`);
    if (own) context.fill(flown);
    else context.stroke(flown);
  }
  film.lines.forEach(({ series, colour: line, ghost, until }) => {
    context.strokeStyle = colour(line);
    context.globalAlpha = ghost ? 0.5 : 1;
    context.setLineDash(ghost ? [6, 5] : []);
    context.lineWidth = ghost ? 2 : 4;
    context.stroke(new Path2D(path_until(series, ghost ? until : look.step, x, y)));
  });
  context.setLineDash([]);
  context.globalAlpha = 1;
  context.font = `16px ${font}`;
  context.textAlign = "left";
  film.lines
    .filter(({ ghost }) => !ghost)
    .forEach(({ name, colour: line }, i) => {
      context.fillStyle = colour(line);
      context.fillText(name, left, bottom + 48 + 22 * i);
    });
  if (film.lines.some(({ ghost }) => ghost)) {
    context.fillStyle = of("--soft");
    context.textAlign = "right";
    context.fillText("dashed: untouched training", right, bottom + 48);
    context.fillText("shaded: changed", right, bottom + 70);
  }
}

function draw_arcs(
  context: CanvasRenderingContext2D,
  { inputs, outputs, weights, right }: Seen,
  of: (variable: string) => string,
  text: string,
  font: string,
) {
  const top = 90,
    room = size.height - top - 20,
    from = 120,
    to = 400;
  const y_of = (i: number, count: number) => top + ((i + 0.5) * room) / count;
  outputs.forEach((_, row) => {
    inputs.forEach((_, column) => {
      const weight = weights[row * inputs.length + column]!;
      context.strokeStyle = of(right(row, column) ? "--c0" : "--edge");
      context.globalAlpha = Math.min(1, 0.25 + 0.75 * weight);
      context.lineWidth = arc_width(weight);
      if (weight >= 0.02)
        context.stroke(new Path2D(arc(from, y_of(column, inputs.length), to, y_of(row, outputs.length))));
    });
  });
  context.globalAlpha = 1;
  context.fillStyle = text;
  const letters = (count: number) => `${Math.min(18, (0.8 * room) / count)}px ${font}`;
  context.font = letters(inputs.length);
  context.textAlign = "right";
  inputs.forEach((word, i) => {
    context.fillText(word, from - 8, y_of(i, inputs.length) + 5);
  });
  context.font = letters(outputs.length);
  context.textAlign = "left";
  outputs.forEach((word, i) => {
    context.fillText(word, to + 8, y_of(i, outputs.length) + 5);
  });
}
