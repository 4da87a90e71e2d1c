// Two runs side by side in the playground.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { at_step, button, curves_of, open_settings, small, words } from "./playing.mjs";
import { Stage, until } from "./stage.mjs";

let stage;
before(async () => (stage = await Stage.open()));
after(() => stage?.close());

test("two runs stand side by side that differ in one setting", async () => {
  const page = await stage.visit(words(small));
  await at_step(page, 0);
  await open_settings(page);
  await page.getByRole("combobox", { name: /^Compare with/ }).selectOption("train.rate");
  await page.getByLabel("Learning rate, second run").fill("0.0001");
  await page.getByLabel("Learning rate, second run").press("Enter");
  await page.getByRole("heading", { name: "Attention, with learning rate 0.0001" }).waitFor();
  await page.getByLabel("Look at step").fill("20");
  await at_step(page, 20);
  const curves = await curves_of(page, "Loss");
  const [one, two] = [curves.get("loss"), curves.get('"loss, learning rate 0.0001"')];
  assert.deepEqual(one.map(([step]) => step), two.map(([step]) => step));
  assert.ok(one.at(-1)[1] < two.at(-1)[1]);
  await stage.leave(page);
});

test("a run beside another says by what it differs, has the same colours, and leaves the other alone where it cannot be", async () => {
  const page = await stage.visit(words({ ...small, "model.attention": "none" }, { beside: "model.attention=learned" }));
  await at_step(page, 0);
  await page.getByText("This model has none.").waitFor();
  await button(page, "Next evaluation").click();
  await at_step(page, 2);
  const curves = await curves_of(page, "What is learned when");
  assert.ok(curves.has("accuracy") && !curves.has("α: looks right"));
  assert.ok(curves.has('"α: looks right, attention learned"'));
  const strokes = (dashed) => page.locator("figure", { hasText: "What is learned when" }).first().evaluate((figure, dashed) => [...figure.querySelectorAll(".plot svg g[stroke]")].filter((g) => g.querySelector("path") && /^var\(--c\d/.test(g.getAttribute("stroke")) && (g.getAttribute("stroke-dasharray") === "5 4") === dashed).map((g) => g.getAttribute("stroke")), dashed);
  // Two of them are shown at first; the legend switches the others on, and what is seen is in the address.
  assert.equal(new Set(await strokes(true)).size, 2);
  for (const name of ["accuracy", "entropy of attention (1: uniform)"]) await button(page, name).click();
  await until(async () => new Set(await strokes(true)).size === 4);
  assert.equal(new Set(await strokes(true)).size, 4);
  assert.match(decodeURIComponent(new URL(page.url()).hash), /curves=attention_points_right,beta_points_right,accuracy,entropy/);
  assert.ok((await strokes(true)).includes((await strokes(false))[0]), "accuracy has one colour");
  for (const [beside, title] of [["hold=9", "attention held uniform until step 9"], ["from=2", "attention held uniform from step 2"], ["task.vocab=9", "vocabulary 9"]]) {
    await page.evaluate((hash) => (location.hash = hash), words(small, { hold: 6, beside }));
    await page.getByRole("heading", { name: `Attention, with ${title}` }).waitFor();
  }
  // The untouched run has its curves, dashed, and no map.
  await page.evaluate((hash) => (location.hash = hash), words(small, { hold: 6, beside: "hold=0", step: 8 }));
  await at_step(page, 8);
  await page.locator(".play-verdict", { hasText: /\(untouched training: / }).waitFor();
  assert.equal(await page.getByRole("heading", { name: /^Attention/ }).count(), 1);
  assert.ok((await curves_of(page, "What is learned when")).has('"α: looks right, untouched training"'));
  // One that cannot be.
  for (const [beside, says] of [["model.hidden=0", "Hidden width: model.hidden must be 1 to 16384, not 0."], ["seed=some", 'Seed: It cannot be "some".']]) {
    await page.evaluate((hash) => (location.hash = hash), words(small, { beside }));
    await page.getByRole("alert").getByText(`The second run is impossible. ${says}`).waitFor();
    await at_step(page, 0);
    await button(page, "Next evaluation").click();
    await at_step(page, 2);
    assert.equal(await page.getByRole("heading", { name: /^Attention/ }).count(), 1);
    assert.ok(await button(page, "Spec for fovea run").isEnabled());
  }
  await stage.leave(page);
});

test("where both runs come to their stages is marked", async () => {
  const page = await stage.visit(words(small, { step: 120, hold: 20, beside: "hold=40" }));
  await at_step(page, 120);
  const marks = await page.locator("figure", { hasText: "What is learned when" }).first().locator("svg text").allTextContents();
  const title = ", attention held uniform until step 40";
  for (const says of ["attention is released", "half of the words matched (β)"]) for (const more of ["", title]) assert.ok(marks.includes(says + more), `${says + more}: ${marks}`);
  await stage.leave(page);
});

test("another option of a change erases nothing: what is trained stays, and beside a change it stays dashed", async () => {
  const page = await stage.visit(words({ ...small, "train.steps": 40 }));
  await at_step(page, 0);
  await page.getByLabel("Look at step").fill("40");
  await at_step(page, 40);
  const before = await curves_of(page, "What is learned when");
  await page.getByLabel("What is done to attention").selectOption("ablate");
  await at_step(page, 40);
  assert.deepEqual(await curves_of(page, "What is learned when"), before);
  await page.getByLabel("Held until, as a number").fill("20");
  await page.getByLabel("Held until, as a number").press("Enter");
  await at_step(page, 40);
  await page.getByLabel("What is done to attention").selectOption("truth");
  await at_step(page, 0);
  const curves = await curves_of(page, "What is learned when");
  for (const [name, points] of before) {
    assert.deepEqual(curves.get(`"${name}, untouched training"`), points, name);
    assert.equal(curves.get(name).at(-1)[0], 0, name);
  }
  await stage.leave(page);
});

test("beside another map the ways out are a menu, which opens over the map", async () => {
  const page = await stage.visit(words(small, { beside: "seed=3" }));
  await at_step(page, 0);
  const map = page.locator("canvas.map").first(), before = await map.boundingBox();
  const out = page.getByRole("group", { name: "Save the figure: The attention map" });
  assert.equal(await out.isVisible(), false);
  await page.locator("details.menu > summary").first().click();
  await out.getByRole("button", { name: "CSV" }).waitFor();
  assert.deepEqual(await map.boundingBox(), before);
  await stage.leave(page);
});
