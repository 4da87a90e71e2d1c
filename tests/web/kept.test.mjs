// What a run's page says of the maps that it kept.
import assert from "node:assert/strict";
import { test } from "node:test";
import { parts_of_page } from "./in_node.mjs";

const { Kept } = await parts_of_page("run/kept.ts");
const kept = (map, settings) => new Kept({ settings, series: {}, arrays: [], words: { source: {}, target: {}, classes: [] } }, map);

test("a map is the mean of as many heads as its layer has, and one head's of none", () => {
  const observed = { model: { name: "another-program", heads: [2, 4] }, train: { program: "PyTorch" } };
  assert.equal(kept("attention", observed).mean_of, 4);
  assert.equal(kept("attention.layer.1.head.1", observed).mean_of, 1);
  assert.equal(kept("attention", { model: { heads: [0, 1, 2] } }).mean_of, 3);
  assert.equal(kept("attention", { model: { heads: 2 } }).mean_of, 1);
});

test("a head's map has the β of that head beside it", async () => {
  const arrays = ["attention", "attention_beta", "attention.layer.1.head.2", "beta.layer.1.head.2"].map((name) => ({ name, shape: [1, 1, 2], steps: [0] }));
  const values = { attention: [0.5, 0.5], attention_beta: [-3, -4], "attention.layer.1.head.2": [0.25, 0.75], "beta.layer.1.head.2": [-1, null] };
  const store = { arrays: async (_, name) => [{ name, step: 0, shape: [1, 1, 2], values: values[name] }] };
  const run = { run: 7, settings: { model: {} }, series: {}, arrays, words: { source: {}, target: {}, classes: [] } };
  const look = async (map) => (await Kept.load(store, run, map)).looks[0];
  assert.deepEqual([...(await look("attention")).beta], [-3, -4]);
  const head = await look("attention.layer.1.head.2");
  assert.deepEqual([[...head.alpha], [...head.beta]], [[0.25, 0.75], [-1, NaN]]);
  assert.equal((await Kept.load(store, { ...run, arrays: arrays.slice(0, 3) }, "attention.layer.1.head.2")).looks[0].beta, undefined);
});
