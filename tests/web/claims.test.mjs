// How the story writes the numbers of a claim.
import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { test } from "node:test";
import { parts_of_page } from "./in_node.mjs";

const { claimed_text, in_forms, kept_verdict, sections_of, value_text, verdict_text } = await parts_of_page("model.ts", "story/kept.ts", "story/sections.ts");

test("a value has four digits, an infinite one its sign, and one that is missing says so", () => {
  assert.equal(value_text({ value: 0.123456 }), "0.1235");
  assert.equal(value_text({ value: null, infinite: "∞" }), "∞");
  assert.equal(value_text({ value: null, infinite: "−∞" }), "−∞");
  assert.equal(value_text({ value: null }), "no value");
});

test("a kept claim that fails as its file expects is refuted, not supported", () => {
  const verdict = (value, wanted, held, more) => kept_verdict({ value, wanted, held, ...more });
  assert.equal(verdict(0.3018, ">= 0.9", true), "refuted");
  assert.equal(verdict(0.95, ">= 0.9", true), "supported");
  assert.equal(verdict(0.95, ">= 0.9", false), "not refuted");
  assert.equal(verdict(0.3018, ">= 0.9", false), "not supported");
  assert.equal(verdict(0.3018, ">= 0.9", false, { control: "stops-short" }), "not refuted");
  assert.equal(verdict(1e-13, "<= 1e-09", true), "supported");
  assert.equal(verdict(0.35 - 0.15, ">= 0.2", true), "supported");
  assert.equal(verdict(2, "<= 1", true), "refuted");
  assert.equal(verdict(0, "> 0", false), "not supported");
  assert.equal(verdict(0.1, "> 0", true), "supported");
  assert.equal(verdict(-0.13, "-0.4 to 0.4", true), "supported");
  assert.equal(verdict(0.41, "-0.4 to 0.4", true), "refuted");
  assert.equal(verdict(null, ">= 5", true), "supported");
  assert.equal(verdict(null, "<= 5", true), "refuted");
  assert.equal(verdict(null, "<= 5", false), "not supported");
  assert.equal(verdict(null, ">= 5", false), "no value");
});

test("of the kept results, one claim is refuted, and all others have the verdict of their value", async () => {
  const folder = new URL("../../docs/results/", import.meta.url);
  const names = (await readdir(folder)).filter((name) => name.endsWith(".json"));
  const results = await Promise.all(names.map(async (name) => JSON.parse(await readFile(new URL(name, folder), "utf8"))));
  const others = results.flatMap(({ experiment, claims }) =>
    claims.filter((claim) => kept_verdict(claim) !== (claim.held ? "supported" : "not supported")).map((claim) => `${experiment} ${claim.name}: ${kept_verdict(claim)}`),
  );
  assert.deepEqual(others, ["keyword-negative attention-on-both: refuted"]);
});

test("every experiment with a kept result is in exactly one chapter", async () => {
  const folder = new URL("../../experiments/", import.meta.url);
  const files = (await readdir(folder)).filter((name) => name.endsWith(".toml"));
  const experiments = await Promise.all(files.map(async (file) => ({ name: file.slice(0, -5), system: /^system = "(.*)"$/m.exec(await readFile(new URL(file, folder), "utf8"))?.[1] ?? "" })));
  const sections = sections_of(experiments);
  assert.equal(new Set(sections.map(({ name }) => name)).size, sections.length);
  const results = new URL("../../docs/results/", import.meta.url);
  const kept = (await readdir(results)).filter((name) => name.endsWith(".json"));
  for (const file of kept) {
    const { experiment } = JSON.parse(await readFile(new URL(file, results), "utf8"));
    assert.equal(sections.flatMap((section) => section.experiments.filter(({ name }) => name === experiment)).length, 1, experiment);
  }
});

test("a verdict on a source's statement names the source", () => {
  assert.equal(verdict_text({ verdict: "supported" }), "✓ supported");
  assert.equal(verdict_text({ verdict: "refuted", source: "[2], section 4" }), "✓ refutes [2]");
  assert.equal(verdict_text({ verdict: "refuted" }), "✓ refutes its source");
  assert.equal(verdict_text({ verdict: "not refuted" }), "✗ does not refute its source");
  assert.equal(verdict_text({ verdict: "no value" }), "✗ no value");
});

test("a claim stands once with the results of its forms, and as a claim if one of them does not support it", () => {
  const claim = (name, form, held) => ({ name, title: `Title of ${name}.`, form, held });
  const forms = in_forms([claim("a", "quick", true), claim("b", "quick", true), claim("a", "full", false), claim("b", "full", true), claim("c", "full", true)]);
  assert.deepEqual(forms.map((one) => one.map(({ name, form }) => `${name} ${form}`)), [["a quick", "a full"], ["b quick", "b full"], ["c full"]]);
  assert.deepEqual(forms.map(claimed_text), ["Claimed: Title of a.", "Title of b.", "Title of c."]);
});
