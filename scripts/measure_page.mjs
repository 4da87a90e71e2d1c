// How fast the page is: node scripts/measure_page.mjs build/page/index.html [report.html …]
// Of each file its size and how long it takes until it shows something; of the page, frames while scrubbing through maps of
// attention, and how long its engine needs to learn to copy. It wants a machine that has nothing else to do. Chromium is found by FOVEA_CHROMIUM.
import { readFile, stat } from "node:fs/promises";
import { basename, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { open_browser, processor_meter } from "../tests/web/chromium.mjs";

const files = process.argv.slice(2);
if (files.length === 0) {
  console.error("usage: node scripts/measure_page.mjs PAGE.html [REPORT.html …]");
  process.exit(2);
}
const browser = await open_browser();
const open = async (file, hash = "") => {
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
  await page.goto(pathToFileURL(resolve(file)).href + hash);
  return page;
};
const reached = (page, step) => page.waitForFunction((step) => Number(document.querySelector("output[data-loading=no]")?.dataset.step) >= step, step, { timeout: 300_000 });

const median = (numbers) => numbers.sort((a, b) => a - b)[Math.floor(numbers.length / 2)];

// From the navigation's start to the first frame after the view stands.
async function ready(file) {
  const times = [], work = [];
  for (let i = 0; i < 5; ++i) {
    const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
    const worked = await processor_meter(page);
    const before = await worked();
    await page.goto(pathToFileURL(resolve(file)).href + "#/story");
    await page.waitForSelector("h1");
    times.push(await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => done(performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? performance.now())))));
    work.push(1000 * ((await worked()) - before));
    await page.close();
  }
  return `${Math.round(median(times))} ms, ${Math.round(median(work))} ms of the page's thread (medians of 5)`;
}

for (const file of files) console.log(`${basename(file)}: ${((await stat(file)).size / 1e6).toFixed(1)} MB, shown after ${await ready(file)}`);

const words = "set=task.vocab%3D40;task.length%3D40;model.hidden%3D8;model.embedding%3D8;train.batch%3D2;train.steps%3D200;probe.every%3D1;probe.examples%3D8";
const maps = await open(files[0], `#/play?${words}&step=200`);
await reached(maps, 200);
const worked = await processor_meter(maps);
const before = await worked();
const { frames, seconds } = await maps.evaluate(async () => {
  const handle = document.querySelector(".axis .look");
  const began = performance.now();
  for (let i = 0; i < 400; ++i) {
    handle.value = String(Math.abs(200 - i));
    handle.dispatchEvent(new Event("input", { bubbles: true }));
    await new Promise(requestAnimationFrame);
  }
  return { frames: 400, seconds: (performance.now() - began) / 1000 };
});
console.log(`scrubbing maps of 41 x 41 over 200 steps: ${(frames / seconds).toFixed(1)} frames a second, ${((1000 * ((await worked()) - before)) / frames).toFixed(1)} ms of the page's thread each`);

const copy = await open(files[0], "#/play");
await reached(copy, 0);
await copy.getByRole("combobox", { name: /^Speed/ }).selectOption("Infinity");
await copy.evaluate(() => {
  const began = performance.now(), times = (globalThis.times = []);
  const look = () => {
    times.push([Number(document.querySelector("output[data-reached]").dataset.reached), (performance.now() - began) / 1000]);
    if (times.at(-1)[0] < 300) setTimeout(look, 5);
  };
  document.querySelector(".transport .main").click();
  look();
});
await reached(copy, 300);
const times = await copy.evaluate(() => globalThis.times);
const [csv] = await Promise.all([copy.waitForEvent("download"), copy.getByRole("group", { name: /^Save the figure: What is learned/ }).getByRole("button", { name: "CSV" }).click()]);
const accuracy = (await readFile(await csv.path(), "utf8")).split("\n").map((line) => line.split(",")).filter(([name]) => name === "accuracy");
const learned = Number(accuracy.find(([, , value]) => Number(value) >= 0.95)?.[1] ?? Infinity);
const time = (step) => times.find(([seen]) => seen >= step)?.[1].toFixed(1) ?? "never";
console.log(`copying (hidden 64, 12 words): 95 % at step ${learned}, after ${time(learned)} s; 300 steps after ${time(300)} s`);
await browser.close();
