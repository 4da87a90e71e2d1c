// The page of one run, served.
import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { Stage, expect_accessible, text_of } from "./stage.mjs";

let stage;
before(async () => (stage = await Stage.open()));
after(() => stage?.close());

test("a run has a page: maps over steps, every head, weights, and the playground", async () => {
  await stage.fovea("sweep", "markov-icl", "--quick", "--quiet");
  const [{ run: id }] = JSON.parse(await stage.fovea("runs", "--where", 'experiment = "markov-icl"', "--json")).runs;
  const page = await stage.visit(`#/runs?run=${id}`);
  await page.getByRole("heading", { name: `Run ${id}: markov-icl` }).waitFor();
  await page.locator("button.small-map").nth(1).waitFor();
  assert.equal(await page.locator("button.small-map").count(), 2); // two layers of one head
  // The head that learned most is large already.
  await page.getByRole("button", { name: /^Show layer \d, head 1$/, pressed: false }).click();
  await page.waitForFunction(() => /map=attention\.layer\.\d\.head\.1/.test(location.hash));
  const map = page.getByRole("img", { name: /^Attention map at step/ });
  const last = await map.getAttribute("aria-label");
  await page.getByRole("button", { name: "Previous evaluation" }).click();
  await page.waitForFunction((last) => document.querySelector("canvas[role=img]").getAttribute("aria-label") !== last, last);
  const [file] = await Promise.all([page.waitForEvent("download"), page.getByRole("link", { name: /^Download/ }).click()]);
  assert.equal(file.suggestedFilename(), `run-${id}.safetensors`);
  assert.match(String((await text_of(file)).subarray(8, 4096)), /layer\.1\.query/);
  await expect_accessible(page);
  await page.getByRole("button", { name: "Open in Playground", exact: true }).click();
  await page.waitForFunction(() => location.hash.startsWith("#/play?") && location.hash.includes("task=markov"));
  await stage.leave(page);
  const none = await stage.visit("#/runs?run=99999");
  await none.getByRole("alert").getByText("There is no run 99999.", { exact: true }).waitFor(); // "/api/runs lists them" is for programs
  none.complaints = none.complaints.filter((text) => !/status of 404/.test(text));
  await stage.leave(none);
});

test("the loss of runs has the predicted plateaus that they share, and its axis ends with the data", async () => {
  const where = "train.steps = 20"; // rungs of all positions, as the loss is
  await stage.fovea("sweep", "markov-icl", "--quick", "--quiet", "--set", "train.steps=20", "--set", "probe.ladder.place=all");
  const { runs } = JSON.parse(await stage.fovea("runs", "--where", `experiment = "markov-icl" and ${where}`, "--json", "--limit", "-1"));
  const rungs = Object.keys(runs[0].metrics).filter((name) => /^rung_(?!.*_held$)/.test(name));
  const shared = rungs.filter((name) => new Set(runs.map((run) => run.metrics[name])).size === 1);
  assert.ok(rungs.length >= 3 && shared.length >= 1, rungs.join());
  const titles = (names) => names.map((name) => name.slice("rung_".length).replaceAll("_", " ")).sort();
  const page = await stage.visit(`#/runs?experiment=markov-icl&metric=loss&where=${encodeURIComponent(where)}`);
  const drawn = (title) => page.locator("figure", { hasText: title }).first().locator(".plot > svg:not(.told)");
  // Each with its number, as far as it is read off.
  const told = async (plot) => {
    const texts = (await plot.locator(".rules text").allTextContents()).flatMap((text) => {
      const [, names, number] = /^(.+) (\S+)$/.exec(text);
      for (const name of names.split(", ")) assert.ok(Math.abs(runs[0].metrics[`rung_${name.replaceAll(" ", "_")}`] / Number(number) - 1) < 0.006, text);
      return names.split(", ");
    });
    return texts.sort();
  };
  await drawn("one line per run").waitFor();
  assert.deepEqual(await told(drawn("one line per run")), titles(shared));
  const last = Math.max(...runs.map((run) => run.steps));
  const ticks = (await drawn("one line per run").locator("text").allTextContents()).map((text) => Number(text.replaceAll(",", ""))).filter(Number.isInteger);
  assert.ok(Math.max(...ticks) <= last, `${ticks} of ${last}`);
  await page.evaluate((hash) => (location.hash = hash), `#/runs?run=${runs[0].run}&of=loss`);
  await drawn(`loss of run ${runs[0].run}`).waitFor();
  assert.deepEqual(await told(drawn(`loss of run ${runs[0].run}`)), titles(rungs));
  // Rungs of the last position are not drawn over a loss of all positions.
  const others = "The rungs are of the last position, and the loss is of all positions. So no rungs are drawn.";
  const whole = await stage.fovea("runs", "--where", 'experiment = "markov-icl" and train.steps > 20', "--json", "--limit", "-1");
  const [one, two] = JSON.parse(whole).runs.map(({ run }) => run);
  for (const [address, title] of [[`run=${one}&of=loss`, `loss of run ${one}`], [`experiment=markov-icl&metric=loss&marked=${one},${two}`, "loss: the runs compared"]]) {
    await page.evaluate((hash) => (location.hash = hash), `#/runs?${address}`);
    await drawn(title).waitFor();
    await page.getByText(others).first().waitFor();
    assert.deepEqual(await told(drawn(title)), [], title);
  }
  await page.evaluate((hash) => (location.hash = hash), "#/runs?experiment=markov-icl&metric=accuracy");
  await drawn("accuracy: one line per run").waitFor();
  assert.deepEqual(await told(drawn("accuracy: one line per run")), []);
  await stage.leave(page);
});

test("a run shows what happened step by step, and is trained again with a head held", async () => {
  const { runs } = JSON.parse(await stage.fovea("runs", "--where", 'experiment = "markov-icl" and train.steps > 20', "--json", "--limit", "-1"));
  const [{ run: id }] = runs.filter(({ seed }) => seed === 0);
  const page = await stage.visit(`#/runs?run=${id}`);
  const events = page.getByRole("region", { name: "What happened, in order" });
  await events.getByText("Nearest rung: bigram, no longer unigram.").waitFor();
  const head = events.locator("li", { hasText: /^Step \d+Layer 1, head 1 attends like a previous-token head: it has made half of its rise/ });
  await events.getByText("The levels differ, so no order of heads is judged.").waitFor();
  const step = Number(/\d+/.exec(await head.getByRole("button").innerText())[0]);
  await head.getByRole("button").click();
  await page.getByRole("img", { name: `Attention map at step ${step},` }).waitFor();
  // The rungs are of the last position and the loss is of all, so the divergences are shown, the highest rung first.
  const figure = page.locator("figure", { hasText: `KL divergence from each rung of run ${id}` });
  assert.deepEqual(await figure.locator(".legend li, .legend span").allInnerTexts().then((texts) => [...new Set(texts.map((text) => text.trim()))]), ["uniform", "unigram", "bigram", "truth"]);
  await page.getByText(/^0\.\d+ on the position before \(uniform: 0\.\d+\)$/).waitFor();
  const hold = page.getByRole("region", { name: "Hold a head" });
  await hold.getByLabel("Head").selectOption("layer.2.head.1");
  await hold.getByLabel("From step").fill("400");
  await hold.getByText("The step must be from 0 to 399.").waitFor();
  await hold.getByLabel("From step").fill("40");
  assert.match(await hold.locator("pre").textContent(), /--set 'intervene=\[\{hold="uniform", of="layer\.2\.head\.1", from=40\}\]'/);
  await expect_accessible(page);
  await hold.getByRole("button", { name: "Train again with the hold" }).click();
  await hold.getByRole("link", { name: new RegExp(`^Compare run ${id} with run \\d+: layer 2, head 1 held uniform from step 40$`) }).click();
  await page.getByRole("heading", { name: "Side by side" }).waitFor();
  await page.getByText(new RegExp(`^Run ${id} \\(no intervention\\) ends with loss`)).waitFor();
  await page.getByText(new RegExp(`^Run ${id} ends nearest to the rung \\w+\\. Run \\d+ ends nearest to the rung \\w+\\. The rungs are of the last position`)).waitFor();
  // A hold of a run that has one is added to it.
  const held = Number(/marked=\d+%2C(\d+)/.exec(page.url())[1]);
  await page.evaluate((hash) => (location.hash = hash), `#/runs?run=${held}`);
  await hold.getByText("This run has an intervention: layer 2, head 1 held uniform from step 40. The hold is added to it.").waitFor();
  await hold.getByLabel("Head").selectOption("layer.1.head.1");
  assert.match(await hold.locator("pre").textContent(), /--set 'intervene=\[\{from=40, hold="uniform", of="layer\.2\.head\.1"\}, \{hold="uniform", of="layer\.1\.head\.1"\}\]'/);
  await hold.getByRole("button", { name: "Train again with the hold" }).waitFor();
  // The server trains no experiment of a file.
  const file = join(stage.home, "of-a-file.toml");
  await writeFile(file, await stage.fovea("show", String(id), "--spec"));
  await stage.fovea("run", file, "--quiet", "--set", "train.steps=20");
  const { runs: all } = JSON.parse(await stage.fovea("runs", "--json", "--limit", "-1"));
  const own = Math.max(...all.map(({ run }) => run));
  await page.evaluate((hash) => (location.hash = hash), `#/runs?run=${own}`);
  await page.getByRole("heading", { name: `Run ${own}: of-a-file` }).waitFor();
  await hold.getByText("The same by commands").waitFor();
  assert.equal(await hold.getByRole("button", { name: "Train again with the hold" }).count(), 0);
  await stage.leave(page);
});

test("glimpses at an image are shown on it, each a box with its number, at the look that is asked for", async () => {
  const small = ["task.digits=300", "train.steps=20", "train.batch=8", "probe.every=10", "probe.examples=8", "model.glimpses=4"];
  await stage.fovea("run", "glimpse-plain", "--quick", "--quiet", ...small.flatMap((one) => ["--set", one]));
  const [{ run: id }] = JSON.parse(await stage.fovea("runs", "glimpse-plain", "--json")).runs;
  const page = await stage.visit(`#/runs?run=${id}`);
  const drawn = page.getByRole("img", { name: "4 glimpses at step 20, of an image of 28 by 28 pixels" });
  await drawn.waitFor();
  assert.deepEqual(await drawn.locator("text").allTextContents(), ["1", "2", "3", "4"]);
  const way = (await drawn.locator("polyline").getAttribute("points")).split(" ").map((point) => point.split(",").map((x) => x / 20));
  const [file] = await Promise.all([page.waitForEvent("download"), page.locator(".glimpses").getByRole("button", { name: "CSV", exact: true }).click()]);
  const boxes = String(await text_of(file)).trim().split("\n").slice(1).map((line) => line.split(",").map(Number));
  assert.equal(boxes.length, 4);
  boxes.forEach(([glimpse, left, top, width, height], t) => {
    assert.equal(glimpse, t + 1);
    assert.deepEqual(way[t], [left + width / 2, top + height / 2]);
    assert.ok(width > 0 && width <= 8 && height > 0 && height <= 8 && left + width <= 28 && top + height <= 28, `${left} ${top} ${width} ${height}`);
  });
  await expect_accessible(page);
  await page.getByRole("button", { name: "Previous evaluation" }).click();
  await page.getByRole("img", { name: "4 glimpses at step 10" }).waitFor();
  await stage.leave(page);
});

test("a link with the old name of a metric shows the metric, and warns", async () => {
  await stage.fovea("sweep", "toy-phase", "--quick", "--quiet");
  const page = await stage.visit("#/runs?experiment=toy-phase&metric=gd_distance");
  await page.getByText("This link has the name gd_distance, which is now descent_distance_from_flow.").waitFor();
  await page.getByRole("columnheader", { name: "descent distance from flow", exact: true }).waitFor();
  await stage.leave(page);
});
