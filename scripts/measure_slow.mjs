// How the page plays on a slow processor: node scripts/measure_slow.mjs build/page/index.html
// The first preset is played at full speed and six times slower (Chromium's own throttling of the page's thread): steps shown and
// frames a second, what the page's thread works for a step, and how long Pause takes. Frames want a machine that has nothing else
// to do. Chromium is found by FOVEA_CHROMIUM.
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { open_browser, processor_meter } from "../tests/web/chromium.mjs";

const [file] = process.argv.slice(2);
if (!file) {
  console.error("usage: node scripts/measure_slow.mjs PAGE.html");
  process.exit(2);
}
const browser = await open_browser();
const page = await browser.newPage({ viewport: { width: 1280, height: 720 } });
await page.goto(pathToFileURL(resolve(file)).href + "#/play");
await page.waitForSelector("output[data-step][data-loading=no]");
const tools = await page.context().newCDPSession(page);
const meters = [await processor_meter(page), await processor_meter(page, "ScriptDuration")];
const worked = () => Promise.all(meters.map(async (meter) => 1000 * (await meter())));
for (const rate of [1, 6]) {
  await tools.send("Emulation.setCPUThrottlingRate", { rate });
  await page.locator(".axis .look").fill("0");
  await page.waitForTimeout(600);
  await page.locator(".transport .main").click();
  await page.waitForTimeout(600);
  const before = await worked();
  const { frames, shown, seconds } = await page.evaluate(
    () =>
      new Promise((done) => {
        const steps = new Set(), began = performance.now();
        let frames = 0;
        const look = () => {
          ++frames;
          steps.add(document.querySelector("output[data-step]").dataset.step);
          const seconds = (performance.now() - began) / 1000;
          if (seconds < 3.5) requestAnimationFrame(look);
          else done({ frames, shown: steps.size, seconds });
        };
        requestAnimationFrame(look);
      }),
  );
  const [all, scripts] = (await worked()).map((now, i) => ((now - before[i]) / shown).toFixed(1));
  const pause = await page.evaluate(
    () =>
      new Promise((done) =>
        setTimeout(() => {
          const button = document.querySelector(".transport .main"), began = performance.now();
          button.click();
          const look = () => (/Play/.test(button.textContent) ? done(performance.now() - began) : requestAnimationFrame(look));
          look();
        }),
      ),
  );
  console.log(`${rate} times slower: ${(frames / seconds).toFixed(1)} frames and ${(shown / seconds).toFixed(1)} steps a second, ${all} ms of the page's thread for a step, ${scripts} of them in scripts; Pause after ${pause.toFixed(0)} ms`);
}
await browser.close();
