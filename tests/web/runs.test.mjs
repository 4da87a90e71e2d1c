// The view of the store's runs, served.
import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { parts_of_page } from "./in_node.mjs";
import { Stage, expect_accessible, text_of } from "./stage.mjs";

const { shown_first } = await parts_of_page("metric.ts");

let stage;
before(async () => (stage = await Stage.open()));
after(() => stage?.close());

test("an empty store says how to begin, and a sweep's runs appear by themselves", async () => {
  const page = await stage.visit("#/runs");
  await page.getByText("No runs.").waitFor();
  await page.getByText("Live: new runs appear by themselves.").waitFor();
  await stage.fovea("sweep", "toy-phase", "--quick", "--quiet");
  await page.waitForFunction(() => document.querySelectorAll('[aria-label="Table of runs"] tbody tr').length === 28);
  await page.locator("figure svg").first().waitFor();
  await stage.leave(page);
});

test("runs are chosen by condition, and a wrong one is explained", async () => {
  const page = await stage.visit("#/runs");
  const condition = page.getByLabel("Condition");
  await condition.fill("model.p = 0.9 and seed = 0");
  await page.waitForFunction(() => document.querySelectorAll('[aria-label="Table of runs"] tbody tr').length === 7);
  assert.match(page.url(), /where=model\.p/);
  await condition.fill("model.q = 0.9");
  await page.getByRole("alert").getByText("Did you mean").or(page.getByRole("alert").getByText("model.q")).first().waitFor();
  // The browser says by itself that the server refused a question; nothing else may be amiss.
  page.complaints = page.complaints.filter((text) => !/status of 400/.test(text));
  await stage.leave(page);
});

test("a link brings another person the same runs, order, metric and comparison", async () => {
  const page = await stage.visit("#/runs");
  await page.getByLabel("Experiment", { exact: true }).selectOption("toy-phase");
  await page.getByLabel("Metric", { exact: true }).selectOption("D");
  await page.getByLabel("Colour by").selectOption("model.p");
  await page.getByRole("button", { name: "seed" }).click();
  await page.getByLabel("Compare run 3").check();
  await page.getByLabel("Compare run 12").check();
  await page.getByRole("heading", { name: "Side by side" }).waitFor();
  // Choices are asked for one by one: the last has come when table and figure are of the metric.
  await page.getByRole("columnheader", { name: "D", exact: true }).waitFor();
  await page.locator("figcaption", { hasText: /^D:/ }).first().waitFor();
  // Their lines over each other, each in a colour of its own.
  assert.equal(await page.locator("figure", { hasText: "the runs compared" }).locator(".legend li").count(), 2);
  const seen = async (one) => (await one.getByRole("heading", { name: /^Groups by/ }).waitFor(), {
    table: await one.locator("table").allInnerTexts(),
    legend: await one.locator(".legend").first().innerText(),
    title: await one.locator("figcaption").first().innerText(),
  });
  const here = await seen(page);
  const other = await stage.visit(new URL(page.url()).hash);
  await other.getByRole("heading", { name: "Side by side" }).waitFor();
  await other.locator(".legend").first().waitFor();
  assert.deepEqual(await seen(other), here);
  assert.match(here.table[1], /model\.(beta1|p)/);
  await stage.leave(page);
  await stage.leave(other);
});

test("a training is started from the page, and stopped", async () => {
  const page = await stage.visit("#/runs");
  await page.getByText("Train on this machine").click();
  const form = page.getByRole("form", { name: "Train on this machine" });
  await form.locator("select[name=experiment]").selectOption("toy-mistaken");
  await form.getByLabel("Settings").fill("train.nothing=3");
  await form.getByRole("button", { name: "Start" }).click();
  await page.getByRole("alert").getByText(/^train\.nothing=3: /).first().waitFor(); // a name is not capitalised
  await form.getByLabel("Settings").fill("");
  await form.getByLabel("Seeds").fill("0..2");
  await form.getByRole("button", { name: "Start" }).click();
  await page.locator('[data-job="1"] .state.done').waitFor();
  await page.locator("tbody tr", { hasText: "toy-mistaken" }).nth(2).waitFor(); // in the table without being asked for
  // One that would not end by itself.
  await form.locator("select[name=experiment]").selectOption("copy-subset");
  await form.getByLabel("Seeds").fill("0");
  await form.getByLabel("Settings").fill("train.steps=1000000 model.hidden=16");
  await form.getByRole("button", { name: "Start" }).click();
  await page.locator('[data-job="2"] .state.running').waitFor();
  await page.getByRole("button", { name: "Stop copy-subset" }).click();
  await page.locator('[data-job="2"] .state.stopped').waitFor();
  assert.equal(await page.getByRole("button", { name: "Stop copy-subset" }).count(), 0);
  // The browser says by itself that the server refused a question; nothing else may be amiss.
  page.complaints = page.complaints.filter((text) => !/status of 400/.test(text));
  await expect_accessible(page);
  await stage.leave(page);
});

test("nothing serious stands in the way of anybody, in light and dark, wide and narrow", async () => {
  for (const colorScheme of ["light", "dark"])
    for (const width of [390, 1440]) {
      const page = await stage.visit("#/runs?by=model.p&marked=3,4", { colorScheme, viewport: { width, height: 844 } });
      await page.locator("figure svg").first().waitFor();
      await page.getByRole("heading", { name: "Side by side" }).waitFor();
      await expect_accessible(page);
      const [inner, outer] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
      assert.ok(inner <= outer, `${inner} wide at ${outer}`);
      // On a phone the figure comes before the ways to draw it.
      const [figure, ways] = await Promise.all(["figure", ".chart-ways"].map((part) => page.locator(`.runs-chart ${part}`).boundingBox()));
      assert.equal(figure.y < ways.y, width === 390);
      if (process.env.FOVEA_SHOTS) await page.screenshot({ path: join(process.env.FOVEA_SHOTS, `runs-${colorScheme}-${width}.png`), fullPage: false });
      await stage.leave(page);
    }
});

test("the view works by keyboard alone", async () => {
  const page = await stage.visit("#/runs?experiment=toy-phase");
  await page.locator("tbody tr").first().waitFor();
  await page.keyboard.press("Tab");
  assert.equal(await page.evaluate(() => document.activeElement.textContent.trim()), "To the content");
  await page.keyboard.press("Enter");
  assert.equal(await page.evaluate(() => document.activeElement.id), "main");
  const reach = async (wanted) => {
    for (let i = 0; i < 60; ++i) {
      await page.keyboard.press("Tab");
      const name = await page.evaluate(() => document.activeElement.getAttribute("aria-label") ?? document.activeElement.textContent.trim());
      if (wanted.test(name)) return;
    }
    assert.fail(`no way to ${wanted}`);
  };
  await reach(/^steps/);
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => location.hash.includes("sort=-steps"));
  // Rows that move under a key that is down would take it.
  await page.locator('[aria-label="Table of runs"] table[aria-busy="false"] th[aria-sort="descending"]', { hasText: "steps" }).waitFor();
  await reach(/^Compare run/);
  await page.keyboard.press("Space");
  await page.getByRole("heading", { name: "Side by side" }).waitFor();
  // A row that moves keeps the focus.
  const sorted_by = async (order, up) => {
    await page.evaluate((order) => (location.hash = location.hash.replace(/sort=[^&]*/, "sort=" + order)), order);
    await page.waitForFunction((up) => {
      const [first, ...others] = [...document.querySelectorAll('[aria-label="Table of runs"] tbody td:nth-child(2)')].map((cell) => Number(cell.textContent));
      return others.every((one) => one > first === up);
    }, up);
  };
  await sorted_by("id", true);
  const box = page.getByRole("checkbox", { name: /^Compare run/ }).nth(1);
  const name = await box.getAttribute("aria-label");
  await box.focus();
  await sorted_by("-id", false);
  assert.equal(await page.evaluate(() => document.activeElement.getAttribute("aria-label")), name);
  await stage.leave(page);
});

const rows_are = (page, count) => page.waitForFunction((count) => document.querySelectorAll('[aria-label="Table of runs"] tbody tr').length === count, count);

test("who opens the view without a wish sees the newest experiment with runs to compare, and by one click all, in a colour each", async () => {
  const { runs } = JSON.parse(await stage.fovea("runs", "--json", "--limit", "-1")), from_last = runs.sort((a, b) => b.run - a.run);
  const first = shown_first(from_last.slice(0, 200)), newest = from_last[0].experiment;
  const says = `Without a choice the page shows ${first}, ${first === newest ? "the newest experiment" : "which has runs to compare"}.`;
  const page = await stage.visit("#/runs");
  await page.getByText(says).waitFor();
  await rows_are(page, runs.filter(({ experiment }) => experiment === first).length);
  await page.getByRole("button", { name: `Show all ${runs.length} runs` }).click();
  await rows_are(page, runs.length);
  assert.equal(await page.getByLabel("Colour by").inputValue(), "experiment");
  await page.goBack();
  await page.getByText(says).waitFor();
  await stage.leave(page);
});

test("only lines of like experiments have a median, and a saved figure says what its colours are", async () => {
  const page = await stage.visit("#/runs?metric=p&by=nothing");
  await page.getByText("No median is drawn over unlike experiments").waitFor();
  const title = page.locator("figcaption").first(), bands = page.locator('.plot g[fill-opacity="0.18"] path');
  assert.equal(await title.getByText("the median").count() + (await bands.count()), 0);
  await page.getByLabel("Colour by").selectOption("experiment");
  await title.getByText("the median").waitFor();
  await bands.first().waitFor();
  assert.equal(await bands.count(), 2);
  const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "SVG" }).first().click()]);
  const svg = String(await text_of(download));
  for (const name of ["toy-phase", "toy-mistaken"]) assert.match(svg, new RegExp(`<text[^>]*>${name}</text>`));
  await stage.leave(page);
});

test("a metric that the newest runs have not is drawn of those that have it", async () => {
  await stage.fovea("sweep", "lookup", "--quiet");
  const page = await stage.visit("#/runs?metric=p");
  await page.getByText(/26\d of \d+ have no p over their steps to draw/).waitFor();
  await page.locator("figure svg").first().waitFor();
  assert.match(await page.locator(".plot svg").first().getAttribute("aria-label"), /^p over steps, 31 lines/);
  await page.getByLabel("Experiment", { exact: true }).selectOption("lookup");
  await page.getByText(/None shown here has measured p: \w+ is shown\./).waitFor();
  await stage.leave(page);
});

test("a run that is compared and not in the table is told of", async () => {
  const page = await stage.visit("#/runs?experiment=toy-mistaken&marked=1,2");
  await page.getByText("Runs 1, 2 are not among those in the table").waitFor();
  await page.getByRole("button", { name: "Choose none" }).click();
  await page.getByRole("heading", { name: "Side by side" }).waitFor({ state: "detached" });
  await stage.leave(page);
});

test("runs are shown while news come faster than answers", async () => {
  const page = await stage.visit("#/story");
  await page.addInitScript(() => {
    globalThis.EventSource = class extends EventTarget {
      timer = setInterval(() => this.dispatchEvent(new Event("runs")), 20);
      close() {
        clearInterval(this.timer);
      }
    };
  });
  await page.route("**/api/lines*", async (route) => {
    await new Promise((done) => setTimeout(done, 200));
    await route.continue().catch(() => {}); // the page may be gone
  });
  await page.goto(stage.address + "#/runs?experiment=toy-phase");
  await page.reload();
  await rows_are(page, 28);
  await page.locator("figure svg").first().waitFor();
  await page.unrouteAll({ behavior: "ignoreErrors" });
  await stage.leave(page);
});

test("opened while the server is down, the view says no more than it knows, and shows runs when it is back", async () => {
  const page = await stage.visit("#/story");
  let down = true;
  await page.route("**/api/**", (route) => (down ? route.abort("connectionrefused") : route.continue()));
  await page.getByRole("navigation", { name: "Views" }).getByRole("link", { name: "Runs" }).click();
  await page.getByRole("alert").getByText("The server does not answer.").waitFor();
  await page.getByRole("status").getByText("Waiting for the server.", { exact: true }).waitFor(); // and not "No runs."
  assert.equal(await page.getByText("fovea sweep toy-uniform").count(), 0);
  down = false;
  await page.locator("tbody tr").first().waitFor();
  await page.getByRole("alert").getByText("The server does not answer.").waitFor({ state: "detached" });
  page.complaints = page.complaints.filter((text) => !/ERR_CONNECTION_REFUSED/.test(text));
  await stage.leave(page);
});

test("a tab that nobody looks at holds no line to the server, and catches up", async () => {
  const page = await stage.visit("#/runs?experiment=toy-uniform");
  await page.getByText("Live: new runs appear by themselves.").waitFor();
  const hide = (hidden) =>
    page.evaluate((hidden) => {
      Object.defineProperty(document, "hidden", { value: hidden, configurable: true });
      document.dispatchEvent(new Event("visibilitychange"));
    }, hidden);
  await hide(true);
  await page.waitForTimeout(500); // what the visit itself asks for has been asked by now
  let asked = 0;
  page.on("request", (request) => (asked += /api\/(runs|lines)/.test(request.url())));
  await stage.fovea("sweep", "toy-uniform", "--quiet");
  await page.waitForTimeout(1500); // news would have come by now
  assert.equal(asked, 0);
  await hide(false);
  await page.locator("tbody tr", { hasText: "toy-uniform" }).first().waitFor();
  page.complaints = page.complaints.filter((text) => !/status of 40\d/.test(text)); // no run had the name yet
  await stage.leave(page);
});

test("a condition half written stays with its view, and a view is found again as it was left", async () => {
  const page = await stage.visit("#/runs?experiment=toy-phase");
  await rows_are(page, 28);
  await page.getByLabel("Condition").fill("seed = 0");
  await page.getByRole("navigation", { name: "Views" }).getByRole("link", { name: "Story" }).click();
  await page.getByRole("heading", { name: "How attention is learned" }).waitFor();
  await page.waitForTimeout(600); // it would have been taken over by now
  assert.doesNotMatch(page.url(), /where=/);
  await page.getByRole("navigation", { name: "Views" }).getByRole("link", { name: "Runs" }).click();
  await rows_are(page, 28);
  assert.match(page.url(), /experiment=toy-phase/);
  await stage.leave(page);
});

test("a training of another tab is seen, and what went wrong is not said for ever", async () => {
  const page = await stage.visit("#/runs"), other = await stage.visit("#/runs");
  let broken = true;
  await other.route("**/api/jobs", (route) => (broken ? route.fulfill({ status: 500, contentType: "application/json", body: '{"error":{"problem":"no jobs today","remedy":""}}' }) : route.continue()));
  await other.reload();
  for (const one of [page, other]) await one.getByText("Train on this machine").click();
  await other.getByRole("alert").getByText("No jobs today.").waitFor();
  broken = false;
  const form = page.getByRole("form", { name: "Train on this machine" });
  await form.locator("select[name=experiment]").selectOption("toy-lowloss");
  await form.getByLabel("Seeds").fill("0");
  await form.getByRole("button", { name: "Start" }).click();
  await other.locator('[data-job="3"] .state.done').waitFor();
  await other.getByRole("alert").getByText("No jobs today.").waitFor({ state: "detached" });
  other.complaints = other.complaints.filter((text) => !/status of 500/.test(text));
  await stage.leave(other);
  await stage.leave(page);
});

test("groups have the numbers that the program's comparison prints", async () => {
  const page = await stage.visit("#/runs?experiment=toy-phase&metric=D&by=model.p");
  const row = page.getByRole("region", { name: "Table of groups" }).locator("tbody tr").nth(1);
  await row.waitFor();
  const words = ["compare", 'experiment = "toy-phase" and model.p = -0.9', 'experiment = "toy-phase" and model.p = -0.3', "--metric", "D", "--json"];
  const { pairs, metrics: [{ difference, p }] } = JSON.parse(await stage.fovea(...words));
  const cells = await row.locator("td").allInnerTexts();
  assert.equal(Number(cells.at(-2)), pairs);
  assert.equal(cells.at(-1), String(+p.toPrecision(3)));
  assert.ok(cells.at(-3).startsWith(String(+difference.toPrecision(3)).replace("-", "−")), cells.join(" | "));
  await stage.leave(page);
  // What was stopped counts for nothing, and in what groups differ besides is said.
  const { runs } = JSON.parse(await stage.fovea("runs", "--json")), undone = runs.filter(({ state }) => state !== "done").length;
  assert.ok(undone > 0);
  const other = await stage.visit("#/runs?experiment=*&metric=D&by=experiment");
  const groups = other.getByRole("region", { name: "Groups by experiment: D" });
  await groups.getByText(`${undone} of ${runs.length} runs ${undone === 1 ? "is" : "are"} not done, and left out.`).waitFor();
  assert.equal(await groups.getByRole("rowheader", { name: "copy-subset" }).count(), 0);
  const [one, two] = [...new Set(runs.filter(({ experiment }) => experiment === "toy-phase").map(({ settings }) => settings.model.beta1))];
  const where = `(model.p = -0.9 and model.beta1 = ${one}) or (model.p = -0.3 and model.beta1 = ${two})`;
  await other.evaluate((hash) => (location.hash = hash), "#/runs?" + new URLSearchParams({ experiment: "toy-phase", metric: "D", by: "model.p", where }));
  await other.getByText("Groups differ in model.beta1, too: a difference may come from there.").waitFor();
  await stage.leave(other);
});

test("runs that are chosen are grouped by a setting in which they differ, and the program's difference is said in words", async () => {
  const { runs } = JSON.parse(await stage.fovea("runs", "--where", 'experiment = "toy-phase" and (model.p = -0.9 or model.p = -0.3)', "--json", "--limit", "-1"));
  assert.equal(runs.length, 14);
  const page = await stage.visit("#/runs?experiment=toy-phase&metric=D");
  await page.getByLabel("Choose all 28 runs").check();
  await page.getByRole("heading", { name: /^The 28 chosen runs, by / }).waitFor();
  await page.evaluate((hash) => (location.hash = hash), `#/runs?experiment=toy-phase&metric=D&sides_by=model.p&marked=${runs.map(({ run }) => run)}`);
  const group = page.getByRole("region", { name: "The 14 chosen runs, by model.p: D" });
  const words = ["compare", 'experiment = "toy-phase" and model.p = -0.9', 'experiment = "toy-phase" and model.p = -0.3', "--metric", "D", "--json"];
  const { pairs, metrics: [{ difference, p }] } = JSON.parse(await stage.fovea(...words));
  const verdict = await group.getByRole("listitem").innerText();
  const start = `model.p = -0.3: D at the end is ${+Math.abs(difference).toPrecision(3)} ${difference < 0 ? "lower" : "higher"} than with model.p = -0.9, mean of ${pairs} pairs of runs, pooled over model.beta1 (`;
  assert.ok(verdict.startsWith(start), verdict);
  // The means of both sides of the pairs stand beside their difference.
  const [, one, other] = /\((\S+) against (\S+)\)/.exec(verdict).map((text) => Number(text.replace("−", "-")));
  assert.ok(Math.abs(one - other - difference) < 0.01 * Math.max(Math.abs(one), Math.abs(other)), verdict);
  assert.ok(verdict.includes(p < 1e-4 ? "p < 0.0001" : `p = ${+p.toPrecision(3)}.`), verdict);
  // With Shift all rows between two are chosen.
  await page.getByRole("button", { name: "Choose none" }).click();
  const boxes = page.getByRole("checkbox", { name: /^Compare run/ });
  await boxes.nth(2).click();
  await boxes.nth(5).click({ modifiers: ["Shift"] });
  await page.getByText("4 chosen:").waitFor();
  await expect_accessible(page);
  await stage.leave(page);
});
