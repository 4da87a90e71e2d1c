// The means of paired runs, and the median.
import assert from "node:assert/strict";
import { test } from "node:test";
import { parts_of_page } from "./in_node.mjs";

const { difference_text, means_of_pairs, means_text, median, pooled_text, rows_of, too_few, without_rounding } = await parts_of_page("views/pairs.ts", "median.ts");
const { chance_told, common_step_told, difference_told, peers_of, rungs_told, settings_text } = await parts_of_page("views/runs_told.ts");
const { missing_seeds } = await parts_of_page("views/runs_more_seeds.tsx");
const { lines_at, runs_at, value_at, without_value_text } = await parts_of_page("views/runs_at.ts");
const { few_text } = await parts_of_page("views/runs_verdict.tsx");

const run = (seed, length, accuracy, more) => ({ seed, experiment: "laws", state: "done", settings: { task: { length } }, metrics: { accuracy }, ...more });

test("means of pairs leave out runs without a partner, runs that are not done and runs without the metric", () => {
  const runs = [run(0, 9, 0.9), run(1, 9, 1), run(2, 9, 0.1), run(3, 9, 0.1), run(0, 33, 0.7), run(1, 33, 0.8), run(2, 33, 0.5, { state: "stopped" }), run(3, 33, null)];
  const found = means_of_pairs(runs, "accuracy", "task.length", [33, 9], ["seed"]);
  assert.equal(found.pairs, 2);
  assert.ok(Math.abs(found.means[0] - 0.75) < 1e-12 && Math.abs(found.means[1] - 0.95) < 1e-12, found.means.join());
  assert.equal(means_of_pairs(runs, "accuracy", "task.length", [17, 9], ["seed"]), undefined);
  assert.deepEqual(means_of_pairs(runs.map((one) => ({ ...one, steps: 10 * one.seed })), "steps", "task.length", [33, 9], ["seed"]), { pairs: 3, means: [40 / 3, 40 / 3] });
  // Runs are partners only if all else is alike.
  const rates = runs.map((one, i) => ({ ...one, settings: { ...one.settings, train: { rate: i } } }));
  assert.equal(means_of_pairs(rates, "accuracy", "task.length", [33, 9], ["seed", "train.rate"]), undefined);
});

const [a, b] = [{ run: 1631, experiment: "birth", seed: 2, metrics: { accuracy: 0.397 } }, { run: 1628, experiment: "birth", seed: 2, metrics: { accuracy: 0.972 } }];

test("two runs are told by their settings, the difference of the metric, and what can be said of chance", () => {
  const of = ({ run }) => new Map([["intervene", run === 1628 ? "no intervention" : "layer 2 held uniform"]]);
  assert.equal(difference_told([b, a], "accuracy", ["intervene"], of), "Run 1628 (no intervention) ends with accuracy 0.972. Run 1631 (layer 2 held uniform) ends with 0.397: 0.575 lower.");
  assert.equal(difference_told([a, { ...a, run: 1630, seed: 1 }], "accuracy", [], of), "Run 1631 (seed 2) ends with accuracy 0.397. Run 1630 (seed 1) ends with 0.397: the same.");
  assert.match(difference_told([b, { ...a, experiment: "birth-scale", seed: 0 }], "accuracy", ["intervene"], of), /^Run 1628 \(birth, no intervention, seed 2\).* Run 1631 \(birth-scale, layer 2 held uniform, seed 0\) /);
  assert.equal(difference_told([a, b], "loss", ["intervene"], of), "Run 1631 (layer 2 held uniform) and run 1628 (no intervention) do not both have loss.");
  assert.equal(settings_text(["intervene", "task.vocab"], of(a)), "layer 2 held uniform, task.vocab = not set");
  assert.equal(settings_text(["a", "b", "c", "d", "e"], new Map()), "a = not set, b = not set, c = not set, and 2 more settings");
  const alone = "One pair of runs cannot separate a difference from chance.";
  assert.equal(chance_told([a, b], ["intervene"], { pairs: 3, p: 0.25, difference: 0.647 }), `${alone} The table has 3 pairs of runs that differ in this alone: mean difference 0.647, p = 0.25. ${too_few(3)}`);
  assert.match(chance_told([a, b], ["intervene"], { pairs: 6, p: 0.03125, difference: 0.6 }), /p = 0\.0313\. Chance alone rarely makes a difference this large\.$/);
  assert.match(chance_told([a, b], ["intervene"], { pairs: 6, p: 0.5, difference: 0.6 }), /The difference may be chance\.$/);
  assert.match(chance_told([a, b], ["a", "b"], { pairs: 6, p: 0.03, difference: 1 }), /differ in several settings/);
  assert.match(chance_told([a, b], ["a"], undefined), /No other pair/);
  assert.match(chance_told([a, b], ["a"], { pairs: 1, p: 1, difference: 1 }), /No other pair/);
  assert.equal(chance_told([a, { ...b, seed: 3 }], [], undefined), "The runs differ in their seed alone, so their difference is chance.");
  assert.match(chance_told([a, b], [], undefined), /^The runs have equal settings and equal seeds\..* not from chance\.$/);
  assert.match(chance_told([a, { ...b, experiment: "laws" }], ["a"], undefined), /^The runs are of different experiments/);
  // While the pairs are counted, nothing is said of them.
  assert.equal(chance_told([a, b], ["intervene"], undefined, true), `${alone} Counting the other pairs of runs.`);
  assert.match(chance_told([a, { ...b, seed: 3 }], ["intervene"], { pairs: 4, p: 0.125, difference: 0.6 }), /These two runs also have different seeds, so they are no such pair\. The table has 4 pairs .* p = 0\.125\. With 4 pairs p cannot be below 0\.125\./);
});

test("two runs are compared by the rungs at which they end, by name", () => {
  const rungs = { rung_unigram: 3.45, rung_bag: 1.58, rung_induction: 0 };
  const free = { run: 15, settings: {}, metrics: { loss: 0.197, ...rungs, from_unigram: 4, from_bag: 3, from_induction: 0.2 } };
  const held = { run: 23, settings: {}, metrics: { loss: 2.25, ...rungs, from_unigram: 2, from_bag: 1, from_induction: 3 } };
  assert.equal(rungs_told([free, held], []), "Run 15 ends 0.2 above the rung induction (0). Run 23 ends between the rungs bag (1.58) and unigram (3.45).");
  const other = { ...held, metrics: { ...held.metrics, from_unigram: 0.5 } };
  assert.match(rungs_told([free, other], []), / Rungs are named by the loss\. By KL divergence, run 23 is nearest to unigram\.$/);
  // The curve's end says more than its last value.
  assert.match(rungs_told([free, held], [{ run: 23, steps: [0, 10], values: [4, 3.45] }]), /Run 23 ends at the rung unigram/);
  const last = { probe: { ladder: { place: "last" } } };
  assert.equal(rungs_told([{ ...free, settings: last }, { ...held, settings: last }], []), "Run 15 ends nearest to the rung induction. Run 23 ends nearest to the rung bag. The rungs are of the last position, so they are compared by KL divergence.");
  assert.equal(rungs_told([{ ...a, settings: {} }, { ...b, settings: {} }], []), "");
});

test("runs are compared at a step by their last evaluation up to it", () => {
  const line = { run: 1, steps: [0, 10, 20], values: [0.1, 0.5, 0.9] };
  assert.deepEqual([0, 15, 20, 21].map((step) => value_at(line, step)), [0.1, 0.5, 0.9, null]);
  const runs = [{ run: 1, metrics: { loss: 0.9, accuracy: 1 } }, { run: 2, metrics: { loss: 3 } }];
  assert.deepEqual(runs_at(runs, [line], "loss", 15).map(({ metrics }) => metrics), [{ loss: 0.5, accuracy: 1 }, { loss: null }]);
  assert.equal(runs_at(runs, [line], "loss", undefined), runs);
  assert.deepEqual(lines_at([line], 15), [{ run: 1, steps: [10], values: [0.5] }]);
  // A run that ends before has an empty cell, not its last value, and a note says so.
  const short = { run: 2, steps: [0, 10], values: [0.2, 0.3] }, later = { run: 3, steps: [20], values: [0.4] };
  assert.deepEqual(lines_at([line, short, later], 15).map(({ steps, values }) => [steps, values]), [[[10], [0.5]], [[15], [null]], [[15], [null]]]);
  assert.equal(without_value_text([line, short], 15), "Run 2 has no value at step 15. Its cell in the CSV is empty.");
  assert.equal(without_value_text([line, short, later], 15), "Runs 2, 3 have no value at step 15. Their cells in the CSV are empty.");
  assert.deepEqual([without_value_text([line], 15), without_value_text([short], undefined)], ["", ""]);
  assert.equal(difference_told([{ ...a, metrics: { accuracy: 0.4 } }, b], "accuracy", [], () => new Map(), 15), "Run 1631 () at step 15 has accuracy 0.4. Run 1628 () at step 15 has 0.972: 0.572 higher.");
});

test("the seeds that groups lack are those that make six pairs of all of them", () => {
  const hold = [{ hold: "uniform" }];
  const of = (run, seed, intervene, more = {}) => ({ run, seed, experiment: "birth", state: "done", settings: { task: { name: "birth" }, intervene, ...more }, metrics: {} });
  const runs = [of(1, 0, []), of(2, 1, []), of(3, 7, []), of(4, 0, hold), of(5, 1, hold)];
  assert.deepEqual(missing_seeds(runs, "intervene", [[], hold]).map(({ run, seeds }) => [run.run, seeds]), [[1, [2, 3, 4]], [4, [7, 2, 3, 4]]]);
  assert.equal(missing_seeds([...runs, of(6, 2, [], { train: { rate: 1 } })], "intervene", [[], hold]), undefined);
  assert.equal(missing_seeds(runs, "intervene", [[], [{ hold: "first" }]]), undefined);
});

test("two runs of unlike length are also compared at the last step of both", () => {
  const pair = [{ run: 1, steps: 20 }, { run: 2, steps: 30 }];
  const lines = [{ run: 2, steps: [0, 10, 20, 30], values: [0, 0.2, null, 0.9] }, { run: 1, steps: [0, 10, 20], values: [0, 0.5, 0.6] }];
  assert.equal(common_step_told(pair, lines, "accuracy"), "At step 10, the last of both, accuracy is 0.5 and 0.2.");
  assert.equal(common_step_told([pair[0], { run: 2, steps: 20 }], lines, "accuracy"), "");
  assert.equal(common_step_told(pair, [], "accuracy"), "");
});

test("chance is judged from runs of the same experiment with the values of the pair", () => {
  const all = [[1, "0", "a", "20"], [2, "1", "a", "20"], [3, "0", "b", "20"], [4, "1", "b", "20"], [5, "0", "a", "30"], [6, "0", "b", "30"]];
  const runs = all.map(([run]) => ({ run, experiment: run === 4 ? "another" : "one" }));
  const settings = new Map(all.map(([run, seed, encoder, vocab]) => [run, new Map([["seed", seed], ["model.encoder", encoder], ["task.vocab", vocab]])]));
  assert.deepEqual(peers_of([runs[0], runs[2]], runs, "model.encoder", settings).map(({ run }) => run), [1, 2, 3, 5, 6]);
  assert.deepEqual(peers_of([runs[0], runs[4]], runs, "task.vocab", settings).map(({ run }) => run), [1, 2, 3, 5, 6]);
  assert.equal(pooled_text(["seed", "intervene"]), ", pooled over intervention");
  assert.deepEqual([pooled_text(["seed", "task.vocab", "model.hidden"]), pooled_text(["seed"]), pooled_text()], [", pooled over task.vocab and model.hidden", "", ""]);
});

test("numbers of compared runs come by their difference, and those of one run alone apart", () => {
  const { rows, single } = rows_of([{ metrics: { loss: 1, accuracy: 0.9, p: 1 } }, { metrics: { loss: 3, accuracy: 0.1 } }]);
  assert.deepEqual(rows.map(({ metric, difference }) => [metric, difference]), [["loss", 2], ["accuracy", 0.8]]);
  assert.deepEqual(single, ["p"]);
  const compared = rows_of([{ metrics: { loss: 1, accuracy: 0.9 } }, { metrics: { loss: 3, accuracy: 0.1 } }], "accuracy");
  assert.deepEqual(compared.rows.map(({ metric }) => metric), ["accuracy", "loss"]);
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
  const groups = (...pairs) => ({ groups: [{}, ...pairs.map((count) => ({ test: { pairs: count, difference: 1 } }))] });
  assert.deepEqual([few_text(groups(3, 3)), few_text(groups(2, 3)), few_text(groups(6))], [too_few(3), too_few(3), ""]);
  assert.equal(few_text({ groups: [{ test: { pairs: 3, difference: 0 } }, { test: { problem: "no pairs" } }] }), "");
  assert.equal(too_few(1), "At least 6 pairs are needed to separate a difference from chance.");
});

test("a difference is lower, higher or none", () => {
  assert.equal(difference_text(-0.12345), "is 0.123 lower than with");
  assert.equal(difference_text(2), "is 2 higher than with");
  assert.equal(difference_text(0), "is the same in");
  assert.deepEqual([without_rounding(3.3e-17, 0.91), without_rounding(3.3e-17, 1e-16), without_rounding(-0.1, 0), without_rounding(null, 1)], [0, 3.3e-17, -0.1, null]);
});
