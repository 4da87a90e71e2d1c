// Sentences of the Playground and of Start that are computed from a training, without a browser.
import assert from "node:assert/strict";
import { test } from "node:test";
import { parts_of_page } from "./in_node.mjs";

const { account_of } = await parts_of_page("start/account.ts");
const { came_at } = await parts_of_page("start/effect.ts");
const { verdict } = await parts_of_page("start/told.ts");
const { rung_means } = await parts_of_page("play/rung_words.ts");

const steps = Array.from({ length: 101 }, (_, i) => 2 * i);
const from_step = (came) => ({ steps, values: steps.map((step) => Number(step >= came)) });

// A training of 200 steps, watched up to its end, of which each metric passes its level at a step. `more` has other series.
const training = (came, interventions = [], more = {}) => ({
  ...{ steps: 200, step: 200, every: 2, interventions },
  series: new Map([...Object.entries(came).map(([metric, step]) => [metric, from_step(step)]), ...Object.entries(more)]),
});
const flag = (metric, what) => ({ metric, name: metric, flag: { level: 0.5, what } });
const two = [flag("beta", "words"), flag("alpha", "looking")];
const untouched = training({ beta: 10, alpha: 40 });
const held = { hold: "uniform", from: 0, until: 60 };
const account = (came, change = held, at = 200, ghost = untouched, kind = "words-first") => account_of(kind, two, training(came, [change]), ghost, at);

test("a change is for or against the account by the steps of its run", () => {
  const both = account({ beta: 12, alpha: 80 });
  assert.equal(both.label, "This agrees with the explanation:");
  assert.equal(
    both.says,
    "the model learns words first, and attention follows them. Attention cannot train in these steps, so a delay of looking alone is no evidence. The evidence is that words came at step 12. Here: words came at step 12, while attention was held uniform. Open: looking took 20 steps after the release, and 30 steps after words in the untouched training. In copying texts that all have the same words, steps under uniform attention helped, too, and taught hardly any words. So this is no evidence for the reason. This is one run: another seed can differ.",
  );
  // A gain after the release is never for the account, however large: a control without words has this gain, too.
  for (const alpha of [62, 80, 90]) {
    const says = account({ beta: 12, alpha }).says;
    assert.doesNotMatch(says, /(?:Here|For it): [^.]*looking/);
    assert.match(says, new RegExp(`Open: looking took ${alpha - 60} steps after the release, .* no evidence for the reason\\.`));
  }
  const slow = account({ beta: 12, alpha: 120 });
  assert.equal(slow.label, "This agrees with the explanation in part:");
  assert.match(slow.says, /For it: words came at step 12, .*\. Against it: looking took 60 steps after the release, and 30 steps after words in the untouched training\./);
  const none = account({ beta: 70, alpha: 90 });
  assert.equal(none.label, "This contradicts the explanation:");
  assert.match(none.says, /Against it: words did not come while attention was held uniform, and came at step 10 in the untouched training\./);
  // Nothing is concluded before it was watched, and nothing from words that came before the change.
  assert.equal(account({ beta: 12, alpha: 80 }, held, 8).label, "This leaves the explanation undecided:");
  assert.equal(account({ beta: 12 }, { ...held, from: 20 }, 50).label, "This leaves the explanation undecided:");
  assert.equal(account({ beta: 70 }, held, 100, training({})).label, "This leaves the explanation undecided:");
  // Attention that is trained alone.
  const alone = { freeze: "body", from: 0, until: 60 };
  const missing = account({}, alone, 100);
  assert.equal(missing.label, "This leaves the explanation undecided:");
  assert.match(missing.says, /Open: looking did not come while attention was trained alone, .*\. In copying it did not come with known words, either\.$/);
  assert.equal(account({ alpha: 50 }, alone, 100).label, "This contradicts the explanation:");
  assert.equal(account({}, alone, 30), undefined);
  assert.doesNotMatch(account({ beta: 12, alpha: 50 }, { ...alone, from: 20 }, 100)?.label ?? "", /contradicts/);
  // Other changes, no change and no account have no judgement.
  for (const change of [{ hold: "truth", until: 60 }, { scale: 4, until: 60 }]) assert.equal(account({ beta: 12, alpha: 80 }, change), undefined);
  assert.equal(account_of("words-first", two, training({ beta: 1, alpha: 2 }), untouched, 200), undefined);
  assert.equal(account({ beta: 12, alpha: 80 }, held, 200, untouched, null), undefined);
});

test("a head of layer 1 that is changed is for or against the account of the layers", () => {
  const of = (hold, came, at = 200) => account(came, { hold, from: 0, until: 60, of: "layer.1.head.1" }, at, untouched, "layer-by-layer");
  assert.equal(of("uniform", { alpha: 90 }).label, "This agrees with the explanation:");
  assert.match(of("uniform", { alpha: 90 }).says, /looking did not come while the head was held uniform, and came at step 40 in the untouched training\./);
  assert.equal(of("uniform", { alpha: 50 }).label, "This contradicts the explanation:");
  // At the step of the release the head is free.
  assert.equal(of("uniform", { alpha: 60 }).label, "This agrees with the explanation:");
  assert.match(account({ alpha: 70 }, { hold: "uniform", until: 40, of: "layer.1.head.1" }, 200, untouched, "layer-by-layer").says, /Open: the change ended at step 40, and looking came at step 40 in the untouched training\./);
  assert.equal(of("uniform", {}, 30).label, "This leaves the explanation undecided:");
  assert.equal(of("previous", { alpha: 20 }).label, "This agrees with the explanation:");
  assert.equal(of("previous", { alpha: 60 }).label, "This contradicts the explanation:");
  assert.equal(account({ alpha: 90 }, { hold: "uniform", until: 60, of: "layer.2.head.1" }, 200, untouched, "layer-by-layer"), undefined);
});

test("one crossing of a level is not a passing, and attention and loss have to agree", () => {
  const step_by = (at, ...values) => came_at({ ...training({}), series: new Map([["alpha", { steps: values.map((_, i) => 2 * i), values }]]) }, "alpha", 0.5, at);
  const step = (...values) => step_by(200, ...values);
  assert.deepEqual([step(0.4, 0.6, 0.4, 0.5, 0.5, 0.6), step(0.4, 0.5, 0.6, 0.4), step(0.4, 0.5), step(0.4)], [6, undefined, 2, undefined]);
  // Later evaluations are not used: before the fall it is as it was while the model trained.
  assert.deepEqual([step_by(2, 0.4, 0.6, 0.4), step_by(0, 0.4, 0.6), step_by(4, 0.4, 0.6, 0.4)], [2, undefined, undefined]);
  const flat = (value) => ({ steps, values: steps.map(() => value) });
  const rungs = { rung_bag: flat(2), rung_induction: flat(0) };
  const ghost = training({ alpha: 40 }, [], { ...rungs, loss: flat(0.1) });
  const of = (hold, came, loss, at = 200) => account_of("layer-by-layer", two, training({ alpha: 999 }, [{ hold, from: 0, until: 200, of: "layer.1.head.1" }], { ...rungs, loss: flat(2.5), loss_held: flat(loss), alpha_held: from_step(came) }), ghost, at);
  // α is measured with the change if it is of one head.
  const works = of("previous", 20, 0.1);
  assert.equal(works.label, "This agrees with the explanation:");
  assert.match(works.says, /with the change looking came at step 20, in the untouched training at step 40; with the change the loss is at the rung induction \(0\); in the untouched training it is at the rung induction \(0\)\./);
  assert.equal(of("uniform", 999, 2).label, "This agrees with the explanation:");
  assert.equal(of("uniform", 120, 0.1).label, "This contradicts the explanation:");
  for (const [came, loss] of [[120, 2], [999, 0.1]]) {
    const { label, says } = of("uniform", came, loss);
    assert.equal(label, "This leaves the explanation undecided:");
    assert.match(says, /Attention and loss disagree: with the change the loss is at the rung /);
  }
  // At the step of the release the loss is of the released head.
  const released = training({ alpha: 999 }, [{ hold: "previous", from: 0, until: 60, of: "layer.1.head.1" }], { ...rungs, alpha_held: from_step(20), loss: flat(9), loss_held: { steps: steps.slice(0, 30), values: steps.slice(0, 30).map(() => 0.1) } });
  assert.equal(account_of("layer-by-layer", two, released, ghost, 200).label, "This agrees with the explanation:");
  // The next evaluation can withdraw a passing, so nothing is concluded from it yet.
  const waits = (came, at) => /Open: looking passed the level at (.*)\.$/.exec(of("uniform", came, 0.1, at).says)[1];
  assert.equal(waits(100, 100), "step 100, and 2 more evaluations are needed");
  assert.equal(waits(98, 100), "step 98, and 1 more evaluation is needed");
  assert.equal(of("uniform", 96, 0.1, 100).label, "This contradicts the explanation:");
  assert.equal(waits(198, 200), "step 198, and the training ended before the level was kept for 3 evaluations");
  const of_ghost = (step, kind, came) => account_of(kind, two, training(came, [{ hold: "uniform", from: 0, until: 60, of: kind === "words-first" ? "" : "layer.1.head.1" }]), { ...untouched, step }, step).says;
  assert.match(of_ghost(42, "layer-by-layer", {}), /Open: looking passed the level at step 40 in the untouched training, and 1 more evaluation is needed\.$/);
  assert.match(of_ghost(44, "layer-by-layer", {}), /Here: looking did not come/);
  assert.match(of_ghost(12, "words-first", { beta: 12 }), /them\. Open: words passed the level at step 12, and 2 more evaluations are needed\.$/);
  assert.match(of_ghost(72, "words-first", { beta: 12, alpha: 70 }), /Here: words came .*\. Open: looking passed the level at step 70, and 1 more evaluation is needed\./);
});

test("attention that a hold sets is not learned", () => {
  const { flag: level } = flag("", "the word before");
  const flags = [{ metric: "weight_on_previous", attends: true, flag: level }, { ...two[1], attends: true }];
  const held = (hold) => ({ ...training({ weight_on_previous: 999, alpha: 60 }, [{ hold, from: 0, until: 200, of: "layer.1.head.1" }], { weight_on_previous_held: from_step(2), alpha_held: from_step(20) }), value_at: () => 0.1 });
  const looking = "Looking came at step 20, while the head was held";
  assert.equal(verdict(flags, held("previous"), training({ weight_on_previous: 30, alpha: 40 }), [], 100), `The head is held on the word before. The word before is at 10 % (same model, attention free), below 50 % (untouched training: step 30). ${looking} on the word before (untouched training: step 40).`);
  assert.match(verdict(flags, held("first"), training({}), [], 100), /^The word before came at step 2, while the head was held on the first word /);
});

test("bets on one step are no order", () => {
  assert.equal(verdict(two, training({ beta: 10, alpha: 40 }), undefined, [4, 4], 200), "Words first (step 10), then looking (step 40). You bet on one step for both; words 6 steps too early, looking 36 steps too early.");
});

test("an order is judged if both levels are equal, or each is half of the way", () => {
  const of = (halfway) => verdict([flag("beta", "words"), { ...flag("alpha", "looking"), flag: { level: 0.75, what: "looking" } }].map(({ flag, ...one }) => ({ ...one, flag: { ...flag, halfway } })), training({ beta: 10, alpha: 40 }), undefined, [50, 30], 200);
  assert.equal(of(undefined), "Words passed 50 % at step 10, looking passed 75 % at step 40. The levels differ, so no order is judged. Your bets: words 40 steps too late, looking 10 steps too early.");
  assert.equal(of(true), "Words first (50 % at step 10), then looking (75 % at step 40). Your order was wrong; words 40 steps too late, looking 10 steps too early.");
});

test("a task with one level has no first and second", () => {
  const [, one] = two;
  assert.equal(verdict([one], training({ alpha: 40 }), undefined, [undefined], 200), "Looking came at step 40.");
  assert.equal(verdict([one], training({ alpha: 40 }), undefined, [50], 200), "Looking came at step 40. Your bet on looking: 10 steps too late.");
  assert.equal(verdict([one], training({}), undefined, [undefined], 100), "Looking: not yet.");
});

test("each predicted plateau of the Playground has a meaning", () => {
  const rungs = {
    markov: ["uniform", "unigram", "bigram", "truth"],
    chain: ["uniform", "unigram", "bigram"],
    induction: ["nothing", "bag", "induction"],
    "induction-exact": ["nothing", "bag", "induction"],
    sums: ["nothing", "first", "all"],
    sink: ["uniform", "unigram", "bigram", "back copy"],
    spans: ["nothing", "span 3", "span 2", "span 1", "spans 1 2", "truth"],
  };
  for (const [task, names] of Object.entries(rungs)) for (const name of names) assert.ok(rung_means(task, name), `${task} ${name}`);
  assert.equal(rung_means("spans", "spans 1 2"), "the newest 2 spans");
});
