// Interventions and outcomes of runs in words.
import assert from "node:assert/strict";
import { test } from "node:test";
import { parts_of_page } from "./in_node.mjs";

const { interventions_text, marks_of_interventions } = await parts_of_page("play/acts.ts");
const { meaning_of } = await parts_of_page("run/meanings.ts");
const { beginning_of } = await parts_of_page("run/experiment_told.tsx");
const { divergences_of, events_in, nearest_at_end, nearest_rungs, precision_text, rung_called } = await parts_of_page("run/events.ts");
const { head_metrics, not_formed, role_at, steps_apart } = await parts_of_page("run/heads_told.ts");
const { settings_of_spec, spec_of, training_text } = await parts_of_page("run/hold.ts");
const { happened_in, trained_in } = await parts_of_page("run/happened.ts");
const { expression_of, name_in_files, query_of, run_as_trained, runs_as_trained } = await parts_of_page("run/as_trained.ts");
const { metric_title, metrics_to_offer } = await parts_of_page("run/metric_names.tsx");
const { rungs_among } = await parts_of_page("line_looks.ts");
const { changed_at } = await parts_of_page("run/kept.ts");

test("interventions of a spec are read as words, known ones and others", () => {
  const said = (...all) => interventions_text(all);
  assert.equal(said(), "no intervention");
  assert.equal(interventions_text(undefined), "no intervention");
  assert.equal(said({ hold: "uniform", from: 0, of: "layer.2" }), "layer 2 held uniform");
  assert.equal(said({ hold: "truth", until: 40 }), "attention held at the right words until step 40");
  assert.equal(said({ ablate: "layer.1.head.2", from: 200 }), "layer 1, head 2 ablated from step 200");
  assert.equal(said({ scale: 4 }, { freeze: "body", from: 40 }), "attention scaled by 4 on the right words; attention trained alone from step 40");
  assert.equal(said({ rate: 0.01, of: "attention" }), "rate 0.01 of attention");
  assert.equal(said({ clamp: "p", at: 0.5, until: 20 }), "clamp p, at 0.5 until step 20");
});

test("a figure of a run has a mark where an intervention begins and where it ends", () => {
  assert.deepEqual(marks_of_interventions([{ hold: "truth", from: 0, until: 40 }, { scale: 4, from: 60 }, { rate: 0.01, until: 9 }]), [
    { step: 40, says: "attention is released" },
    { step: 60, says: "attention is scaled by 4 on the right words" },
  ]);
});

const run = (more = {}) => ({
  ...{ run: 7, experiment: "birth", seed: 3, state: "done", steps: 900 },
  settings: { task: { name: "birth" }, model: { name: "transformer", layers: 2, heads: 1 }, intervene: [] },
  metrics: { accuracy: 0.984, loss: 1.5, rung_unigram: 4, rung_bag: 2, rung_also_bag: 2, rung_induction: 0.5, rung_bag_held: 1 },
  series: { accuracy: [[0, 0.1], [20, 0.92], [900, 0.984]], loss: [[0, 4.5], [900, 1.5]] },
  ...more,
});

test("a run begins with its training and its outcome", () => {
  assert.equal(trained_in(run()), "The model transformer with 2 layers and 1 head was trained on the task birth: 900 steps from seed 3.");
  const listed = run({ settings: { task: {}, model: { name: "seq2seq-heads", layers: 1, heads: [6, 8] } } });
  assert.equal(trained_in(listed), "The model seq2seq-heads with 1 layer and the heads 6, 8 was trained: 900 steps from seed 3.");
  const held = run({ settings: { task: {}, model: { name: "gate" }, intervene: [{ hold: "uniform" }] } });
  assert.equal(trained_in(held), "The model gate was trained: 900 steps from seed 3. Intervention: attention held uniform.");
  assert.equal(happened_in(run()), "Accuracy first reached 90 % at step 20. At the end it was 98.4 %. Loss fell from 4.5 to 1.5. It ended between the rungs induction (0.5) and bag, also bag (2).");
  const stopped = run({ state: "stopped", metrics: { accuracy: 0.3 }, series: { accuracy: [[0, 0.3]], loss: [[0, 1], [10, 2]] } });
  assert.equal(happened_in(stopped), "It was stopped. Accuracy ended at 30 %. Loss rose from 1 to 2.");
  const running = run({ state: "running", metrics: { ...run().metrics, accuracy: 0.3 }, series: { ...run().series, accuracy: [[0, 0.3]] } });
  assert.equal(happened_in(running), "It is still running. Accuracy is now 30 %. Loss fell from 4.5 to 1.5. It is now between the rungs induction (0.5) and bag, also bag (2).");
  const flat = run({ metrics: {}, series: { loss: [[0, 0.69314], [10, 0.69315]] } });
  assert.equal(happened_in(flat), "Loss stayed at 0.693.");
  const both = run({ metrics: {}, series: { beta_points_right: [[0, 0.1], [4, 0.6]], attention_points_right: [[0, 0.1], [4, 0.2]] } });
  assert.equal(happened_in(both), "β pointed to the right word in half of the rows at step 4, attention never.");
  assert.equal(happened_in({ ...both, state: "running" }), "It is still running. β pointed to the right word in half of the rows at step 4, attention not yet.");
});

const points = (...values) => values.map((value, i) => [10 * i, value]);

test("a run under a hold is told as it trains, and what it would measure if it were released has a name of its own", () => {
  const held = run({
    settings: { task: {}, model: { name: "transformer", layers: 2 }, intervene: [{ hold: "uniform", of: "layer.2" }] },
    metrics: { accuracy: 0.307, accuracy_held: 0.397, loss: 2.83, loss_held: 2.31, rung_unigram: 3.45, rung_bag: 1.58, rung_bag_held: 1.58, rung: 0, rung_held: 1 },
    as_trained: { accuracy: 0.397, loss: 2.31, rung_bag: 1.58, rung: 1 },
    series: { accuracy: points(0.1, 0.9, 0.307), accuracy_held: points(0.1, 0.2, 0.397), loss: points(4, 3, 2.83), loss_held: points(4, 3, 2.31) },
  });
  const as_it_trains = run_as_trained(held);
  assert.equal(happened_in(as_it_trains), "Accuracy ended at 39.7 %. Loss fell from 4 to 2.31. It ended between the rungs bag (1.58) and unigram (3.45). These numbers are under the intervention. If attention were released: accuracy 30.7 %, loss 2.83.");
  assert.deepEqual([as_it_trains.metrics.accuracy, as_it_trains.metrics.accuracy_released, as_it_trains.metrics.rung], [0.397, 0.307, 1]);
  assert.deepEqual(as_it_trains.series.accuracy, points(0.1, 0.2, 0.397));
  assert.deepEqual(as_it_trains.series.accuracy_released, points(0.1, 0.9, 0.307));
  // Released before the end: only the steps of the hold are of the hold.
  const until = run_as_trained(run({ series: { ...held.series, accuracy_held: [[0, 0.1], [10, 0.2]] }, metrics: held.metrics }));
  assert.deepEqual(until.series.accuracy, points(0.1, 0.2, 0.307));
  assert.equal(until.metrics.accuracy, 0.307);
  assert.ok(!/released/.test(happened_in(until)));
  // Beside it a run without a hold has the same names, so that both are in every chart.
  const [, free] = runs_as_trained([held, run({ metrics: { accuracy: 0.97 } })]);
  assert.deepEqual([free.metrics.accuracy, free.metrics.accuracy_released], [0.97, 0.97]);
  const plain = [run()];
  assert.equal(runs_as_trained(plain), plain);
  assert.deepEqual(["accuracy", "accuracy_released", "accuracy_held"].map(expression_of), ["as_trained(accuracy)", "accuracy", "accuracy_held"]);
  assert.deepEqual(["-accuracy", "seed", "loss_released"].map((sort) => query_of({ sort }, ["accuracy", "loss"]).sort), ["-as_trained(accuracy)", "seed", "loss"]);
  assert.equal(metric_title("loss_released"), "loss, if released");
  assert.equal(name_in_files("accuracy", [as_it_trains]), "as_trained(accuracy)");
  assert.equal(name_in_files("accuracy", plain), "accuracy");
  assert.deepEqual(metrics_to_offer(["accuracy", "accuracy_held", "accuracy_released", "p_held"]), ["accuracy", "accuracy_released", "p_held"]);
  assert.deepEqual(metrics_to_offer(["kl_from_truth", "from_truth"]), ["from_truth"]);
  assert.deepEqual(metrics_to_offer(["rung_bag", "rung_bag_held", "rung_held", "rung"]), ["rung_bag", "rung_held", "rung"]);
  assert.deepEqual(rungs_among(Object.entries({ rung: 1, rung_released: 0, rung_bag: 2 })), [{ value: 2, name: "bag" }]);
});

test("the map of a head that is held says so, at the steps of the hold", () => {
  const one = run({ settings: { model: { layers: 2 }, intervene: [{ hold: "uniform", of: "layer.2", until: 60 }, { ablate: "layer.1.head.2", from: 40 }] } });
  const at = (layer, head, step) => changed_at(one, { name: "", says: "", layer, head }, step);
  assert.deepEqual([at(2, 1, 0), at(2, 1, 59), at(2, 1, 60), at(1, 1, 0)], ["held uniform", "held uniform", "", ""]);
  assert.deepEqual([at(1, 2, 39), at(1, 2, 40)], ["", "ablated"]);
  assert.equal(at(undefined, undefined, 0), "held uniform"); // the mean of the last layer
});

test("the nearest rung is by KL in runs of the engine, and by loss in runs of PyTorch programs", () => {
  assert.match(meaning_of("rung", ""), /by KL divergence/);
  assert.match(meaning_of("rung", "PyTorch"), /nearest to the loss/);
  assert.equal(meaning_of("rung", "another"), undefined);
  assert.match(meaning_of("accuracy", "PyTorch"), /Share of answers/);
});

test("events of a run are in the order of their steps, of heads that rose alone", () => {
  const series = {
    accuracy: [[0, 0.02], [60, 0.5], [80, 0.93]],
    induction_l2_h1: [[0, 0.05], [40, 0.2], [60, 0.5], [80, 0.9]],
    induction_l1_h1: [[0, 0.05], [40, 0.2], [60, 0.1], [80, 0.1]],
    weight_on_needed_l2_h1: [[0, 0.05], [40, 0.2], [60, 0.3], [80, 0.4]],
    weight_on_previous_l1_h1: [[0, 0.1], [40, 0.4], [60, 0.6], [80, 0.55]],
  };
  const events = events_in(run({ series, metrics: { weight_on_previous_chance: 0.06 } }));
  assert.deepEqual(events.map(({ step, says }) => [step, says]), [
    [40, "Layer 1, head 1 attends like a previous-token head: it has made half of its rise, from weight 0.1 to 0.6 on the position before."],
    [60, "Layer 2, head 1 attends like an induction head: it has made half of its rise, from weight 0.05 to 0.9 on tokens after earlier copies."],
    [80, "Accuracy reaches 90 %."],
  ]);
  assert.equal(events[1].map, "attention.layer.2.head.1");
  // The first value is high where many tokens are copies: the rise is a share of the way to 1.
  const high = { induction_l2_h1: [[0, 0.57], [10, 0.7], [20, 0.8], [30, 0.87]] };
  assert.deepEqual(events_in(run({ series: high, metrics: {} })).map(({ step }) => step), [20]);
  assert.deepEqual(events_in(run({ series: { accuracy: [[0, 0.1]] } })), []);
  assert.deepEqual(not_formed(run({ series: high, metrics: {} })), []);
  assert.equal(steps_apart(run({ series })), 40);
  // How exact a step is, is said of measured events alone.
  const apart = "Evaluations are at most 40 steps apart, so a measured event may be up to 40 steps earlier.";
  const held = run({ series, metrics: {}, settings: { intervene: [{ hold: "uniform", until: 40 }] } });
  assert.equal(precision_text(run({ series }), events), apart);
  assert.equal(precision_text(held, events_in(held)), `${apart} The steps of interventions are exact.`);
  assert.equal(precision_text(held, events_in(held).slice(0, 1)), "");
  // A weight that wavers, or that falls below the level again, is no head.
  const wavers = { induction_l2_h1: [[0, 0.23], [10, 0.54], [20, 0.41]], weight_on_previous_l1_h1: [[0, 0.06], [10, 0.06]], induction_l1_h1: [[0, 0.23], [10, 0.3]] };
  const none = run({ series: wavers, metrics: { induction_chance: 0.23, weight_on_previous_chance: 0.064 } });
  assert.deepEqual(events_in(none), []);
  assert.deepEqual(not_formed(none), [
    "No head attends like an induction head: the highest weight on tokens after earlier copies is 0.54, at the end 0.41 (layer 2, head 1). A head counts from 0.61 on, half of the way from uniform attention (0.23) to 1.",
    "No head attends like a previous-token head: the highest weight on the position before is 0.06 (layer 1, head 1). A head counts from 0.53 on, half of the way from uniform attention (0.064) to 1.",
  ]);
  assert.match(not_formed({ ...none, state: "running" })[0], /^No head attends like an induction head yet: /);
  const fell = run({ series: { induction_l2_h1: points(0.1, 0.9, 0.4) }, metrics: {} });
  assert.deepEqual([events_in(fell).length, not_formed(fell).length], [0, 1]);
  const measured = head_metrics(run({ series, metrics: { weight_on_previous_chance: 0.06, induction_chance: 0.05, weight_on_needed_chance: 0.05 } }));
  assert.equal(role_at(measured, "attention.layer.1.head.1", 60), "0.6 on the position before (uniform: 0.06)");
  assert.equal(role_at(measured, "attention.layer.2.head.1", 0), "0.05 on tokens after earlier copies (uniform: 0.05)");
  const whole = head_metrics(run({ series: { induction_l1_h1: points(1, 1) }, metrics: { induction_chance: 1 } }));
  assert.equal(role_at(whole, "attention.layer.1.head.1", 0), "1 on tokens after earlier copies (uniform: 1)");
  // A weight of a third of the way is a number, too.
  const third = head_metrics(run({ series: { weight_on_previous_l1_h1: points(0.2, 0.2) }, metrics: { weight_on_previous_chance: 0.07 } }));
  assert.equal(role_at(third, "attention.layer.1.head.1", 0), "0.2 on the position before (uniform: 0.07)");
});

test("the nearest rung is that of three evaluations or more, and the loss at it is said", () => {
  const [far, near] = [0.5, 0.1];
  const steps = (...nearest) => Object.fromEntries(["uniform", "unigram", "bigram"].map((name) => [`from_${name}`, nearest.map((rung, i) => [10 * i, rung === name ? near : far])]));
  const [u, g, b] = ["uniform", "unigram", "bigram"];
  const ladder = run({
    metrics: { loss: 0.54, from_uniform: 0.5, from_unigram: 0.5, from_bigram: 0.1, rung_uniform: 0.69, rung_unigram: 0.59, rung_bigram: 0.5 },
    series: { ...steps(u, g, g, g, b, g, g, b, b, b), loss: [0.7, 0.62, 0.6, 0.59, 0.59, 0.58, 0.57, 0.55, 0.54, 0.54].map((value, i) => [10 * i, value]) },
    settings: { task: {}, model: {}, probe: { ladder: { place: "last" } } },
  });
  assert.deepEqual(nearest_rungs(ladder), [{ step: 0, rung: u }, { step: 10, rung: g }, { step: 70, rung: b }]);
  assert.deepEqual(events_in(ladder).map(({ step, says, loss }) => [step, says, loss]), [
    [10, "Nearest rung: unigram, no longer uniform.", 0.62],
    [70, "Nearest rung: bigram, no longer unigram.", 0.55],
  ]);
  // A rung between two nearest ones that was never nearest for as long is said.
  const skips = run({ ...ladder, series: { ...steps(u, u, g, g, b, b, b), loss: points(0.7) } });
  assert.deepEqual(events_in(skips).map(({ says }) => says), ["Nearest rung: bigram, no longer uniform. The rung unigram is skipped: not nearest at 3 evaluations in a row."]);
  // A rung that was nearest earlier in the run is not skipped.
  const back = run({ ...ladder, series: { ...steps(u, g, g, g, u, u, u, b, b, b), loss: points(0.7) } });
  assert.deepEqual(events_in(back).map(({ says }) => says), ["Nearest rung: unigram, no longer uniform.", "Nearest rung: uniform, no longer unigram.", "Nearest rung: bigram, no longer uniform."]);
  // A number of a rung is in the order of the task's ladder, which need not be that of the heights.
  const called = (metric, number, metrics, settings = {}) => rung_called({ settings, metrics: { ...ladder.metrics, [metric]: number, ...metrics } }, metric, number);
  assert.deepEqual([called("rung", 2), called("level", 2), called("rung", null)], ["bigram", "bigram", undefined]);
  assert.deepEqual([called("rung", 2, { from_unigram: 0.05 }), called("level", 2, { loss: 0.68 })], ["unigram", "uniform"]);
  assert.equal(called("rung_held", 1, { from_uniform_held: 0.2, from_bigram_held: 0.3 }), "uniform");
  assert.equal(rung_called({ settings: {}, metrics: { ...ladder.metrics, rung: 2 } }, "rung", 1), undefined); // of another step
  // Of the last position, the loss of all positions says nothing of a number's name: equal numbers have one name.
  const last = (level, rung) => called("level", level, { rung, loss: 0.68 }, ladder.settings);
  assert.deepEqual([last(2, 2), last(1, 2), last(1, undefined), last(1, 0)], ["bigram", "unigram", undefined, undefined]);
  // Rungs of the last position are no plateaus of the loss at all positions.
  assert.equal(happened_in(ladder), "Loss fell from 0.7 to 0.54. The model ended nearest to the rung bigram, by KL divergence.");
  assert.equal(nearest_at_end(ladder), "bigram");
  assert.deepEqual(divergences_of(ladder), ["from_uniform", "from_unigram", "from_bigram"]);
});

test("a run is trained again with a hold by its whole spec, without its seed and interventions", () => {
  assert.equal(spec_of([{ hold: "uniform", of: "layer.2.head.1", from: 140 }]), '[{hold="uniform", of="layer.2.head.1", from=140}]');
  assert.deepEqual(settings_of_spec('intervene = []\nmodel.frozen = ["a", "b"]\nseed = 3\ntask.vocab = 33'), ['model.frozen=["a", "b"]', "task.vocab=33"]);
  assert.deepEqual(settings_of_spec('intervene = [{ hold = "uniform" }]\nseed = 3', true), ['intervene=[{ hold = "uniform" }]']);
  const hold = { hold: "uniform", of: "layer.2.head.1" };
  const trained = (intervene, more = {}) => run({ settings: { ...run().settings, ...more, intervene } });
  assert.equal(training_text(trained([{ from: 0, ...hold }])), training_text(trained([]), [hold]));
  assert.notEqual(training_text(trained([{ from: 40, ...hold }])), training_text(trained([]), [hold]));
  assert.notEqual(training_text(trained([hold], { train: { rate: 1 } })), training_text(trained([]), [hold]));
});

test("an experiment is told by the first sentences of its idea", () => {
  assert.equal(beginning_of("One is 0.5. Is it two? Three."), "One is 0.5. Is it two?");
  assert.equal(beginning_of("One."), "One.");
});
