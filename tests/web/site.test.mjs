// The documentation site: scripts/site builds it, every link and anchor in it leads somewhere, and nothing stands in a reader's way.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { createServer } from "node:http";
import { mkdir, mkdtemp, readFile, readdir, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, extname, join, posix } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { open_browser } from "./chromium.mjs";
import { expect_accessible } from "./stage.mjs";

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
let home, site, folder, host, browser;

const build = (story) =>
  promisify(execFile)(join(root, "scripts/site"), ["--release", site], { env: { ...process.env, FOVEA_STORY_FILE: story }, maxBuffer: 1 << 26 });

// A host of static files. The site of all versions is in a folder of it.
async function serve(version) {
  const types = { ".html": "text/html", ".json": "application/json", ".svg": "image/svg+xml", ".png": "image/png", ".css": "text/css", ".js": "text/javascript" };
  const server = createServer(async (request, response) => {
    const path = decodeURIComponent(new URL(request.url, "http://x").pathname).replace(/\/$/, "/index.html");
    try {
      if (!path.startsWith("/lab/") || path.includes("..")) throw new Error(path);
      const bytes = await readFile(join(site, path.slice("/lab/".length)));
      response.writeHead(200, { "Content-Type": types[extname(path)] ?? "text/plain" }).end(bytes);
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  const all = `http://127.0.0.1:${server.address().port}/lab/`;
  return { all, address: `${all}${version}/`, close: () => server.close() };
}

before(async () => {
  home = await mkdtemp(join(tmpdir(), "fovea-site-"));
  site = join(home, "site");
  const story = join(home, "story.json");
  const fovea = (...words) => promisify(execFile)(process.env.FOVEA_PROGRAM, words, { cwd: home, env: { ...process.env, FOVEA_HOME: home } });
  await fovea("reproduce", "toy-uniform", "--quiet");
  await fovea("report", "--data", "-o", story);
  await mkdir(join(site, "0.1"), { recursive: true });
  await writeFile(join(site, "0.1/index.html"), "<title>0.1</title>");
  await build(story);
  const [{ version }] = JSON.parse(await readFile(join(site, "versions.json"), "utf8"));
  folder = join(site, version);
  host = await serve(version);
  browser = await open_browser();
});
after(async () => {
  await browser?.close();
  host?.close();
  await rm(home, { recursive: true, force: true });
});

const unescaped = (text) => text.replaceAll("&amp;", "&").replaceAll("&quot;", '"').replaceAll("&lt;", "<");

test("the front page of the site is the newest version, and every page lists all versions", async () => {
  const page = await browser.newPage();
  await page.goto(host.all);
  await page.waitForURL(host.address + "**");
  await page.locator(".md-version__link").nth(1).waitFor({ state: "attached" });
  const listed = await page.locator(".md-version__link").evaluateAll((links) => links.map((link) => link.textContent.trim()));
  assert.deepEqual(listed, [posix.basename(host.address), "0.1"]);
  await page.close();
});

test("every link and anchor leads somewhere, and nothing is loaded from another host", async () => {
  const files = new Set(await readdir(folder, { recursive: true }));
  const pages = new Map();
  for (const file of files) if (file.endsWith(".html") && !file.startsWith("page/")) pages.set(file, await readFile(join(folder, file), "utf8"));
  assert.ok(pages.size > 200, String(pages.size));
  const marks = new Map([...pages].map(([file, text]) => [file, new Set([...text.matchAll(/ (?:id|name)="([^"]+)"/g)].map(([, id]) => unescaped(id)))]));
  const wrong = [];
  for (const [file, text] of pages) {
    const shown = text.replace(/<script[\s\S]*?<\/script>/g, (script) => script.slice(0, script.indexOf(">") + 1));
    for (const [, tag, kind, raw] of shown.matchAll(/<(\w+)[^>]*? (href|src)="([^"]*)"/g)) {
      const address = unescaped(raw);
      if (/^[a-z]+:|^\/\//i.test(address)) {
        if (!/^data:/.test(address) && !(tag === "a" && kind === "href")) wrong.push(`${file} loads ${address}`);
        continue;
      }
      if (file === "404.html") continue; // its addresses begin at the root of the host
      const [path, mark] = address.split(/#(.*)/s);
      const target = path ? posix.normalize(posix.join(posix.dirname(file), decodeURIComponent(path))) : file;
      if (target === "." || files.has(posix.join(target, "index.html"))) continue;
      if (!files.has(target)) wrong.push(`${file} leads to ${address}`);
      else if (mark && pages.has(target) && !marks.get(target).has(decodeURIComponent(mark))) wrong.push(`${file} leads to ${address}, which has no such mark`);
    }
  }
  assert.deepEqual(wrong, []);
});

test("code in a table is shown as it is typed", async () => {
  const cells = async (page) => [...(await readFile(join(folder, page), "utf8")).matchAll(/<td>[\s\S]*?<\/td>/g)].flatMap(([cell]) => [...cell.matchAll(/<code>(.*?)<\/code>/g)].map(([, code]) => code));
  const expressions = await cells("reference/expressions.html");
  assert.ok(expressions.some((code) => code.includes(" | ")));
  assert.deepEqual(expressions.filter((code) => code.includes("\\|")), []);
  assert.ok(expressions.includes("&lt;="));
  assert.deepEqual(expressions.filter((code) => code.includes("&amp;lt;")), []);
});

test("old addresses forward, with their marks", async () => {
  const page = await browser.newPage();
  for (const [old, now] of [
    ["docs/tutorial.html", "tutorials/two-stages.html"],
    ["docs/python.html#wheels", "developers/python-package.html#wheels"],
    ["docs/results.html#claims-that-do-not-hold", "explanation/not-supported.html"],
    ["docs/method.html#4-the-audit", "explanation/method.html#4-the-audit"],
    ["explanation/attempts.html#keyword-lstm", "developers/attempts.html#keyword-lstm"],
    ["reference/attempts.html#keyword-lstm", "developers/attempts.html#keyword-lstm"],
    ["reference/comparisons.html#glimpses", "developers/comparisons.html#glimpses"],
    ["explanation/sentences.html", "reference/sentences.html"],
    ["explanation/sources.html#source-19", "reference/sources.html#source-19"],
    ["explanation/authors-program.html", "reference/authors-program.html"],
    ["reference/advice.html", "developers/advice.html"],
    ["reference/layers.html#the-same-bits", "reference/precision.html#the-same-bits"],
    ["reference/page.html#keys-of-runs", "reference/page-addresses.html#keys-of-runs"],
    ["reference/python-api.html#class-foveaprediction", "reference/python-prediction.html#class-foveaprediction"],
    ["reference/results.html#named-entities", "reference/results-on-texts.html#named-entities"],
  ]) {
    await page.goto(host.address + old);
    await page.waitForURL(host.address + now);
  }
  await page.close();
});

test("pages of every kind can be read at two widths, in light and dark, and ask no other host", async () => {
  const chosen = ["index.html", "tutorials/two-stages.html", "how-to/check-attention.html", "reference/python-api.html", "explanation/findings.html", "gallery/copy-permutation.html", "developers/architecture.html"];
  for (const width of [390, 1440])
    for (const colorScheme of ["light", "dark"]) {
      const context = await browser.newContext({ viewport: { width, height: 900 }, colorScheme });
      const page = await context.newPage();
      const complaints = [];
      page.on("pageerror", (error) => complaints.push(String(error)));
      page.on("request", (request) => !request.url().startsWith(host.all) && !/^(data|blob):/.test(request.url()) && complaints.push("asked for " + request.url()));
      for (const name of chosen) {
        await page.goto(host.address + name);
        await page.locator("article h1").waitFor();
        const [inner, outer] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
        assert.ok(inner <= outer, `${name}: ${inner} wide at ${outer}`);
        await expect_accessible(page);
      }
      assert.deepEqual(complaints, []);
      await context.close();
    }
});

test("search finds a word, and the playground is in the tutorial", async () => {
  const page = await browser.newPage();
  await page.goto(host.address + "index.html");
  await page.getByRole("textbox", { name: "Search" }).fill("separatrix");
  await page.locator(".md-search-result__item a").first().waitFor();
  await page.goto(host.address + "tutorials/two-stages.html");
  const frame = page.locator("iframe.playground").first();
  await frame.scrollIntoViewIfNeeded();
  await frame.contentFrame().locator("canvas:visible, svg:visible").first().waitFor();
  await page.close();
});

test("the page tells its story from beside it, packed, and has a bound on its size", async () => {
  const page = await browser.newPage();
  await page.goto(host.address + "page/index.html#/story");
  await page.getByRole("link", { name: "Documentation" }).click();
  await page.waitForURL(host.address + "index.html");
  await page.close();
  assert.ok((await stat(join(folder, "page/story.deflate"))).size < (await stat(join(home, "story.json"))).size / 3);
  const heavy = join(home, "heavy.json");
  await writeFile(heavy, JSON.stringify({ experiments: [], padding: randomBytes(7e6).toString("base64") }));
  await assert.rejects(build(heavy), /more than 8\.0 MB/);
});
