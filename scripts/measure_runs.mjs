// How fast the page is with many runs: node scripts/measure_runs.mjs ADDRESS, of a server that has a store of many of them.
// When the figure of all runs is there, what the page's thread works for a move of the pointer over it and for a drag, and how
// many frames a second there are meanwhile. It wants a machine that has nothing else to do. Chromium is found by FOVEA_CHROMIUM.
import { open_browser, processor_meter } from "../tests/web/chromium.mjs";

const [address] = process.argv.slice(2);
if (!address) {
  console.error("usage: node scripts/measure_runs.mjs ADDRESS");
  process.exit(2);
}
const browser = await open_browser();
const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
await page.goto(new URL("#/runs?experiment=*&by=nothing", address).href);
await page.waitForSelector(".plot.brushed > svg", { timeout: 120_000 });
const [first, figure] = await page.evaluate(() => [performance.getEntriesByName("first-contentful-paint")[0].startTime, performance.now()]);
const says = await page.locator(".plot > svg").first().getAttribute("aria-label");
console.log(`first paint after ${Math.round(first)} ms; "${says}" after ${Math.round(figure)} ms`);

const worked = await processor_meter(page);
const { x, y, width, height } = await page.locator(".plot.brushed").first().boundingBox();
const counted = () => page.evaluate(() => {
  globalThis.frames_seen = 0;
  const count = () => (++globalThis.frames_seen, requestAnimationFrame(count));
  requestAnimationFrame(count);
});
await counted();
for (const [what, press] of [["hover", false], ["brush", true]]) {
  await page.mouse.move(x + 0.2 * width, y + 0.3 * height);
  if (press) await page.mouse.down();
  const before = await worked(), began = performance.now(), frames = await page.evaluate(() => globalThis.frames_seen);
  const moves = 100;
  for (let i = 0; i < moves; ++i) await page.mouse.move(x + (0.2 + (0.6 * i) / moves) * width, y + (0.3 + (0.4 * i) / moves) * height);
  const seconds = (performance.now() - began) / 1000, seen = (await page.evaluate(() => globalThis.frames_seen)) - frames;
  console.log(`${what}: ${((1000 * ((await worked()) - before)) / moves).toFixed(1)} ms of the page's thread a move, ${(seen / seconds).toFixed(0)} frames a second`);
  if (press) await page.keyboard.press("Escape");
}
await browser.close();
