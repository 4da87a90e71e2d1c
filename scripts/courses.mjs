// Computes the courses that the page shows at once (web/src/engine/courses.json): FOVEA_PAGE_FILE=build/page/index.html node scripts/courses.mjs
// Of every preset of the playground and every idea of the story: the curves in four digits, and at each look the map of
// the example that is shown first, a byte for each of its cells. A test trains the presets again and compares (tests/web/play_presets.test.mjs).
import { writeFile } from "node:fs/promises";
import { deflateSync } from "node:zlib";
import { open_engine, parts_of_page } from "../tests/web/in_node.mjs";

const ask = await open_engine();
const { presets, ideas, state_of, first, plan_of, task_of } = await parts_of_page("play/presets.ts", "story/ideas.ts", "play/state.ts");
const digits = (value) => (value === null ? null : +value.toPrecision(4));

// Steps that are equally far apart: the first, the distance and their number.
function evenly(steps) {
  if (steps.length === 0) return [];
  const [first, second = first] = steps, apart = second - first;
  if (steps.some((step, i) => step !== first + i * apart)) throw new Error(`steps are not equally far apart: ${steps}`);
  return [first, apart, steps.length];
}

// Maps after each other, each as what has changed since the one before, packed.
function packed(maps) {
  const cells = maps[0].length, bytes = Buffer.concat(maps);
  for (let i = bytes.length - 1; i >= cells; --i) bytes[i] -= bytes[i - cells];
  return deflateSync(bytes, { level: 9 }).toString("base64");
}

function course_of(plan, metrics) {
  const grids = [], series = {}, steps = [], maps = [], held = [];
  let example = 0, shape;
  const all = {};
  const take = (answer) => {
    for (const [name, { steps, values }] of Object.entries(answer.series)) {
      const one = (all[name] ??= { steps: [], values: [] });
      one.steps.push(...steps), one.values.push(...values.map(digits));
    }
    for (const { name, step, shape: of, values } of answer.arrays) {
      if (name === "attention_labels") example = Math.max(0, ask.floats(values).indexOf(1));
      if (name !== "attention" && name !== "attention_held") continue;
      shape = of.slice(1);
      const cells = shape[0] * shape[1];
      const map = Uint8Array.from(ask.floats(values).subarray(example * cells, (example + 1) * cells), (alpha) => Math.round(255 * alpha));
      if (name === "attention") steps.push(step), maps.push(map);
      else held.push(step), (maps[maps.length - 1] = map);
    }
  };
  const begun = ask({ ask: "begin", name: "course", ...plan });
  take(begun);
  const last = begun.settings.train.steps;
  for (let step = begun.settings.probe.every; step <= last; step += begun.settings.probe.every) take(ask({ ask: "advance", name: "course", step }));
  ask({ ask: "forget", name: "course" });
  for (const name of metrics) {
    if (!all[name]) continue;
    const { steps, values } = all[name], text = JSON.stringify(steps);
    let grid = grids.findIndex((one) => JSON.stringify(one) === text);
    if (grid < 0) grid = grids.push(steps) - 1;
    series[name] = [grid, values];
  }
  return [begun.hash, { example, shape, steps: evenly(steps), held: evenly(held), maps: packed(maps), grids: grids.map(evenly), series }];
}

const courses = {};
const wanted = [...presets.map(({ name, state }) => [name, { ...first, ...state }]), ...ideas.map((idea) => [idea.title, { ...state_of(idea), step: 0 }])];
const done = new Set();
for (const [name, state] of wanted) {
  if (done.has(JSON.stringify(state))) continue;
  done.add(JSON.stringify(state));
  for (const more of state.beside ? ["", state.beside] : [""]) {
    const [hash, course] = course_of(plan_of(state, more), [...task_of(state).metrics, ...(task_of(state).probes ?? []), "entropy_held", "train_loss"]);
    courses[hash] = course;
  }
  console.error(name);
}
const text = "{\n" + Object.entries(courses).map(([hash, course]) => `${JSON.stringify(hash)}: ${JSON.stringify(course)}`).join(",\n") + "\n}\n";
await writeFile(new URL("../web/src/engine/courses.json", import.meta.url), text);
console.log(`${Object.keys(courses).length} courses, ${(text.length / 1000).toFixed(0)} kB`);
