// Two chosen runs: a verdict on them, a test of all pairs like them, and no request that the server refuses.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Stage, expect_accessible } from "./stage.mjs";

let stage;
before(async () => {
  stage = await Stage.open();
  const few = ["task.vocab=30,31", "model.hidden=8,9", "train.steps=10"];
  await stage.fovea("sweep", "copy-subset", "--quick", "--seeds", "0..2", ...few.flatMap((one) => ["--set", one]), "--quiet");
});
after(() => stage?.close());

test("two chosen runs have a verdict, from all pairs of runs that differ in the same setting alone", async () => {
  const { runs } = JSON.parse(await stage.fovea("runs", "--where", "model.hidden = 9", "--json", "--limit", "-1"));
  assert.equal(runs.length, 6);
  const pair = [30, 31].map((vocab) => runs.find(({ seed, settings }) => seed === 1 && settings.task.vocab === vocab)).sort((a, b) => a.run - b.run);
  const page = await stage.visit(`#/runs?experiment=copy-subset&metric=train_loss&marked=${pair.map(({ run }) => run)}`);
  const verdict = page.getByRole("region", { name: "Side by side" });
  const [one, other] = pair.map(({ settings }) => settings.task.vocab);
  await verdict.getByText(`Run ${pair[0].run} (task.vocab = ${one}) ends with loss in training `).waitFor();
  const words = ["compare", `experiment = "copy-subset" and task.vocab = ${one}`, `experiment = "copy-subset" and task.vocab = ${other}`, "--metric", "train_loss", "--json"];
  const { pairs, metrics: [{ difference, p }] } = JSON.parse(await stage.fovea(...words));
  assert.equal(pairs, 6);
  const says = `The table has 6 pairs of runs that differ in this alone, pooled over model.hidden: mean difference ${String(+difference.toPrecision(3)).replace("-", "−")}, p = ${+p.toPrecision(3)}. ${p < 0.05 ? "Chance alone rarely" : "The difference may be chance."}`;
  await verdict.getByText(says).waitFor();
  // The compared metric is the first row, and its difference is that of the sentence.
  const row = verdict.getByRole("region", { name: "Runs side by side" }).locator("tbody tr").first();
  assert.equal(await row.getByRole("rowheader").innerText(), "loss in training");
  await verdict.getByRole("combobox", { name: /^Example/ }).selectOption("2");
  await verdict.getByRole("heading", { name: /, example 2$/ }).waitFor();
  await expect_accessible(page);
  await verdict.getByRole("button", { name: "Compare all 12 runs" }).click();
  await page.getByRole("heading", { name: "The 12 chosen runs, by task.vocab: loss in training" }).waitFor();
  await stage.leave(page);
});

test("another setting of the groups asks for no group of the setting before", async () => {
  const page = await stage.visit("#/runs?experiment=copy-subset&metric=train_loss&by=task.vocab&against=31");
  await page.getByRole("heading", { name: "Groups by task.vocab: loss in training" }).waitFor();
  await page.getByLabel("Colour by").selectOption("model.hidden");
  await page.getByRole("heading", { name: "Groups by model.hidden: loss in training" }).waitFor();
  assert.ok(!page.url().includes("against"), page.url());
  await stage.leave(page);
});

test("runs are compared at a chosen step, which the address names", async () => {
  const page = await stage.visit("#/runs?experiment=copy-subset&metric=accuracy&by=model.hidden");
  await page.getByLabel("Compare at step").fill("5");
  const groups = page.getByRole("region", { name: "Groups by model.hidden: accuracy at step 5" });
  await groups.waitFor();
  await page.waitForFunction(() => /at=5/.test(location.hash));
  const words = ["compare", "model.hidden = 8", "model.hidden = 9", "--metric", "at(accuracy, 5)", "--json"];
  const { metrics: [{ difference }] } = JSON.parse(await stage.fovea(...words));
  const cells = await groups.locator("tbody tr").nth(1).locator("td").allInnerTexts();
  assert.ok(cells.at(-3).startsWith(String(+difference.toPrecision(3)).replace("-", "−")), cells.join(" | "));
  await page.getByRole("columnheader", { name: "accuracy at step 5" }).first().waitFor();
  // Side by side the compared metric is of the step, the others are of the end, and the headings say so.
  for (const i of [0, 1]) await page.getByRole("checkbox", { name: /^Compare run \d+$/ }).nth(i).check();
  for (const [name, heading] of [["Runs side by side at step 5", "metric at step 5"], ["Runs side by side", "metric at the end"]]) {
    const table = page.getByRole("region", { name, exact: true });
    await table.getByRole("columnheader", { name: heading, exact: true }).waitFor();
    assert.equal(await table.getByRole("rowheader", { name: "accuracy", exact: true }).count(), heading === "metric at step 5" ? 1 : 0);
  }
  await page.getByRole("button", { name: "Last step of each run" }).click();
  await page.getByRole("heading", { name: "Groups by model.hidden: accuracy", exact: true }).waitFor();
  await stage.leave(page);
});

test("the seeds that groups with few pairs lack are trained by a button", async () => {
  const where = encodeURIComponent("task.vocab = 30");
  const page = await stage.visit(`#/runs?experiment=copy-subset&metric=train_loss&by=model.hidden&where=${where}`);
  await page.getByText("With 3 pairs p cannot be below 0.25.").waitFor();
  await page.getByText("The missing seeds by commands").click();
  const commands = page.getByText(/^fovea show \d+ --spec > [a-z-]+\.toml/),
    train = page.getByRole("button", { name: "Train seeds 3, 4, 5 of both groups" });
  await commands.waitFor();
  await expect_accessible(page);
  // Another metric replaces the table. The page still waits for the order, and the commands stay open.
  const ordered = [],
    job = { experiment: "copy-subset", form: "full", state: "running", stage: "", total: 1, done: 0, found: 0, failed: 0, seconds_left: null };
  await page.route("**/api/jobs", (route) => {
    const is_order = route.request().method() === "POST";
    if (is_order) ordered.push({ ...job, job: 900 + ordered.length, in_training: [{ label: "", step: 3, of: 10 }] });
    return route.fulfill({ json: is_order ? ordered.at(-1) : { jobs: ordered } });
  });
  await train.click();
  await page.getByText("Training 1 of 2: step 3 of 10.").waitFor();
  await page.getByLabel("Metric", { exact: true }).selectOption("accuracy");
  await page.getByRole("heading", { name: "Groups by model.hidden: accuracy" }).waitFor();
  await page.getByText("Training 1 of 2: step 3 of 10.").waitFor();
  await commands.waitFor();
  await page.unroute("**/api/jobs");
  await page.reload();
  await train.click();
  const cells = page.getByRole("region", { name: "Table of groups" }).locator("tbody tr").nth(1).locator("td");
  await cells.getByText("6", { exact: true }).first().waitFor();
  await page.getByRole("button", { name: /^Train seeds/ }).waitFor({ state: "detached" });
  await stage.leave(page);
});
