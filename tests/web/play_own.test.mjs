// Texts of a person's own in the playground: predicted, trained on, compared; and kept in the browser.
import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { answer_to, changing, evidence_of, paste, trust, trusted, use } from "./own_texts.mjs";
import { at_step, button, open_settings, past_step, saved } from "./playing.mjs";
import { Stage, expect_accessible } from "./stage.mjs";

let stage;
before(async () => (stage = await Stage.open()));
after(() => stage?.close());

const problem = (page) => page.getByRole("region", { name: "Your texts" }).getByRole("alert");

// "gut" and "schlecht" tell, in capital letters and with signs; the others do not.
const lines = Array.from({ length: 80 }, (_, i) => `${i % 2 ? "minus" : "plus"}\tDas ${["Brot", "Bier", "Öl"][i % 3]} war ${i % 2 ? "SCHLECHT" : "Gut"}, wie ${["immer", "oft"][(i >> 1) % 2]} ${i}!`);
const text = lines.join("\n");

const predicts = "Predicted, before any training: single words indicate the label";
const unfold = (page, name) => page.locator("details.fold > summary", { hasText: name }).click();
// Word to its row of the table: times, predicted, learned.
const table_of = (page) =>
  page.getByRole("region", { name: "Attention on each word" }).first().evaluate((region) => Object.fromEntries([...region.querySelectorAll("tbody tr")].map((row) => [row.querySelector("th").textContent, [...row.querySelectorAll("td")].map((cell) => Number(cell.textContent))])));

test("own texts are predicted from, trained on and compared word by word, and the program finds the same", async () => {
  const page = await stage.visit("#/play?task=own");
  await button(page, "Play").waitFor();
  assert.ok(await button(page, "Play").isDisabled());
  assert.deepEqual(await page.locator(".follows b").allInnerTexts(), ["Predict.", "Train.", "Compare."]);
  assert.equal(await page.getByRole("slider").count(), 0, "there is no step to look at yet");
  await paste(page, text);
  await use(page);
  await page.getByText("80 texts of 2 classes (plus: 40, minus: 40), 92 different words.").waitFor();
  await page.getByRole("heading", { name: predicts }).waitFor();
  const evidence = await evidence_of(page);
  for (const [word, label] of [["gut", "plus"], ["schlecht", "minus"]]) {
    assert.deepEqual([evidence[word].label, evidence[word]["texts : others"], evidence[word].probability], [label, "40 : 0", "> 0.99 strong"]);
    assert.match(evidence[word]["predicted attention"], /^0\.\d\d$/, "predicted and learned attention have one unit");
  }
  // Each of both words gives its label away, which is said first.
  const leak = /^Each of “(gut|schlecht)”, “(gut|schlecht)” alone gives a label\. Remove them and check again\.$/;
  assert.match(await trust(page).first().innerText(), leak);
  assert.match(await answer_to(page, "Where will attention go?").innerText(), /^Most to “(gut|schlecht)” and “(gut|schlecht)”\. Predicted weights, from 0 to 1: “(gut|schlecht)” 0\.\d\d, /);
  await trusted(page).getByText("Not known before training.").waitFor();
  await page.getByRole("heading", { name: "Held-out texts, with predicted attention" }).waitFor();
  for (const weight of await page.locator(".held-out li span").evaluateAll((all) => all.filter((one) => /^(gut|schlecht) /.test(one.textContent)).map((one) => Number(one.querySelector("small").textContent)))) assert.ok(weight > 0.5, `${weight}`);
  await page.getByText("Other models and seeds may attend to other words.").waitFor();
  // At 1440 by 900 the training is played without scrolling.
  const box = await button(page, "Play").boundingBox();
  assert.ok(box.y + box.height < 900, `Play at ${box.y}`);
  assert.equal(await page.getByText("Nothing is learned yet: press Play, and compare.").count(), 1);
  assert.equal(await page.getByRole("region", { name: "Attention on each word" }).count(), 0);
  await unfold(page, "All words of the held-out texts");
  // While attention is uniform it tells nothing of the words, which is said, and where it would tell more.
  await button(page, "Next evaluation").click();
  const first = await table_of(page);
  const uniform = 1 / 9; // das brot war gut , wie immer 3 !
  for (const [word, [, , learned]] of Object.entries(first)) assert.ok(Math.abs(learned - uniform) < 0.05, `${word} ${learned}`);
  await page.getByText(/Attention is almost uniform \(entropy (0\.9\d|1\.00) of 1\), so it does not show/).waitFor();
  // There is no verdict while training runs, and no heading over learned numbers that calls them predicted.
  assert.match(await trusted(page).innerText(), /^No verdict before the last step\. At step \d+ of 400 attention is nearly uniform\./);
  assert.equal(await page.getByRole("heading", { name: predicts }).count(), 0);
  await page.getByRole("heading", { name: "Words that indicate each label" }).waitFor();
  const other = await page.getByRole("link", { name: "A model with a weight and a logit for each word" }).getAttribute("href");
  assert.match(other, /model=unigram-gate$/);
  const scrub = page.getByLabel("Look at step");
  await scrub.fill("400");
  await past_step(page, 400);
  const last = await table_of(page);
  for (const word of ["gut", "schlecht"]) assert.ok(last[word][1] > 0.5 && last[word][2] > 0.5, `${word} ${last[word]}`);
  for (const word of ["das", "war", "!"]) assert.ok(last[word][1] < 0.1 && last[word][2] < 0.1, `${word} ${last[word]}`);
  // How each label is recognised is said with the numbers of the table, and of which answers change without a word.
  await page.getByText(changing).waitFor();
  const found = await page.locator(".found").innerText();
  assert.match(await trust(page).first().innerText(), leak);
  const trained = await evidence_of(page);
  for (const word of ["gut", "schlecht"]) {
    assert.equal(Number(trained[word]["learned attention"]), last[word][2], "learned attention is the same in both tables");
    assert.ok(found.includes(`Without “${word}”, ${trained[word][changing]} answers change`), `${found} ${JSON.stringify(trained[word])}`);
  }
  assert.match(found, /“(plus|minus)” is recognised by the word “(gut|schlecht)”\./);
  assert.deepEqual(await page.locator(".answer dt").allInnerTexts(), ["Can I trust attention?", "Which words does the model use?", "How good are the answers?", "Was the forecast right?", "What should I do next?"]);
  assert.match(await trusted(page).innerText(), /^(Yes|Yes for the answer “(plus|minus)”, no for “(plus|minus)”|No) \(this LSTM, one training, seed 0\)\. If the word with most attention is removed, /);
  // Each held-out text has its answer.
  await button(page, "Show all 16").click();
  assert.equal(await page.locator(".held-out li").count(), 16);
  assert.ok((await page.locator(".held-out li > p:first-child").allInnerTexts()).every((one) => /^Line \d+, labelled (plus|minus)\. The model answers \1 \(probability \d\.\d\d\), ✓ correct\./.test(one)));
  // The trained model reads a sentence, with and without a word.
  await page.getByRole("textbox", { name: /^Your own sentence: what does the trained model/ }).fill("Das Bier war schlecht");
  const answer = page.locator(".new-text [aria-live]");
  await answer.getByText(/^After step 400 the answer is minus \(probability (0\.9\d|1\.00)\)/).waitFor();
  const word = page.locator(".new-text").getByRole("button", { name: /^schlecht/ });
  assert.ok(Number((await word.innerText()).match(/[\d.]+$/)[0]) > 0.5);
  await word.click();
  const without = /Without “schlecht” it is (minus|plus) \(probability [01]\.\d\d\): the answer (changes|does not change)\./;
  await answer.getByText(without).waitFor();
  const [, label, verdict] = (await answer.innerText()).match(without);
  assert.equal(verdict, label === "plus" ? "changes" : "does not change");
  assert.equal(await word.getAttribute("aria-pressed"), "true");
  await word.click();
  await answer.getByText("Select a word to remove it").waitFor();
  // What it reads of a held-out text is the attention that was measured on that text.
  const parts = (of) => of.evaluateAll((all) => all.map((one) => one.textContent.trim().split(" ")));
  const text_read = await parts(page.locator(".compared .shaded").last().locator("span"));
  await page.locator(".new-text input").fill(text_read.map(([one]) => (one === "<unknown>" ? "qqqq" : one)).join(" "));
  await page.locator(".new-text .shaded button").nth(text_read.length - 1).locator("small").waitFor();
  if (text_read.some(([one]) => one === "<unknown>")) await page.getByText("No text for training has “qqqq”: the model reads an unknown word.").waitFor();
  const weights = (of) => of.map(([, weight]) => weight);
  assert.deepEqual(weights(await parts(page.locator(".new-text .shaded button"))), weights(text_read));
  const told = await page.getByText(/^In \d+ of 16 held-out texts.*\(by chance: \d/).innerText();
  assert.ok(!told.includes("almost uniform"), told);
  assert.ok(Number(told.match(/^In (\d+)/)[1]) >= 14, told);
  // How many it labels correctly, beside what the same answer for all of them would come to.
  assert.match(await answer_to(page, "How good are the answers?").innerText(), /^16 of 16 held-out texts are labelled correctly \(100\s%\)\. Always answering the same label is correct for 8 \(50\s%\)\.$/);
  const forecast = (await answer_to(page, "Was the forecast right?").innerText()).match(/^Yes, in (\d+ of 16) texts\..* Chance alone gives (\d\.\d) texts\./);
  assert.ok(told.startsWith(`In ${forecast[1]} `) && told.includes(`(by chance: ${forecast[2]})`), "the answer and the table agree");
  const goes_with = await page.locator(".compared tbody tr").evaluateAll((rows) => Object.fromEntries(rows.map((row) => [row.querySelector("th").textContent, row.querySelector("td:last-child").textContent])));
  assert.deepEqual([goes_with.gut, goes_with.schlecht, goes_with.war], ["plus", "minus", "–"]);
  // The spec holds the texts: the program predicts and trains the same.
  const spec = join(stage.home, "own.toml");
  await writeFile(spec, (await saved(page, () => button(page, "Spec for fovea run").click())).bytes);
  const predicted = JSON.parse(await stage.fovea("predict", spec, "--json", "--quiet"));
  assert.equal(predicted.verdict, "early");
  assert.deepEqual(predicted.outputs.map(({ words }) => words.map(({ word }) => word)).flat().sort(), ["gut", "schlecht"]);
  const run = JSON.parse(await stage.fovea("run", spec, "--json", "--quiet"));
  assert.equal(run.metrics.accuracy, 1);
  await stage.leave(page);
});

test("of too few texts the words that may tell are named, and no attention is predicted", async () => {
  const page = await stage.visit("#/play?task=own");
  const few = Array.from({ length: 40 }, (_, i) => `${i % 2 ? "minus" : "plus"}\tder die das ein und war ist am im zu ${i % 3 ? (i % 2 ? "schlecht" : "gut") : "nun"} nr${i}`);
  await paste(page, few.join("\n"));
  await use(page);
  await page.getByRole("heading", { name: "Counted: single words indicate the labels. Attention is not predicted (too few texts)" }).waitFor();
  assert.equal(await answer_to(page, "Where will attention go?").innerText(), "No forecast. 40 texts are too few for a joint forecast of 53 words: only the 10 most frequent can be counted together. Single words do indicate the labels: the table has them.");
  await page.locator("details > summary", { hasText: "How this was computed" }).click();
  await page.getByText("That needs more texts for each word than there are here.").waitFor();
  const evidence = await evidence_of(page);
  assert.deepEqual([evidence.gut.label, evidence.gut["texts : others"]], ["plus", "13 : 0"]);
  assert.deepEqual([evidence.schlecht.label, evidence.schlecht["texts : others"]], ["minus", "13 : 0"]);
  for (const cells of Object.values(evidence)) assert.deepEqual(Object.keys(cells), ["label", "texts : others", "probability"], "no column of predicted attention");
  // Words in the texts of one label are listed, and none is called a leak.
  assert.equal(await trust(page).count(), 0);
  assert.match(await page.locator(".of-one-label").innerText(), /^2 words occur in one label only: topic or leak\? (plus: “gut” \(13 texts\)\. minus: “schlecht” \(13 texts\)|minus: “schlecht” \(13 texts\)\. plus: “gut” \(13 texts\))\.\s+A topic word belongs to the meaning of the label: keep it\./);
  const sentence = page.getByRole("textbox", { name: "Your own sentence: which of its words indicate a label?" });
  await sentence.fill("das war schlecht");
  await page.getByText("Words that indicate a label: schlecht (minus, probable). Attention is not predicted.").waitFor();
  await sentence.fill("das war nun");
  await page.getByText("No word indicates a label.").waitFor();
  await unfold(page, "All words of the held-out texts");
  await button(page, "Next evaluation").click();
  await page.getByText("Attention was not predicted.").waitFor();
  // What was learned stands beside what was counted, and in the sentence above.
  assert.match((await evidence_of(page)).gut["learned attention"], /^0\.\d\d$/);
  assert.deepEqual(await page.locator(".compared thead th").allInnerTexts(), ["word", "times", "learned", "indicates"]);
  await stage.leave(page);
});

test("a number in a text is shown as it was written", async () => {
  const page = await stage.visit("#/play?task=own");
  // The words are numbered by how often they occur, so “1” has number 1, and so on: these are no words of made tasks.
  await paste(page, Array.from({ length: 100 }, (_, i) => `${i % 2 ? "minus" : "plus"}\t${Array.from({ length: 20 }, (_, k) => k + 1).filter((k) => (37 * i) % 100 <= 105 - 5 * k).join(" ")}`).join("\n"));
  await use(page);
  await button(page, "Next evaluation").click();
  await unfold(page, "All words of the held-out texts");
  const words = Object.keys(await table_of(page));
  assert.ok(words.length > 15 && words.every((word) => /^(\d+|<unknown>)$/.test(word)), `${words}`);
  await page.getByRole("textbox", { name: /^Your own sentence/ }).fill("1 12 star");
  await page.getByText("No text for training has “star”: the model reads an unknown word.").waitFor();
  await stage.leave(page);
});

test("they are kept in this browser alone, until they are forgotten", async () => {
  const page = await stage.visit("#/play?task=own");
  await button(page, "Take an example").click();
  await page.getByText("120 texts of 2 classes").waitFor();
  await at_step(page, 0);
  assert.ok(!page.url().includes("film"));
  await page.reload();
  await page.getByText("120 texts of 2 classes").waitFor();
  await page.getByRole("heading", { name: predicts }).waitFor();
  await button(page, "Forget them").click();
  await page.getByText("120 texts of 2 classes").waitFor({ state: "detached" });
  await page.reload();
  await button(page, "Take an example").waitFor();
  assert.equal(await page.getByRole("textbox", { name: /^Your texts/ }).inputValue(), "");
  assert.ok(await button(page, "Play").isDisabled());
  await stage.leave(page);
});

test("what cannot be taken is said, and what was there stays", async () => {
  const page = await stage.visit("#/play?task=own");
  await button(page, "Take an example").click();
  await page.getByText("120 texts of 2 classes").waitFor();
  for (const [given, says] of [
    [" \n ", "there is no text"],
    ["good\tone\nbad\ttwo\ngood\n", "Line 3 has no tab: write a label, a tab and a text."],
    ["a text without anything\nanother", "Line 1 has no tab, comma or semicolon"],
    ["good,one\nbad,two, three\n", "Line 2 has 3 columns, but the first line has 2"],
    ["good,one, really\nbad,two, three\n", "Line 1 has 3 columns, where a label and a text are expected. Put texts that hold commas in double quotes"],
    ["good\tone\t\nbad\ttwo\tthree\n", "Line 2 has 3 columns, where a label and a text are expected. Leave out further columns, and tabs within texts"],
    [Array(12).fill("same\twords here").join("\n"), 'Every text has the label "same"'],
    [Array(12).fill("a\twords here").join("\n") + "\nb\tother words", 'The class "b" has one text'],
    [Array(12).fill("a\twords here").join("\n") + "\nb\t\u200b", "Text 13"],
    ["a\t" + "many words ".repeat(1e5), "1.1 MB, and this page takes at most 1 MB"],
    [Array.from({ length: 30 }, (_, i) => `a sentence ${i}\tgood`).join("\n"), "30 different labels"],
  ]) {
    await paste(page, given);
    await use(page);
    await problem(page).getByText(says).waitFor();
    await page.getByText("120 texts of 2 classes").waitFor();
    // What was predicted of the earlier texts is grey.
    await problem(page).getByText("What is shown is of the earlier data.").waitFor();
    const colour = (of) => of.evaluate((one) => getComputedStyle(one).color);
    assert.equal(await colour(page.locator(".answer dd").first()), await colour(page.locator(".own .soft")));
  }
  // Texts of five thousand words want more memory than a browser has, which is said, and the page stays as long as it is.
  await paste(page, Array.from({ length: 10 }, (_, i) => `${i % 2 ? "no" : "yes"}\t${i % 2 ? "never" : "always"} ${"so it goes on ".repeat(1250)}${i}`).join("\n"));
  await use(page);
  await page.getByText(/A browser does not have enough memory for this training\. Give texts of fewer than \d+ words \(the longest has 500\d\), use a smaller batch/).waitFor();
  const [whole, seen] = await page.evaluate(() => [document.documentElement.scrollHeight, innerHeight]);
  assert.ok(whole < 5 * seen, `${whole} high in a window of ${seen}`);
  await page.getByLabel("Open a file").setInputFiles({ name: "reviews.csv", mimeType: "text/csv", buffer: Buffer.from("label,text\n" + lines.map((line) => line.replace("\t", ',"') + '"').join("\n")) });
  await page.getByText("The first line (label, text) is taken for the names of the columns, and is no text.").waitFor();
  // A label may be last, and its header is one, too.
  await paste(page, "text,label\n" + lines.map((line) => line.replace(/^(.*)\t(.*)$/, '"$2",$1')).join("\n"));
  await use(page);
  await page.getByText(/^80 texts of 2 classes \(plus: 40, minus: 40\).* The first line \(text, label\) is taken for the names of the columns, and is no text\. The labels are in the last column\./).waitFor();
  await paste(page, lines.map((line) => line.split("\t").reverse().join("\t")).join("\n"));
  await use(page);
  await page.getByText(/^80 texts of 2 classes \(plus: 40, minus: 40\).* The labels are in the last column\./).waitFor();
  await page.waitForFunction(() => document.querySelector(".own [role=alert]").textContent === "");
  await stage.leave(page);
});

test("own points are answered from one another, nearer ones counting more as the width is learned", async () => {
  const page = await stage.visit("#/play?task=points");
  const problem = page.getByRole("region", { name: "Your points" }).getByRole("alert");
  for (const [given, says] of [
    ["", "There are no points"],
    ["x,y\n1,2\n2,drei\n", 'Line 3 is "2,drei" and not two numbers'],
    ["1,2\n2,3\n", "There are 2 points"],
    [Array(9).fill("1,2").join("\n"), "Every x is 1"],
    [Array.from({ length: 251 }, (_, i) => `${i},1`).join("\n"), "There are 251 points"],
  ]) {
    await page.getByRole("textbox", { name: /^Your points/ }).fill(given);
    await button(page, "Use them").click();
    await problem.getByText(says).waitFor();
  }
  await button(page, "Take an example").click();
  await page.getByText("60 points, x from").waitFor();
  await at_step(page, 0);
  assert.deepEqual(await page.getByRole("combobox", { name: "What is done to attention", exact: true }).locator("option").allTextContents(), ["hold it uniform: equal weights", "do not train it"]); // nobody knows the truth
  // The mean squared distance of the curve to the points.
  const apart = async () => {
    const { bytes } = await saved(page, () => page.getByRole("group", { name: /^Save the figure: The points/ }).getByRole("button", { name: "CSV" }).click());
    const rows = String(bytes).trim().split("\n").slice(1).map((line) => line.split(",").map(Number));
    assert.equal(rows.length, 60);
    assert.ok(rows.every((row) => row.length === 4 && row.every(Number.isFinite)));
    return rows.reduce((sum, [, y, pooled]) => sum + (y - pooled) ** 2, 0) / rows.length;
  };
  const predicted = Number((await page.getByRole("heading", { name: /^Predicted, before any training: w comes to/ }).innerText()).match(/[\d.]+$/)[0]);
  const before = await apart();
  await page.getByLabel("Look at step").fill("400");
  await past_step(page, 400);
  const after = await apart();
  assert.ok(after < 0.5 * before, `${before} ${after}`);
  const told = await page.getByText(/At step 400 it has come to w = /).innerText();
  const learned = Number(told.match(/it has come to w = ([\d.]+\d)/)[1]);
  assert.ok(Math.abs(learned / predicted - 1) < 0.03, `${learned} and ${predicted}`);
  // Its way there is a curve.
  const of_figure = (name, as) => saved(page, () => page.getByRole("group", { name: `Save the figure: ${name}` }).getByRole("button", { name: as }).click());
  const way = String((await of_figure("w, step by step", "CSV")).bytes).trim().split("\n").slice(1).map((line) => line.split(",").map(Number));
  assert.deepEqual([way[0], way.at(-1)[0]], [[0, 1], 400]);
  assert.ok(Math.abs(way.at(-1)[1] / learned - 1) < 1e-2);
  // Of sixty points each has little attention: the map's colours go as far as that, and it is saved with what they mean.
  const cells = String((await of_figure("The attention map", "CSV")).bytes).trim().split("\n").slice(1).map((line) => line.split(",").map(Number));
  assert.equal(cells.length, 3600);
  const most = Math.max(...cells.map((cell) => cell[4])), scale = Number((await page.getByText(/^attention, from 0 to /).innerText()).match(/[\d.]+$/)[0]);
  assert.ok(most <= scale && scale <= 2.5 * most, `${most} ${scale}`);
  const map = String((await of_figure("The attention map", "SVG")).bytes);
  assert.match(map, /<image href="data:image\/png;base64,[^]*attention, from 0 to/);
  assert.ok(cells.slice(0, 60).filter((cell) => map.includes(`>${cell[3]}</text>`)).length >= 12, "the words beside it"); // of sixty, every fifth at least
  assert.equal((await of_figure("The attention map", "PNG")).bytes.subarray(1, 4).toString(), "PNG");
  // Where training begins so narrow that nothing can be learned, it says so.
  await open_settings(page);
  const start = page.getByLabel("w at the start", { exact: true });
  await start.fill("1e5");
  await start.press("Enter");
  await page.getByRole("heading", { name: "Predicted, before any training: w stays where it is" }).waitFor();
  await page.getByRole("combobox", { name: /^Model/ }).selectOption("average");
  await page.getByRole("heading", { name: "Predicted, before any training: nothing moves" }).waitFor();
  await expect_accessible(page);
  await stage.leave(page);
});

// In light and dark, narrow and wide.
async function expect_open_to_all(page) {
  for (const colorScheme of ["light", "dark"])
    for (const width of [390, 1440, 2560]) {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height: 900 });
      await expect_accessible(page);
      const [inner, outer] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
      assert.ok(inner <= outer, `${inner} wide at ${outer}`);
    }
}

test("nothing serious stands in the way of anybody, whatever words they bring", async () => {
  const page = await stage.visit("#/play?task=own&beside=model.hidden=8");
  await expect_open_to_all(page); // nothing is given yet
  const long = "donaudampfschifffahrtsgesellschaftskapitänskajütenschlüsselbund";
  await paste(page, Array.from({ length: 60 }, (_, i) => `${i % 2 ? "سيئ" : `جيد ${long}`}\tهذا ${i % 2 ? "مملا" : "رائعا"} ${long.slice(0, 20 + i)} 👩‍👩‍👧 ☹️ 好 z`).join("\n"));
  await use(page);
  await unfold(page, "All words of the held-out texts");
  await page.getByText("Nothing is learned yet: press Play, and compare.").first().waitFor();
  await button(page, "Next evaluation").click();
  await page.getByRole("region", { name: "Attention on each word" }).first().waitFor();
  const shown = await table_of(page);
  for (const [word, times] of [["👩", 24], ["👧", 12], ["☹", 12], ["好", 12], ["z", 12], ["هذا", 12]]) assert.equal(shown[word]?.[0], times, word);
  await paste(page, "");
  await use(page);
  await problem(page).getByText("There is no text").waitFor();
  await expect_open_to_all(page);
  await page.goto(page.url().replace(/#.*/, "#/play?task=points"));
  await button(page, "Take an example").click();
  await page.getByRole("heading", { name: /^Predicted, before any training: w comes to/ }).waitFor();
  await expect_open_to_all(page);
  await stage.leave(page);
});
