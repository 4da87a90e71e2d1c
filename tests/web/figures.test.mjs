// What figures of runs are made of.
import assert from "node:assert/strict";
import { test } from "node:test";
import { parts_of_page } from "./in_node.mjs";

const { bands, texts_apart } = await parts_of_page("curves.ts", "model.ts");
const { role_colour, role_of, scenes, tasks } = await parts_of_page("roles.ts", "start/scenes.ts", "play/tasks.ts");

test("a metric has the colour of its role in every view, and no two of a task have the same", () => {
  for (const { name, metrics } of tasks) {
    const colours = metrics.map(role_of);
    assert.ok(!colours.includes(-1) && new Set(colours).size === colours.length, `${name}: ${metrics} ${colours}`);
  }
  for (const { metric, colour } of scenes.flatMap(({ curves }) => curves)) assert.equal(colour, role_colour(metric), metric);
});

test("the median of runs goes as far as those that were not cut short", () => {
  const curve = (until, more) => ({ name: "", group: "", steps: [0, 10, 20].filter((step) => step <= until), values: [1, 2, 3], ...more });
  const all = Array.from({ length: 8 }, () => curve(20));
  const cut = Array.from({ length: 2 }, () => ({ ...curve(10, { cut: true }), values: [9, 9] }));
  assert.deepEqual(bands([...all, ...cut]).map(({ step, middle }) => [step, middle]), [[0, 1], [10, 2], [20, 3]]);
  assert.deepEqual(bands(cut.concat(cut)), []);
});

test("an axis has as many digits as tell its ticks apart", () => {
  assert.deepEqual(texts_apart([0.998, 0.9985, 0.999, 0.9995, 1], String), ["0.998", "0.9985", "0.999", "0.9995", "1"]);
  assert.deepEqual(texts_apart([0, 0.25, 0.5], String), ["0", "0.25", "0.5"]);
  assert.deepEqual(texts_apart([2, 2], String), ["2", "2"]);
});
