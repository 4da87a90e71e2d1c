// The rung that a loss has come to, in words.
import assert from "node:assert/strict";
import { test } from "node:test";
import { parts_of_page } from "./in_node.mjs";

const { rung_text } = await parts_of_page("play/rung_text.ts");
const rungs = [{ name: "uniform", value: 1.386 }, { name: "bigram", value: 0.936 }, { name: "unigram", value: 1.011 }];

test("a loss near a predicted plateau names its rung, and any other loss the rungs around it", () => {
  assert.equal(rung_text(rungs, 1.02), "at the rung unigram (1.01).");
  assert.equal(rung_text(rungs, 1.005), "at the rung unigram (1.01).");
  assert.equal(rung_text(rungs, 1.2), "between the rungs unigram (1.01) and uniform (1.39).");
  assert.equal(rung_text(rungs, 0.93), "at the rung bigram (0.936).");
  assert.equal(rung_text(rungs, 0.5), "below the lowest rung, bigram (0.936).");
  assert.equal(rung_text(rungs, 3), "above the highest rung, uniform (1.39).");
});
