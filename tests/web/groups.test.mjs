// Which settings group the runs of the view without a choice, and which chosen runs the server is asked for.
import assert from "node:assert/strict";
import { test } from "node:test";
import { parts_of_page } from "./in_node.mjs";

const { base_first, can_group, condition_of, differing_in, ends_text, groups_among, is_grouped, name_of, not_drawn_text, rungs_of_all, settings_of, steps_title, stop_at_unlike_steps, varied_in } = await parts_of_page("views/runs_named.tsx");
const { homes_of, metric_groups } = await parts_of_page("run/metric_names.tsx");
const { look_of } = await parts_of_page("line_looks.ts");
const { steps_are_set } = await parts_of_page("views/pairs.ts");

// As many runs, each with a rate and a hold of its own.
function many(count) {
  const runs = Array.from({ length: count }, (_, i) => ({ run: i + 1, experiment: `sweep-${i}`, settings: { train: { rate: i }, intervene: [{ hold: "uniform", until: i }] } }));
  const settings = new Map(runs.map((run, i) => [run.run, new Map([["train.rate", String(i)], ["model.layers", "2"], ["intervene", "held"]])]));
  return [runs, settings];
}

test("runs are grouped by a setting that nobody chose if it has at most 40 values", () => {
  const grouped = (count, by, asked = "") => {
    const [runs, settings] = many(count);
    return is_grouped(runs, by, asked, settings);
  };
  assert.equal(grouped(40, "train.rate"), true);
  assert.equal(grouped(41, "train.rate"), false);
  assert.equal(grouped(41, "train.rate", "train.rate"), true);
  assert.equal(grouped(41, "train.rate", "model.layers"), false);
  assert.equal(grouped(41, "model.layers"), true);
  assert.equal(grouped(41, "intervene"), false, "interventions with the same words have specs of their own");
  assert.equal(grouped(2, "experiment"), false);
  assert.equal(grouped(2, "experiment", "experiment"), true);
  assert.equal(grouped(2, ""), false);
});

test("the chosen runs of 40 experiments can be grouped, those of 41 cannot", () => {
  assert.equal(can_group(many(40)[0], "experiment", new Map()), true);
  assert.equal(can_group(many(41)[0], "experiment", new Map()), false);
});

test("up to 200 chosen runs make a condition", () => {
  assert.equal(condition_of([{ run: 3 }, { run: 12 }]), "id = 3 or id = 12");
  assert.equal(condition_of(many(200)[0]).split(" or ").length, 200);
  assert.equal(condition_of(many(201)[0]), undefined);
});

const sweep = (heads) => heads.map((list, i) => ({ run: i + 1, experiment: "copy-heads", seed: 0, state: "done", steps: 80 + 10 * i, settings: { model: { heads: list, layers: 1 }, train: { stop_when: "accuracy >= 0.95" }, intervene: [] } }));

test("a list in which runs differ tells them apart, and its length colours them", () => {
  const runs = sweep(Array.from({ length: 20 }, (_, i) => (i < 10 ? [i] : [i, i + 1])));
  const settings = settings_of(runs), names = differing_in(settings);
  assert.deepEqual(names, ["model.heads", "length of model.heads"]);
  assert.equal(varied_in(names, settings), "length of model.heads");
  assert.equal(name_of(runs[12], settings), "run 13, copy-heads, seed 0, model.heads = [12,13]");
  assert.equal(new Set(runs.map((run) => name_of(run, settings))).size, 20);
  assert.equal(is_grouped(runs, "length of model.heads", "length of model.heads", settings), false, "the server has no such setting");
});

test("a held run is not pooled with free ones, and seeds have colours but no groups", () => {
  const runs = [[2, []], [2, []], [3, []], [3, []], [3, [{ hold: "uniform", of: "layer.2.head.1" }]]].map(([states, intervene], i) => ({ run: i + 1, experiment: "markov-icl", seed: i % 2, settings: { task: { states }, intervene } }));
  const settings = settings_of(runs);
  assert.equal(varied_in(differing_in(settings), settings), "intervene");
  const free = settings_of(runs.slice(0, 4));
  assert.equal(varied_in(differing_in(free), free), "task.states");
  assert.deepEqual(groups_among(runs, "seed", settings), ["seed = 0", "seed = 1"]);
  assert.equal(is_grouped(runs, "seed", "seed", settings), false);
});

test("runs are compared with those without an intervention, and by their number", () => {
  const settings = new Map([[1, new Map([["intervene", "layer 2 held uniform"]])], [2, new Map([["intervene", "no intervention"]])], [3, new Map()]]);
  assert.deepEqual(base_first([{ run: 3 }, { run: 1 }, { run: 2 }], settings).map(({ run }) => run), [2, 3, 1]);
});

test("runs that end at unlike steps say so, with their stop condition", () => {
  const runs = sweep([[0], [1], [2]]);
  assert.equal(ends_text(runs), "These runs end at steps 80, 90 and 100. They stop as soon as accuracy >= 0.95. Values “at the end” are of unlike steps: read the curves at one step, too.");
  assert.equal(ends_text(runs.slice(0, 1)), "");
  assert.match(ends_text(sweep(Array.from({ length: 9 }, (_, i) => [i]))), /^These runs end between steps 80 and 160\./);
  assert.equal(ends_text(runs.map((run) => ({ ...run, steps: 80 }))), "");
  // Then their numbers of steps can be compared.
  assert.ok(stop_at_unlike_steps(runs) && !stop_at_unlike_steps(runs.slice(0, 1)));
  assert.ok(!stop_at_unlike_steps([runs[0], { ...runs[1], settings: { train: {} } }]));
  const set = (stop_when) => steps_are_set([{ ...runs[0], settings: { train: { stop_when } } }]);
  assert.deepEqual([set("steps >= 200 and model.encoder = 'recurrent'"), set("hold = 'none'"), set("accuracy >= 0.9 and steps >= 100"), set("loss_held < 0.05"), set(undefined)], [true, true, false, false, false]);
  assert.equal(steps_title(runs), "number of steps until the stop condition");
  assert.equal(steps_title([...runs, { ...runs[0], settings: { train: { steps: 80 } } }]), "number of steps until the stop condition or the last step");
});

test("a group has its own colour in every figure, also if other groups are not in it", () => {
  const runs = ["a", "b", "c"].map((experiment, i) => ({ run: i + 1, experiment }));
  const groups = groups_among(runs, "experiment", new Map());
  assert.deepEqual([groups, groups_among(runs, "", new Map())], [["a", "b", "c"], [""]]);
  const curves = ["c", "b"].map((group) => ({ group, colour: groups.indexOf(group), steps: [], values: [] }));
  assert.deepEqual(["c", "b"].map((group) => look_of(curves, group).colour), ["var(--c2)", "var(--c1)"]);
  const alone = ["c", "b"].map((group) => ({ group, steps: [], values: [] }));
  assert.deepEqual(["c", "b"].map((group) => look_of(alone, group).colour), ["var(--c0)", "var(--c1)"]);
});

test("rungs that differ between the runs of an experiment have their range", () => {
  const runs = [1.466, 1.65].map((rung_bag, seed) => ({ experiment: "birth", seed, metrics: { loss: 1, rung: seed, rung_bag, rung_bag_held: rung_bag, rung_induction: 0 }, settings: {} }));
  assert.equal(not_drawn_text(runs, "loss"), "Rungs that differ between these runs are not drawn: bag 1.47 to 1.65. The view of one run draws all of its rungs.");
  assert.equal(not_drawn_text(runs.slice(1), "loss"), "");
  assert.equal(not_drawn_text(runs, "accuracy"), "");
  assert.equal(not_drawn_text([...runs, { experiment: "markov-icl", metrics: {} }], "loss"), "");
});

test("rungs of the last position are not drawn over a loss of all positions", () => {
  const of = (task) => [{ experiment: "markov-icl", metrics: { loss: 1, rung_uniform: 0.69 }, settings: { task, probe: { ladder: { place: "last" } } } }];
  const says = "The rungs are of the last position, and the loss is of all positions. So no rungs are drawn. The KL divergences from the rungs are of the last position.";
  assert.deepEqual([rungs_of_all(of({}), "loss"), not_drawn_text(of({}), "loss"), not_drawn_text(of({}), "accuracy")], [[], says, ""]);
  // A task that asks at the last position alone has a loss of the last position.
  assert.deepEqual([rungs_of_all(of({ ask: "last" }), "loss"), not_drawn_text(of({ ask: "last" }), "loss")], [[{ value: 0.69, name: "uniform" }], ""]);
});

test("metrics of several experiments are in groups by experiment, and long settings are no columns", () => {
  const runs = [{ experiment: "b", metrics: { loss: 1, p: 1, tau: 1 } }, { experiment: "a", metrics: { loss: 1, p: 1, D: 1 } }];
  const groups = (of) => metric_groups(["loss", "p", "tau", "D"], undefined, homes_of(of)).map(({ label, names }) => [label, names.join()]);
  assert.deepEqual(groups(runs), [["Usual", "loss"], ["Several experiments", "p"], ["a", "D"], ["b", "tau"]]);
  assert.deepEqual(groups(runs.slice(0, 1)), [["Usual", "loss"], ["This experiment", "D,p,tau"]]);
  const settings = () => new Map([[1, new Map([["model.frozen", "[]"], ["model.norm", "pre"]])], [2, new Map([["model.frozen", "x".repeat(40)], ["model.norm", "none"]])]]);
  assert.deepEqual([differing_in(settings()), differing_in(settings(), true)], [["model.frozen", "model.norm"], ["model.norm"]]);
});
