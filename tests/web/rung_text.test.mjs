// The rung that a loss has come to, in words.
import assert from "node:assert/strict";
import { test } from "node:test";
import { parts_of_page } from "./in_node.mjs";

const { recent_mean, rung_text } = await parts_of_page("rungs.ts");
const rungs = [{ name: "uniform", value: 1.386 }, { name: "bigram", value: 0.936 }, { name: "unigram", value: 1.011 }];

test("a loss near a predicted plateau names its rung, and any other loss the rungs around it", () => {
  assert.equal(rung_text(rungs, 0.95), "0.014 above the rung bigram (0.936).");
  assert.equal(rung_text(rungs, 0.995), "0.016 below the rung unigram (1.01).");
  assert.equal(rung_text(rungs, 0.975), "between the rungs bigram (0.936) and unigram (1.01).");
  assert.equal(rung_text(rungs, 1.45), "0.064 above the rung uniform (1.39).");
  assert.equal(rung_text([{ name: "induction", value: 0 }, { name: "bag", value: 1.58 }], 0.197), "0.2 above the rung induction (0).");
  assert.equal(rung_text([{ name: "only", value: 1 }], 1), "at the rung only (1).");
  assert.equal(rung_text([{ name: "only", value: 1 }], 1.5), "above the highest rung, only (1).");
  assert.equal(rung_text(rungs, 1.02), "at the rung unigram (1.01).");
  assert.equal(rung_text(rungs, 1.005), "at the rung unigram (1.01).");
  assert.equal(rung_text(rungs, 1.2), "between the rungs unigram (1.01) and uniform (1.39).");
  assert.equal(rung_text(rungs, 0.93), "at the rung bigram (0.936).");
  assert.equal(rung_text(rungs, 0.5), "below the lowest rung, bigram (0.936).");
  assert.equal(rung_text(rungs, 3), "above the highest rung, uniform (1.39).");
});

test("the loss at a step is a mean over the last tenth of the evaluations, three at least", () => {
  const steps = (count) => Array.from({ length: count }, (_, i) => 10 * i);
  const close = (found, wanted) => assert.ok(Math.abs(found - wanted) < 1e-12, `${found}, not ${wanted}`);
  close(recent_mean({ steps: steps(10), values: [9, 9, 9, 9, 9, 9, 9, 1, 2, 3] }), 2);
  close(recent_mean({ steps: steps(10), values: [9, 9, 9, 9, 6, 3, 0, 1, 2, 3] }, 60), 3); // steps 40 to 60
  close(recent_mean({ steps: steps(50), values: [...Array(45).fill(9), 1, 2, 3, 4, 5] }), 3);
  close(recent_mean({ steps: [0, 900], values: [4.5, 1.5] }), 1.5); // half of the evaluations at most
  close(recent_mean({ steps: [0, 1, 2], values: [4, 2, null] }), 2);
  assert.equal(recent_mean({ steps: [5], values: [1] }, 4), undefined);
});
