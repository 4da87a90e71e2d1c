// Each idea of the story is what its training shows: the numbers that its text says, and a map at its step.
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { open_engine, parts_of_page } from "./in_node.mjs";

let ask, page;
before(async () => {
  ask = await open_engine();
  page = await parts_of_page("story/ideas.ts", "play/state.ts", "engine/courses.ts");
});

test("the numbers of each idea are those of the training that the page shows", async () => {
  assert.ok(page.ideas.length >= 5);
  for (const idea of page.ideas) {
    const state = page.state_of(idea);
    const runs = [];
    for (const more of state.beside ? ["", state.beside] : [""]) {
      const { hash } = ask({ ask: "begin", name: "idea", ...page.plan_of(state, more) });
      ask({ ask: "forget", name: "idea" });
      runs.push(await page.course_of(hash));
    }
    assert.ok(runs.every((course) => course !== undefined), `${idea.title}: nothing is trained while it is read`);
    assert.ok(runs[0].looks.some(({ step }) => step === idea.step), idea.title);
    assert.ok(idea.held.length > 0 && idea.held.some(({ step }) => step === idea.step), idea.title);
    for (const { run, metric, step, least = -Infinity, most = Infinity } of idea.held) {
      const { steps, values } = runs[run].series.get(metric), value = values[steps.indexOf(step)];
      assert.ok(value >= least && value <= most, `${idea.title}: ${metric} is ${value} at ${step}`);
    }
    // The word that a text is about has its largest weight where the text says.
    if (idea.lit) {
      const { alpha, only, shape: [, rows, columns] } = runs[0].looks.find(({ step }) => step === idea.step);
      const weights = alpha.subarray((only * rows + idea.lit.row) * columns, (only * rows + idea.lit.row + 1) * columns);
      assert.equal(weights.indexOf(Math.max(...weights)), idea.lit.column, idea.title);
    }
  }
});
