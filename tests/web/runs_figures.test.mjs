// The figures of the view of runs: looked at, picked in and saved.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { inflateSync } from "node:zlib";
import { Stage, expect_accessible, text_of } from "./stage.mjs";

let stage;
before(async () => {
  stage = await Stage.open();
  await stage.fovea("sweep", "toy-phase", "--quick", "--quiet");
});
after(() => stage?.close());

test("a figure is saved as SVG, PNG and CSV, with the numbers that the program exports", async () => {
  const page = await stage.visit("#/runs?experiment=toy-phase&metric=p&sort=id");
  await page.locator("figure svg").first().waitFor();
  const saved = async (name) => {
    const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name, exact: true }).first().click()]);
    return [download.suggestedFilename(), await text_of(download)];
  };
  const [csv_name, csv] = await saved("CSV");
  assert.equal(csv_name, "toy-phase-p.csv");
  const file = join(stage.home, "all.csv");
  await stage.fovea("export", "--all", "--format", "csv", "-o", file);
  const exported = (await readFile(file, "utf8")).split("\n").filter((line) => line.split(",")[3] === "p");
  const numbers = (lines) => lines.map((line) => line.split(",").map((cell, i) => (i === 5 ? Number(cell) : cell)).join(","));
  // A further column has the setting that colours the curves.
  const [head, ...rows] = String(csv).trim().split("\n").map((line) => line.split(","));
  const by = await page.getByLabel("Colour by").inputValue();
  assert.equal(head.at(-1), by);
  assert.deepEqual(numbers(rows.map((row) => row.slice(0, 6).join(","))), numbers(exported));
  const { runs } = JSON.parse(await stage.fovea("runs", "--json", "--limit", "-1"));
  const value = new Map(runs.map(({ run, settings }) => [String(run), String(by.split(".").reduce((part, word) => part[word], settings))]));
  assert.ok(rows.every((row) => row.at(-1) === value.get(row[0])), rows[0].join());
  assert.ok(exported.length > 1000);
  const [svg_name, svg] = await saved("SVG");
  assert.equal(svg_name, "toy-phase-p.svg");
  assert.match(String(svg), /^<svg [^>]*xmlns="http:\/\/www.w3.org\/2000\/svg"/);
  assert.doesNotMatch(String(svg), /var\(/);
  const [, png] = await saved("PNG");
  assert.deepEqual([...png.subarray(1, 4)], [...Buffer.from("PNG")]);
  await stage.leave(page);
});

test("further metrics stand beside the chart, each is saved under its name, and a link restores the panel", async () => {
  for (const viewport of [{ width: 1440, height: 900 }, { width: 390, height: 844 }]) {
    const page = await stage.visit("#/runs?experiment=toy-phase&metric=p", { viewport });
    await page.locator("figure svg").first().waitFor();
    for (const metric of ["D", "train_loss"]) await page.getByLabel("Add a chart of").selectOption(metric);
    const charts = page.locator(".panel figure");
    await charts.nth(1).locator("svg").first().waitFor();
    await page.waitForFunction(() => /also=D%2Ctrain_loss/.test(location.hash));
    const other = await stage.visit(new URL(page.url()).hash, { viewport });
    await other.locator(".panel figure").nth(1).locator("svg").first().waitFor();
    assert.deepEqual(await other.locator(".panel figcaption > span").allTextContents(), ["D", "loss in training"]);
    const [download] = await Promise.all([other.waitForEvent("download"), other.locator(".panel figure").first().getByRole("button", { name: "CSV" }).click()]);
    assert.equal(download.suggestedFilename(), "toy-phase-D.csv");
    await stage.leave(other);
    await page.getByRole("button", { name: "Remove D" }).click();
    await page.waitForFunction(() => /also=train_loss/.test(location.hash));
    assert.equal(await charts.count(), 1);
    await expect_accessible(page);
    await stage.leave(page);
  }
});

test("curves are looked at in part, on logarithmic axes, without some groups, and saved for a column", async () => {
  const page = await stage.visit("#/runs?experiment=toy-phase&metric=D&by=model.p");
  const figure = page.locator(".plot.brushed").first(), drawn = figure.locator("svg").first();
  await drawn.waitFor();
  const ticks = () => drawn.locator('g[aria-hidden="true"], g').allTextContents().then((texts) => texts.join(" "));
  const whole = await ticks();
  const { x, y, width, height } = await figure.boundingBox();
  await page.mouse.move(x + 0.4 * width, y + height / 2);
  await page.mouse.down();
  await page.mouse.move(x + 0.6 * width, y + height / 2, { steps: 3 });
  await page.mouse.up();
  await page.waitForFunction(() => /zoom=/.test(location.hash));
  const [left, right] = /zoom=([\d.]+)%2C([\d.]+)/.exec(page.url()).slice(1).map(Number);
  assert.ok(left > 20 && right < 75 && right - left > 10, `${left} to ${right}`); // a fifth of 100 steps
  const other_steps = ([axes, before]) => [...axes.querySelectorAll("g")].map((g) => g.textContent).join(" ") !== before;
  await page.waitForFunction(other_steps, [await drawn.elementHandle(), whole]); // drawn anew once the address has changed
  assert.notEqual(await ticks(), whole);
  await page.getByRole("button", { name: "Show all steps" }).click();
  await page.getByLabel("Logarithmic values").first().check();
  await page.getByText(/values are 0 or less, and cannot be drawn/).waitFor();
  await page.getByLabel("Logarithmic values").first().uncheck();
  await page.locator("button.switch").first().click();
  await page.waitForFunction(() => /^D over steps, 21 lines/.test(document.querySelector(".plot svg").getAttribute("aria-label"))); // of 28
  await page.emulateMedia({ colorScheme: "dark" });
  await page.getByLabel("Size of the saved figure").first().selectOption("321");
  const [file] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "SVG" }).first().click()]);
  assert.match(String(await text_of(file)), /^<svg [^>]*width="321"[^>]*background:\s*#ffffff/);
  // As PDF it is as wide, has the letters of its axis, and a path for every line that is drawn.
  const [paper] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "PDF" }).first().click()]);
  const pdf = await text_of(paper), from = pdf.indexOf("stream\n") + 7;
  assert.match(String(pdf), /^%PDF-1\.4[^]*\/MediaBox \[0 0 240\.75 [^]*%%EOF\n$/);
  const content = String(inflateSync(pdf.subarray(from, pdf.indexOf("\nendstream", from))));
  assert.ok(content.includes(`<${Buffer.from("step ").toString("hex")}> Tj`), "its axis is named");
  assert.ok(content.match(/ l\nS$|^S$/gm).length >= 3, "its groups' lines");
  await stage.leave(page);
});

test("all settings that differ are seen at once, and values that are chosen pick runs out", async () => {
  const page = await stage.visit("#/runs?experiment=toy-phase&metric=D");
  await page.getByRole("group", { name: "D and 2 settings of 28 runs" }).waitFor();
  const one = page.getByRole("button", { name: "model.p 0.9" });
  await one.focus();
  await page.keyboard.press("Enter");
  await page.getByText("7 of 28 runs stand out; the median of their D is").waitFor();
  assert.equal(await one.getAttribute("aria-pressed"), "true");
  await page.getByLabel("D from", { exact: true }).fill("1e6");
  await page.keyboard.press("Tab");
  await page.getByText(/ 0 of 28 runs stand out\./).waitFor();
  await page.getByLabel("D from", { exact: true }).fill("");
  await page.keyboard.press("Tab");
  const [csv] = await Promise.all([page.waitForEvent("download"), page.getByRole("group", { name: "Save the figure: D and settings" }).getByRole("button", { name: "CSV" }).click()]);
  const [head, ...rows] = String(await text_of(csv)).trim().split("\n").map((row) => row.split(","));
  assert.deepEqual(rows.filter((row) => row[head.indexOf("picked")] === "1").map((row) => row[head.indexOf("model.p")]), Array(7).fill("0.9"));
  // The same to whom the link is given, and nobody is kept out.
  const other = await stage.visit(new URL(page.url()).hash);
  await other.getByText("7 of 28 runs stand out").waitFor();
  await expect_accessible(other);
  await stage.leave(other);
  await stage.leave(page);
});
