// Which experiment and which metric of runs is shown unasked, and what metrics are called.
import assert from "node:assert/strict";
import { test } from "node:test";
import { parts_of_page } from "./in_node.mjs";

const { metric_of, likely_metric, metric_title, is_detail, shown_first } = await parts_of_page("metric.ts", "run/metric_names.tsx");
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

test("a metric has a title in words, and details are told from what is asked for first", () => {
  assert.deepEqual(
    ["train_loss", "induction_l2_h1_held", "from_bigram", "rung_unigram", "predicted_attended_chance", "beta_points_right"].map(metric_title),
    ["loss in training", "weight on tokens after earlier copies, layer 2 head 1, attention changed", "divergence from bigram", "predicted plateau: unigram", "predicted attended, by chance", "β: matches words"],
  );
  assert.deepEqual(["match_recalled", "match_recalled_weight"].map(metric_title), ["match matrix alone: right answers", "match matrix alone: weight on the right answer"]);
  assert.deepEqual(["loss", "loss_held", "rung_bag", "entropy_l1_h1", "from_bag"].map(is_detail), [false, true, true, true, false]);
});

test("who wishes for nothing is shown the newest experiment with complete runs to compare", () => {
  const of = (experiment, ...steps) => steps.map((one) => ({ experiment, steps: one, state: "done" }));
  const scrap = of("scrap", 11, 11, 11, 2000, 2000);
  assert.equal(shown_first([...scrap, ...of("whole", 300, 300, 300), ...of("older", 5, 5, 5)]), "whole");
  assert.equal(shown_first(scrap), "scrap");
  // Runs of three seeds can be compared, those of three settings with one seed cannot.
  const seeded = (experiment, ...seeds) => seeds.map((seed) => ({ experiment, steps: 9, state: "done", seed }));
  assert.equal(shown_first([...seeded("one-seed", 0, 0, 0, 0), ...seeded("seeds", 0, 1, 2)]), "seeds");
  assert.equal(shown_first(seeded("one-seed", 0, 0, 0)), "one-seed");
  // Pairs of three seeds that differ in one setting come first, with right answers among their metrics.
  const paired = (experiment, seeds, metrics) => [0, 1].flatMap((p) => seeds.map((seed) => ({ experiment, steps: 9, state: "done", seed, settings: { model: { p } }, metrics })));
  const twice = (all) => all.flatMap((run) => [0, 1].map((beta) => ({ ...run, settings: { model: { ...run.settings.model, beta } } })));
  const three = [0, 1, 2], six = [0, 1, 2, 3, 4, 5];
  assert.equal(shown_first([...seeded("seeds", ...three), ...paired("pairs", three, { D: 1 })]), "pairs");
  assert.equal(shown_first([...twice(paired("two-seeds", [0, 1], { accuracy: 1 })), ...paired("pairs", three, { D: 1 }), ...paired("right", three, { accuracy: 1 })]), "right");
  assert.equal(shown_first([...paired("right", three, { accuracy: 1 }), ...paired("judged", six, { accuracy: 1 })]), "judged");
  assert.equal(shown_first([...of("stopped", 9, 9), { experiment: "stopped", steps: 9, state: "running" }, ...of("one", 1)]), "stopped");
});
