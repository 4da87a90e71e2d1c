// What the playground trains is what the program trains, and PyTorch.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { promisify } from "node:util";
import { at_step, button, curves_of, losses_of, past_step, saved, small, words } from "./playing.mjs";
import { Stage } from "./stage.mjs";

const python = process.env.FOVEA_PYTHON ?? "python3";
const has_torch = await promisify(execFile)(python, ["-c", "import torch"]).then(() => true, () => false);

let stage;
before(async () => (stage = await Stage.open()));
after(() => stage?.close());

test("the browser's numbers are the program's to 1e-4 over 50 steps, and the spec it gives runs there", async () => {
  for (const more of [{ seed: 3 }, { task: "keyword", seed: 1 }, { task: "keyword", model: "unigram-gate", set: "" }, { task: "features", set: "" }, { model: "gru", hold: 20 }]) {
    const set = more.task ? { "task.vocab": 8, "task.length": 6, "model.hidden": 16 } : small;
    const page = await stage.visit(words(set, { step: 50, ...more }));
    await past_step(page, 50);
    const shares = await curves_of(page, "What is learned when"), loss = await losses_of(page);
    const { bytes } = await saved(page, () => button(page, "Spec for fovea run").click());
    const file = join(stage.home, "from-the-page.toml");
    await writeFile(file, bytes);
    const native = JSON.parse(await stage.fovea("run", file, "--set", "train.steps=52", "--json", "--series", "--quiet"));
    const compare = (points, metric, held = "") => {
      const theirs = new Map([...native.series[metric], ...(native.series[held] ?? [])]);
      assert.ok(points.length >= 12, `${metric}: ${points.length} points`);
      for (const [step, value] of points) assert.ok(Math.abs(value - theirs.get(step)) <= 1e-4, `${metric} at ${step}: ${value}, the program has ${theirs.get(step)}`);
    };
    compare(loss, "train_loss");
    compare(shares.get("accuracy"), "accuracy", "accuracy_held"); // of the model as it trains
    compare(shares.get("entropy of attention (1: uniform)"), "entropy");
    await stage.leave(page);
  }
});

test("the weights are those that the program has", async () => {
  const page = await stage.visit(words(small, { step: 20 }));
  await at_step(page, 20);
  await page.getByLabel("Look at step").fill("10");
  await at_step(page, 10);
  const { name, bytes } = await saved(page, () => button(page, "Weights (safetensors)").click());
  assert.equal(name, "copy-seed-0-step-10.safetensors");
  const spec = join(stage.home, "weights.toml");
  await writeFile(spec, (await saved(page, () => button(page, "Spec for fovea run").click())).bytes);
  const { run } = JSON.parse(await stage.fovea("run", spec, "--set", "train.steps=10", "--json", "--quiet"));
  const file = join(stage.home, "weights.safetensors");
  await stage.fovea("export", String(run), "--format", "safetensors", "-o", file);
  const ours = tensors_in(bytes), theirs = tensors_in(await readFile(file));
  const named = new Map([...theirs].map(([name, values]) => [name.split("/").at(-1), values]));
  assert.ok(ours.size >= 8);
  for (const [name, values] of ours) {
    const other = named.get(name);
    assert.equal(values.length, other?.length, name);
    for (const [i, value] of values.entries()) assert.ok(Math.abs(value - other[i]) < 1e-4, `${name} ${i}: ${value} ${other[i]}`);
  }
  await stage.leave(page);
});

test("the weights that are saved while it is played are of the step that they are named by", async () => {
  const page = await stage.visit(words(small));
  await at_step(page, 0);
  await page.getByRole("combobox", { name: /^Speed/ }).selectOption("Infinity");
  await button(page, "Play").click();
  await past_step(page, 10);
  const played = await saved(page, () => button(page, "Weights (safetensors)").click());
  const step = played.name.match(/step-(\d+)/)[1];
  const still = await stage.visit(words(small, { step }));
  await at_step(still, Number(step));
  const again = await saved(still, () => button(still, "Weights (safetensors)").click());
  assert.equal(again.name, played.name);
  assert.deepEqual(tensors_in(played.bytes), tensors_in(again.bytes));
  await stage.leave(still);
  await stage.leave(page);
});

function tensors_in(bytes) {
  const size = Number(bytes.readBigUInt64LE(0));
  const { __metadata__, ...head } = JSON.parse(bytes.subarray(8, 8 + size));
  return new Map(Object.entries(head).map(([name, { dtype, data_offsets: [from, to] }]) => {
    assert.equal(dtype, "F32");
    return [name, new Float32Array(Uint8Array.from(bytes.subarray(8 + size + from, 8 + size + to)).buffer)];
  }));
}

const with_set = (more) => ({ set: Object.entries({ ...small, ...more }).map(([name, value]) => `${name}=${value}`).join(";") });

async function expect_that_it_can_fail(file, script) {
  await writeFile(file, script.replace(/"rate\\*": ?[0-9.e-]+/, (text) => text.replace(/[0-9.e-]+$/, "0.5")));
  await assert.rejects(promisify(execFile)(python, [file]));
}

test("the PyTorch script finds the same losses", { skip: has_torch ? false : "there is no PyTorch" }, async () => {
  for (const more of [{}, { model: "gru", hold: 10 }, { act: "truth", hold: 30 }, { act: "truth", hold: 20, from: 10 }, with_set({ "train.precision": "double" }), with_set({ "model.attention": "uniform" }), { task: "keyword", set: "model.hidden=8;model.bidirectional=true;model.score=mlp" }]) {
    const page = await stage.visit(words(small, { step: 30, ...more }));
    await past_step(page, 30);
    const file = join(stage.home, "training.py");
    const { bytes } = await saved(page, () => button(page, "PyTorch script").click());
    await writeFile(file, bytes);
    const { stdout } = await promisify(execFile)(python, [file]);
    const apart = Number(stdout.match(/furthest apart: (\S+)/)[1]);
    console.log(`PyTorch ${JSON.stringify(more)}: ${stdout.trim().split("\n").at(-1)}`);
    assert.ok(apart <= 1e-3 && stdout.split("\n").length >= 8, stdout);
    if (Object.keys(more).length === 0) await expect_that_it_can_fail(file, String(bytes));
    await stage.leave(page);
  }
});

test("the PyTorch script trains no further than a training that ended early", { skip: has_torch ? false : "there is no PyTorch" }, async () => {
  const page = await stage.visit(words({ ...small, "train.stop_when": "train_loss > 0" }, { step: 30, beside: "train.stop_when=" }));
  await past_step(page, 30);
  const file = join(stage.home, "ended.py");
  await writeFile(file, (await saved(page, () => button(page, "PyTorch script").click())).bytes);
  const { stdout } = await promisify(execFile)(python, [file]);
  assert.match(stdout, /^step .*\n +2 .*\nfurthest apart: \S+ .*\n$/);
  await stage.leave(page);
});

test("the PyTorch script refuses what it does not follow, in words", async () => {
  for (const [more, says] of [
    [with_set({ "train.weight_decay": 0.1 }), "The script cannot say train.weight_decay = 0.1; the spec can."],
    [with_set({ "train.optimizer": "sgd" }), 'train.optimizer = "sgd"'],
    [with_set({ "train.clip": 1 }), "train.clip = 1"],
    [with_set({ "model.dropout": 0.2 }), "model.dropout = 0.2"],
    [{ act: "frozen", hold: 10 }, "the intervention freeze"],
    [{ task: "keyword", set: "model.hidden=8", act: "truth", hold: 10 }, "a classifier held at the truth"],
    [{ step: 1 }, "There is no loss to compare before the first evaluation: go to step 2."],
  ]) {
    const page = await stage.visit(words(small, { step: 4, ...more }));
    await at_step(page, more.step ?? 4);
    await button(page, "PyTorch script").click();
    await page.getByText(says).waitFor();
    await stage.leave(page);
  }
});

test("copying with hidden 64 and 12 words is learned in the browser", async () => {
  const page = await stage.visit("#/play");
  await at_step(page, 0);
  await page.getByRole("combobox", { name: /^Speed/ }).selectOption("Infinity");
  const began = performance.now();
  await button(page, "Play").click();
  let accuracy = 0, step = 0;
  while (accuracy < 0.95 && step < 300) {
    await past_step(page, Math.min(300, step + 10));
    [step, accuracy] = (await curves_of(page, "What is learned when")).get("accuracy").at(-1);
  }
  console.log(`accuracy ${accuracy} at step ${step} after ${((performance.now() - began) / 1000).toFixed(1)} s`);
  assert.ok(accuracy >= 0.95);
  await stage.leave(page);
});
