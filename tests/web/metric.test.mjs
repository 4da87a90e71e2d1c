// Which metric of runs is shown unasked.
import assert from "node:assert/strict";
import { test } from "node:test";
import { parts_of_page } from "./in_node.mjs";

const { metric_of, likely_metric } = await parts_of_page("metric.ts");
const runs = (count, ...names) => Array.from({ length: count }, () => ({ metrics: Object.fromEntries(names.map((name) => [name, 1])) }));

test("a telling metric is shown where a tenth of the runs have it, which is asked for before they are there", () => {
  const mixed = [...runs(9, "train_loss", "D"), ...runs(1, "train_loss", "accuracy")];
  assert.equal(metric_of(mixed, ""), "accuracy");
  assert.equal(likely_metric(["D", "accuracy", "train_loss"], ""), "accuracy");
  assert.equal(metric_of([...mixed, ...runs(1, "train_loss")], ""), "train_loss");
  assert.equal(metric_of(mixed, "D"), "D");
  assert.equal(metric_of(mixed, "entropy"), "accuracy");
  assert.equal(metric_of([...runs(2, "key_wins"), ...runs(1, "D")], ""), "key_wins");
  assert.deepEqual([metric_of([], ""), metric_of([], "D"), likely_metric([], "")], ["", "", ""]);
});
