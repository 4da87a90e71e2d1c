// The means of paired runs, and the median.
import assert from "node:assert/strict";
import { test } from "node:test";
import { parts_of_page } from "./in_node.mjs";

const { difference_text, means_of_pairs, means_text, median, too_few } = await parts_of_page("views/pairs.ts", "median.ts");
const run = (seed, length, accuracy, more) => ({ seed, experiment: "laws", state: "done", settings: { task: { length } }, metrics: { accuracy }, ...more });

test("means of pairs leave out runs without a partner, runs that are not done and runs without the metric", () => {
  const runs = [run(0, 9, 0.9), run(1, 9, 1), run(2, 9, 0.1), run(3, 9, 0.1), run(0, 33, 0.7), run(1, 33, 0.8), run(2, 33, 0.5, { state: "stopped" }), run(3, 33, null)];
  const found = means_of_pairs(runs, "accuracy", "task.length", [33, 9], ["seed"]);
  assert.equal(found.pairs, 2);
  assert.ok(Math.abs(found.means[0] - 0.75) < 1e-12 && Math.abs(found.means[1] - 0.95) < 1e-12, found.means.join());
  assert.equal(means_of_pairs(runs, "accuracy", "task.length", [17, 9], ["seed"]), undefined);
  // Runs are partners only if all else is alike.
  const rates = runs.map((one, i) => ({ ...one, settings: { ...one.settings, train: { rate: i } } }));
  assert.equal(means_of_pairs(rates, "accuracy", "task.length", [33, 9], ["seed", "train.rate"]), undefined);
});

test("the median of two values is their mean", () => {
  assert.equal(median([32, 30]), 31);
  assert.equal(median([5, 1, 3]), 3);
});

test("means have the decimals of their difference, and few pairs say what they lack", () => {
  assert.equal(means_text([0.25112, 0.250957], 0.000163), "0.25112 against 0.25096");
  assert.equal(means_text([6.8235, 0.060572], 6.76), "6.82 against 0.0606");
  assert.equal(means_text([-12, 1], -13), "−12 against 1");
  assert.equal(too_few(4), "With 4 pairs p cannot be below 0.125. At least 6 pairs are needed to separate a difference from chance.");
  assert.equal(too_few(1), "At least 6 pairs are needed to separate a difference from chance.");
});

test("a difference is lower, higher or none", () => {
  assert.equal(difference_text(-0.12345), "is 0.123 lower than with");
  assert.equal(difference_text(2), "is 2 higher than with");
  assert.equal(difference_text(0), "is the same in");
});
