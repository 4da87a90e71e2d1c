// The view Start: a GIF and a video of the training that was watched, and a frame of it.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { decoded } from "./gif.mjs";
import { at_step, button, past_step, saved, step_of } from "./playing.mjs";
import { Stage } from "./stage.mjs";

let stage;
before(async () => (stage = await Stage.open()));
after(() => stage?.close());

const ready = (page) => page.locator("output[data-loading=no]").waitFor();

test("the browser makes a GIF of the training at both sizes, and plays it", async () => {
  for (const viewport of [{ width: 1440, height: 900 }, { width: 390, height: 844 }]) {
    const page = await stage.visit("#/start", { viewport });
    await ready(page);
    await button(page, "Train it").click();
    await past_step(page, 30);
    await button(page, "Pause").click();
    const at = await step_of(page);
    const { name, bytes } = await saved(page, () => button(page, "Save a GIF (6 s)").click());
    await page.getByText("The GIF is saved.").waitFor();
    assert.equal(name, `fovea-copy-seed-0-to-step-${at - (at % 2)}.gif`);
    const { width, height, frames } = decoded(bytes);
    assert.deepEqual([width, height], [720, 405]);
    assert.ok(frames.length > 10, `${frames.length} frames`);
    assert.equal(frames.reduce((sum, { hundredths }) => sum + hundredths, 0), 600);
    assert.notDeepEqual(frames.at(-1).pixels, frames[0].pixels);
    // The browser's own decoder sees the same last frame.
    const theirs = await page.evaluate(async (base64) => {
      const data = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
      const decoder = new ImageDecoder({ data, type: "image/gif" });
      await decoder.tracks.ready;
      const { frameCount } = decoder.tracks.selectedTrack;
      const { image } = await decoder.decode({ frameIndex: frameCount - 1 });
      const canvas = new OffscreenCanvas(image.displayWidth, image.displayHeight), context = canvas.getContext("2d");
      context.drawImage(image, 0, 0);
      return [frameCount, [...context.getImageData(0, 200, canvas.width, 1).data]];
    }, bytes.toString("base64"));
    assert.equal(theirs[0], frames.length);
    assert.deepEqual(theirs[1], [...frames.at(-1).pixels.subarray(4 * 720 * 200, 4 * 720 * 201)]);
    await stage.leave(page);
  }
});

test("a video of what was watched is made in the browser, and a frame holds the stage alone", async () => {
  const page = await stage.visit("#/start?scene=keyword");
  await ready(page);
  await button(page, "Save a video (6 s)").click();
  await page.getByText("Train some steps first.").waitFor();
  await button(page, "Next evaluation").click();
  await at_step(page, 4);
  const { name, bytes } = await saved(page, () => button(page, "Save a video (6 s)").click());
  assert.match(name, /^fovea-keyword-seed-0-to-step-4\.(webm|mp4)$/);
  assert.ok(bytes.length > 10_000, `${bytes.length} bytes`);
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await button(page, "Copy embed code").click();
  await page.getByText("The embed code is copied.").waitFor();
  const html = await page.evaluate(() => navigator.clipboard.readText());
  const [, address, width, height] = /^<iframe src="([^"<>]+)" width="(\d+)" height="(\d+)" title="[^"]+"><\/iframe>$/.exec(html);
  await stage.leave(page);
  const { hash } = new URL(address.replaceAll("&amp;", "&"));
  assert.deepEqual([...new URLSearchParams(hash.split("?")[1])].sort(), [["embed", "1"], ["scene", "keyword"]]);
  const frame = await stage.visit("#/start?embed=1", { viewport: { width: Number(width), height: Number(height) } });
  await ready(frame);
  assert.deepEqual(await frame.locator("header, .bet-plot, .arcs, .word-map, .to-change, .further").evaluateAll((all) => all.map((one) => one.checkVisibility())), [false, true, true, false, false, false]);
  await frame.setViewportSize({ width: 900, height: 900 });
  await frame.locator(".word-map").waitFor();
  await stage.leave(frame);
});
