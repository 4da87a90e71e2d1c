// How the story writes the numbers of a claim.
import assert from "node:assert/strict";
import { test } from "node:test";
import { parts_of_page } from "./in_node.mjs";

const { value_text } = await parts_of_page("model.ts");

test("a value has four digits, an infinite one its sign, and one that is missing says so", () => {
  assert.equal(value_text({ value: 0.123456 }), "0.1235");
  assert.equal(value_text({ value: null, infinite: "∞" }), "∞");
  assert.equal(value_text({ value: null, infinite: "−∞" }), "−∞");
  assert.equal(value_text({ value: null }), "no value");
});
