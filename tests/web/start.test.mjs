// The view Start: a bet, a training that is watched, a change at a step, and a link to it.
import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { at_step, button, past_step, saved, step_of } from "./playing.mjs";
import { expect_accessible, Stage } from "./stage.mjs";

let stage;
before(async () => (stage = await Stage.open()));
after(() => stage?.close());

const sizes = [{ width: 1440, height: 900 }, { width: 390, height: 844 }];
const ready = (page) => page.locator("output[data-loading=no]").waitFor();
const word_in = (page, word) => page.evaluate((word) => new URLSearchParams(location.hash.split("?")[1]).get(word), word);
const curves_in = (page, kind) => page.locator(`.bet-plot path.${kind}`).evaluateAll((all) => all.map((one) => one.getAttribute("d")));
// The largest step that any curve is drawn to, by the plot's own axis.
const drawn_to = (page) =>
  page.locator(".bet-plot").first().evaluate((plot) => {
    const ticks = [...plot.querySelectorAll("line.tick")][0];
    const [left, right] = [ticks.x1.baseVal.value, ticks.x2.baseVal.value];
    const ends = [...plot.querySelectorAll("path.curve")].map((one) => Number(/([\d.]+) [\d.]+$/.exec(one.getAttribute("d"))?.[1] ?? left));
    return (100 * (Math.max(...ends) - left)) / (right - left);
  });

test("before it is trained nothing is drawn, two flags are bet, and nothing of the future is seen", async () => {
  for (const viewport of sizes) {
    const page = await stage.visit("", { viewport });
    await ready(page);
    assert.deepEqual((await curves_in(page, "curve")).filter((path) => path.includes("L")), []);
    // Before the bet, at every width: what α and β are. Why one comes first is told after both have come.
    await page.getByText(/which word to write for each word read \(β\)/).waitFor();
    assert.equal(await page.locator(".waits").count(), 0);
    assert.doesNotMatch(await page.locator(".start").innerText(), /you have just seen|while attention is still uniform|is known/i);
    // By number and by key.
    await page.getByLabel("Your bet as a number: β at 50 %").fill("30");
    await page.getByLabel("Your bet as a number: β at 50 %").press("Enter");
    await page.getByRole("slider", { name: "When does it find half of the positions" }).focus();
    for (let i = 0; i < 3; ++i) await page.keyboard.press("ArrowRight");
    await page.waitForFunction(() => location.hash.includes("bet=30%2C3"));
    await button(page, "Train it").click();
    await past_step(page, 12);
    await button(page, "Pause").click();
    const at = await step_of(page);
    assert.ok((await drawn_to(page)) <= at + 0.5, `${await drawn_to(page)} at ${at}`);
    assert.match(await page.locator(".score").innerText(), /β: matches words\s+\d+ %\s+step \d+\s+30/);
    assert.equal(await page.getByRole("slider").first().isDisabled(), true);
    // On a phone the curves are under the button that moves them, and the words under the curves.
    const [words, plot] = await Promise.all([page.locator(".arcs").boundingBox(), page.locator(".bet-plot").first().boundingBox()]);
    if (viewport.width === 390) {
      const main = await page.locator(".transport .main").boundingBox();
      assert.ok(main.y < plot.y && plot.y + plot.height - main.y < 500 && plot.y + plot.height <= words.y, `${main.y}, ${plot.y} and ${words.y}`);
    }
    await expect_accessible(page);
    await stage.leave(page);
  }
});

test("after training one sentence says what came first, and how far off the bets were", async () => {
  const verdicts = [];
  for (const [scene, bet] of [["copy", "28,60"], ["copy", "60,28"], ["weather", "10,"], ["keyword", ""]]) {
    const page = await stage.visit(`#/start?scene=${scene}&bet=${bet}`, { viewport: { width: 1280, height: 800 }, reducedMotion: "reduce" });
    await ready(page);
    const verdict = page.locator(".verdict");
    assert.match(await verdict.innerText(), /^\d+,\d+$/.test(bet) ? /^Both flags are set\. Now train it\./ : /^Put each flag on the step at which you expect it, then train\./);
    await button(page, "Train it").click();
    // Levels that are unlike are said. If they are not half of the way of each curve, no order is judged.
    const level = scene === "copy" ? "" : "[\\d.]+ % at ";
    const told = scene === "weather"
      ? /^Looking at the day.* passed (50|75) % at step \d+, looking at the day.* passed (50|75) % at step \d+\. The levels differ, so no order is judged\./
      : new RegExp(`^\\S.* first \\(${level}step \\d+\\), then .* \\(${level}step \\d+\\)\\.`);
    await page.getByText(told).waitFor();
    if (scene === "weather") await page.getByText(/^The loss (is|stops) (at|between|([\d.]+ )?(below|above)) /).waitFor();
    const { y, height } = await verdict.locator("strong").boundingBox();
    assert.ok(y + height <= 800, `${scene}: ${y}`);
    await button(page, "Pause").or(button(page, "Replay")).click();
    verdicts.push(await verdict.innerText());
    // The reason, if the scene has one.
    const whys = { copy: /^Why\? .* By the explanation under test, .* When the model is surer, attention should move\./, weather: /^Why\? (.* )?The head of layer 2 needs (the day before at each position|this) to find the days after\./, keyword: /^Why\? .* By the explanation under test, .* so attention follows\. At step \d+ it already answers 99 % of the texts right, with [\d.]+ % of attention on the keyword\./ };
    const [why, ...more_whys] = await page.locator(".waits").allInnerTexts();
    assert.deepEqual([whys[scene].test(why), more_whys], [true, []], why);
    // And how sure that is, folded: what was measured here, what was measured in other trainings, and what is open.
    assert.equal(await page.locator(".sure ul").isVisible().catch(() => false), false);
    if (scene !== "weather") {
      await page.getByText("How sure is this?").click();
      const sure = await page.locator(".sure li").allInnerTexts();
      const measured = /^In this training: at step \d+ the right word speaks most for \d+ % of the written words\. Its chance is only [\d.]+ % then, .* (It passes 50 % at step \d+|It has not passed 50 % yet)\.$/;
      for (const [k, says] of [...(scene === "copy" ? [measured] : []), /^Measured: \S/, /^Open: \S/].entries()) assert.match(sure[k], says);
    }
    const passed = await page.locator(".score tbody td:nth-child(3)").allInnerTexts();
    const steps = passed.flatMap((text) => /step (\d+)/.exec(text)?.slice(1).map(Number) ?? []);
    assert.deepEqual([...verdicts.at(-1).matchAll(/(?:\([^()]*| % at )step (\d+)/g)].map((found) => Number(found[1])), steps.sort((a, b) => a - b));
    const first = steps[0];
    if (scene === "copy") {
      assert.ok(verdicts.at(-1).startsWith("Words first"), verdicts.at(-1));
      const by = Number(bet.split(",")[0]) - first;
      assert.ok(verdicts.at(-1).includes(`${by} steps too late`), verdicts.at(-1));
    }
    await stage.leave(page);
  }
  assert.match(verdicts[0], /Your order was right; /);
  assert.match(verdicts[1], /Your order was wrong; words \d+ steps too late, looking \d+ steps? too early\./);
  assert.match(verdicts[2], /Your bet on looking at the day before: \d+ steps? too (late|early)\./);
  assert.doesNotMatch(verdicts[2], /order was/);
  assert.doesNotMatch(verdicts[3], /bet|order/);
});

test("a row that is pointed at lights its word, its weights and its arcs, by pointer and by keys", async () => {
  const page = await stage.visit("");
  await ready(page);
  const arcs = page.locator(".arcs svg");
  const { width, height } = await arcs.boundingBox();
  await arcs.hover({ position: { x: width - 20, y: height / 26 } });
  const word = await page.locator(".arcs text.lit").last().textContent();
  await page.locator(".says", { hasText: new RegExp(`^“${word}” \\(1\\) looks at “`) }).waitFor();
  await page.locator(".word-map .frame").waitFor();
  await page.mouse.move(0, 0);
  await page.locator(".word-map .frame").waitFor({ state: "detached" });
  await arcs.focus();
  for (let i = 0; i < 2; ++i) await page.keyboard.press("ArrowDown");
  await page.locator(".says", { hasText: /^“\w+” \(2\) looks at “/ }).waitFor();
  assert.deepEqual(await page.locator(".word-map .down").innerText().then((text) => /\d|</.test(text)), false);
  await stage.leave(page);
});

test("attention is changed at a typed step, the untouched run stays as a ghost, and a link restores bet and change", async () => {
  for (const viewport of sizes) {
    const page = await stage.visit("#/start?bet=30,40&seed=7", { viewport });
    await ready(page);
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await button(page, "Train it").click();
    await past_step(page, 8);
    await button(page, "Pause").click();
    const at = await step_of(page);
    // From here on, unless another step is typed.
    assert.equal(await page.getByLabel("From step").getAttribute("placeholder"), String(at));
    await page.getByText("A change applies to every text.").waitFor();
    await page.getByLabel("From step").fill("10");
    await page.getByLabel("Release at step").fill("5");
    await button(page, "Change it").click();
    await page.getByText("Give a first step from 0 to 99").waitFor();
    await page.getByLabel("Release at step").fill("30");
    await button(page, "Change it").click();
    await page.waitForFunction(() => /act=uniform/.test(location.hash) && /from=10/.test(location.hash) && /hold=30/.test(location.hash));
    await past_step(page, 26);
    await button(page, "Pause").click();
    const [held, ghost] = [await curves_in(page, "curve:not(.ghost)"), await curves_in(page, "ghost")];
    assert.equal(ghost.length, 3);
    assert.notEqual(held[1], ghost[1], "α differs");
    assert.match(await page.locator(".score").innerText(), /untouched/);
    // What the change has done is computed from both trainings; bets are of the untouched one.
    const verdict = await page.locator(".verdict").innerText();
    assert.match(verdict, /^Words came at step \d+(, before the change| all the same, while attention was held uniform) \(untouched training: step \d+\)\. (Attention is held uniform\. Looking is at [\d.]+ % \(same model, attention free\), below 50 %|Looking came at step \d+, .*) \(untouched training: (not yet|step \d+)\)\./);
    await page.getByText("Bets count for the untouched training.").waitFor();
    await page.getByText("In the shaded steps the picture shows the held attention.").waitFor();
    await page.getByText("In the shaded steps “writes right” is of the model with the change. The other curves are of the same model, attention free.").waitFor();
    // Before the click: who can open the link.
    await page.getByText("A link leads to this computer, and others cannot open it.").waitFor();
    const { name } = await saved(page, () => button(page, "Save a GIF (6 s)").click());
    assert.match(name, /^fovea-copy-seed-7-uniform-from-10-until-30-to-step-\d+\.gif$/);
    await button(page, "Copy the link").click();
    await page.getByText("The link is copied.").waitFor();
    const link = await page.evaluate(() => navigator.clipboard.readText());
    const other = await stage.visit(new URL(link).hash, { viewport });
    await ready(other);
    await at_step(other, 0);
    assert.deepEqual([await other.getByLabel("Your bet as a number: β at 50 %").inputValue(), await other.getByLabel("From step").inputValue(), await other.getByLabel("Release at step").inputValue(), await other.getByLabel("Seed").inputValue()], ["30", "10", "30", "7"]);
    await button(other, "Train it").click();
    await past_step(other, 12);
    assert.equal((await curves_in(other, "ghost")).length, 3);
    await stage.leave(other);
    await button(page, "Undo").click();
    await page.waitForFunction(() => !location.hash.includes("act="));
    assert.equal(await word_in(page, "bet"), "30,40");
    await stage.leave(page);
  }
});

test("a change of the whole training says what it did, its picture stays changed, and nothing is drawn of ablated attention", async () => {
  const page = await stage.visit("#/start?act=uniform&from=0&hold=100&bet=20,40", { reducedMotion: "reduce" });
  await ready(page);
  await button(page, "Train it").click();
  await at_step(page, 100);
  const says = /^Words came at step \d+ all the same, while attention was held uniform \(untouched training: step \d+\)\. Attention is held uniform\. Looking is at [\d.]+ % \(same model, attention free\), below 50 % \(untouched training: step (\d+)\)\./;
  const untouched = says.exec(await page.locator(".verdict").innerText())[1];
  // At the last step, too, attention is held: every arc has one width.
  assert.equal(new Set(await page.locator(".arc").evaluateAll((all) => all.map((one) => one.getAttribute("stroke-width")))).size, 1);
  // The reason is of this training, not of the untouched one.
  assert.match(await page.locator(".waits").innerText(), /^Why\? Equal weights still pass the mix of all words, .* During this time nothing trains where to look\. The smallest case$/);
  // Another change of the same training: the untouched one was watched, and stays whole while the other is trained.
  await page.getByLabel("Do to attention").selectOption("ablate");
  await page.getByLabel("From step").fill("10");
  await page.getByLabel("Release at step").fill("40");
  const plot = page.locator(".bet-plot").first(), before = (await plot.boundingBox()).y;
  await button(page, "Change it").click();
  await at_step(page, 10);
  assert.equal((await page.locator(".verdict").innerText()).includes(`Looking: not yet (untouched training: step ${untouched}).`), true);
  assert.equal((await plot.boundingBox()).y, before, "the curves stay where they are");
  await button(page, "Next evaluation").click();
  await at_step(page, 12);
  assert.equal(await page.locator(".arc").count(), 0);
  await page.getByText("Attention is ablated here: it gives nothing, so no arc is drawn.").waitFor();
  assert.match(await page.locator(".waits").innerText(), /^Why\? Ablated attention passes nothing, not even the mix of all words\./);
  await stage.leave(page);
});

test("one number is shown for each curve, in the table, for a screen reader and in the reason, and held attention is named", async () => {
  const rows_of = (page) => page.locator(".score tbody tr").evaluateAll((all) => all.map((row) => [...row.cells].map((cell) => cell.textContent.trim())));
  const page = await stage.visit("#/start", { reducedMotion: "reduce" });
  await ready(page);
  for (const step of [2, 4]) {
    await button(page, "Next evaluation").click();
    await at_step(page, step);
  }
  const [beta] = await rows_of(page);
  assert.equal(beta[2], "step 4");
  await button(page, "Go on").click();
  await at_step(page, 100);
  await page.getByText("How sure is this?").click();
  const said = /^In this training: at step 4 the right word speaks most for (\d+ %) /.exec(await page.locator(".sure li").first().innerText());
  assert.deepEqual([said[1], said[1] === "50 %"], [beta[1], false]);
  await stage.leave(page);
  // Held on the right words it writes all of them, and would find few of them by itself.
  for (const [act, done, least] of [["truth", "held at the right words", 90], ["uniform", "held uniform", 20]]) {
    const held = await stage.visit(`#/start?act=${act}&from=0&hold=100`, { reducedMotion: "reduce" });
    await ready(held);
    await button(held, "Train it").click();
    await at_step(held, 100);
    const rows = await rows_of(held);
    const [, share] = /^held \(attention free: ([\d.]+ %)\)$/.exec(rows[1][1]);
    assert.equal(rows[1][2], "held");
    assert.ok(Number.parseFloat(share) < 50 && Number.parseFloat(rows[2][1]) > least, rows.join());
    assert.ok((await held.locator(".verdict").innerText()).includes(`Attention is ${done}. Looking is at ${share} (same model, attention free), below 50 % (untouched training: step `));
    const told = await held.locator(".bet-and-watch [role=status]").innerText();
    for (const row of rows) assert.ok(told.includes(`${row[0].split("\n")[0]} ${row[1]}`), `${told} has no ${row[0]} ${row[1]}`);
    await stage.leave(held);
  }
});

test("the page is saved as one file, which opens with the bet and the change", async () => {
  const page = await stage.visit("#/start?bet=30,40&seed=7&act=uniform&from=10&hold=30");
  await ready(page);
  const { name, bytes } = await saved(page, () => button(page, "Save this page (1 file)").click());
  assert.equal(name, "fovea-copy-seed-7-uniform-from-10-until-30.html");
  const file = join(stage.home, name);
  await writeFile(file, bytes);
  await stage.leave(page);
  const other = await stage.visit(pathToFileURL(file).href, { offline: true });
  await ready(other);
  assert.deepEqual([await other.getByLabel("Your bet as a number: β at 50 %").inputValue(), await other.getByLabel("From step").inputValue(), await other.getByLabel("Seed").inputValue()], ["30", "10", "7"]);
  await button(other, "Next evaluation").click();
  await at_step(other, 2);
  await stage.leave(other);
});

test("attention is multiplied on the right words by a typed factor, and a link restores the factor", async () => {
  for (const viewport of sizes) {
    const page = await stage.visit("#/start", { viewport, reducedMotion: "reduce" });
    await ready(page);
    await page.getByLabel("Do to attention").selectOption("scale");
    await page.getByLabel("From step").fill("2");
    await page.getByLabel("Factor").fill("1");
    await button(page, "Change it").click();
    await page.getByText("Give a factor from 0 to 1000, and not 1.").waitFor();
    await page.getByLabel("Factor").fill("3.5");
    await button(page, "Change it").click();
    await page.getByText("Now attention is scaled by 3.5 on the right words from step 2 to the end.").waitFor();
    await at_step(page, 2);
    for (const step of [4, 6]) {
      await button(page, "Next evaluation").click();
      await at_step(page, step);
    }
    const [changed, ghost] = [await curves_in(page, "curve:not(.ghost)"), await curves_in(page, "ghost")];
    assert.notDeepEqual(changed, ghost);
    const other = await stage.visit(new URL(page.url()).hash, { viewport });
    await ready(other);
    assert.deepEqual([await other.getByLabel("Factor").inputValue(), await other.getByLabel("Do to attention").inputValue()], ["3.5", "scale"]);
    await stage.leave(other);
    await button(page, "Undo").click();
    await page.waitForFunction(() => !/act=|by=/.test(location.hash));
    await stage.leave(page);
  }
});

test("Fovea's own flags stand on the keyword's time line before training, and the table says who was nearer", async () => {
  for (const viewport of sizes) {
    const page = await stage.visit("#/start?scene=keyword&bet=1,240", { viewport });
    await ready(page);
    const flags = await page.locator(".fovea-flag").evaluateAll((all) => all.map((one) => Number(one.dataset.step)));
    assert.equal(flags.length, 2);
    assert.ok(20 < flags[0] && flags[0] < flags[1] && flags[1] < 240, flags.join());
    await button(page, "Train it").click();
    await past_step(page, Math.ceil(1.15 * flags[1]));
    await button(page, "Pause").click();
    const rows = await page.locator(".score tbody tr").evaluateAll((all) => all.map((row) => [...row.cells].map((cell) => cell.textContent)));
    for (const i of [0, 1]) {
      assert.equal(rows[i][4], String(flags[i]));
      assert.match(rows[i][5], /^Fovea, \d+ steps? closer$/);
    }
    await expect_accessible(page);
    await stage.leave(page);
  }
  // Another optimiser's steps do not follow the flow: no flag is drawn.
  const page = await stage.visit("#/start");
  await ready(page);
  assert.equal(await page.locator(".fovea-flag").count(), 0);
  await stage.leave(page);
});

test("where a server shows the page, a class sees the spread of its bets", async () => {
  const pages = [];
  for (const [i, bet] of ["10,20", "30,40", "50,"].entries()) {
    const page = await stage.visit("#/start?seed=5", { viewport: sizes[i % 2], reducedMotion: "reduce" });
    await ready(page);
    await page.getByText("This server collects the bets, without names.").waitFor();
    for (const [flag, step] of bet.split(",").entries()) {
      const field = page.getByLabel(`Your bet as a number: ${["β", "α"][flag]} at 50 %`);
      await field.fill(step);
      await field.press("Enter");
    }
    await page.waitForFunction((bet) => new URLSearchParams(location.hash.split("?")[1]).get("bet") === bet, bet);
    assert.equal(await page.locator(".spread").count(), 0, "nobody sees a bet before the own one");
    await button(page, "Next evaluation").click();
    await at_step(page, 2);
    pages.push(page);
  }
  // Who opens the link of somebody else has not bet, and a page that is opened again has bet once.
  const guest = await stage.visit("#/start?seed=5&bet=10,20", { reducedMotion: "reduce" });
  await pages[0].reload();
  for (const page of [guest, pages[0]]) {
    await ready(page);
    await button(page, "Next evaluation").click();
    await at_step(page, 2);
  }
  pages.push(guest);
  for (const page of pages) {
    await page.getByText("3 people have bet on this server. β at 50 %: median 30, from 10 to 50. α at 50 %: median 30, from 20 to 40.").waitFor();
    assert.equal(await page.locator(".spread circle").count(), 5);
    await stage.leave(page);
  }
});

test("a head of the weather is ablated, beside the plateaus that are predicted", async () => {
  const page = await stage.visit("#/start?scene=weather", { reducedMotion: "reduce" });
  await ready(page);
  // Each has its name and value to the right of the curves, and no dashes as the untouched training has them.
  const rungs = page.locator(".bet-plot text.predicted");
  for (const [i, name] of ["bigram", "unigram", "uniform"].entries()) assert.match(await rungs.nth(i).textContent(), new RegExp(`^${name} \\d\\.\\d+$`));
  const rule = page.locator(".bet-plot .rule").first();
  assert.equal(await rule.evaluate((line) => getComputedStyle(line).strokeDasharray), "none");
  assert.ok((await rungs.first().boundingBox()).x >= (await rule.boundingBox()).x + (await rule.boundingBox()).width);
  await page.getByRole("combobox", { name: "What", exact: true }).selectOption("layer.1.head.1");
  await page.getByLabel("Do to attention").selectOption("ablate");
  await page.getByLabel("From step").fill("4");
  await button(page, "Change it").click();
  await at_step(page, 4);
  assert.equal(await word_in(page, "of"), "layer.1.head.1");
  await page.getByText("Now layer 1, head 1 is ablated from step 4 to the end.").waitFor();
  await expect_accessible(page);
  await stage.leave(page);
});
