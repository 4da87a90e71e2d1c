// The playground as a person uses it.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { at_step, button, curves_of, losses_of, past_step, small, step_of, words } from "./playing.mjs";
import { Stage, expect_accessible } from "./stage.mjs";

let stage;
before(async () => (stage = await Stage.open()));
after(() => stage?.close());

test("a training is played, paused, stepped, rewound and replayed, with the same loss", async () => {
  const page = await stage.visit(words(small));
  await at_step(page, 0);
  await button(page, "Play").click();
  await past_step(page, 10);
  await button(page, "Pause").click();
  await button(page, "Play").waitFor();
  const paused = await step_of(page);
  await page.evaluate(async () => {
    for (let frame = 0; frame < 20; ++frame) await new Promise(requestAnimationFrame);
  });
  assert.equal(await step_of(page), paused);
  await button(page, "Step").click();
  const stepped = paused - (paused % 2) + 2;
  await at_step(page, stepped);
  const once = await losses_of(page);
  assert.equal(once.at(-1)[0], stepped);
  await button(page, "Rewind").click();
  await at_step(page, 0);
  await button(page, "Play").click();
  await past_step(page, 10);
  // Begun anew from the same start it is the same loss, to the last digit.
  const seed = page.getByLabel("Seed", { exact: true });
  await seed.fill("1");
  await seed.press("Enter");
  await at_step(page, 0);
  await seed.fill("0");
  await seed.press("Enter");
  await page.waitForFunction(() => !location.hash.includes("seed="));
  await at_step(page, 0);
  for (let step = 2; step <= stepped; step += 2) {
    await button(page, "Step").click();
    await at_step(page, step);
  }
  assert.deepEqual(await losses_of(page), once);
  await stage.leave(page);
});

test("scrubbing back shows attention as it was, and an intervention moves on the time axis", async () => {
  const page = await stage.visit(words(small, { step: 120 }));
  await at_step(page, 120);
  const entropy = async () => Number((await page.getByText("Normalised entropy").innerText()).match(/entropy (\d\.\d+)/)[1]);
  const map = () => page.evaluate(() => [...document.querySelector("canvas.map").getContext("2d").getImageData(0, 0, 7, 7).data].join());
  const scrub = page.getByLabel("Look at step");
  const late = await entropy(), late_map = await map();
  await scrub.fill("0");
  await at_step(page, 0);
  const early = await entropy();
  assert.ok(early > 0.9 && late < early, `${early} ${late}`);
  assert.notEqual(await map(), late_map);
  await scrub.fill("120");
  await at_step(page, 120);
  assert.equal(await map(), late_map);
  // Held uniform until 60: there it still is uniform, and it is not at the end.
  const handle = page.getByLabel("Step until which attention is held uniform");
  await handle.fill("60");
  await page.waitForFunction(() => location.hash.includes("hold=60"));
  await at_step(page, 120);
  assert.ok((await entropy()) < 0.999);
  await scrub.fill("58");
  await at_step(page, 58);
  assert.ok((await entropy()) > 0.9999);
  // And let go at once, it is the training from before.
  await handle.fill("0");
  await page.waitForFunction(() => !location.hash.includes("hold="));
  await scrub.fill("120");
  await at_step(page, 120);
  assert.equal(await map(), late_map);
  await stage.leave(page);
});

test("a step that is wished for while another training begins is the one that is shown", async () => {
  const page = await stage.visit(words(small, { step: 20 }));
  await at_step(page, 20);
  // One right after the other, with no time for an answer of the engine.
  const put = (...all) =>
    page.evaluate(async (all) => {
      for (const [handle, value, told] of all) {
        const input = document.querySelector(".axis ." + handle);
        input.value = value;
        input.dispatchEvent(new Event(told, { bubbles: true }));
        await new Promise((done) => setTimeout(done));
      }
    }, all);
  await put(["hold", "60", "change"], ["look", "40", "input"]);
  await at_step(page, 40);
  assert.match(new URL(page.url()).hash, /hold=60/);
  // Two changes and a step, and the second change is not looked at from where the first was.
  await put(["hold", "30", "change"], ["look", "44", "input"], ["hold", "50", "change"]);
  await at_step(page, 44);
  assert.match(new URL(page.url()).hash, /hold=50/);
  await stage.leave(page);
});

test("what is being written or moved is not taken back by what the page does meanwhile", async () => {
  const page = await stage.visit(words(small, { beside: "seed=3" }));
  await at_step(page, 0);
  // A handle that moves on before the page has drawn what was told.
  const handle = page.getByLabel("Step until which attention is held uniform");
  await handle.evaluate((input) => {
    for (const value of ["1", "2"])
      for (const told of ["input", "change"]) {
        input.value = value;
        input.dispatchEvent(new Event(told, { bubbles: true }));
      }
    input.value = "3";
    input.dispatchEvent(new Event("input", { bubbles: true }));
  });
  await page.waitForFunction(() => location.hash.includes("hold=2"));
  await at_step(page, 0);
  assert.equal(await handle.inputValue(), "3");
  // A half written number.
  const hidden = page.getByLabel("Hidden width", { exact: true });
  await hidden.fill("24");
  await page.getByLabel("Seed", { exact: true }).evaluate(async (input) => {
    input.value = "5";
    input.dispatchEvent(new Event("input", { bubbles: true }));
    await new Promise((done) => setTimeout(done));
    input.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true }));
  });
  await page.waitForFunction(() => location.hash.includes("seed=5"));
  await at_step(page, 0);
  assert.equal(await hidden.inputValue(), "24");
  // And a second run that is to differ in something else.
  const beside = page.getByRole("combobox", { name: /^Beside it/ });
  await beside.selectOption("model.hidden");
  await page.waitForFunction(() => !location.hash.includes("beside="));
  await page.getByLabel("Hidden width, second run").waitFor();
  await stage.leave(page);
});

test("a link brings another person to the same experiment, step and numbers", async () => {
  const page = await stage.visit("#/play");
  await page.getByRole("combobox", { name: /^Task/ }).selectOption("keyword");
  for (const [label, value] of [["Seed", "7"], ["Words there are", "10"], ["Hidden width", "12"]]) {
    await page.getByLabel(label, { exact: true }).fill(value);
    await page.getByLabel(label, { exact: true }).press("Enter");
  }
  await page.waitForFunction(() => location.hash.includes("hidden%3D12") && location.hash.includes("seed=7"));
  await at_step(page, 0);
  for (const step of [4, 8, 12]) {
    await button(page, "Step").click();
    await at_step(page, step);
  }
  await page.getByRole("combobox", { name: /^Example/ }).selectOption("2");
  await button(page, "Copy the link").click();
  await page.waitForFunction(() => location.hash.includes("step=12"));
  const other = await stage.visit(new URL(page.url()).hash);
  await at_step(other, 12);
  const seen = async (one) => [await losses_of(one), await one.getByText("Normalised entropy").innerText(), await one.getByRole("img", { name: "Attention map" }).getAttribute("aria-label")];
  assert.deepEqual(await seen(other), await seen(page));
  await stage.leave(page);
  await stage.leave(other);
});

test("two runs stand side by side that differ in one setting", async () => {
  const page = await stage.visit(words(small));
  await at_step(page, 0);
  await page.getByRole("combobox", { name: /^Beside it/ }).selectOption("train.rate");
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

test("a setting that can not be is explained, and the next one works", async () => {
  const page = await stage.visit(words(small));
  await at_step(page, 0);
  const length = page.getByRole("textbox", { name: "Words in a text" });
  await length.fill("-3");
  await length.press("Enter");
  await page.getByRole("alert").getByText("length").waitFor();
  await length.fill("5");
  await length.press("Enter");
  await page.waitForFunction(() => document.querySelector("[role=alert]").textContent === "");
  await button(page, "Step").click();
  await at_step(page, 2);
  await stage.leave(page);
});

test("all of it can be done by keyboard", async () => {
  const page = await stage.visit(words(small));
  await at_step(page, 0);
  await button(page, "Step").focus();
  await page.keyboard.press("Enter");
  await at_step(page, 2);
  await page.getByLabel("Look at step").focus();
  await page.keyboard.press("ArrowLeft");
  await at_step(page, 1);
  await page.getByLabel("Step until which attention is held uniform").focus();
  for (let i = 0; i < 3; ++i) await page.keyboard.press("ArrowRight");
  await page.waitForFunction(() => location.hash.includes("hold=3"));
  await page.getByRole("img", { name: "Attention map" }).focus();
  for (const key of ["ArrowDown", "ArrowRight", "ArrowDown"]) await page.keyboard.press(key);
  await page.getByText(/^Output 2 .* from input 2 .*: α \d\.\d+, β/).waitFor();
  await stage.leave(page);
});

test("scrubbing a map of 41 by 41 over 200 steps takes less than 20 ms of the page's thread a frame", async () => {
  const large = { "task.vocab": 40, "task.length": 40, "model.hidden": 8, "model.embedding": 8, "train.batch": 2, "train.steps": 200, "probe.every": 1, "probe.examples": 8 };
  const page = await stage.visit(words(large, { step: 200 }));
  await at_step(page, 200);
  await page.getByRole("img", { name: "41 outputs by 40 inputs" }).or(page.getByRole("img", { name: "41 outputs by 41 inputs" })).waitFor();
  const tools = await page.context().newCDPSession(page);
  await tools.send("Performance.enable", { timeDomain: "threadTicks" }); // what other programs take is not the page's
  const busy = async () => (await tools.send("Performance.getMetrics")).metrics.find((one) => one.name === "TaskDuration").value;
  const before = await busy();
  const { frames, seconds } = await page.evaluate(async () => {
    const handle = document.querySelector(".axis .look");
    const began = performance.now();
    let frames = 0;
    for (let i = 0; i < 400; ++i) {
      handle.value = String(Math.abs(200 - i));
      handle.dispatchEvent(new Event("input", { bubbles: true }));
      await new Promise(requestAnimationFrame);
      ++frames;
    }
    return { frames, seconds: (performance.now() - began) / 1000 };
  });
  const each = (1000 * ((await busy()) - before)) / frames;
  console.log(`${(frames / seconds).toFixed(1)} frames a second; ${each.toFixed(2)} ms of the page's thread each`);
  assert.ok(each < 20, `${each} ms`);
  await stage.leave(page);
});

test("nothing serious stands in the way of anybody, in light and dark, wide and narrow", async () => {
  for (const more of [{ step: 40 }, { step: 40, beside: "train.rate=0.01" }, { task: "keyword", set: "", step: 60 }]) {
    const page = await stage.visit(words(small, more));
    await past_step(page, more.step);
    for (const colorScheme of ["light", "dark"])
      for (const width of [390, 1440, 2560]) {
        await page.emulateMedia({ colorScheme });
        await page.setViewportSize({ width, height: 900 });
        await expect_accessible(page);
        const [inner, outer] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
        assert.ok(inner <= outer, `${inner} wide at ${outer}`);
      }
    await stage.leave(page);
  }
});
