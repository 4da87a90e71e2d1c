// What is answered on texts of a person's own: which words the model uses, and whether to trust attention.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { parts_of_page } from "./in_node.mjs";
import { answer_to, changing, evidence_of, paste, trust, trusted, use } from "./own_texts.mjs";
import { at_step, button, past_step } from "./playing.mjs";
import { Stage } from "./stage.mjs";

const { predicted, seeds_told } = await parts_of_page("own/answer.ts", "own/before.ts");

let stage;
before(async () => (stage = await Stage.open()));
after(() => stage?.close());

// One class is signed "backoffice", the other "fieldservice"; the other words are drawn.
const signed = Array.from({ length: 120 }, (_, i) => `${i % 2 ? "technical" : "billing"}\tthe ${["invoice", "router", "amount", "cable", "login"][(i * 7) % 5]} was ${["wrong", "late", "lost"][(i * 5) % 3]} on ${["monday", "friday"][(i >> 1) % 2]} , ${["tom", "julia", "sandra"][(i * 11) % 3]} ${i % 2 ? "fieldservice" : "backoffice"}`).join("\n");

// One class has the word "escalated", the other has none of its own.
const alone = Array.from({ length: 80 }, (_, i) => `${i % 2 ? "urgent" : "routine"}\tthe ${["invoice", "router", "amount"][(i >> 1) % 3]} ${i % 2 ? "escalated " : ""}was ${["wrong", "late"][(i >> 2) % 2]} ${["today", "again", "here"][(i >> 3) % 3]} ${i}`).join("\n");

test("of words that give labels away it is said how each label is recognised, and they are removed by a button", async () => {
  const page = await stage.visit("#/play?task=own&step=0");
  await paste(page, signed);
  await use(page);
  await trust(page).getByText(/^Each of “(backoffice|fieldservice)”, “(backoffice|fieldservice)” alone gives a label\./).waitFor();
  await page.getByLabel("Look at step").fill("400");
  await past_step(page, 400);
  await page.getByText(changing).waitFor();
  const found = await page.locator(".found").innerText(), rows = await evidence_of(page);
  const by = found.match(/“(billing|technical)” is recognised by the word “(backoffice|fieldservice)”\./);
  assert.ok(by, found);
  for (const word of ["backoffice", "fieldservice"]) {
    const [, changed, texts] = found.match(new RegExp(`Without “${word}”, (\\d+) of (\\d+) answers change`));
    assert.equal(rows[word][changing], `${changed} of ${texts}`);
    assert.equal(texts, "12");
  }
  assert.ok(Number(rows[by[2]][changing].split(" ")[0]) >= 6, "the word decides its label");
  const other = by[1] === "billing" ? "technical" : "billing";
  if (found.includes("by the absence of")) assert.match(found, new RegExp(`“${other}” is recognised by the absence of “${by[2]}”\\..*; with “${by[2]}” in its place, 1[0-2] of 12\\.`));
  await button(page, "Remove these words and check again").click();
  await page.getByText(/^Checked without “(backoffice|fieldservice)”, “(backoffice|fieldservice)”\./).waitFor();
  await past_step(page, 400);
  // No other word indicates a label, so the answers are guesses, and attention explains nothing.
  await trusted(page).getByText(/^No \(this LSTM, one training, seed 0\)\. The answers are guesses: \d+ of 24 are correct, and one label for all texts gives 12\./).waitFor();
  await answer_to(page, "What should I do next?").getByText("Show no word as a reason. No word in these texts indicates a label beyond chance. Add texts, or check the labels.").waitFor();
  assert.equal(await trust(page).count(), 0, "nothing gives the label away");
  await page.getByText("The words below are the likeliest, and all of them are weak.").waitFor();
  assert.equal(await page.getByRole("region", { name: "Words that indicate each label" }).getByText(/backoffice|fieldservice/).count(), 0);
  assert.ok((await page.getByRole("textbox", { name: /^Your texts/ }).inputValue()).includes("backoffice"), "the texts stay as they were given");
  await button(page, "Put them back").click();
  await trust(page).getByText(/alone gives a label/).waitFor();
  // Other texts are not trained on before that is asked for.
  await paste(page, alone);
  await use(page);
  await page.getByText("80 texts of 2 classes").waitFor();
  await at_step(page, 0);
  await stage.leave(page);
});

test("where attention is on words that indicate no label, the verdict says so", async () => {
  // Of many words a few are skewed; the model learns the training texts by heart.
  const page = await stage.visit("#/play?task=own");
  const random = (i, of) => Math.abs(Math.floor(Math.sin(12.9898 * i + 78.233 * of) * 43758.5453)) % of;
  await paste(page, Array.from({ length: 60 }, (_, i) => `${i % 2 ? "minus" : "plus"}\t${Array.from({ length: 12 }, (_, k) => `w${random(13 * i + k, 40)}`).join(" ")}`).join("\n"));
  await use(page);
  await page.getByLabel("Look at step").fill("400");
  await past_step(page, 400);
  await page.locator(".held-out .wrong").first().waitFor();
  assert.match(await trusted(page).innerText(), /^No \(this LSTM, one training, seed 0\)\. (\d+\s% of attention is on words that indicate no label; with equal weights it would be \d+\s%\..* |The answers are guesses: \d+ of 12 are correct, and one label for all texts gives 6\. )?If the word with most attention is removed, ((only )?\d+ of 12 answers changes?|none of 12 answers changes)\.$/);
  assert.match(await answer_to(page, "What should I do next?").innerText(), /^Show no word as a reason\. No word in these texts indicates a label beyond chance\./);
  await page.locator(".held-out").getByText("✗ wrong").first().waitFor();
  // A text is taken over, to remove words from.
  await page.locator(".held-out li").first().getByRole("button", { name: "Remove words" }).click();
  await page.locator(".new-text").getByText(/^After step 400 the answer is/).waitFor();
  await stage.leave(page);
});

test("of a table of quoted columns, words with equal counts are one group, and answers without all of them are tested", async () => {
  const page = await stage.visit("#/play?task=own");
  const own = { sport: ["season", "coach", "match"], business: ["market", "prices", "bank"] };
  const rows = Array.from({ length: 60 }, (_, i) => [i % 2 ? "business" : "sport", i >> 1]).map(([label, k], i) => `${label},The ${own[label][k % 3]} of week ${i},"A report, on the ""${own[label][(k + 1) % 3]}"", number ${i}"`);
  await paste(page, ["class,title,description", ...rows].join("\n"));
  await use(page);
  await page.getByText("60 texts of 2 classes (sport: 30, business: 30)").waitFor();
  await page.getByText("The first line (class, title description) is taken for the names of the columns, and is no text. Columns 2 to 3 are joined into one text.").waitFor();
  // Equal counts do not decide which of the words gets attention.
  const group = "“\\w+”, “\\w+” and “\\w+”";
  assert.match(await answer_to(page, "Where will attention go?").innerText(), new RegExp(`^Most to one or more of ${group}, and to one or more of ${group}\\. The words of a group have equal counts, so`));
  const rows_of = await evidence_of(page);
  for (const words of Object.values(own)) for (const word of words) assert.match(rows_of[word]["predicted attention"], /^\d\.\d\d–\d\.\d\d$/, word);
  assert.equal(await trust(page).count(), 0, "none of six words alone gives the label");
  await page.getByText("6 words occur in one label only: topic or leak?").waitFor();
  await page.getByLabel("Look at step").fill("400");
  await past_step(page, 400);
  await page.getByText(changing).waitFor();
  // No word decides, as each text has two: without all of them the model guesses.
  assert.match(await answer_to(page, "Which words does the model use?").innerText(), /^No single word\. The words that indicate a label decide together\. .*Without all 6 words that indicate a label, \d+ of 12 answers are correct, and one label for all texts gives 6\. 12 of 12 held-out texts have two or more words of their label/);
  assert.match(await answer_to(page, "Was the forecast right?").innerText(), /is the predicted word or one with equal counts\./);
  const other = page.getByRole("link", { name: "Try a model with a weight and a logit per word" });
  const words = new URLSearchParams((await other.getAttribute("href")).split("?")[1]);
  assert.deepEqual([words.get("model"), words.get("step")], ["unigram-gate", "400"]);
  const verdict = (await trusted(page).innerText()).match(/^(.*?) \(this LSTM, one training, seed 0\)\./)[1];
  await button(page, "Train two more seeds").click();
  const compared = await page.locator(".answer > p", { hasText: "of 3 trainings" }).innerText();
  assert.ok(compared.startsWith(`The verdict is “${verdict}” in 3 of 3 trainings (seeds 0 to 2).`) || new RegExp(`^The verdict is the same in [12] of 3 trainings: seed 0 “${verdict}”, seed 1 “.*”, seed 2 “.*”\\.`).test(compared), compared);
  assert.match(compared, /\. Word with the largest mean weight: seed 0 (“\w+”|none), seed 1 (“\w+”|none), seed 2 (“\w+”|none)\.$/);
  // After another model there is a way back to the first answer.
  await other.click();
  await trusted(page).getByText("(this model of single words, one training, seed 0)").waitFor();
  await page.getByRole("link", { name: "Back to the answer of the LSTM classifier" }).click();
  await trusted(page).getByText(`${verdict} (this LSTM, one training, seed 0)`).waitFor();
  // One of the words is removed by a click.
  await page.locator(".of-one-label").getByRole("button", { name: "bank" }).click();
  await page.getByText("Checked without “bank”.").waitFor();
  await stage.leave(page);
});

test("punctuation with predicted attention is named", () => {
  const vocabulary = ["good", ".", "the", "#"];
  const said = (...weights) => {
    const training = { source: weights.map(() => [0, 1, 2, 3]), examples: weights.length, word: (token) => vocabulary[token] };
    return predicted(training, { attention: weights, prediction: { attention_predicted: true, trust: "uniform", outputs: [] } })[0];
  };
  const first = said([0.5, 0.45, 0.03, 0.02], [0.5, 0.45, 0.03, 0.02]);
  assert.equal(first.short, "Most to “good”.");
  assert.ok(first.lines.includes("Attention is also predicted on punctuation: the full stop “.” 0.45."), first.lines.join(" "));
  const { short, lines } = said([0.01, 0.47, 0.02, 0.5], [0.01, 0.47, 0.02, 0.5]);
  assert.deepEqual([short, lines], ["Most to punctuation.", ["Predicted weights, from 0 to 1: the sign “#” 0.50, the full stop “.” 0.47."]]);
});

test("a forecast and answers that cannot be computed say so, with the reason", async () => {
  const page = await stage.visit("#/play?task=own");
  // The engine is asked for something that it does not know.
  const refuse = (ask) =>
    page.evaluate((ask) => {
      const post = Worker.prototype.postMessage;
      Worker.prototype.postMessage = function (message, ...more) {
        return post.call(this, message.ask ? { ...message, ask: message.ask.replace(`"ask":"${ask}"`, '"ask":"nothing"') } : message, ...more);
      };
    }, ask);
  await refuse("read");
  await paste(page, alone);
  await use(page);
  await trust(page).getByText("“escalated” alone gives the label.").waitFor();
  await page.getByLabel("Look at step").fill("400");
  await past_step(page, 400);
  await trusted(page).getByText(/^Not known: the model's answers could not be measured\. .*nothing/).waitFor();
  await refuse("predict");
  await paste(page, signed);
  await use(page);
  await page.getByText(/^The forecast could not be computed\. .*nothing/).waitFor();
  assert.equal(await page.getByText("The forecast could not be computed.").count(), 1);
  await stage.leave(page);
});

test("of each seed the verdict is told, and the word with the largest mean weight", () => {
  const told = (...all) => seeds_told(all.map(([verdict, word], seed) => ({ seed, verdict, word })));
  assert.equal(told(["No", "bank"], ["No", undefined]), "The verdict is “No” in 2 of 2 trainings (seeds 0 to 1). Word with the largest mean weight: seed 0 “bank”, seed 1 none.");
  assert.equal(told(["No", "bank"], ["Yes", "price"]), "The verdict is the same in 1 of 2 trainings: seed 0 “No”, seed 1 “Yes”. Word with the largest mean weight: seed 0 “bank”, seed 1 “price”.");
});

test("a seed that was chosen for some texts is not that of the next", async () => {
  const page = await stage.visit("#/play?task=own&seed=3");
  await paste(page, alone);
  await use(page);
  await page.locator(".settings > summary", { hasText: "seed 3" }).waitFor();
  await paste(page, signed);
  await use(page);
  await page.locator(".settings > summary", { hasText: "seed 0" }).waitFor();
  assert.ok(!page.url().includes("seed"), page.url());
  await stage.leave(page);
});

test("a label without a word of its own is recognised by the absence of the other's", async () => {
  const page = await stage.visit("#/play?task=own");
  // Both orders of the columns are said before anything is pasted.
  await page.getByRole("textbox", { name: "label,text or text,label" }).waitFor();
  await paste(page, alone);
  await use(page);
  await trust(page).getByText("“escalated” alone gives the label.").waitFor();
  await page.getByLabel("Look at step").fill("400");
  await past_step(page, 400);
  await page.locator(".found").getByText("“urgent” is recognised by the word “escalated”. Without “escalated”, 8 of 8 answers change.").waitFor();
  await page.locator(".found").getByText("“routine” is recognised by the absence of “escalated”. If “escalated” is added, 8 of 8 answers become “urgent”.").waitFor();
  assert.match(await answer_to(page, "Which words does the model use?").innerText(), /^“escalated”\./);
  await stage.leave(page);
});

test("punctuation and single letters are marked as artefacts, and are no reasons", async () => {
  const page = await stage.visit("#/play?task=own");
  await paste(page, Array.from({ length: 120 }, (_, i) => `${i % 2 ? "minus" : "plus"}\t${["der film", "das buch", "ein spiel"][i % 3]} ${i % 2 && i % 5 ? "x ;" : ""} war ${["gestern", "heute", "oft", "nie"][(i >> 1) % 4]} hier`).join("\n"));
  await use(page);
  await page.getByText(/^“(x|;)” \((one letter|punctuation)\) and “(x|;)” \((one letter|punctuation)\) are probably artefacts of how your texts were made\. Do not give them as a reason without a check\.$/).waitFor();
  const table = page.getByRole("region", { name: "Words that indicate each label" });
  await table.getByRole("row", { name: "x one letter" }).waitFor();
  await table.getByRole("row", { name: "; punctuation" }).waitFor();
  await page.getByLabel("Look at step").fill("400");
  await past_step(page, 400);
  await page.getByText(changing).waitFor();
  assert.doesNotMatch(await answer_to(page, "What should I do next?").innerText(), /Counted words indicate/);
  assert.doesNotMatch(await page.locator(".answer dd > b").allInnerTexts().then((all) => all.join("\n")), /“;”/, "punctuation is no word that matters");
  await stage.leave(page);
});

// Each label has 12 words of its own, more than have a row.
test("words without a row indicate their label, too, and texts have the numbers of their lines", async () => {
  const page = await stage.visit("#/play?task=own&model=unigram-gate");
  const own = { plus: "i refund want upgrade extend rude noisy dirty broken send need parking".split(" "), minus: Array.from({ length: 12 }, (_, k) => `m${k}`) };
  const random = (i, of) => Math.abs(Math.floor(Math.sin(12.9898 * i + 78.233 * of) * 43758.5453)) % of;
  const texts = Array.from({ length: 240 }, (_, i) => [i % 2 ? "minus" : "plus", `the ${own[i % 2 ? "minus" : "plus"][(i >> 1) % 12]} ${Array.from({ length: 8 }, (_, k) => `w${random(11 * i + k, 30)}`).join(" ")} n${i}`]);
  await paste(page, ["label,text", "", ...texts.map((row) => row.join(","))].join("\n"));
  await use(page);
  const rows = await evidence_of(page);
  const more = await page.getByText(/^\d+ more words indicate plus: /).innerText();
  for (const word of own.plus) assert.ok(rows[word]?.label === "plus" || more.includes(`“${word}” 10 : 0`), `${word}: ${more}`);
  assert.ok(!rows.i, "of words that are as strong, the letter comes last");
  const [whole, seen] = await page.getByRole("region", { name: "Words that indicate each label" }).evaluate((region) => [region.scrollWidth, region.clientWidth]);
  assert.ok(whole <= seen, `${whole} wide in ${seen}`);
  // On its way to these words, most attention is on the others: the share is that of all words that indicate no label.
  const share = /(\d+)\s% of attention is on words that indicate no label; with equal weights it would be (\d+)\s%/;
  let step = 0, found;
  while (!(found = share.exec(await trusted(page).innerText()))) {
    assert.ok((step += 4) < 400, "no share was told");
    await page.getByLabel("Look at step").fill(`${step}`);
    await at_step(page, step);
  }
  await page.locator("details.fold > summary", { hasText: "All words of the held-out texts" }).click();
  await page.locator(".compared").getByRole("button", { name: /^Show all \d+ words$/ }).click();
  const all = await page.locator(".compared tbody tr").evaluateAll((all) => all.map((row) => [row.querySelector("th"), ...row.querySelectorAll("td")].map((cell) => cell.textContent)));
  const indicate = Object.fromEntries(all.map((row) => [row[0], row.at(-1)]));
  for (const label of ["plus", "minus"]) for (const word of own[label]) assert.ok(indicate[word] === undefined || indicate[word] === label, `${word} indicates ${indicate[word]}`);
  const share_of = (weight) => {
    const sum = (rows) => rows.reduce((sum, row) => sum + Number(row[1]) * weight(row), 0);
    return (100 * sum(all.filter((row) => row.at(-1) === "–"))) / sum(all);
  };
  assert.ok(Math.abs(share_of((row) => Number(row.at(-2))) - Number(found[1])) < 3, `${found} ${share_of((row) => Number(row.at(-2)))}`);
  assert.ok(Math.abs(share_of(() => 1) - Number(found[2])) < 1, `${found} ${share_of(() => 1)}`); // all texts have 11 words
  // The line of the file is the text's, after a header and an empty line.
  await page.locator(".held-out").getByRole("button", { name: /^Show all/ }).click();
  const held_out = await page.locator(".held-out li").evaluateAll((all) => all.map((one) => [one.querySelector("p").textContent, [...one.querySelectorAll(".shaded span")].map((word) => word.firstChild.textContent.trim())]));
  for (const [says, words] of held_out) {
    const [label, text] = texts[Number(says.match(/^Line (\d+), /)[1]) - 3];
    assert.ok(says.includes(`labelled ${label}.`), says);
    text.split(" ").forEach((word, i) => assert.ok(words[i] === word || words[i] === "<unknown>", `${says} ${words}`));
  }
  await stage.leave(page);
});

test("the menu leads to own texts, and the table of evidence is whole on a phone", async () => {
  const page = await stage.visit("", { viewport: { width: 390, height: 844 } });
  const menu = page.getByRole("navigation", { name: "Views" });
  const [wide, room] = await menu.evaluate((nav) => [nav.scrollWidth, nav.clientWidth]);
  assert.ok(wide <= room, `the menu is ${wide} wide in ${room}`);
  await menu.getByRole("link", { name: "Own texts" }).click();
  assert.deepEqual(await menu.locator("[aria-current]").allInnerTexts(), ["Own texts"]);
  await button(page, "Take an example").click();
  // The verdict comes first, and the texts are folded away.
  await page.locator(".answer").waitFor();
  const box = await page.locator(".answer").boundingBox();
  assert.ok(box.y < 300, `the verdict is at ${box.y}`);
  await page.locator(".texts > summary").click();
  await page.getByText("What you give is kept in this browser until you press Forget them, and sent nowhere.").waitFor();
  const table = page.getByRole("region", { name: "Words that indicate each label" });
  const [whole, seen, words] = await table.evaluate((region) => [region.scrollWidth, region.clientWidth, [...region.querySelectorAll("tbody th, tbody td")].map((cell) => cell.getClientRects().length && cell.querySelector("bdi")?.getClientRects().length)]);
  assert.ok(whole <= seen, `${whole} wide in ${seen}`);
  assert.ok(words.every((lines) => lines === undefined || lines === 1), `broken words: ${words}`);
  // After training, too: what changes without a word is beside the word.
  await page.getByLabel("Look at step").fill("400");
  await past_step(page, 400);
  const changes = page.getByRole("columnheader", { name: changing });
  await changes.waitFor();
  const [left, right] = await changes.evaluate((one) => [one.getBoundingClientRect().left, one.getBoundingClientRect().right]);
  assert.ok(left > 0 && right < 250, `${left} to ${right}`);
  const [trained, place] = await table.evaluate((region) => [region.scrollWidth, region.clientWidth]);
  assert.ok(trained <= place, `${trained} wide in ${place}`);
  await menu.getByRole("link", { name: "Playground" }).click();
  assert.deepEqual(await menu.locator("[aria-current]").allInnerTexts(), ["Playground"]);
  await stage.leave(page);
});
