// Heads in the playground: each is shown, and held by a click; the plateaus that are predicted are drawn on the loss.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { at_step, button, curves_of, saved, words } from "./playing.mjs";
import { expect_accessible, Stage } from "./stage.mjs";

let stage;
before(async () => (stage = await Stage.open()));
after(() => stage?.close());

const short = { "task.length": 12, "train.steps": 40, "train.batch": 8, "probe.examples": 16, "model.heads": 2 };

const at_12_of = (curves, name) => curves.get(name).find(([step]) => step === 12)[1];

test("a head of markov-icl is found, shown and held by a click, and its loss stands beside the predicted plateaus", async () => {
  const page = await stage.visit("#/play");
  await at_step(page, 0);
  // The task is in view, under its name and a plain title.
  const task = page.getByRole("combobox", { name: "Task", exact: true });
  const { y, height } = await task.boundingBox();
  assert.ok(y + height < page.viewportSize().height);
  const titles = await task.locator("option").allTextContents();
  for (const name of ["markov-icl", "mws", "induction", "sink"]) assert.equal(titles.filter((title) => title.endsWith(`(${name})`)).length, 1, name);
  assert.deepEqual(await task.locator("optgroup").first().locator("option").allTextContents(), ["Copy words", "Copy permutations", "Find the keyword", "Find two features"]);
  // What the model has to do is read without a click.
  await page.locator(".idea").getByText("The model reads words and has to write the same ones.").waitFor();
  await page.evaluate((hash) => (location.hash = hash), words(short, { task: "markov-icl" }));
  await at_step(page, 0);
  const loss = page.locator("figure", { hasText: /^Loss/ }).locator(".plot svg:not(.told)");
  for (const rung of ["uniform", "unigram", "bigram"]) await loss.getByText(new RegExp(`^${rung} \\d\\.\\d+$`)).waitFor();
  // Each has a sentence, from the highest plateau to the lowest.
  assert.deepEqual(await page.locator(".rungs-meant li b").allTextContents(), ["uniform", "unigram", "bigram", "truth"]);
  await page.locator(".rungs-meant li", { hasText: "bigram: today's weather, and which weather followed earlier days with today's weather" }).waitFor();
  assert.equal(await page.locator(".small-map").count(), 4);
  await button(page, "Next evaluation").click();
  await at_step(page, 4);
  // At a step that is typed; one that cannot be is refused.
  const from = page.getByLabel("First step of the hold");
  assert.equal(await from.inputValue(), "4");
  await from.fill("40");
  await from.press("Enter");
  await page.getByText('A step from 0 to 39 is wanted, not "40".').waitFor();
  await from.fill("6");
  await from.press("Enter");
  await button(page, "Hold layer 1, head 2 from step 6 on").click();
  await page.waitForFunction(() => /of=layer\.1\.head\.2/.test(location.hash) && /from=6/.test(location.hash) && /hold=40/.test(location.hash));
  await at_step(page, 6);
  for (const step of [8, 12]) {
    await button(page, "Next evaluation").click();
    await at_step(page, step);
  }
  assert.equal(await loss.locator("text", { hasText: /held/ }).count(), 0);
  // The untouched training stays as a ghost: its curves, and no map of its own.
  const ghost = "untouched training";
  const curves = await curves_of(page, "Loss");
  assert.deepEqual([...curves.keys()], ["loss", '"loss, same model, attention free"', `"loss, ${ghost}"`]);
  assert.ok([...curves.values()].every((points) => points.at(-1)[0] <= 12), "nothing of the future");
  // In the steps of the change the loss is of the model as it trains.
  assert.notEqual(at_12_of(curves, "loss"), at_12_of(curves, '"loss, same model, attention free"'));
  await page.locator(".rung-told p", { hasText: /^With the change: the loss is / }).waitFor();
  await page.locator(".rung-told p", { hasText: /^Untouched training: the loss is / }).waitFor();
  const shares = await curves_of(page, "What is learned when");
  assert.equal(curves.get("loss").find(([step]) => step === 4)[1], curves.get(`"loss, ${ghost}"`).find(([step]) => step === 4)[1]);
  assert.notEqual(at_12_of(curves, "loss"), at_12_of(curves, `"loss, ${ghost}"`));
  assert.ok([...shares.keys()].some((name) => name.endsWith(`${ghost}"`)));
  // The curves have the words of the weather.
  for (const name of ["α: the day before", "α: the days after"]) assert.ok(shares.has(name), [...shares.keys()].join());
  assert.equal(await page.getByRole("heading", { name: /^Attention/ }).count(), 1);
  await button(page, "Show layer 2, head 1 large").click();
  const { name } = await saved(page, () => page.getByRole("group", { name: "Save the figure: The attention map: layer 2, head 1" }).getByRole("button", { name: "CSV" }).click());
  assert.equal(name, "markov-icl-seed-0-attention-step-12-layer-2-head-1.csv");
  assert.equal(await page.getByLabel("Head that is changed").inputValue(), "layer.1.head.2");
  await expect_accessible(page);
  await button(page, "Release layer 1, head 2").click();
  await page.waitForFunction(() => !/hold=|beside=/.test(location.hash));
  // After its last step a hold is over, and its button is not lit; of a hold of all attention each head has one.
  await page.evaluate((hash) => (location.hash = hash), words(short, { task: "markov-icl", hold: 4, beside: "hold=0", step: 8 }));
  await at_step(page, 8);
  const lit = (name) => button(page, name).evaluateAll((all) => all.map((one) => one.getAttribute("aria-pressed")));
  assert.deepEqual(await lit("Undo the hold of layer 1, head 1"), ["false"]);
  await page.getByLabel("Look at step").fill("4");
  await at_step(page, 4);
  assert.deepEqual([await lit("Release all heads with layer 1, head 1"), await lit("Release all heads with layer 2, head 2")], [["true"], ["true"]]);
  await stage.leave(page);
});
