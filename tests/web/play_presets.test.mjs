// What the playground offers to begin with does what it says, from five seeds; and what is predicted of few texts
// agrees with what is then learned.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { open_engine, parts_of_page } from "./in_node.mjs";

let ask, page;
before(async () => {
  ask = await open_engine();
  page = await parts_of_page("play/presets.ts", "play/state.ts", "own/texts.ts", "engine/courses.ts", "play/player.ts", "start/scenes.ts", "story/chapters.ts");
});

// Metric to its values by step, of a training of `steps`, and the last map of its attention.
function trained(plan, steps) {
  const { series } = ask({ ask: "begin", name: "preset", ...plan });
  const { series: more, arrays } = ask({ ask: "advance", name: "preset", step: steps });
  const map = ask.floats(arrays.filter(({ name, step }) => /^attention(_held)?$/.test(name) && step === steps).at(-1).values);
  ask({ ask: "forget", name: "preset" });
  const all = (one) => (one ? one.steps.map((step, i) => [step, one.values[i]]) : []);
  return { series: Object.fromEntries(Object.keys({ ...series, ...more }).map((name) => [name, [...all(series[name]), ...all(more[name])]])), map };
}

// What the page shows of a training before it has trained it.
async function precomputed(plan) {
  const { hash } = ask({ ask: "begin", name: "preset", ...plan });
  return page.course_of(hash);
}
// Another compiler of the engine rounds otherwise, and a training carries that on: these are what an eye would not see.
const near = { metric: 0.03, map: 0.1 };
function expect_precomputed(course, { series, map }, metrics, what) {
  const last = series[metrics[0]].at(-1)[0];
  for (const metric of metrics) {
    const { steps, values } = course.series.get(metric), both = series[metric].filter(([at]) => steps.includes(at));
    assert.ok(both.length >= 5);
    for (const [at, value] of both)
      assert.ok(Math.abs(values[steps.indexOf(at)] - value) <= near.metric, `${what}: ${metric} is ${value} at ${at}, and ${values[steps.indexOf(at)]} is shown: run scripts/courses.mjs`);
  }
  const { alpha, only, shape: [, rows, columns] } = course.looks.find(({ step }) => step === last);
  for (let i = only * rows * columns; i < alpha.length; ++i) assert.ok(Math.abs(alpha[i] - map[i]) < near.map, `${what}: the map at ${last} is not the one that is shown: run scripts/courses.mjs`);
}

test("each preset comes to what it says, from five seeds, and from the first to what is shown beforehand", async () => {
  for (const preset of page.presets) {
    assert.ok(preset.held.length > 0, `${preset.name} says nothing that can be held to it`);
    for (let seed = 0; seed < 5; ++seed)
      for (const run of [0, 1]) {
        const held = preset.held.filter((one) => one.run === run);
        if (held.length === 0) continue;
        const state = { ...page.first, ...preset.state, seed };
        const plan = page.plan_of(state, run === 1 ? state.beside : "");
        const course = seed === 0 && (await precomputed(plan));
        plan.set["probe.every"] = "10"; // what is looked at less often is the same then
        const training = trained(plan, Math.max(...held.map(({ step }) => step))), { series } = training;
        if (course !== false) expect_precomputed(course, training, page.task_of(state).metrics, `${preset.name}, run ${run}`);
        if (preset.predicted) {
          const { time, below, within } = preset.predicted;
          const predicted = series[time][0][1] / Number(page.task_of(state).train.rate);
          const came = series.loss.find(([, loss]) => loss < series[below][0][1])?.[0];
          assert.ok(Math.abs(came - predicted) <= within * predicted, `${preset.name}, seed ${seed}, run ${run}: ${came}, predicted ${predicted}`);
        }
        for (const { metric, step, least, most, near } of held) {
          const until = series[metric].filter(([at]) => at <= step);
          const what = `${preset.name}, seed ${seed}, run ${run}: ${metric}`;
          if (least !== undefined) assert.ok(until.at(-1)[1] >= least, `${what} is ${until.at(-1)[1]} at ${step}, not ${least}`);
          if (near) assert.ok(Math.abs(until.at(-1)[1] - series[near.plateau][0][1]) <= near.by, `${what} is ${until.at(-1)[1]} at ${step}, not within ${near.by} of ${near.plateau}, ${series[near.plateau][0][1]}`);
          if (most !== undefined) assert.ok(Math.max(...until.map(([, value]) => value)) <= most, `${what} is ${Math.max(...until.map(([, value]) => value))} by ${step}, not at most ${most}`);
        }
      }
  }
});

test("the keyword reaches its steps where Fovea put its flags before training, from five seeds", async () => {
  const { flags_of, scenes } = page;
  const scene = scenes.find(({ name }) => name === "keyword"), flags = flags_of(scene);
  assert.equal(flags.length, 2);
  for (let seed = 0; seed < 5; ++seed) {
    const plan = page.plan_of({ ...page.first, ...scene.state, seed });
    const { series } = trained(plan, 240);
    for (const { metric, flag } of flags) {
      const predicted = series[flag.predicted][0][1] / Number(plan.set["train.rate"]);
      const came = series[metric].find(([, value]) => value >= flag.level)?.[0];
      assert.ok(Math.abs(came - predicted) <= 0.15 * predicted, `seed ${seed}: ${metric} at ${came}, predicted ${predicted}`);
    }
  }
});

test("a step is begun when the one before is seen, and none after Pause", async () => {
  const asked = [], frames = [], tick = () => new Promise((done) => setTimeout(done, 0));
  const frame = async (now) => (frames.splice(0).forEach((next) => next(now)), await tick());
  globalThis.requestAnimationFrame = (next) => frames.push(next);
  let answer, computed = 0;
  const training = { get known() { return Math.max(this.step, computed); }, steps: 100, step: 0, every: 1, state: "running", look_after: (step) => step + 1, advance: (to) => (asked.push(to), new Promise((done) => (answer = () => done((training.step = to))))) };
  const player = new page.Player(() => {});
  Object.assign(player, { trainings: [training], loading: false, pace: Infinity });
  void player.play();
  for (let i = 1; i < 5; ++i) await frame(performance.now());
  assert.deepEqual(asked, [1], "a slow answer is waited for");
  answer();
  await tick();
  assert.equal(player.at, 1);
  await frame(performance.now());
  assert.deepEqual(asked, [1, 2]);
  player.pause();
  assert.equal(player.playing, false);
  answer();
  await tick();
  for (let i = 1; i < 5; ++i) await frame(performance.now());
  assert.deepEqual([asked, player.at], [[1, 2], 1]);
  // What was computed beforehand is not waited for: it is seen, and trained behind.
  computed = 50;
  void player.go(40);
  assert.deepEqual([player.at, asked.at(-1), player.reached < player.at], [40, 3, true]);
});

test("texts are cut into the words that the program cuts them into", async () => {
  const table = await readFile(join(dirname(fileURLToPath(import.meta.url)), "../data/words/cut.tsv"), "utf8");
  const lines = table.trimEnd().split("\n").map((line) => line.split("\t"));
  assert.equal(lines.length, 14);
  for (const [text, words] of lines) assert.equal(page.words_in(text), words);
});

test("of sixty messages the order changes nothing, strong words have their counts, and wrong labels are pointed out", async () => {
  const lines = (await readFile(join(dirname(fileURLToPath(import.meta.url)), "../theory/messages.tsv"), "utf8")).trimEnd().split("\n");
  const told = (lines) => {
    const { prediction } = predicted(lines.join("\n"));
    return { ...prediction, labels: { ...prediction.labels, doubtful: prediction.labels.doubtful.map(({ text, ...one }) => one) } };
  };
  const first = told(lines);
  assert.deepEqual([first.examples, first.copies, first.labels.doubtful.length], [56, 4, 2]);
  const question = first.outputs.find(({ output }) => output === "question").candidates;
  for (const [word, here, elsewhere] of [["?", 25, 1], ["can", 9, 0], ["do", 9, 1], ["thanks", 7, 1]]) {
    const found = question.find((one) => one.word === word);
    assert.deepEqual([found.here, found.elsewhere], [here, elsewhere], word);
  }
  for (let seed = 1; seed <= 6; ++seed) assert.deepEqual(told(lines.map((line, i) => [(i * (2 * seed + 5)) % 61, line]).sort(([a], [b]) => a - b).map(([, line]) => line)), first);
});

test("in a text commas and semicolons stand as they please where the same labels come again", () => {
  const { with_tabs } = page;
  const many = (...lines) => Array.from({ length: 4 }, () => lines).flat().join("\n");
  assert.equal(with_tabs(many("praise,Lovely service, thank you", "blame,Late; and cold")), many("praise\tLovely service, thank you", "blame\tLate; and cold"));
  assert.equal(with_tabs(many("praise;Lovely service, thank you", "blame;Late; and cold, too")), many("praise\tLovely service, thank you", "blame\tLate; and cold, too"));
  assert.equal(with_tabs(many('praise,"Lovely, ""so"" lovely"', '"blame", "Late" they said')), many('praise\tLovely, "so" lovely', 'blame\t"Late" they said'));
  // What is a table of more columns, has tabs or is JSON stays what it is; and a first field that never comes again is
  // no label.
  assert.equal(with_tabs(many('a,"one, two",three', "b,four,five")), many("a\tone, two three", "b\tfour five"));
  for (const other of [many("a\tb, c", "b\tc, d"), many('{"label": "a", "text": "b, c"}'), "one, two\nthree, four\nfive, six"]) assert.equal(with_tabs(other), other);
});

// What the page predicts of texts that were pasted, as the page asks for it.
function predicted(given) {
  const { labels, texts } = ask({ ask: "table", text: page.with_tabs(given) });
  return ask({ ask: "predict", labels, texts: texts.map(page.words_in), shade: [] });
}
const repeated = (count, ...lines) => Array.from({ length: count }, () => lines).flat();

test("of few texts the candidates are ranked with how sure they are, and what would settle it", () => {
  // "refund" stands in four of five complaints and in no praise; the other words are drawn.
  const drawn = (i, of) => Math.abs(Math.floor(Math.sin(12.9898 * i + 78.233 * of) * 43758.5453)) % of;
  const some = (count) => Array.from({ length: count }, (_, i) => `${i % 2 ? "complaint" : "praise"},on day ${i}, ${i % 2 && i % 10 !== 1 ? "refund" : "word"} a${drawn(i, 9)} b${drawn(i, 7)} c${drawn(i, 8)}`).join("\n");
  const { prediction } = predicted(some(30));
  const complaint = (one) => one.outputs.find(({ output }) => output === "complaint");
  assert.ok(prediction.outputs.every(({ words }) => words.length === 0), "of 30 texts nothing is sure");
  const { candidates } = complaint(prediction);
  assert.equal(candidates[0].word, "refund", JSON.stringify(candidates));
  assert.ok(candidates[0].likely > 0.6 && candidates[0].settled_by > 30, JSON.stringify(candidates[0]));
  for (let i = 1; i < candidates.length; ++i) assert.ok(candidates[i].likely <= candidates[i - 1].likely);
  // About as many as were said to settle it do.
  const later = predicted(some(2 * Math.ceil(candidates[0].settled_by)));
  assert.deepEqual(complaint(later.prediction).words.map(({ word }) => word), ["refund"]);
});

// Mean attention that training as the page does it comes to on each of these words, where it stands, over uniform
// attention.
function learned(labels, texts, words) {
  page.own_texts.data = { given: "", labels, texts };
  const plan = page.plan_of({ ...page.first, task: "own", set: "train.rate=0.01;train.steps=250;probe.every=250" });
  const { words: vocabulary, arrays } = ask({ ask: "begin", name: "own", ...plan });
  const array = (all, name) => all.filter((one) => one.name === name).map(({ shape, values }) => ({ shape, values: ask.floats(values) })).at(-1);
  const source = array(arrays, "attention_source");
  const { shape: [count, , places], values } = array(ask({ ask: "advance", name: "own", step: 250 }).arrays, "attention");
  ask({ ask: "forget", name: "own" });
  return words.map((word) => {
    let sum = 0, times = 0;
    for (let text = 0; text < count; ++text) {
      const tokens = [...source.values.subarray(text * places, (text + 1) * places)].filter((token) => token >= 0);
      tokens.forEach((token, i) => vocabulary[token] === word && ((sum += values[text * places + i] * tokens.length), ++times));
    }
    return sum / times;
  });
}

test("whatever the script and the signs, the words that are foretold are those that attention comes to", () => {
  const filler = (i, all) => `${all[(i * 7) % all.length]} ${all[(i * 3 + 1) % all.length]}`;
  const cases = [
    { name: "commas, emoji", label: ["praise", "complaint"], mark: ",", tells: ["👍", "☹"], others: ["service,", "thank you,", "🚗 go,", "🌧️ again,"] },
    { name: "semicolons, Chinese", label: ["好评", "差评"], mark: ";", tells: ["喜", "厌"], others: ["书店; 人", "电影", "天气; 日", "朋友"] },
    { name: "right to left", label: ["جيد", "سيئ"], mark: "\t", tells: ["رائع", "ممل"], others: ["هذا الفيلم", "ذلك الكتاب", "اليوم", "غدا"] },
  ];
  for (const { name, label, mark, tells, others } of cases) {
    const given = Array.from({ length: 60 }, (_, i) => `${label[i % 2]}${mark}${filler(i, others)} ${tells[i % 2]} ${filler(i + 2, others)}`).join("\n") + `\n${label[0]}${mark}${others[0]}`;
    const { labels, texts } = ask({ ask: "table", text: page.with_tabs(given) });
    assert.deepEqual([...new Set(labels)], label, name);
    const words = texts.map(page.words_in);
    const { prediction } = predicted(given);
    const foretold = label.map((one) => prediction.outputs.find(({ output }) => output === one).candidates[0].word);
    assert.deepEqual(foretold, tells, name);
    // Of two classes one can be told by the other's word missing, which the page says.
    const more = learned(labels, words, tells);
    assert.ok(Math.max(...more) > 1.5, `${name}: attention is ${more} times what it is when uniform`);
  }
});

test("copies of a text tell nothing new", () => {
  const lines = Array.from({ length: 40 }, (_, i) => `${i % 2 ? "no" : "yes"}\t${i % 2 ? "never" : "always"} ${["now", "then", "here"][i % 3]} ${i}`);
  const once = predicted(lines.join("\n")).prediction;
  assert.equal(once.copies, 0);
  const { prediction } = predicted(repeated(15, "complaint,refund now", "praise,thank you").join("\n"));
  assert.deepEqual([prediction.examples, prediction.copies], [2, 28]);
  assert.ok(prediction.outputs.every(({ words }) => words.length === 0));
  assert.deepEqual(prediction.outputs.map(({ candidates }) => candidates.map(({ word }) => word).sort().join()).sort(), ["now,refund", "thank,you"]);
  // Pasted four times, it is told the same, and no more surely.
  const some = Array.from({ length: 30 }, (_, i) => `${i % 2 ? "no" : "yes"}\tday ${i} ${i % 2 && i % 5 ? "refund" : "word"} w${(i * i) % 7}`);
  const told = ({ outputs, verdict }) => JSON.stringify([verdict, outputs]);
  const distinct = predicted(some.join("\n")).prediction;
  assert.ok(distinct.outputs.every(({ words, candidates }) => words.length === 0 && candidates.length > 0), "of thirty texts none is sure, and some are named");
  const pasted = predicted([...some, ...some, ...some, ...some].join("\n")).prediction;
  assert.ok(pasted.copies === 90 && Math.max(...pasted.outputs.flatMap(({ candidates }) => candidates.map(({ deviations }) => deviations))) < 4.5, told(pasted));
});

// Whatever a link of the playground asks for, the engine begins it.
function expect_begun(words) {
  assert.equal(page.misread_in(words), "", String(words));
  const state = page.read_state(words);
  for (const more of ["", ...(state.beside ? [state.beside] : [])]) {
    const plan = page.plan_of(state, more);
    if (plan) assert.equal(ask({ ask: "begin", name: "linked", ...plan }).state, "running");
  }
}

test("the links of the story lead to trainings, three of them to presets", () => {
  const links = page.chapters.flatMap(({ tries }) => tries.filter(({ view }) => view === "play").map(({ words }) => new URLSearchParams(words)));
  assert.ok(links.length >= 15);
  links.forEach(expect_begun);
  for (const name of ["induction-laws", "spans", "markov-tied"]) assert.ok(links.some((words) => page.preset_of(page.read_state(words))?.name === name), name);
});

test("the links of the lesson lead to what there is", async () => {
  const lesson = await readFile(join(dirname(fileURLToPath(import.meta.url)), "../../docs/how-to/lesson.md"), "utf8");
  const links = [...lesson.matchAll(/\]\(http:\/\/127\.0\.0\.1:8470\/#\/(\w+)\??([^)]*)\)/g)].map(([, view, words]) => ({ view, words: new URLSearchParams(words) }));
  assert.ok(links.length >= 7);
  for (const { view, words } of links) {
    assert.ok(["start", "story", "toy", "play"].includes(view), view);
    if (view !== "play") continue;
    expect_begun(words);
    const known = [...Object.keys(page.first), "curves", "hide", "lesson"];
    for (const word of words.keys()) assert.ok(known.includes(word), word);
  }
});
