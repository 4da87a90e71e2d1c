// Interventions and outcomes of runs in words.
import assert from "node:assert/strict";
import { test } from "node:test";
import { parts_of_page } from "./in_node.mjs";

const { interventions_text, marks_of_interventions } = await parts_of_page("play/acts.ts");
const { meaning_of } = await parts_of_page("run/meanings.ts");
const { happened_in, trained_in } = await parts_of_page("run/happened.ts");

test("interventions of a spec are read as words, known ones and others", () => {
  const said = (...all) => interventions_text(all);
  assert.equal(said(), "no intervention");
  assert.equal(interventions_text(undefined), "no intervention");
  assert.equal(said({ hold: "uniform", from: 0, of: "layer.2" }), "layer 2 held uniform");
  assert.equal(said({ hold: "truth", until: 40 }), "attention held at the truth until step 40");
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

test("the nearest rung is by KL in runs of the engine, and by loss in runs of PyTorch programs", () => {
  assert.match(meaning_of("rung", ""), /by KL divergence/);
  assert.match(meaning_of("rung", "PyTorch"), /nearest to the loss/);
  assert.equal(meaning_of("rung", "another"), undefined);
  assert.match(meaning_of("accuracy", "PyTorch"), /Share of answers/);
});
