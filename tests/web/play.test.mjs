// The playground as a person uses it.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { at_step, button, curves_of, losses_of, open_settings, past_step, saved, small, step_of, words } from "./playing.mjs";
import { processor_meter } from "./chromium.mjs";
import { Stage, expect_accessible, slowness } from "./stage.mjs";

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
  await at_step(page, paused + 1);
  // Three clicks before the page has drawn any of them.
  await button(page, "Step").evaluate((step) => {
    for (let click = 0; click < 3; ++click) step.click();
  });
  await at_step(page, paused + 4);
  await page.getByLabel("Look at step").fill(String(paused + 1));
  await at_step(page, paused + 1);
  await button(page, "Next evaluation").click();
  const stepped = paused + 1 - ((paused + 1) % 2) + 2; // a look every second step
  await at_step(page, stepped);
  // The curve ends at the selected step, though the training went further.
  const once = await losses_of(page);
  assert.equal(once.at(-1)[0], stepped);
  await button(page, "Rewind").click();
  await at_step(page, 0);
  await button(page, "Play").click();
  await past_step(page, 10);
  // Begun anew from the same start it is the same loss, to the last digit.
  await open_settings(page);
  const seed = page.getByLabel("Seed", { exact: true });
  await seed.fill("1");
  await seed.press("Enter");
  await at_step(page, 0);
  await seed.fill("0");
  await seed.press("Enter");
  await page.waitForFunction(() => !location.hash.includes("seed="));
  await at_step(page, 0);
  for (let step = 2; step <= stepped; step += 2) {
    await button(page, "Next evaluation").click();
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
  const begins = await handle.evaluate(async (input) => {
    input.value = "60";
    for (const told of ["input", "change"]) input.dispatchEvent(new Event(told, { bubbles: true }));
    for (let drawn = 0; drawn < 10; ++drawn) await null; // the engine cannot have answered yet
    return document.querySelector("output[data-step]").dataset.loading;
  });
  assert.equal(begins, "yes");
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
  await open_settings(page);
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
  const beside = page.getByRole("combobox", { name: /^Compare with/ });
  await beside.selectOption("model.hidden");
  await page.waitForFunction(() => !location.hash.includes("beside="));
  await page.getByLabel("Hidden width, second run").waitFor();
  await stage.leave(page);
});

test("a link brings another person to the same experiment, step and numbers", async () => {
  const page = await stage.visit("#/play");
  await open_settings(page);
  await page.getByRole("combobox", { name: /^Task/ }).selectOption("keyword");
  for (const [label, value] of [["Seed", "7"], ["Words in the vocabulary", "10"], ["Hidden width", "12"]]) {
    await page.getByLabel(label, { exact: true }).fill(value);
    await page.getByLabel(label, { exact: true }).press("Enter");
  }
  await page.waitForFunction(() => location.hash.includes("hidden%3D12") && location.hash.includes("seed=7"));
  await at_step(page, 0);
  for (const step of [4, 8, 12]) {
    await button(page, "Next evaluation").click();
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

test("who tries something from the story is in the playground, and comes back to where it stood", async () => {
  const page = await stage.visit("#/story?at=evidence");
  await page.locator("#chapter-copying").click();
  const link = page.getByRole("link", { name: "Train the hard one here" });
  const place = () => link.evaluate((link) => link.getBoundingClientRect().top);
  await link.evaluate((link) => scrollBy({ top: link.getBoundingClientRect().top - 200, behavior: "instant" }));
  const before = await place();
  assert.ok((await page.evaluate(() => scrollY)) > 300 && Math.abs(before - 200) < 2, `${before}`);
  await link.click();
  await at_step(page, 0);
  assert.deepEqual(await page.evaluate(() => [document.activeElement.id, scrollY]), ["main", 0]);
  await page.goBack();
  await link.waitFor();
  await page.waitForFunction((before) => {
    const link = [...document.querySelectorAll(".tries a")].find((one) => one.textContent === "Train the hard one here");
    return Math.abs(link.getBoundingClientRect().top - before) < 40;
  }, before);
  await stage.leave(page);
});

test("a copied link keeps a server's token to oneself", async () => {
  const page = await stage.visit(stage.address + "?token=secret-of-mine" + words(small), { permissions: ["clipboard-read", "clipboard-write"] });
  await at_step(page, 0);
  await button(page, "Next evaluation").click();
  await at_step(page, 2);
  await button(page, "Copy the link").click();
  await page.getByText("The link to step 2 is copied.").waitFor();
  assert.ok(!page.url().includes("secret"), page.url());
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  assert.ok(copied.startsWith(stage.address + "#/play?") && copied.includes("step=2"), copied);
  await stage.leave(page);
});

test("a step is typed as a number, or off; what cannot be stays in its field, and is told", async () => {
  const page = await stage.visit(words(small, { hold: 60 }));
  await at_step(page, 0);
  const type = async (name, text) => {
    const field = page.getByLabel(name);
    await field.fill(text);
    await field.press("Enter");
  };
  const wanted = (text) => page.getByRole("alert").getByText(text, { exact: true });
  for (const text of ["abc", "-3", "12.7", "301"]) {
    await type("Step that is looked at", text);
    await wanted(`A step from 0 to 300 is wanted, not "${text}".`).waitFor();
    assert.equal(await page.getByLabel("Step that is looked at").inputValue(), text);
  }
  await type("Step that is looked at", "1e1");
  await at_step(page, 10);
  await type("Held from, as a number", "80");
  await wanted('A step from 0 to 59 is wanted, not "80".').waitFor();
  await type("Held until, as a number", "never");
  await wanted('A step from 0 to 300 is wanted, or off, not "never".').waitFor();
  await type("Held until, as a number", "Off");
  await page.waitForFunction(() => !location.hash.includes("hold="));
  assert.equal(await page.getByText(/is wanted/).count(), 0);
  await stage.leave(page);
});

test("a training that diverges says so, at which step, and what to do", async () => {
  const page = await stage.visit(words({ ...small, "train.rate": 1e30 }, { step: 20 }));
  await page.getByRole("alert").getByText(/^Training stopped at step 1: at step 1 the loss is .*\. Lower train\.rate/).waitFor();
  await at_step(page, 1);
  await stage.leave(page);
});

test("attention is held from one step until another", async () => {
  const page = await stage.visit(words(small, { hold: 20 }));
  await at_step(page, 0);
  await page.getByLabel("Step from which attention is held uniform").fill("10");
  await page.waitForFunction(() => location.hash.includes("from=10"));
  await page.getByLabel("Look at step").fill("12");
  await at_step(page, 12);
  const spec = String((await saved(page, () => button(page, "Spec for fovea run").click())).bytes);
  assert.match(spec, /intervene = \[\{.*from = 10.*\}\]/);
  assert.match(spec, /intervene = \[\{.*until = 20.*\}\]/);
  const entropy = Number((await page.getByText("Normalised entropy").innerText()).match(/entropy (\d\.\d+)/)[1]);
  assert.ok(entropy > 0.9999);
  // The end takes the beginning along.
  await page.getByLabel("Step until which attention is held uniform").fill("5");
  await page.waitForFunction(() => location.hash.includes("hold=5") && location.hash.includes("from=4"));
  await page.getByLabel("Step until which attention is held uniform").fill("0");
  await page.waitForFunction(() => !location.hash.includes("hold=") && !location.hash.includes("from="));
  assert.equal(await page.getByLabel("Step from which attention is held uniform").inputValue(), "0");
  // A first step alone begins a change to the end.
  await page.getByLabel("Step from which attention is held uniform").fill("30");
  await page.waitForFunction(() => location.hash.includes("hold=300") && location.hash.includes("from=30") && location.hash.includes("beside=hold%3D0"));
  await stage.leave(page);
});

test("all of it can be done by keyboard", async () => {
  const page = await stage.visit(words(small));
  await at_step(page, 0);
  await button(page, "Step").focus();
  await page.keyboard.press("Enter");
  await at_step(page, 1);
  await page.getByLabel("Look at step").focus();
  await page.keyboard.press("ArrowRight");
  await at_step(page, 2);
  await page.getByLabel("Step until which attention is held uniform").focus();
  // However often it is pressed on the way: one training, and one step of the way back.
  const way = await page.evaluate(() => history.length);
  for (let i = 0; i < 3; ++i) await page.keyboard.press("ArrowRight");
  await page.waitForFunction(() => location.hash.includes("hold=3"));
  assert.equal(await page.evaluate(() => history.length), way + 1);
  await page.getByLabel("Step until which attention is held uniform").press("ArrowRight");
  await page.keyboard.press("Tab"); // who leaves it does not wait
  await page.waitForFunction(() => location.hash.includes("hold=4"));
  await page.getByRole("img", { name: "Attention map" }).focus();
  for (const key of ["ArrowDown", "ArrowRight", "ArrowDown"]) await page.keyboard.press(key);
  await page.getByText(/^Output 2 .* from input 2 .*: attention \(α\) [\d.]+ %\. The chance of “.*” by this position alone \(β\): (less than )?[\d.]+ %\.$/).waitFor();
  await stage.leave(page);
});

test("scrubbing a map of 41 by 41 over 200 steps takes less than 20 ms of the page's thread a frame", async () => {
  const large = { "task.vocab": 40, "task.length": 40, "model.hidden": 8, "model.embedding": 8, "train.batch": 2, "train.steps": 200, "probe.every": 1, "probe.examples": 8 };
  const page = await stage.visit(words(large, { step: 200 }));
  await at_step(page, 200);
  await page.getByRole("img", { name: "41 outputs by 40 inputs" }).or(page.getByRole("img", { name: "41 outputs by 41 inputs" })).waitFor();
  const busy = await processor_meter(page);
  const slow = await slowness(page, busy);
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
  assert.ok(each < 20 * slow, `${each} ms, on a thread ${slow} times as slow`);
  await stage.leave(page);
});

test("while attention is held, what is measured is where the model attends by itself", async () => {
  const page = await stage.visit(words(small, { act: "truth", hold: 40, step: 20 }));
  await at_step(page, 20);
  assert.match(await page.locator(".stages").innerText(), /α: looks right.*held \(attention free: [\d.]+ %\)\s+50 %\s+not yet/s);
  const attended = (await curves_of(page, "What is learned when")).get("α: looks right");
  assert.equal(attended.at(-1)[0], 20);
  assert.ok(attended.at(-1)[1] < 0.9, `${attended.at(-1)}`);
  await stage.leave(page);
});

test("on the way to a link's step the address keeps saying it", async () => {
  const page = await stage.visit(words(small, { step: 300 }));
  const said = await page.evaluate(async () => {
    const said = new Set();
    for (;;) {
      said.add(new URLSearchParams(location.hash.split("?")[1]).get("step"));
      if (document.querySelector("output[data-step][data-loading=no]")?.dataset.step === "300") return [...said];
      await new Promise(requestAnimationFrame);
    }
  });
  assert.deepEqual(said, ["300"]);
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
