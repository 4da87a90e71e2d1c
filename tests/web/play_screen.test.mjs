// What is seen at once: a playground that fits into a window; and what is said where something lacks.
import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { at_step, button, curves_of, past_step, small, words } from "./playing.mjs";
import { Stage, expect_accessible } from "./stage.mjs";

let stage;
before(async () => (stage = await Stage.open()));
after(() => stage?.close());

const fits = (page) => page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]).then(([inner, outer]) => assert.ok(inner <= outer, `${inner} wide at ${outer}`));

const boxes_of = (page, names) =>
  page.evaluate(
    (names) =>
      names.flatMap((name) =>
        [...document.querySelectorAll(name)].map((part) => {
          const { left, top, right, bottom } = part.getBoundingClientRect();
          return { name, left, top, right, bottom };
        }),
      ),
    names,
  );
function in_view(parts, { width, height }) {
  for (const { name, left, top, right, bottom } of parts) {
    assert.ok(top >= 0 && bottom <= height && left >= 0 && right <= width, `${width} wide: ${name} ends at ${right}, ${bottom}`);
    if (name.endsWith("canvas.map")) assert.ok(Math.min(right - left, bottom - top) >= 100, `a map of ${right - left} by ${bottom - top}`);
  }
}

test("transport, map and curve are in view together while it plays, on a desk and on a phone, alone and beside another", async () => {
  for (const viewport of [{ width: 1280, height: 720 }, { width: 390, height: 844 }])
    for (const more of [{}, { beside: "seed=3" }]) {
      const page = await stage.visit(words({ ...small, "train.steps": 3000 }, more), { viewport });
      await at_step(page, 0);
      await button(page, "Play").click();
      await past_step(page, 4);
      const runs = more.beside ? 2 : 1;
      assert.equal(await page.locator("canvas.map").count(), runs);
      const parts = await boxes_of(page, [".stage .transport", ".axis .look", ".course .plot svg:not(.told)", ".course .legend", "canvas.map"]);
      assert.equal(parts.length, 4 + runs);
      in_view(parts, viewport);
      // Each map says whose it is, and none of it is cut off.
      const titles = page.locator(".attention figcaption > :first-child");
      assert.deepEqual(await titles.allInnerTexts(), ["The attention map", "With seed 3"].slice(0, runs));
      assert.deepEqual(await titles.evaluateAll((all) => all.map((title) => title.scrollWidth > title.clientWidth && getComputedStyle(title).overflow === "hidden")), Array(runs).fill(false));
      assert.equal(await page.evaluate(() => scrollY), 0);
      await stage.leave(page);
    }
});

test("on a phone the maps of two runs with heads stand side by side, above the curves", async () => {
  const page = await stage.visit("#/play?task=induction-exact&beside=task.length%3D9&step=20", { viewport: { width: 390, height: 844 } });
  await at_step(page, 20);
  const maps = await page.locator(".attention canvas.map").all(), course = await page.locator(".course .plot").first().boundingBox();
  assert.equal(maps.length, 2);
  for (const map of maps) {
    const { width, y, height } = await map.boundingBox();
    assert.ok(width >= 100 && y + height < course.y, `${width} wide, to ${y + height} above ${course.y}`);
  }
  // Four marks above the curves leave them room.
  const [top, bottom] = await page.locator(".course .plot svg:not(.told)").first().evaluate((plot) => [...plot.querySelectorAll("text")].filter((one) => /^[01](\.0)?$/.test(one.textContent)).map((one) => one.getBoundingClientRect().y).sort((a, b) => a - b));
  assert.ok(bottom - top > 60, `${bottom - top} from 0 to 1`);
  await fits(page);
  await expect_accessible(page);
  await stage.leave(page);
});

test("equal predicted plateaus have one line with both names", async () => {
  const page = await stage.visit("#/play?task=chain&step=4");
  await at_step(page, 4);
  await page.locator(".plot text", { hasText: /^uniform, unigram \d\.\d+$/ }).first().waitFor();
  await stage.leave(page);
});

test("a preset and a link to it are seen at once, and curves that go on stay the same drawing", async () => {
  const page = await stage.visit("#/play?step=160");
  await at_step(page, 160);
  assert.ok(Number(await page.locator("output[data-reached]").getAttribute("data-reached")) < 160);
  await page.getByText("Example 1 at step 160").waitFor();
  // Nothing is drawn of what comes after the step that is looked at.
  assert.equal((await curves_of(page, "What is learned when")).get("β: matches words").at(-1)[0], 160);
  await stage.leave(page);
  const other = await stage.visit(words(small, { step: 2 }));
  await at_step(other, 2);
  const drawing = other.locator(".course .plot svg:not(.told)");
  const length = () => drawing.evaluate((svg) => [...svg.querySelectorAll("path")].reduce((sum, path) => sum + path.getTotalLength(), 0));
  const before = await length();
  await drawing.evaluate((svg) => (svg.dataset.before = "yes"));
  await button(other, "Next evaluation").click();
  await at_step(other, 4);
  assert.equal(await drawing.getAttribute("data-before"), "yes");
  assert.ok((await length()) > before);
  await stage.leave(other);
});

test("attention is held until exactly 60 by typing, by keys and by dragging, and no handle moves away under the pointer", async () => {
  for (const viewport of [{ width: 1440, height: 900 }, { width: 390, height: 844 }]) {
    const page = await stage.visit(words(small), { viewport });
    await at_step(page, 0);
    const hash = (hold) => page.waitForFunction((hold) => new URLSearchParams(location.hash.split("?")[1]).get("hold") === hold, hold);
    // On a phone it unfolds, between the map and the curves.
    if (viewport.width === 390) {
      await page.getByText("Change attention", { exact: true }).click();
      const [map, change, curves] = await Promise.all(["canvas.map", ".holds", ".course"].map((part) => page.locator(part).first().boundingBox()));
      assert.ok(map.y + map.height <= change.y && change.y + change.height <= curves.y, JSON.stringify([map, change, curves]));
    }
    const typed = page.getByLabel("Held until, as a number");
    await typed.fill("60");
    await typed.press("Enter");
    await hash("60");
    await typed.fill("");
    await typed.press("Enter");
    await hash(null);
    const handle = page.getByLabel("Step until which attention is held uniform");
    await handle.scrollIntoViewIfNeeded();
    const before = await handle.boundingBox();
    const thumb = 16; // wide, so that its middle goes from 8 to the width less 8
    const x = (step) => before.x + thumb / 2 + (step / 300) * (before.width - thumb);
    await page.mouse.move(x(0), before.y + before.height / 2);
    await page.mouse.down();
    for (const step of [10, 35, 80, 61]) {
      await page.mouse.move(x(step), before.y + before.height / 2);
      assert.deepEqual(await handle.boundingBox(), before);
    }
    await page.mouse.up();
    await hash("60");
    await at_step(page, 0);
    assert.deepEqual(await handle.boundingBox(), before);
    await handle.focus();
    for (const key of ["ArrowRight", "ArrowRight", "ArrowLeft"]) await page.keyboard.press(key);
    await hash("61");
    await page.keyboard.press("ArrowLeft");
    await hash("60");
    await stage.leave(page);
  }
});

test("words are explained where they stand, and the lesson asks before it shows", async () => {
  const page = await stage.visit("");
  await page.locator("output[data-loading=no]").waitFor();
  // A word is explained where it stands: by keyboard, by mouse, and Escape ends it.
  await page.getByRole("button", { name: "Attention", exact: true }).focus();
  await page.getByRole("tooltip").getByText("The shares add up to 1").waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("tooltip").waitFor({ state: "detached" });
  await page.getByRole("button", { name: "writes right", exact: true }).hover();
  await page.getByRole("tooltip").getByText("share of words that it writes right").waitFor();
  // Where there is no room below the word, it is told above: wherever the word stands, all of it is in the window.
  await page.mouse.move(0, 0);
  const term = page.locator("button.term", { hasText: /^writes right/ });
  for (const bottom of [false, true]) {
    await term.evaluate((word, bottom) => {
      document.body.style.padding = "100vh 0"; // so that it can stand anywhere
      const { top, height } = word.getBoundingClientRect();
      scrollBy(0, bottom ? top + height + 4 - innerHeight : top - 4);
      word.focus({ preventScroll: true });
    }, bottom);
    const [tip, word] = await Promise.all([page.getByRole("tooltip").boundingBox(), term.boundingBox()]);
    assert.ok(tip.y >= 0 && tip.y + tip.height <= page.viewportSize().height && tip.y < word.y === bottom, JSON.stringify({ bottom, tip, word }));
    await page.keyboard.press("Escape");
    await term.evaluate((word) => word.blur());
    await page.getByRole("tooltip").waitFor({ state: "detached" });
  }
  await page.evaluate(() => (document.body.style.padding = ""));
  // The lesson's links are those of its document.
  const document_of_it = await readFile(new URL("../../docs/how-to/lesson.md", import.meta.url), "utf8");
  const links = [...document_of_it.matchAll(/\[([^\]]+)\]\(http[^#)]*(#\/play[^)]*)\)/g)].map(([, title, link]) => [title, link]);
  assert.equal(links.length, 5);
  await page.getByText("A lesson of twenty minutes, in five links").click();
  assert.deepEqual(await page.locator(".lesson > ol > li a").evaluateAll((all) => all.map((a) => [a.textContent, a.getAttribute("href")])), links);
  const minutes = [...document_of_it.matchAll(/^## .*\((\d) minutes\)$/gm)].slice(1).map(([, count]) => `(${count} minutes)`);
  assert.deepEqual(await page.locator(".lesson > ol > li").evaluateAll((all) => all.map((one) => one.textContent.match(/\(\d minutes\)/)[0])), minutes);
  await page.getByText("For the teacher: what to say").click();
  await page.getByText("Do not give the answer yet, and do not train").waitFor();
  await expect_accessible(page);
  // They ask before they show: nothing is seen of what comes after the step.
  await page.getByRole("link", { name: "Copying twelve words" }).first().click();
  await at_step(page, 0);
  const seen = () => page.evaluate(() => [document.querySelector(".idea").checkVisibility(), document.querySelector(".course .plot svg").textContent.includes("half of the words matched")]);
  await page.locator(".course .plot svg").waitFor();
  assert.deepEqual(await seen(), [false, false]);
  await page.getByLabel("Look at step").fill("10");
  await at_step(page, 10);
  await page.locator(".course .plot svg", { hasText: "half of the words matched" }).waitFor();
  assert.deepEqual((await page.locator(".course .plot svg").first().textContent()).includes("half of the positions found"), false);
  // Each part leads to the next.
  assert.equal(await page.locator(".part a").first().getAttribute("href"), links[1][1]);
  // What its marks say stands above the curves, whole, each in a row of its own. On a phone the stages are said below. Both are read at once.
  for (const [width, hold, count] of [[900, 60, 3], [900, 280, 1], [390, 60, 1], [390, 280, 1]]) {
    await page.setViewportSize({ width, height: 844 });
    await page.evaluate((hold) => (location.hash = `#/play?task=subset&hold=${hold}&step=${hold === 60 ? 300 : 0}`), hold);
    if (hold === 60) await page.locator(".stages", { hasText: /β: matches words.*50 %step \d+.*α: looks right.*50 %step \d+/s }).waitFor();
    const told = await page.waitForFunction(([hold, count]) => {
      const marks = [...document.querySelectorAll(".course .plot svg:not(.told) text")].filter((one) => /^(attention is|half of the)/.test(one.textContent));
      const box_of = (part) => part.getBoundingClientRect().toJSON();
      const says = marks.map(box_of);
      return location.hash.includes(hold) && says.length === count && says.every(({ left, right }) => right > left) && { says, plot: box_of(marks[0].closest("svg")) };
    }, [hold, count]);
    const { says, plot } = await told.jsonValue();
    assert.ok(says.every(({ left, right }) => left >= plot.left && right <= plot.right), JSON.stringify({ says, plot }));
    assert.ok(says.every((one, i) => says.slice(i + 1).every((other) => one.bottom <= other.top + 3 || other.bottom <= one.top + 3)), JSON.stringify(says));
    await page.goBack();
  }
  // On a phone words stand beside their rows, though not all of them have room.
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goBack();
  await page.getByRole("link", { name: links[1][0] }).first().waitFor(); // the lesson is still unfolded: its next part is one click away
  await page.evaluate((link) => (location.hash = link), links[2][1]);
  await page.waitForFunction(() => {
    const [map, words] = [".map-holder", ".words.down"].map((name) => document.querySelector(name)?.getBoundingClientRect());
    return map && Math.abs(words.height - map.height) < 2 && Math.abs(words.top - map.top) < 2;
  });
  await stage.leave(page);
});

test("on a narrow phone nothing is cut off", async () => {
  const page = await stage.visit("", { viewport: { width: 320, height: 700 } });
  await page.locator("output[data-loading=no]").waitFor();
  await fits(page);
  await page.evaluate(() => (location.hash = "#/play?beside=seed%3D3"));
  await page.locator("details.settings > summary").click();
  await page.getByText(/^All settings/).click();
  await fits(page);
  for (const view of ["toy", "story", "runs"]) {
    await page.evaluate((view) => (location.hash = "#/" + view), view);
    await page.waitForFunction((view) => document.querySelector(`nav a[href^="#/${view}"][aria-current]`), view);
    await fits(page);
  }
  await page.evaluate((hash) => (location.hash = hash), words(small, { beside: "seed=3" }));
  await at_step(page, 0);
  await fits(page);
  await stage.leave(page);
});

test("in a frame there are transport, map and curve; on paper nothing that can only be pressed, dark on white", async () => {
  const page = await stage.visit(words(small, { step: 10, embed: 1 }), { viewport: { width: 900, height: 560 }, colorScheme: "dark" });
  await at_step(page, 10);
  assert.deepEqual(await page.locator("header, .settings, .holds").evaluateAll((all) => all.map((one) => one.checkVisibility())), [false, false, false]);
  for (const viewport of [{ width: 900, height: 560 }, { width: 640, height: 420 }]) {
    await page.setViewportSize(viewport);
    await page.waitForFunction((height) => document.querySelector(".course .plot svg:not(.told)").getBoundingClientRect().bottom <= height, viewport.height);
    in_view(await boxes_of(page, [".transport", "canvas.map", ".course .plot svg:not(.told)", ...(viewport.height === 560 ? [".course .stages"] : [])]), viewport);
  }
  await page.evaluate((hash) => (location.hash = hash), words(small, { step: 10 }));
  await page.getByRole("heading", { name: "Playground" }).waitFor();
  await page.emulateMedia({ media: "print", colorScheme: "dark" });
  await page.waitForFunction(() => !document.documentElement.classList.contains("embedded"));
  const [text, paper, pressed] = await page.evaluate(() => [getComputedStyle(document.body).color, getComputedStyle(document.body).backgroundColor, document.querySelector(".transport").checkVisibility()]);
  assert.deepEqual([text, paper, pressed], ["rgb(0, 0, 0)", "rgb(255, 255, 255)", false]);
  assert.equal(await page.locator(".ways-out").first().isVisible(), false);
  // No attention is white there, and much of it dark.
  const ink = () => page.locator("canvas.map").first().evaluate((map) => [...map.getContext("2d").getImageData(0, 0, map.width, map.height).data].filter((_, i) => i % 4 === 0));
  const repainted = Date.now() + 20_000;
  while (Math.max(...(await ink())) <= 150 && Date.now() < repainted);
  assert.ok(Math.max(...(await ink())) > 150, String(await ink()));
  await stage.leave(page);
});

test("in a system's own colours what is pressed and current is marked, and at 200 % nothing is cut off", async () => {
  const page = await stage.visit("#/play?step=60", { viewport: { width: 640, height: 360 }, forcedColors: "active" });
  await at_step(page, 60);
  await page.locator(".course .legend button").first().waitFor();
  const marked = await page.locator("nav a, .course .legend button").evaluateAll((all) => all.map((one) => [one.matches('[aria-current], [aria-pressed="true"]'), getComputedStyle(one).outlineStyle !== "none"]));
  assert.deepEqual([marked.filter(([is]) => is).length, marked.filter(([is, seen]) => is !== seen)], [3, []]);
  await fits(page);
  await stage.leave(page);
});

test("shown to a room, keys do what buttons do, and a link leaves out what a class is not to see", async () => {
  const page = await stage.visit(words(small), { viewport: { width: 1280, height: 720 } });
  await at_step(page, 0);
  await button(page, "Present").click();
  await page.waitForFunction(() => document.documentElement.classList.contains("presented"));
  assert.deepEqual(await page.locator("header, .settings, .holds, .ways-out").evaluateAll((all) => all.map((one) => one.checkVisibility())), Array(await page.locator("header, .settings, .holds, .ways-out").count()).fill(false));
  for (const part of [".stage .transport", "canvas.map", ".course .plot svg:not(.told)", ".course .stages"]) {
    const { y, height } = await page.locator(part).boundingBox();
    assert.ok(y >= 0 && y + height <= 720, `${part} ends at ${y + height}`);
  }
  // Whoever sits far away can read it: no letters under 16 pt.
  const letters = await page.locator(".words span, .course .plot svg:not(.told) text, .stages, .transport button, .course .legend li").evaluateAll((all) => all.filter((one) => one.checkVisibility() && one.textContent).map((one) => parseFloat(getComputedStyle(one).fontSize)));
  assert.ok(letters.length > 20 && Math.min(...letters) >= 16 * (96 / 72), String(letters));
  await page.keyboard.press("PageDown"); // as a clicker does
  await at_step(page, 2);
  await page.keyboard.press("ArrowRight");
  await at_step(page, 4);
  await page.keyboard.press("ArrowLeft");
  await at_step(page, 2);
  await page.keyboard.press(" ");
  await past_step(page, 8);
  await page.keyboard.press(" ");
  await button(page, "Play").waitFor();
  await page.keyboard.press("h");
  await page.waitForFunction(() => location.hash.includes("hold=60"));
  await page.keyboard.press("H");
  await page.waitForFunction(() => !location.hash.includes("hold="));
  // Where another step is given, it is that one.
  await page.evaluate(() => (location.hash += "&hold=20"));
  await page.getByText("holds attention uniform until step 20, or lets it go").waitFor();
  for (const there of [false, true, false]) {
    await page.keyboard.press("h");
    await page.waitForFunction((there) => location.hash.includes("hold=20") === there, there);
  }
  await page.keyboard.press("4");
  await page.getByRole("heading", { name: "Find the keyword" }).waitFor();
  // A transformer's loss is shown, too, beside its predicted plateaus.
  await page.keyboard.press("7");
  await page.locator(".course figure", { hasText: /^Loss/ }).locator("svg text", { hasText: /^bigram/ }).waitFor();
  await expect_accessible(page);
  await page.keyboard.press("Escape");
  await page.waitForFunction(() => !document.documentElement.classList.contains("presented") && !location.hash.includes("present"));
  // The link for a class.
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.getByText("For a class or a slide", { exact: true }).click();
  await page.getByText("A frame in a slide stays empty unless this server was started with the slide").waitFor();
  for (const part of ["other views", "settings", "holding attention"]) await page.getByLabel(part, { exact: true }).check();
  await button(page, "Copy the link").click();
  await page.getByText(/^The link to step \d+ is copied\. It leads to this computer, and others cannot open it\. For others, save this page/).waitFor();
  const link = await page.evaluate(() => navigator.clipboard.readText());
  const other = await stage.visit(new URL(link).hash);
  await at_step(other, Number(new URLSearchParams(new URL(link).hash.split("?")[1]).get("step") ?? 0));
  const seen = (selector) => other.locator(selector).first().isVisible();
  assert.deepEqual(await Promise.all(["header", ".settings", ".holds", ".to-do", ".share", ".play-top label"].map(seen)), [false, false, false, false, true, true]);
  await stage.leave(other);
  await stage.leave(page);
});

test("a lesson's link can be shown to a room, and what it leaves out has no keys there", async () => {
  const page = await stage.visit(words(small, { hide: "views,try,hold" }));
  await at_step(page, 0);
  await button(page, "Present").click();
  await page.getByText("goes to the next evaluation").waitFor();
  assert.doesNotMatch(await page.locator(".keys").innerText(), /holds attention|another example/);
  for (const key of ["h", "4", "ArrowRight"]) await page.keyboard.press(key);
  await at_step(page, 2);
  await page.waitForFunction(() => location.hash.includes("step=2"));
  assert.doesNotMatch(page.url(), /hold=|task=/);
  await stage.leave(page);
});

test("a page without its engine says so where its views would be, and one asked for a view that there is not says that", async () => {
  const whole = await readFile(process.env.FOVEA_PAGE_FILE, "utf8");
  const file = join(stage.home, "engineless.html");
  const without = whole.replace(/[A-Za-z0-9+/=]{500000,}/, "");
  assert.ok(without.length < whole.length);
  await writeFile(file, without.replace('content="site"', 'content="report"').replace("</body>", '<script id="story"></script></body>'));
  const page = await stage.visit(pathToFileURL(file).href + words(small));
  await page.getByText("this page was built without the engine for it: install Emscripten").waitFor();
  assert.equal(await page.getByRole("heading", { level: 1 }).innerText(), "Playground");
  for (const [hash, says] of [["#/toy", "this page was built without the engine for it"], ["#/start", "this page was built without the engine for it"], ["#/plya", 'asks for a view "plya", which this page does not have']]) {
    await page.evaluate((hash) => (location.hash = hash), hash);
    await page.getByText(says).waitFor();
  }
  await stage.leave(page);
});

test("each stage of a preset is bet on before it is played, and the bet is shown where it came", async () => {
  for (const viewport of [{ width: 1440, height: 900 }, { width: 390, height: 844 }]) {
    const page = await stage.visit("#/play", { viewport });
    await at_step(page, 0);
    // What it comes to is not told before it is bet on.
    assert.doesNotMatch(await page.locator(".idea").evaluate((one) => one.textContent), /\d|looks right|co-occurrence/);
    await page.getByText("Bet before you play").click();
    const fields = page.locator(".bet-first input.step");
    for (const [i, step] of ["12", "50"].entries()) {
      await fields.nth(i).fill(step);
      await fields.nth(i).press("Enter");
    }
    await page.waitForFunction(() => location.hash.includes("bet=12%2C50"));
    await page.locator(".to-do", { hasText: "Which comes first: words, or looking? Bet, then press Play." }).waitFor();
    const marks = () => page.locator("figure", { hasText: "What is learned when" }).first().locator("svg text").allTextContents();
    await page.waitForFunction(() => [...document.querySelectorAll("figure svg text")].some((one) => one.textContent === "your bet: looking"));
    assert.ok((await marks()).includes("your bet: words"));
    await page.evaluate((hash) => (location.hash = hash), "#/play?bet=12%2C50&step=60");
    await at_step(page, 60);
    // What each curve is, its level, the step that passed it, and the bet.
    assert.match(await page.locator(".stages").innerText(), /β: matches words\s+Words: share of written words that are matched.*\s50 %\s+step \d+\s+12\s+α: looks right\s+Looking: share of words .*\s50 %\s+step \d+\s+50/s);
    await page.getByText("The bets are closed: this training has begun.").waitFor();
    // The verdict and the reason are those of Start.
    const verdict = await page.locator(".play-verdict").innerText();
    assert.match(verdict, /^Words first \(step \d+\), then looking \(step \d+\)\. Your order was right; words \d+ steps? too (late|early), looking \d+ steps? too (late|early)\./);
    assert.match(verdict, /Why\? .* attention should move\./);
    assert.equal(await fields.first().isDisabled(), true);
    await expect_accessible(page);
    // A button holds attention, and the run is judged by its own numbers.
    if (viewport.width === 1440) {
      await page.getByRole("button", { name: /^Hold attention uniform until step \d+, and train again$/ }).click();
      await page.waitForFunction(() => /hold=\d+/.test(location.hash) && /beside=hold%3D0/.test(location.hash));
      await page.locator(".account", { hasText: /^This agrees with the explanation: the model learns words first, .* a delay of looking alone is no evidence\. .* Here: words came at step \d+, while attention was held uniform/ }).waitFor();
      assert.equal(await page.locator(".test").count(), 0);
    }
    // Another task is another question.
    await page.getByRole("combobox", { name: "Task", exact: true }).selectOption("keyword");
    await page.waitForFunction(() => !location.hash.includes("bet="));
    await stage.leave(page);
  }
});
