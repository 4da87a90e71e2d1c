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
