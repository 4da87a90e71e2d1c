// The view Start in Firefox: a bet, a training, a change at a typed step, and a link that restores them.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { require } from "./chromium.mjs";
import { decoded } from "./gif.mjs";
import { at_step, button, past_step } from "./playing.mjs";
import { expect_accessible } from "./stage.mjs";

const firefox = process.env.FOVEA_FIREFOX ?? "/usr/bin/firefox-esr";
const there = existsSync(firefox);
const file = pathToFileURL(process.env.FOVEA_PAGE_FILE).href;

let browser;
before(async () => {
  // Firefox as Debian has it is driven by WebDriver BiDi.
  if (there) browser = await require("playwright-core")._bidiFirefox.launch({ executablePath: firefox });
});
after(() => browser?.close());

async function visit(hash) {
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
  page.setDefaultTimeout(200_000);
  page.complaints = [];
  page.on("console", (message) => message.type() === "error" && page.complaints.push(message.text()));
  page.on("pageerror", (error) => page.complaints.push(String(error)));
  await page.goto(file + hash);
  await page.locator("output[data-loading=no]").waitFor();
  return page;
}
const curves_in = (page, kind) => page.locator(`.bet-plot path.${kind}`).evaluateAll((all) => all.map((one) => one.getAttribute("d")));

test("Start, one training, one change and one link work in Firefox", { skip: there ? false : `there is no ${firefox}` }, async () => {
  const page = await visit("#/start");
  assert.ok((await page.locator(".arc").count()) > 100);
  await page.getByLabel("Your bet as a number: β at 50 %").fill("30");
  await page.getByLabel("Your bet as a number: β at 50 %").press("Enter");
  await page.getByRole("slider", { name: "When does it find half of the positions" }).focus();
  for (let i = 0; i < 3; ++i) await page.keyboard.press("ArrowRight");
  await page.waitForFunction(() => location.hash.includes("bet=30%2C3"));
  await button(page, "Train it").click();
  await past_step(page, 40);
  await button(page, "Pause").click();
  assert.match(await page.locator(".score").innerText(), /β: matches words\s+\d+ %\s+step \d+\s+30/);
  await page.getByLabel("From step").fill("10");
  await button(page, "Change it").click();
  await page.waitForFunction(() => /act=uniform/.test(location.hash) && /from=10/.test(location.hash));
  await past_step(page, 26);
  await button(page, "Pause").click();
  const [changed, ghost] = [await curves_in(page, "curve:not(.ghost)"), await curves_in(page, "ghost")];
  assert.equal(ghost.length, 3);
  assert.notEqual(changed[1], ghost[1], "α differs");
  await expect_accessible(page);
  // A file that this browser saves does not reach the test: it is read where the page gives it away.
  await page.evaluate(() => {
    const click = HTMLAnchorElement.prototype.click;
    HTMLAnchorElement.prototype.click = function () {
      globalThis.given = { name: this.download, address: this.href };
      click.call(this);
    };
  });
  await button(page, "Save a GIF (6 s)").click();
  await page.getByText("The GIF is saved.").waitFor();
  const { name, base64 } = await page.evaluate(async () => {
    const blob = await (await fetch(globalThis.given.address)).blob();
    const url = await new Promise((done) => Object.assign(new FileReader(), { onload: (event) => done(event.target.result) }).readAsDataURL(blob));
    return { name: globalThis.given.name, base64: url.split(",")[1] };
  });
  assert.match(name, /^fovea-copy-seed-0-uniform-from-10-to-step-\d+\.gif$/);
  assert.ok(decoded(Buffer.from(base64, "base64")).frames.length > 10);
  const other = await visit(new URL(page.url()).hash);
  await at_step(other, 0);
  assert.deepEqual([await other.getByLabel("Your bet as a number: β at 50 %").inputValue(), await other.getByLabel("From step").inputValue()], ["30", "10"]);
  assert.deepEqual([...page.complaints, ...other.complaints], []);
  await other.close();
  await page.close();
});
