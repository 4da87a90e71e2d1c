// The toy gate, computed by the engine in the browser.
import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { inflateSync } from "node:zlib";
import { open_engine, parts_of_page } from "./in_node.mjs";
import { Stage, expect_accessible, text_of } from "./stage.mjs";

let stage;
before(async () => (stage = await Stage.open()));
after(() => stage?.close());

const says = (page, text) => page.getByRole("status").getByText(text).waitFor();
const reaches = (page) => page.getByRole("status").getAttribute("data-reaches").then(Number);
const plane = (page) => page.getByRole("application");

// Where D and p lie on the screen, by the start's own circle and the axes' numbers.
async function point(page, D, p) {
  const box = await plane(page).boundingBox();
  const place = await page.evaluate(() => {
    const svg = document.querySelector(".plane svg");
    const numbers = [...svg.querySelectorAll("g > text")].map((text) => ({ x: +text.getAttribute("x"), y: +text.getAttribute("y"), value: +text.textContent, across: text.getAttribute("text-anchor") === "middle" }));
    return { numbers, side: svg.viewBox.baseVal.width };
  });
  const fit = (across, key, value, shift) => {
    const on = place.numbers.filter((one) => one.across === across);
    const [a, b] = [on[0], on.at(-1)];
    return a[key] - shift + ((value - a.value) / (b.value - a.value)) * (b[key] - a[key]);
  };
  const scale = box.width / place.side;
  return { x: box.x + fit(true, "x", D, 0) * scale, y: box.y + fit(false, "y", p, 4) * scale };
}

const numbers_of = async (page) => {
  const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "CSV" }).click()]);
  const [head, ...lines] = String(await text_of(download)).trim().split("\n");
  assert.equal(head, "solver,time,D,p,loss");
  const rows = lines.map((line) => line.split(",").map((cell, i) => (i === 0 ? cell : Number(cell))));
  return (solver) => rows.filter((row) => row[0] === solver);
};

test("a start clicked in the plane runs its course, and its fate is told", async () => {
  const page = await stage.visit("#/toy?bounded=no");
  await says(page, "p reaches 1 at τ = 0.931");
  const above = await point(page, 1, -0.5);
  await page.mouse.click(above.x, above.y);
  await says(page, "Above the dotted line");
  const words = new URLSearchParams(page.url().split("?")[1]);
  assert.ok(Math.abs(Number(words.get("D")) - 1) < 0.05 && Math.abs(Number(words.get("gate")) + 0.5) < 0.05, page.url());
  // The axes stay as they are, also for a start far out; numbers rescale them.
  const ticks = () => page.locator(".plane svg g > text").allTextContents();
  const before = await ticks();
  const out = await point(page, 3.9, 2.9);
  await page.mouse.click(out.x, out.y);
  await says(page, "p starts above 1.");
  assert.deepEqual(await ticks(), before);
  const there = await page.locator("circle.start").boundingBox();
  assert.ok(Math.hypot(there.x + there.width / 2 - out.x, there.y + there.height / 2 - out.y) < 3, JSON.stringify([there, out]));
  await page.getByLabel("Start: D").fill("8");
  await page.waitForFunction((before) => JSON.stringify([...document.querySelectorAll(".plane svg g > text")].map((one) => one.textContent)) !== before, JSON.stringify(before));
  await page.mouse.click((await point(page, 1, -0.5)).x, (await point(page, 1, -0.5)).y);
  await says(page, "Above the dotted line");
  // Dragged across the line its fate changes.
  const from = await point(page, 1, -0.5), to = await point(page, 0.5, -0.7);
  await page.mouse.move(from.x, from.y);
  await page.mouse.down();
  await page.mouse.move((from.x + to.x) / 2, (from.y + to.y) / 2);
  await page.mouse.move(to.x, to.y);
  await page.mouse.up();
  await says(page, "Below the dotted line");
  await stage.leave(page);
});

test("D and p are drawn over time in the colours of knowledge and attention, and wider axes are said", async () => {
  const page = await stage.visit("#/toy?bounded=no", { viewport: { width: 1440, height: 900 } });
  await page.getByText("D moves at once, and p waits.").waitFor();
  const heights = (name) => page.locator(`.over-time polyline.of-${name}`).evaluate((line) => line.getAttribute("points").split(" ").map((point) => Number(point.split(",")[1])));
  const risen = (all) => (all[0] - all[Math.floor(all.length / 5)]) / (all[0] - all.at(-1)); // in a fifth of the time
  assert.ok(risen(await heights("D")) > 3 * risen(await heights("p")), `${risen(await heights("D"))} and ${risen(await heights("p"))}`);
  assert.deepEqual(await page.locator(".over-time polyline").evaluateAll((all) => all.map((one) => one.getAttribute("stroke"))), ["var(--c1)", "var(--c0)"]);
  // Both axes of the plane are in the first screen.
  const { y, height } = await plane(page).boundingBox();
  assert.ok(y + height <= 900, `${y + height}`);
  await page.getByRole("button", { name: "Mistaken" }).click();
  await says(page, "The axes are wider here: D from −26 to 26");
  await page.getByText("D is below 0 at the start, so p falls at first.").waitFor();
  await stage.leave(page);
});

test("closed form, flow and descent tell the same story", async () => {
  const page = await stage.visit("#/toy?D=-0.3&gate=0.4&until=2");
  await says(page, "Above the dotted line");
  await page.locator("circle.descent").nth(5).waitFor();
  const solver = await numbers_of(page);
  const closed = solver("closed form"), flow = solver("flow");
  assert.ok(closed.length === 120 && flow.length === 120);
  for (const [i, row] of closed.entries()) for (const k of [2, 3, 4]) assert.ok(Math.abs(row[k] - flow[i][k]) < 1e-9, `${row} ${flow[i]}`);
  // D² − 2p² is kept by the flow, and not by descent.
  for (const [, , D, p] of closed) assert.ok(Math.abs(D * D - 2 * p * p - (0.09 - 0.32)) < 1e-9);
  // The distance of descent at τ = 2 falls in proportion to the step.
  const distance = async () => {
    const all = await numbers_of(page);
    const [end, there] = [all("descent").at(-1), all("flow").at(-1)];
    assert.ok(Math.abs(end[1] - 2) < 1e-9);
    return Math.hypot(end[2] - there[2], end[3] - there[3]);
  };
  const distances = [];
  for (const rate of [0.002, 0.001]) {
    await page.evaluate((rate) => (location.hash = `#/toy?D=-0.3&gate=0.4&until=2&rate=${rate}`), rate);
    await page.waitForFunction((count) => document.querySelectorAll("circle.descent").length >= count, Math.min(2000, 2 / rate));
    distances.push(await distance());
  }
  assert.ok(Math.abs(distances[0] / distances[1] - 2) < 0.05, String(distances));
  await stage.leave(page);
});

test("a start is dragged for long: the address is written now and then, and says the last place", async () => {
  const page = await stage.visit("#/toy?bounded=no");
  await page.locator("circle.start").waitFor();
  await page.evaluate(() => {
    const write = history.replaceState.bind(history);
    globalThis.writes = 0;
    history.replaceState = (...words) => (++globalThis.writes, write(...words));
  });
  const plane = await page.getByRole("application").boundingBox();
  const began = Date.now();
  const at = (share) => [plane.x + plane.width * (0.3 + 0.4 * share), plane.y + plane.height * 0.4];
  await page.mouse.move(...at(0));
  await page.mouse.down();
  for (let i = 1; i <= 300; ++i) await page.mouse.move(...at(i / 300));
  await page.mouse.up();
  // A slow machine may still be drawing when the start is let go.
  await page.waitForFunction(() => {
    const label = document.querySelector("[role=application]").getAttribute("aria-label");
    const [, D, p] = label.match(/D (-?[\d.]+), p (-?[\d.]+)/);
    const words = new URLSearchParams(location.hash.split("?")[1]);
    return Number(D) > 1 && words.get("D") === D && (words.get("gate") ?? "0.5") === p; // the address leaves out p = 0.5
  });
  const writes = await page.evaluate(() => globalThis.writes);
  // 20 in a row, then two a second, as long as it took; one when the start is let go, and one that was under way.
  const most = 22 + (2 * (Date.now() - began)) / 1000;
  assert.ok(writes >= 2 && writes <= most, `${writes} writes for 300 places, and at most ${most}`);
  // The way back leads to where the start was before it was taken hold of.
  await page.goBack();
  await says(page, "p reaches 1 at τ = 0.931");
  await stage.leave(page);
});

test("the stories are presets, and a link brings another person to the same one", async () => {
  const page = await stage.visit("#/toy?bounded=no");
  await page.getByRole("button", { name: "Mistaken" }).click();
  await says(page, "Below the dotted line");
  const slider = page.getByLabel("Step size of descent");
  await slider.focus();
  for (let i = 0; i < 5; ++i) await page.keyboard.press("ArrowRight");
  await page.waitForFunction(() => location.hash.includes("rate=0.065"));
  const seen = async (one) => {
    await says(one, "Below the dotted line");
    await one.locator("circle.descent").first().waitFor();
    return [await one.locator("polyline.flow").getAttribute("points"), await one.locator("circle.descent").count(), await one.getByRole("status").innerText()];
  };
  const other = await stage.visit(new URL(page.url()).hash);
  assert.deepEqual(await seen(other), await seen(page));
  // The way back leads to the story before.
  await page.goBack();
  await says(page, "p reaches 1 at τ = 0.931");
  await stage.leave(page);
  await stage.leave(other);
});

// When the bounded gate comes to p = 0.9 from D = a = 0: D² = 4 (a + eᵃ − 1) is kept and da/dτ = p (1 − p) D, so that τ is an
// integral over a, here by Simpson's rule over its root.
function arrival_of_bounded() {
  const most = Math.sqrt(Math.log(9)), parts = 2000;
  const slowness = (u) => {
    const a = u * u, p = 1 / (1 + Math.exp(-a));
    return (u === 0 ? 1 / Math.SQRT2 : u / Math.sqrt(a + Math.expm1(a))) / (p * (1 - p));
  };
  let sum = 0;
  for (let i = 0; i <= parts; ++i) sum += slowness((most * i) / parts) * (i === 0 || i === parts ? 1 : i % 2 ? 4 : 2);
  return (sum * most) / parts / 3;
}

test("the time that a late return takes is that of the integrated flow", async () => {
  const { arrival_of, late_text } = await parts_of_page("toy/arrival.ts");
  const ask = await open_engine();
  for (const [D, gate] of [[0, 0], [-2, 0], [-5, 0], [-3, 1.5], [2, -1]]) {
    const { reaches, level } = ask({ ask: "toy", D, gate, bounded: true, until: 10, frame: { D: 8, gate: 4 } });
    assert.ok(Math.abs(arrival_of(D, gate, level) / reaches - 1) < 1e-6, `${D}, ${gate}: ${arrival_of(D, gate, level)} and ${reaches}`);
  }
  assert.equal(late_text(arrival_of(-100, 0, 0.9)), "more than 10³⁰⁸");
});

test("the bounded gate has its own equations, field and stories, and mends a mistake", async () => {
  const page = await stage.visit("#/toy?bounded=no");
  await page.locator("line.separatrix").waitFor();
  await page.getByLabel(/^Bounded/).check();
  await page.locator("line.separatrix").waitFor({ state: "detached" });
  await page.locator("polyline.closed[points='']").waitFor({ state: "attached" });
  await page.getByText("every mistake is corrected").waitFor();
  assert.match((await page.getByRole("group", { name: "Equations" }).textContent()).replace(/\s/g, ""), /p=σ\(a\).*dadτ=p\(1−p\)D/);
  // Uniform attention stays uniform when the gate becomes another.
  const uniform = await numbers_of(page);
  assert.deepEqual(uniform("flow")[0].slice(2, 4), [0, 0.5]);
  await says(page, `p reaches 0.9 at τ = ${+arrival_of_bounded().toPrecision(3)}.`);
  assert.equal((await reaches(page)).toFixed(5), arrival_of_bounded().toFixed(5));
  // D only rises: every arrow leads to the right.
  await page.waitForFunction(() => {
    const all = [...document.querySelectorAll("line.pull")];
    return all.length === 81 && all.every((one) => Number(one.getAttribute("x2")) > Number(one.getAttribute("x1")));
  });
  await page.getByRole("button", { name: "Mistaken" }).click();
  await says(page, "Attention falls, and comes back");
  await page.waitForFunction(() => location.hash.includes("D=-2"));
  await says(page, /^The wrong word.* p is 0\.9/);
  const flow = (await numbers_of(page))("flow").map(([, , , p]) => p);
  assert.ok(flow.every((p) => p > 0 && p < 1) && Math.min(...flow) < 0.4 && flow.at(-1) > 0.9, String(flow));
  // The time can be as long as the greatest mistake needs, and no equation is cut.
  await page.evaluate(() => (location.hash = "#/toy?bounded=yes&D=-5"));
  await says(page, /p reaches 0\.9 at τ = \d{2,3}(\.\d)?\./);
  const time = await reaches(page);
  assert.ok(time > 10, `${time}`);
  await page.getByLabel("Time τ").fill(String(Math.ceil(time)));
  await says(page, new RegExp(`At τ = ${Math.ceil(time)} p is 0\\.9`));
  const [inner, outer] = await page.getByRole("group", { name: "Equations" }).evaluate((one) => [one.scrollWidth, one.clientWidth]);
  assert.ok(inner <= outer, `${inner} wide in ${outer}`);
  // A start far to the left comes back later than anything can be shown, and the sentence says when.
  await page.getByText("Then drag the ring left to D = −2. Does attention still reach the key?").waitFor();
  await page.evaluate(() => (location.hash = "#/toy?bounded=yes&D=-7"));
  await says(page, /^Yes, attention still reaches the key\. It falls at first, and comes back\. This is too slow to be shown: p reaches 0\.9 at τ = about \d\.\d·10⁵\. At τ = 10 p is 0\.0/);
  await page.getByText("At D = 0 nothing moves attention.").waitFor();
  await stage.leave(page);
});

test("under the logistic loss a mistake is solved without attention, and a low loss leaves almost no gradient", async () => {
  const page = await stage.visit("#/toy?bounded=no");
  await page.getByLabel("Logistic loss").check();
  await page.locator("line.separatrix").waitFor({ state: "detached" });
  await page.getByText("has almost no gradient").waitFor();
  await page.getByRole("button", { name: "Mistaken" }).click();
  await says(page, "p does not reach 1 before τ = 1000");
  const flow = async () => (await numbers_of(page))("flow").map(([, , ...point]) => point); // D, p, loss
  const mistaken = await flow();
  assert.ok(mistaken.every(([, p, loss], i) => i === 0 || (p < mistaken[i - 1][1] && loss < mistaken[i - 1][2])), String(mistaken));
  assert.ok(mistaken.at(-1)[1] < -1.5 && mistaken.at(-1)[2] < 0.5);
  await page.getByRole("button", { name: "Low loss" }).click();
  await page.waitForFunction(() => location.hash.includes("sum=8"));
  await says(page, /p reaches 1 at τ = \d{3}\./);
  const low = await flow();
  assert.ok(Math.abs(low[0][2] - 2 * Math.log1p(Math.exp(-4))) < 1e-9 && low.at(-1)[1] < 0.8, String(low));
  // Whoever is sent the address sees the same.
  const other = await stage.visit(new URL(page.url()).hash);
  await says(other, /p reaches 1 at τ = \d{3}\./);
  assert.equal(await other.getByRole("status").innerText(), await page.getByRole("status").innerText());
  assert.equal(await other.getByLabel("Start: β₀ + β₁").inputValue(), "8");
  await stage.leave(other);
  await stage.leave(page);
});

test("of many steps of descent some are drawn, from the first to the last", async () => {
  const page = await stage.visit("#/toy?D=-0.3&gate=0.4&until=3&rate=0.0005");
  await page.waitForFunction(() => document.querySelectorAll("circle.descent").length === 2000);
  const [dot, end] = await page.evaluate(() => {
    const last = [...document.querySelectorAll("circle.descent")].at(-1);
    return [[Number(last.getAttribute("cx")), Number(last.getAttribute("cy"))], document.querySelector("polyline.flow").getAttribute("points").split(" ").at(-1).split(",").map(Number)];
  });
  assert.ok(Math.hypot(dot[0] - end[0], dot[1] - end[1]) < 5, `${dot} ${end}`);
  await page.getByText("2000 dots for 6000 steps of 0.0005").waitFor();
  await stage.leave(page);
});

test("the way back leads to where the start was, and a saved plane says what its lines are", async () => {
  const page = await stage.visit("#/toy?D=1&gate=0.25");
  await page.locator("circle.descent").first().waitFor();
  const box = await plane(page).boundingBox();
  await page.mouse.move(box.x + 0.6 * box.width, box.y + 0.4 * box.height);
  await page.mouse.down();
  for (const share of [0.62, 0.65, 0.7]) await page.mouse.move(box.x + share * box.width, box.y + 0.4 * box.height);
  await page.mouse.up();
  await page.waitForFunction(() => !location.hash.includes("D=1&"));
  await page.goBack();
  await page.waitForFunction(() => location.hash.includes("D=1&gate=0.25"));
  const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "SVG" }).click()]);
  const svg = String(await text_of(download));
  for (const text of ["closed form", "flow, integrated", "separatrix, D = −√2 p", "gradient descent, a dot a step of 0.0625"]) assert.ok(svg.includes(text), text);
  assert.doesNotMatch(svg, /var\(/);
  // As PDF it has its lines and their arrows, and small digits below the line.
  const [paper] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "PDF" }).click()]);
  const pdf = await text_of(paper), from = pdf.indexOf("stream\n") + 7;
  const content = String(inflateSync(pdf.subarray(from, pdf.indexOf("\nendstream", from))));
  assert.ok(content.includes("/F 9.1 Tf -1.95 Ts <31> Tj"), "the 1 of β₁");
  assert.ok(content.match(/^\S+ \S+ l$/gm).length > 2 * 100, "closed form and flow");
  assert.equal(content.match(/^0 0 m\n6 3 l\n0 6 l\nh\nf$/gm).length, await page.locator("line.pull").count());
  await stage.leave(page);
});

test("without a word the gate is bounded, and links of their own words restore what they did", async () => {
  const page = await stage.visit("#/toy");
  assert.ok(await page.getByLabel(/^Bounded/).isChecked());
  const axis = () => page.locator(".plane svg g > text[text-anchor=end]").allTextContents();
  assert.deepEqual(await axis(), ["0", "0.25", "0.5", "0.75", "1"]);
  await page.getByText("This loss is −p D, so it is below 0 when p and D are above 0, and it has no lower limit.").waitFor();
  await page.getByLabel(/^Unbounded/).check();
  await page.waitForFunction(() => location.hash.includes("bounded=no"));
  await page.locator("line.separatrix").waitFor();
  await page.getByText("Unbounded: p itself is trained, without a softmax, so it can be below 0 or above 1.").waitFor();
  await page.goBack();
  await page.locator("line.separatrix").waitFor({ state: "detached" });
  for (const [hash, bounded] of [["#/toy?D=1&gate=0.25", false], ["#/toy?until=2", false], ["#/toy?logistic=yes", false], ["#/toy?bounded=yes", true], ["#/toy?D=-2&bounded=yes", true], ["#/toy?bounded=yes&logistic=yes", true]]) {
    await page.evaluate((hash) => (location.hash = hash), hash);
    const radio = page.getByLabel(bounded ? /^Bounded/ : /^Unbounded/);
    await page.waitForFunction((hash) => location.hash === hash, hash);
    await radio.and(page.locator(":checked")).waitFor();
  }
  // A start of the bounded gate is put by p, and the address has its logit.
  await page.evaluate(() => (location.hash = "#/toy"));
  await page.getByLabel("Start: p").fill("0.9");
  await page.waitForFunction(() => location.hash.includes("gate=2.197") && location.hash.includes("bounded=yes"));
  await page.waitForFunction(() => document.querySelector("[role=application]").getAttribute("aria-label").includes("p 0.9;"));
  const there = await page.locator("circle.start").boundingBox(), wanted = await point(page, 0, 0.9);
  assert.ok(Math.hypot(there.x + there.width / 2 - wanted.x, there.y + there.height / 2 - wanted.y) < 3, JSON.stringify([there, wanted]));
  await stage.leave(page);
});

test("Play moves a point along the path, to where the curves end, and in few jumps if motion is to be reduced", async () => {
  for (const reducedMotion of ["no-preference", "reduce"]) {
    const page = await stage.visit("#/toy", { reducedMotion });
    await page.locator("circle.descent").first().waitFor();
    assert.equal(await page.locator("circle.walker").count(), 0);
    await page.evaluate(() => {
      globalThis.seen = new Set();
      const look = () => {
        const point = document.querySelector(".plane circle.walker");
        if (point) globalThis.seen.add(point.getAttribute("cx"));
        requestAnimationFrame(look);
      };
      look();
    });
    await page.getByRole("button", { name: "Play", exact: true }).click();
    await page.getByRole("button", { name: "Replay", exact: true }).waitFor();
    const places = await page.evaluate(() => globalThis.seen.size);
    assert.ok(reducedMotion === "reduce" ? places <= 11 : places > 11, `${places} places with ${reducedMotion}`);
    const told = await page.locator(".walk .value").innerText(),
      [, time] = told.match(/^τ = ([\d.]+): D = [\d.]+, p = 0\.\d{1,3}$/);
    await page.getByText(`The curves end at τ = ${time}, where the path leaves the plane.`).waitFor();
    // A person can put it anywhere. With another start it is at the beginning.
    await page.getByLabel("Point on the path").fill("0");
    await page.locator(".walk .value").getByText("τ = 0: D = 0, p = 0.5").waitFor();
    await page.getByRole("button", { name: "Mistaken" }).click();
    await page.locator("circle.walker").first().waitFor({ state: "detached" });
    await stage.leave(page);
  }
});

test("the start moves by keyboard", async () => {
  const page = await stage.visit("#/toy?bounded=no");
  await plane(page).focus();
  await page.keyboard.press("Shift+ArrowLeft");
  await page.keyboard.press("ArrowDown");
  await page.waitForFunction(() => location.hash.includes("D=-0.5") && location.hash.includes("gate=0.4"));
  await stage.leave(page);
});

test("nothing serious stands in the way of anybody, in light and dark, wide and narrow", async () => {
  for (const colorScheme of ["light", "dark"])
    for (const width of [390, 1440]) {
      const page = await stage.visit("#/toy", { colorScheme, viewport: { width, height: 900 } });
      await page.locator("circle.descent").first().waitFor();
      // The plane and Play are above the text on a phone, and beside it else.
      const top = (name) => page.getByText(name).first().boundingBox().then(({ y }) => y);
      if (width === 390) assert.ok((await plane(page).boundingBox()).y < (await top("Why attention waits")));
      await expect_accessible(page);
      const [inner, outer] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
      assert.ok(inner <= outer, `${inner} wide at ${outer}`);
      if (process.env.FOVEA_SHOTS) await page.screenshot({ path: join(process.env.FOVEA_SHOTS, `toy-${colorScheme}-${width}.png`) });
      await stage.leave(page);
    }
});
