// What the playground asks of its engine, in what order, and what it says where something cannot be.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { at_step, button, losses_of, open_settings, past_step, saved, small, words } from "./playing.mjs";
import { Stage } from "./stage.mjs";

let stage;
before(async () => (stage = await Stage.open()));
after(() => stage?.close());

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

test("a setting that cannot be is explained, and the next one works", async () => {
  const page = await stage.visit(words(small));
  await at_step(page, 0);
  await open_settings(page);
  const length = page.getByRole("textbox", { name: "Words in a text" });
  await length.fill("-3");
  await length.press("Enter");
  await page.getByRole("alert").getByText("Words in a text: task.length must be 1 to 10000, not -3.").waitFor();
  // What is still there is what was before: it goes nowhere under this address.
  await page.getByRole("alert").getByText("What stands below is what was there before.").waitFor();
  for (const name of ["Play", "Step", "Copy the link", "Spec for fovea run", "Weights (safetensors)"]) assert.ok(await button(page, name).isDisabled(), name);
  await length.fill("5");
  await length.press("Enter");
  await page.waitForFunction(() => document.querySelector("[role=alert]").textContent === "");
  await button(page, "Step").click();
  await at_step(page, 1);
  await stage.leave(page);
});

test("what a browser has no memory for is refused, and the next one works", async () => {
  const page = await stage.visit(words(small));
  await at_step(page, 0);
  await open_settings(page);
  const hidden = page.getByLabel("Hidden width", { exact: true });
  for (const more of [{ "model.hidden": 8192 }, { "model.hidden": 16384 }, { "model.hidden": 16384, "model.bidirectional": true }, { "train.batch": 16777216 }, { "probe.examples": 16777216 }]) {
    await page.evaluate((hash) => (location.hash = hash), words({ ...small, ...more }));
    await page.getByRole("alert").getByText("A browser does not have enough memory for this training.").waitFor();
    await page.evaluate((hash) => (location.hash = hash), words(small));
    await page.waitForFunction(() => document.querySelector("[role=alert]").textContent === "");
  }
  await hidden.fill("12");
  await hidden.press("Enter");
  await page.waitForFunction(() => location.hash.includes("hidden%3D12"));
  await at_step(page, 0);
  await button(page, "Step").click();
  await at_step(page, 1);
  await stage.leave(page);
});

// What the page asks of the engine from here on, as `asked`; `spoil` is how often it does not reach it whole.
const listen = (page) =>
  page.evaluate(() => {
    Object.assign(globalThis, { asked: [], spoil: 0 });
    const post = Worker.prototype.postMessage;
    Worker.prototype.postMessage = function (message, ...rest) {
      if (message.ask) globalThis.asked.push(JSON.parse(message.ask));
      const spoilt = message.ask?.includes('"advance"') && globalThis.spoil-- > 0;
      return post.call(this, spoilt ? { ...message, ask: null } : message, ...rest);
    };
  });

test("an engine that breaks off is started anew, and training goes on from where it was", async () => {
  const page = await stage.visit(words(small, { step: 8 }));
  await at_step(page, 8);
  const undisturbed = await losses_of(page);
  await button(page, "Rewind").click();
  const other = await stage.visit(words(small, { step: 4 }));
  await at_step(other, 4);
  await listen(other);
  await other.evaluate(() => (globalThis.spoil = 1));
  await button(other, "Next evaluation").click();
  await other.getByRole("alert").getByText("The engine broke off").waitFor();
  for (const step of [6, 8]) {
    await button(other, "Next evaluation").click();
    await at_step(other, step);
  }
  await other.waitForFunction(() => document.querySelector("[role=alert]").textContent === "");
  assert.deepEqual(await losses_of(other), undisturbed);
  await stage.leave(page);
  await stage.leave(other);
});

test("who leaves the playground leaves nothing behind, and comes back to the same", async () => {
  const page = await stage.visit("#/toy");
  await listen(page);
  await page.evaluate((hash) => (location.hash = hash), words(small, { step: 10, beside: "seed=4" }));
  await at_step(page, 10);
  const views = page.getByRole("navigation", { name: "Views" });
  await views.getByRole("link", { name: "Runs" }).click();
  await page.getByRole("heading", { name: "Runs", level: 1 }).waitFor();
  await page.goBack();
  await at_step(page, 10);
  await button(page, "Play").click();
  await past_step(page, 20);
  await views.getByRole("link", { name: "Runs" }).click();
  await page.getByRole("heading", { name: "Runs", level: 1 }).waitFor();
  const asked = await page.evaluate(() => globalThis.asked);
  const named = (ask) => asked.filter((one) => one.ask === ask).map((one) => one.name).sort();
  assert.equal(named("begin").length, 4); // two runs, twice, and nothing that nobody asked for
  assert.deepEqual(named("forget"), named("begin"));
  await stage.leave(page);
});

test("Play that is pressed while a training begins plays it", async () => {
  const page = await stage.visit(words(small));
  await at_step(page, 0);
  await page.evaluate(async () => {
    const handle = document.querySelector(".axis .hold");
    handle.value = "60";
    handle.dispatchEvent(new Event("change", { bubbles: true }));
    await new Promise((done) => setTimeout(done));
    document.querySelector(".transport .main").click();
  });
  await past_step(page, 30);
  assert.match(new URL(page.url()).hash, /hold=60/);
  await button(page, "Pause").click();
  await button(page, "Play").waitFor();
  await stage.leave(page);
});

test("of a long training not every look is kept: the next one is the next that there is", async () => {
  const page = await stage.visit(words({ ...small, "task.vocab": 24, "task.length": 20, "train.steps": 4000 }));
  await at_step(page, 0);
  const look = () => page.getByText("Normalised entropy").innerText().then((text) => Number(text.match(/at step (\d+)/)[1]));
  for (const step of [6, 12, 18]) {
    await button(page, "Next evaluation").click();
    await at_step(page, step);
    assert.equal(await look(), step);
  }
  await button(page, "Rewind").click();
  await at_step(page, 0);
  await button(page, "Next evaluation").click();
  await at_step(page, 6);
  await stage.leave(page);
});

test("what cannot be is said, and not changed in silence", async () => {
  const page = await stage.visit(words(small, { task: "keywords", seed: "1.5" }));
  const alert = page.locator("p.problem[role=alert]").filter({ hasText: "The address" });
  await alert.waitFor();
  assert.match(await alert.innerText(), /a task "keywords", which is not one of this page's: "Copy words.*" is shown\. The address says seed "1\.5", which is not a whole number: it is 0 here\./);
  for (const [asked, said] of [
    [{ from: "5" }, /says from "5", and not until when \(hold\): attention is left to itself\./],
    [{ seed: "99999999999999999999" }, /says seed "9{20}", which is not a whole number below 2⁵³: it is 0 here\./],
    [{ example: "two" }, /says example "two", which is not a whole number: the first example that tells something is shown\./],
  ]) {
    const other = await stage.visit(words(small, asked));
    const told = other.locator("p.problem[role=alert]").filter({ hasText: "The address" });
    await told.waitFor();
    assert.match(await told.innerText(), said);
    await stage.leave(other);
  }
  await open_settings(page);
  const field = page.getByLabel("Seed", { exact: true });
  await field.fill("-2");
  await field.press("Enter");
  await page.getByText('A seed is a whole number from 0 to 9007199254740991 here, not "-2".').waitFor();
  // Till it is corrected what was there before is neither trained on nor shared.
  await page.getByText("What is written under Settings cannot be: correct it there").waitFor();
  const free = () => Promise.all([...["Play", "Step", "Copy the link"].map((name) => button(page, name)), page.getByLabel("Step that is looked at"), page.getByLabel("Held until, as a number")].map((one) => one.isEnabled()));
  assert.deepEqual(await free(), [false, false, false, false, false]);
  assert.equal(await field.inputValue(), "-2");
  await field.fill("3");
  await field.press("Enter");
  await page.waitForFunction(() => location.hash.includes("seed=3"));
  assert.equal(await page.getByText("A seed is a whole number").count(), 0);
  await at_step(page, 0);
  assert.deepEqual(await free(), [true, true, true, true, true]);
  const rate = page.getByLabel("Learning rate", { exact: true });
  await rate.fill("0.1;0.2");
  await rate.press("Enter");
  await page.getByText("No setting has a semicolon in it.").waitFor();
  // Nor is it kept over what follows.
  await page.getByLabel("Words in the vocabulary", { exact: true }).fill("9");
  await page.getByLabel("Words in the vocabulary", { exact: true }).press("Enter");
  await page.getByText("No setting has a semicolon in it.").waitFor({ state: "detached" });
  assert.equal(await rate.inputValue(), "0.004");
  // Of several that cannot be, each is told where it stands, be it folded away, and beside the other run.
  const wrong = await stage.visit(words({ ...small, "task.vocab": -3, "train.rate": "fast", "train.clip": "x" }, { beside: "task.length=0" }));
  await wrong.getByLabel("Words in the vocabulary", { exact: true }).waitFor();
  for (const [label, says] of [["Words in the vocabulary", "must be 1 to"], ["Learning rate", 'not "fast"'], ["train.clip", 'not "x"']]) {
    const at_field = wrong.getByLabel(label, { exact: true });
    await wrong.locator(".field .problem").getByText(says).waitFor();
    assert.equal(await at_field.getAttribute("aria-invalid"), "true");
    assert.ok(await at_field.isVisible(), label);
  }
  for (const [label, value] of [["Words in the vocabulary", "9"], ["Learning rate", "0.01"], ["train.clip", ""]]) {
    await wrong.getByLabel(label, { exact: true }).fill(value);
    await wrong.getByLabel(label, { exact: true }).press("Enter");
  }
  await wrong.getByText("The second run is impossible.").waitFor();
  assert.equal(await wrong.locator(".field .problem").count(), 1);
  assert.equal(await wrong.getByLabel("Words in a text, second run").getAttribute("aria-invalid"), "true");
  await stage.leave(wrong);
  // What cannot be done to attention is not done.
  await page.evaluate((hash) => (location.hash = hash), words(small, { act: "dance", hold: 10 }));
  await page.getByText('for "dance" to be done to attention, which cannot be done here: nothing is.').waitFor();
  const { bytes } = await saved(page, () => button(page, "Spec for fovea run").click());
  assert.match(String(bytes), /^intervene = \[\]$/m);
  await stage.leave(page);
});
