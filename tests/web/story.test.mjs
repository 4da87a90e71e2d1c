// The story: in a report that is opened by double click, and served while a store fills.
import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { inflateSync } from "node:zlib";
import { processor_meter } from "./chromium.mjs";
import { Stage, expect_accessible, slowness, text_of, until } from "./stage.mjs";

let stage, report;

before(async () => {
  stage = await Stage.open();
});
after(async () => {
  await stage?.close();
});

// What is told of an experiment comes when it is near.
async function drawn(page, experiment) {
  const told = page.locator(`[data-experiment="${experiment}"]`);
  await told.waitFor();
  await told.scrollIntoViewIfNeeded();
  await told.locator(".drawn svg[viewBox]").first().waitFor();
}
const unfold = (page, chapter) => page.locator(`#chapter-${chapter}`).click();

test("served, it begins without results, and tells them once they are there", async () => {
  const page = await stage.visit("#/story");
  // The seven ideas and what they come to; the evidence is asked for.
  await page.getByRole("heading", { name: "In short" }).waitFor();
  assert.equal(await page.locator(".chapters, .chapter, .claims, [data-finding]").count(), 0);
  await page.locator("a.button", { hasText: "The evidence" }).click();
  await page.getByText("Nothing has been reproduced yet.").waitFor();
  assert.deepEqual(
    (await page.locator(".chapter h2").allInnerTexts()).slice(0, 9).map((text) => text.replace(/^\d+\s*/, "")),
    ["The toy gate", "The unigram gate", "A keyword classifier", "Features", "Bags", "Attention pooling", "Copying", "Several heads", "Text"],
  );
  const out = JSON.parse(await stage.fovea("reproduce", "toy-uniform", "toy-mistaken", "unigram-gate", "lookup", "--quick", "--quiet", "--json"));
  await page.getByText(`of ${out.claims.length} claims are as stated`).waitFor();
  await drawn(page, "toy-uniform");
  // Each claim says what the program said: a line, and its text and formula if they are asked for.
  const own = out.claims.filter((one) => one.experiment === "toy-uniform");
  const lines = await page.locator('[data-experiment="toy-uniform"] .claims').innerText();
  for (const claim of own) {
    for (const part of [claim.verdict, claim.title, String(+claim.value.toPrecision(4)).replaceAll("-", "−"), `null ${claim.null.value ?? claim.null.infinite}`]) assert.ok(lines.includes(part), `${part} in ${lines}`);
    assert.ok(!lines.includes(claim.claim) && !lines.includes(claim.formula), lines);
  }
  await page.getByLabel("Show the text and the formula of every claim").check();
  const whole = await page.locator('[data-experiment="toy-uniform"] .claims').innerText();
  for (const claim of own) for (const part of [claim.claim, claim.formula, claim.null.means]) assert.ok(whole.includes(part), `${part} in ${whole}`);
  await stage.leave(page);
});

test("it begins with the findings that were reproduced, and ends with what was not supported", async () => {
  await stage.fovea("reproduce", "toy-lowloss", "--quick", "--quiet", "--json");
  const page = await stage.visit("#/story?at=evidence");
  const finding = page.locator('[data-finding="toy-lowloss"]');
  await finding.getByText("✓ supported").waitFor();
  assert.equal(await page.locator("[data-finding]").count(), 12);
  // A finding that was not run here has the kept result of its full form.
  // Two have none: their claim is of the quick form alone.
  const absent = page.locator(".open-findings [data-finding]");
  assert.deepEqual((await absent.evaluateAll((all) => all.map((one) => one.dataset.finding))).sort(), ["copy-heads", "copy-permutation"]);
  assert.match(await page.locator('[data-finding="text-classify"] summary').innerText(), /✓ supported\s+full form, kept\s+Uniform attention classifies texts[^]*measured 0\.985, [^]*worst of 5 corpora/);
  assert.match(await page.locator('[data-finding="copy-order"]').innerText(), /✓ supported\s+full form, kept[^]*\d/);
  // A line for each, with its number; why it matters is unfolded.
  const kept = page.locator('[data-finding="digits-even"]');
  assert.match(await kept.innerText(), /✗ not supported\s+full form, kept\s+Tested: does learned attention beat uniform attention on bags\? No\.[^]*\d/);
  assert.doesNotMatch(await kept.innerText(), /The full form was run before/);
  await kept.locator("summary").click();
  await kept.getByText("The full form was run before; its result is kept with the program.").waitFor();
  for (const line of await page.locator(".findings summary").all()) assert.ok((await line.boundingBox()).height < 60);
  await finding.locator("summary").click();
  await finding.getByRole("link").click();
  await drawn(page, "toy-lowloss");
  const last = page.locator(".chapter").last();
  // Each failed claim stands under the title of its experiment, which leads to the chapter, its form and one sentence.
  const failures = last.locator("[data-failure]");
  await failures.evaluateAll((all) => all.forEach((one) => (one.open = true)));
  assert.match(await last.innerText(), /What was not supported[^]*✗ not supported/);
  for (const [i, text] of (await failures.allInnerTexts()).entries()) {
    const name = await failures.nth(i).getAttribute("data-failure");
    assert.match(text, new RegExp(`^\\S.* ${name}, full form(, on \\S+)?\n+\\S.*\\.\n[^]*✗ not supported`), text);
  }
  const failed = last.locator('[data-failure="digits-even"]');
  await failed.locator(".claims summary").first().click();
  await failed.getByText("The worst seed with learned attention is at least 0.02 more accurate").waitFor();
  const toll = await page.locator(".toll").innerText();
  assert.match(toll, /Run here \(quick form\): \d+ of \d+ claims are as stated/);
  const [, stated, all, not] = /Measured before \(full form\): (\d+) of (\d+) claims are as stated, (\d+) are not supported\./.exec(toll).map(Number);
  assert.deepEqual([all - stated, await last.locator(".claims > li").count()], [not, not]);
  // The chapters have all of these claims, though of some chapters a part was run here.
  const totals = (await page.locator(".chapter > details > summary").allInnerTexts()).map((text) => /Full form, kept: (\d+) of (\d+)|(\d+) of (\d+) claims are as stated.*\(full form/.exec(text));
  const total = (i) => totals.reduce((sum, found) => sum + Number(found?.[i] ?? found?.[i + 2] ?? 0), 0);
  assert.deepEqual([total(1), total(2)], [stated, all]);
  await failed.getByRole("link").click();
  await page.waitForFunction(() => location.hash.includes("at=bags"));
  // A chapter begins with what was found, if a claim of a finding of it holds.
  assert.match(await page.locator(".chapter", { has: page.locator("#chapter-toy-gate") }).locator(".found").first().textContent(), /^What was found: A low loss is possible without attention\. \S/);
  // A chapter without runs has the kept claims of its experiments.
  const chapter = page.locator(".chapter", { has: page.locator("#chapter-bags") });
  await chapter.getByText(/\d+ of \d+ claims are as stated.*\(full form, kept with the program\)/).first().waitFor();
  await chapter.locator('[data-kept="digits-even"] > summary').click();
  await chapter.locator('[data-kept="digits-even"]').getByText("✗ not supported").first().waitFor();
  await stage.leave(page);
});

test("it is an explanation of one idea a screen, whose figure goes to the step of the idea that is read", async (t) => {
  for (const viewport of [{ width: 1440, height: 900 }, { width: 390, height: 844 }])
    for (const reducedMotion of ["reduce", "no-preference"]) {
      const page = await stage.visit("#/story", { viewport, reducedMotion });
      const ideas = page.locator(".ideas li");
      await ideas.first().waitFor();
      if ((await page.locator(".read-figure").count()) === 0) return t.skip("a page without its engine");
      const figure = page.locator(".read-figure");
      await figure.locator("svg.bet-plot").waitFor();
      const seen = [];
      for (let i = 0; i < (await ideas.count()); ++i) {
        await ideas.nth(i).evaluate((one) => (innerWidth > 900 ? one.querySelector("h2").scrollIntoView({ block: "center" }) : one.scrollIntoView({ block: "end" })));
        await page.waitForFunction((i) => [...document.querySelectorAll(".ideas li")][i].getAttribute("aria-current") === "step", i);
        const step = ["0", "8", "60", "50", "100", "60", "300"][i];
        await figure.locator(`output[data-step="${step}"]`).waitFor();
        // The figure is in view beside what is read, or above it.
        const [box, text] = [await figure.boundingBox(), await ideas.nth(i).locator("h2").boundingBox()];
        assert.ok(box.y >= 0 && box.y + box.height <= viewport.height, `${box.y} and ${box.height}`);
        assert.ok(viewport.width > 900 ? text.x + text.width <= box.x : text.y >= box.y + box.height - 1, `${JSON.stringify(text)} beside ${JSON.stringify(box)}`);
        // The example word of the last idea is lit, and so is the word that it looks at.
        if (i === 6) assert.deepEqual(await figure.locator("text.lit").allTextContents(), ["river", "tree"]);
        // The step is there before the picture of another training is.
        const arcs = () => figure.locator(".arc").evaluateAll((all) => all.map((one) => one.getAttribute("stroke-width")).join());
        await until(async () => !seen.includes(await arcs()));
        seen.push(await arcs());
      }
      assert.equal(new Set(seen).size, 7);
      // The curves of the first ideas end where their axis does.
      await ideas.nth(0).evaluate((one) => (innerWidth > 900 ? one.querySelector("h2").scrollIntoView({ block: "center" }) : one.scrollIntoView({ block: "end" })));
      await figure.locator('output[data-step="0"]').waitFor();
      assert.equal(await figure.locator(".bet-plot > text").last().textContent(), "100");
      // The picture of the last idea is there as soon as its text is whole, low in the window.
      await ideas.last().evaluate((one) => scrollBy(0, one.lastElementChild.getBoundingClientRect().bottom - innerHeight + 2));
      await figure.locator('output[data-step="300"]').waitFor();
      assert.equal(await page.locator(".equation").first().isVisible(), false, "equations on demand");
      if (viewport.width > 900) assert.ok((await page.evaluate(() => document.documentElement.scrollHeight)) < 26_237 / 3);
      await stage.leave(page);
    }
});

test("knowledge is orange and attention blue, in the figures of the library too", async () => {
  const page = await stage.visit("#/story?at=toy-gate");
  await drawn(page, "toy-uniform");
  const wanted = await page.evaluate(() => ["--c0", "--c1"].map((name) => getComputedStyle(document.documentElement).getPropertyValue(name)));
  // The library draws p (trained, in closed form), then D.
  const seen = await page.locator('[data-experiment="toy-uniform"] .drawn').first().evaluate((drawn) =>
    ["#0072b2", "#d55e00", "#009e73", "#cc79a7"].map((colour) => getComputedStyle(drawn.querySelector(`[stroke="${colour}"]`)).stroke));
  const as_shown = await page.evaluate((colours) => colours.map((colour) => { const one = document.createElement("i"); one.style.color = colour; document.body.append(one); const shown = getComputedStyle(one).color; one.remove(); return shown; }), wanted);
  assert.deepEqual(seen, [as_shown[0], as_shown[0], as_shown[1], as_shown[1]]);
  await stage.leave(page);
});

test("the values of a figure can be read off, and its lines switched", async () => {
  const page = await stage.visit("#/story?at=evidence");
  const figure = page.locator('[data-experiment="toy-uniform"]');
  await drawn(page, "toy-uniform");
  await figure.getByRole("button", { name: "Read off values" }).first().click();
  const plot = figure.locator(".read-off .plot svg:not(.told)").first();
  await plot.waitFor();
  const { lines } = (await plot.getAttribute("aria-label")).match(/(?<lines>\d+) lines$/).groups;
  await plot.scrollIntoViewIfNeeded();
  const box = await plot.boundingBox();
  // It tells of what is near.
  const told = () => page.evaluate(() => new Promise((done) => requestAnimationFrame(() => done(document.querySelector(".read-off .told text")?.textContent ?? ""))));
  let says = "";
  for (let y = 30; y < box.height - 40 && !says; y += 15) {
    await page.mouse.move(box.x + box.width / 2, box.y + y);
    says = await told();
  }
  assert.match(says, /\d/);
  await figure.locator("button.switch").first().click();
  await page.waitForFunction((lines) => document.querySelector('[data-experiment="toy-uniform"] .read-off .plot svg').getAttribute("aria-label").endsWith(` ${lines - 1} lines`), lines);
  await stage.leave(page);
});

test("a report is one file that is ready within a second, and asks nobody for anything", async () => {
  report = join(stage.home, "report.html");
  await stage.fovea("report", "-o", report);
  const page = await stage.visit(pathToFileURL(report).href, { offline: true });
  await drawn(page, "toy-uniform");
  // What it takes of the processor, which is the same on a busy machine.
  const busy = await processor_meter(page);
  const slow = await slowness(page, busy);
  const before_it = await busy();
  await page.reload();
  await drawn(page, "toy-uniform");
  const seconds = (await busy()) - before_it;
  assert.ok(seconds > 0.01 && seconds < slow, `${seconds} s, on a thread ${slow} times as slow`);
  // The same figure as the server tells, mark for mark.
  const served = await stage.visit("#/story?at=evidence");
  await drawn(served, "toy-uniform");
  const marks = (one) => one.locator('[data-experiment="toy-uniform"] .drawn').first().innerHTML();
  assert.equal(await marks(page), await marks(served));
  await stage.leave(served);
  await stage.leave(page);
});

test("a figure of the story is saved as SVG, as PNG, and its numbers, which are the runs' own, as CSV", async () => {
  const page = await stage.visit(pathToFileURL(report).href);
  await drawn(page, "toy-uniform");
  const saved = async (name) => {
    const way = page.locator('[data-experiment="toy-uniform"]').getByRole("button", { name, exact: true }).first();
    const [download] = await Promise.all([page.waitForEvent("download"), way.click()]);
    assert.equal(download.suggestedFilename(), "toy-uniform-1." + name.toLowerCase());
    return text_of(download);
  };
  assert.match(String(await saved("SVG")), /^<svg /);
  assert.equal((await saved("PNG")).subarray(1, 4).toString(), "PNG");
  const [header, ...lines] = String(await saved("CSV")).trim().split("\n");
  assert.equal(header, "panel,line,training time τ,y");
  const points = lines.map((line) => line.match(/^,"p, trained, run (\d+), seed 0",([^,]*),([^,]*)$/)).filter(Boolean);
  const { series } = JSON.parse(await stage.fovea("show", points[0][1], "--json", "--series"));
  assert.equal(points.length, series.p.length);
  const near = (given, wanted) => Math.abs(given - wanted) <= 1e-6 * Math.abs(wanted);
  points.forEach(([, , tau, p], i) => assert.ok(near(tau, series.tau[i][1]) && near(p, series.p[i][1]), `${tau}, ${p} at look ${i}`));
  // Whatever is drawn has numbers.
  const packed = await page.locator("#story").textContent();
  const figures = JSON.parse(inflateSync(Buffer.from(packed, "base64"))).experiments.flatMap((one) => one.figures.map((figure) => [one.name, figure.numbers?.length]));
  assert.ok(figures.length >= 4 && figures.every(([, parts]) => parts > 0), String(figures));
  await stage.leave(page);
});

test("equations are legible with whatever fonts there are, and told to screen readers", async () => {
  const page = await stage.visit(pathToFileURL(report).href);
  await page.addStyleTag({ content: ".equation * { font-family: sans-serif !important }" });
  await page.locator(".folded").evaluateAll((all) => all.forEach((one) => (one.open = true)));
  await page.locator("summary", { hasText: "Equations" }).evaluateAll((all) => all.forEach((one) => one.click()));
  await page.locator(".equation").first().waitFor();
  const scripts = await page.locator(".equation sub, .equation sup").evaluateAll((all) => {
    const baseline = (put) => {
      const probe = document.createElement("span");
      probe.style.display = "inline-block";
      put(probe);
      const { bottom } = probe.getBoundingClientRect();
      probe.remove();
      return bottom;
    };
    const size = (one) => parseFloat(getComputedStyle(one).fontSize);
    return all.map((one) => ({
      name: `${one.textContent} in ${one.parentElement.textContent}`,
      lowered: (baseline((probe) => one.append(probe)) - baseline((probe) => one.before(probe))) / size(one.parentElement),
      below: one.tagName === "SUB",
      smaller: size(one) / size(one.parentElement),
    }));
  });
  assert.ok(scripts.length > 50);
  for (const { name, lowered, below, smaller } of scripts) assert.ok(smaller < 0.8 && (below ? lowered : -lowered) > 0.15, `${name}: ${lowered}, ${smaller}`);
  const told = page.locator(".equation math");
  assert.equal(await told.count(), await page.locator(".equation").count());
  assert.equal(await told.first().locator("msub").count(), 2);
  await stage.leave(page);
});

test("on paper every chapter is unfolded, and no idea is pale", async () => {
  const page = await stage.visit(pathToFileURL(report).href);
  const idea = page.locator("#chapter-pooling").locator("xpath=ancestor::details/p").first();
  assert.equal(await idea.isVisible(), false);
  await page.emulateMedia({ media: "print" });
  await idea.waitFor();
  const colours = await page.locator(".ideas li").evaluateAll((all) => all.map((one) => getComputedStyle(one).color));
  assert.deepEqual([...new Set(colours)], [await page.evaluate(() => getComputedStyle(document.body).color)]);
  await stage.leave(page);
});

test("where scripts are switched off, a report still says what came out", async () => {
  const page = await stage.visit(pathToFileURL(report).href, { javaScriptEnabled: false });
  await page.getByRole("heading", { name: "What came out" }).waitFor();
  assert.ok((await page.locator("table tbody tr").count()) > 3);
  await stage.leave(page);
});

test("the tour can be done by keyboard alone", async () => {
  const page = await stage.visit(pathToFileURL(report).href);
  await drawn(page, "toy-uniform");
  const reach = async (wanted) => {
    for (let i = 0; i < 120; ++i) {
      await page.keyboard.press("Tab");
      const name = await page.evaluate(() => document.activeElement.getAttribute("aria-label") ?? document.activeElement.textContent.trim());
      if (wanted.test(name)) return;
    }
    assert.fail(`no way to ${wanted}`);
  };
  await reach(/^Attention pooling/); // a chapter
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => location.hash.includes("at=pooling") && document.activeElement.id === "chapter-pooling");
  await drawn(page, "lookup"); // what is told of it comes when it is near
  await reach(/^\d+ runs?, seeds/); // how to run it again
  await page.keyboard.press("Enter");
  await page.locator('[data-experiment="lookup"] details[open] pre').getByText("fovea reproduce lookup").waitFor();
  await page.goBack();
  await page.goto(pathToFileURL(report).href + "#/story");
  await reach(/^The toy gate after a bad start/); // an experiment that is folded away
  await page.keyboard.press("Enter");
  await drawn(page, "toy-mistaken");
  await page.waitForFunction(() => location.hash.includes("open=toy-mistaken"));
  // Whoever is sent the address finds it open.
  const other = await stage.visit(page.url());
  await drawn(other, "toy-mistaken");
  await stage.leave(other);
  await stage.leave(page);
});

test("what there is to try leads to the state that it names", async (t) => {
  const page = await stage.visit(pathToFileURL(report).href);
  await page.getByRole("link", { name: "Start from a mistake" }).click();
  if ((await page.getByText("this page was built without the engine").count()) > 0) return t.skip("a page without its engine");
  await page.getByRole("status").getByText("Below the dotted line").waitFor();
  await page.goBack();
  await page.getByRole("heading", { name: /The toy gate/ }).first().waitFor();
  await unfold(page, "copying");
  await page.getByRole("link", { name: "Train the hard one here" }).click();
  await page.getByText("Every text has the same words").waitFor();
  await page.locator("output[data-loading=no]").waitFor();
  // Several heads are trained as any other model is.
  await page.goBack();
  await page.locator("#chapter-copying").waitFor();
  assert.equal(await page.getByRole("link", { name: "Train the hard one here" }).isVisible(), true, "unfolded as it was left");
  await unfold(page, "heads");
  await page.getByRole("link", { name: "Beside one of them alone" }).click();
  await page.getByRole("heading", { name: "Attention, with heads [0]" }).waitFor();
  assert.equal(await page.getByText("The mean over the 4 heads.").count(), 1);
  await page.getByRole("button", { name: "Step", exact: true }).click();
  await page.locator('output[data-step="1"]').waitFor();
  // A view is found again as it was left.
  await page.getByRole("navigation", { name: "Views" }).getByRole("link", { name: "Toy gate" }).click();
  await page.getByRole("status").getByText("Below the dotted line").waitFor();
  await stage.leave(page);
});

test("a report says where its runs are, and in the dark a figure is saved in the colours that it is seen in", async () => {
  const page = await stage.visit(pathToFileURL(report).href + "#/runs", { colorScheme: "dark" });
  await page.getByText("A report contains the results of its experiments, not their runs").waitFor();
  assert.equal(await page.getByText("No runs.").count(), 0);
  await page.getByRole("link", { name: "Story" }).click();
  await drawn(page, "toy-uniform");
  const seen = await page.locator('[data-experiment="toy-uniform"] .drawn [stroke="#0072b2"]').first().evaluate((one) => getComputedStyle(one).stroke);
  const [download] = await Promise.all([page.waitForEvent("download"), page.locator('[data-experiment="toy-uniform"]').getByRole("button", { name: "SVG", exact: true }).first().click()]);
  const svg = String(await text_of(download));
  assert.ok(!svg.includes("#0072b2") && svg.includes(`stroke="${seen}"`), seen);
  await stage.leave(page);
});

test("the first screen of a report has the findings with their values, in words", async () => {
  const page = await stage.visit(pathToFileURL(report).href, { viewport: { width: 1280, height: 720 } });
  const findings = page.locator("[data-finding]");
  await findings.first().waitFor();
  assert.equal(await findings.count(), 12);
  for (const line of await findings.all()) {
    const { y, height } = await line.boundingBox();
    assert.ok(y > 0 && y + height <= 720, `${await line.innerText()} ends at ${y + height}`);
  }
  assert.match(await page.locator('[data-finding="toy-lowloss"] summary').innerText(), /✓ supported\s+A low loss is possible without attention\s+measured −\d+, needed at\smost\s−\d+: loss at p = ½/);
  await stage.leave(page);
});

test("nothing serious stands in the way of anybody, in light and dark, wide and narrow", async () => {
  for (const colorScheme of ["light", "dark"])
    for (const width of [390, 1440, 2560]) {
      const page = await stage.visit(pathToFileURL(report).href, { colorScheme, viewport: { width, height: 900 } });
      await page.locator('[data-experiment="toy-uniform"]').scrollIntoViewIfNeeded(); // the findings stand above it
      await drawn(page, "toy-uniform");
      // On a phone the story begins with its heading: chapters unfold.
      if (width === 390) {
        assert.equal(await page.locator(".chapters a").first().isVisible(), false);
        await page.locator(".chapters summary").click();
      }
      await page.locator(".chapters a").first().waitFor();
      await expect_accessible(page);
      const [inner, outer] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
      assert.ok(inner <= outer, `${inner} wide at ${outer}`);
      await stage.leave(page);
    }
});
