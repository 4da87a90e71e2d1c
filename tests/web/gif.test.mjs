// The page's GIFs hold the frames that went in, read by another hand.
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { decoded } from "./gif.mjs";
import { parts_of_page } from "./in_node.mjs";

let Gif;
before(async () => ({ Gif } = await parts_of_page("gif.ts")));

async function read(width, height, frames) {
  const gif = new Gif(width, height, frames);
  frames.forEach((pixels, i) => gif.add({ pixels, hundredths: 10 + i }));
  return decoded(Buffer.from(await gif.blob().arrayBuffer()));
}
// A picture whose pixel `i` has the colour `of(i)`.
const picture = (count, of) => Uint8ClampedArray.from({ length: 4 * count }, (_, at) => (at % 4 === 3 ? 255 : of(at >> 2)[at % 4]));
const random = (i) => Math.abs(Math.floor(Math.sin(12.9898 * i) * 43758.5453));

test("noise of few colours comes back as it was, past the end of the table of codes", async () => {
  const colours = [[255, 255, 255], [0, 0, 0], [213, 94, 0], [0, 114, 178], [0, 158, 115], [100, 110, 120], [16, 200, 90]];
  const [width, height] = [203, 151];
  const frames = [0, 1].map((frame) => picture(width * height, (i) => colours[random(i + 7 * frame) % colours.length]));
  const gif = await read(width, height, frames);
  assert.deepEqual([gif.width, gif.height, gif.frames.length], [width, height, 2]);
  gif.frames.forEach(({ hundredths, pixels }, i) => {
    assert.equal(hundredths, 10 + i);
    assert.deepEqual(pixels, frames[i]);
  });
});

test("of a frame only what has changed is drawn, and a frame that is as before has one pixel", async () => {
  const still = picture(64 * 64, () => [20, 23, 27]);
  const dot = still.slice();
  dot.set([240, 140, 60], 4 * (64 * 40 + 10));
  const { frames } = await read(64, 64, [still, dot, dot, still]);
  assert.deepEqual(frames.map(({ pixels }) => pixels), [still, dot, dot, still]);
  const few = new Gif(64, 64, [still]), many = new Gif(64, 64, [still]);
  few.add({ pixels: still, hundredths: 10 });
  for (let i = 0; i < 10; ++i) many.add({ pixels: still, hundredths: 10 });
  assert.ok(many.blob().size - few.blob().size < 10 * 40, `${many.blob().size} and ${few.blob().size} bytes`);
});

test("of more than 255 colours each becomes one that is near", async () => {
  const many = picture(128 * 128, (i) => [2 * (i % 128), 2 * (i >> 7), 255 - (i % 128)]);
  const { frames: [{ pixels }] } = await read(128, 128, [many]);
  for (let at = 0; at < many.length; ++at) assert.ok(Math.abs(pixels[at] - many[at]) <= 32, `${pixels[at]} for ${many[at]} at ${at}`);
});
