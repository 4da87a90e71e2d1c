// The pictures of the page in docs/figures, made anew: node scripts/screenshots.mjs build/fovea docs/figures
// They show the store of FOVEA_HOME, which should hold `fovea reproduce --all --quick`. Chromium is found by FOVEA_CHROMIUM.
import { spawn } from "node:child_process";
import { join } from "node:path";
import { open_browser } from "../tests/web/chromium.mjs";

// Each view where it shows most, and what must be there before the picture is taken.
const views = [
  { name: "start", hash: "#/start?bet=30,20", ready: "output[data-loading=no]", press: "Train it", wait: 4_000 },
  { name: "story", hash: "#/story", ready: ".read-figure svg.bet-plot", read: 2 },
  { name: "toy", hash: "#/toy?D=-0.6&gate=0.5", ready: "circle.descent", tall: 1120 },
  { name: "play", hash: "#/play?task=subset&step=160", ready: 'output[data-step="160"]' },
  { name: "runs", hash: "#/runs?experiment=copy-V&metric=accuracy&by=task.vocab", ready: "figure svg" },
];
// Those of README and documentation; `all` takes every view in light and dark, at three widths.
const chosen = [
  { view: "start", scheme: "light", width: 1440 },
  { view: "story", scheme: "light", width: 1440 },
  { view: "toy", scheme: "light", width: 1440 },
  { view: "play", scheme: "light", width: 1440 },
  { view: "runs", scheme: "dark", width: 1440 },
  { view: "story", scheme: "dark", width: 390 },
];

const [program, folder, all] = process.argv.slice(2);
if (!folder) {
  console.error("usage: node scripts/screenshots.mjs PROGRAM FOLDER [all]");
  process.exit(2);
}
const pictures = all ? views.flatMap(({ name }) => ["light", "dark"].flatMap((scheme) => [390, 1024, 1440].map((width) => ({ view: name, scheme, width })))) : chosen;
const server = spawn(program, ["serve", "--port", "0", "--for", "600"], { stdio: ["ignore", "pipe", "ignore"] });
const address = await new Promise((done, fail) => {
  server.stdout.once("data", (text) => done(String(text).trim()));
  server.once("exit", (code) => fail(new Error(`fovea serve ended with ${code}`)));
});
const browser = await open_browser();
try {
  for (const { view, scheme, width } of pictures) {
    const { hash, ready, press, read, tall = 1000, wait = 1500 } = views.find((one) => one.name === view);
    const context = await browser.newContext({ viewport: { width, height: width > 800 ? tall : 844 }, colorScheme: scheme });
    const page = await context.newPage();
    await page.goto(address + hash);
    if ((await page.locator(`nav a[href^="#/${view}"]`).count()) === 0) {
      console.error(`this page has no view '${view}'`);
      await context.close();
      continue;
    }
    const there = await page.locator(ready).first().waitFor().then(() => true, () => false);
    if (!there) console.error(`${view}: ${ready} did not come`);
    else if (press) await page.getByRole("button", { name: press }).click();
    else if (read) await page.locator(".ideas li").nth(read).evaluate((one) => one.scrollIntoView({ block: innerWidth > 900 ? "center" : "end" }));
    await page.waitForTimeout(wait); // what comes in by and by
    const file = join(folder, `page-${view}-${scheme}-${width}.png`);
    await page.screenshot({ path: file });
    console.log(file);
    await context.close();
  }
} finally {
  await browser.close();
  server.kill("SIGTERM");
}
