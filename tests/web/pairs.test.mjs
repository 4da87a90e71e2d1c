// The means of paired runs, and the median.
import assert from "node:assert/strict";
import { test } from "node:test";
import { parts_of_page } from "./in_node.mjs";

const { difference_text, means_of_pairs, means_text, median, rows_of, too_few } = await parts_of_page("views/pairs.ts", "median.ts");
const { chance_told, difference_told, settings_text } = await parts_of_page("views/runs_told.tsx");

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

const [a, b] = [{ run: 1631, metrics: { accuracy: 0.397 } }, { run: 1628, metrics: { accuracy: 0.972 } }];

test("two runs are told by their settings, the difference of the metric, and what can be said of chance", () => {
  assert.equal(difference_told([a, b], "accuracy"), "Run 1628 ends with accuracy 0.972, run 1631 with 0.397: 0.575 higher.");
  assert.equal(difference_told([a, a], "accuracy"), "Both end with accuracy 0.397.");
  assert.equal(difference_told([a, b], "loss"), "Not both runs have loss.");
  assert.equal(settings_text(["intervene", "task.vocab"], new Map([["intervene", "layer 2 held uniform"], ["task.vocab", "40"]]), new Map([["intervene", "no intervention"]])), "layer 2 held uniform against no intervention; task.vocab 40 against not set");
  const alone = "One pair of runs cannot separate a difference from chance.";
  assert.equal(chance_told({ pairs: 3, p: 0.25, difference: 0.647 }, ["intervene"]), `${alone} All 3 pairs of runs with this difference: 0.647 on average, p = 0.25. At least 6 pairs are needed to judge chance.`);
  assert.match(chance_told({ pairs: 6, p: 0.03125, difference: 0.6 }, ["intervene"]), /p = 0\.031\. Chance alone rarely makes a difference this large\.$/);
  assert.match(chance_told({ pairs: 6, p: 0.5, difference: 0.6 }, ["intervene"]), /The difference may be chance\.$/);
  assert.match(chance_told({ pairs: 6, p: 0.03, difference: 1 }, ["a", "b"]), /differ in several settings/);
  assert.match(chance_told(undefined, ["a"]), /No other pair/);
  assert.equal(chance_told(undefined, []), "The runs differ in their seed alone, so their difference is chance.");
});

test("numbers of compared runs come by their difference, and those of one run alone apart", () => {
  const { rows, single } = rows_of([{ metrics: { loss: 1, accuracy: 0.9, p: 1 } }, { metrics: { loss: 3, accuracy: 0.1 } }]);
  assert.deepEqual(rows.map(({ metric, difference }) => [metric, difference]), [["loss", 2], ["accuracy", 0.8]]);
  assert.deepEqual(single, ["p"]);
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
