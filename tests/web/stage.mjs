// The program serving a store of its own, and a browser in front of it that minds every error and every request.
import { spawn, execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import assert from "node:assert/strict";
import { open_browser, require } from "./chromium.mjs";

const axe = require.resolve("axe-core/axe.min.js");

const program = process.env.FOVEA_PROGRAM;

export class Stage {
  // What the program prints when called with these words, on this stage's store.
  async fovea(...words) {
    const { stdout } = await promisify(execFile)(program, words, { env: { ...process.env, FOVEA_HOME: this.home }, maxBuffer: 1 << 28 });
    return stdout;
  }

  static async open() {
    const stage = new Stage();
    stage.home = await mkdtemp(join(tmpdir(), "fovea-page-"));
    stage.server = spawn(program, ["serve", "--port", "0", "--for", "880"], { env: { ...process.env, FOVEA_HOME: stage.home } });
    stage.ended = new Promise((done) => stage.server.on("exit", (code) => done(code)));
    stage.address = await new Promise((done, fail) => {
      stage.server.stdout.once("data", (text) => done(String(text).trim()));
      stage.server.on("exit", (code) => fail(new Error(`fovea serve ended with ${code}`)));
    });
    stage.browser = await open_browser();
    return stage;
  }

  // A fresh browser profile at `hash` of the served page, or at an address of its own: "file:…", or another server's, of
  // which it may ask. What goes wrong in it fails leave().
  async visit(hash = "", options = {}) {
    const own = /^(file|http):/.test(hash);
    const address = own ? hash.replace(/[^/]*(#.*)?$/, "") : this.address;
    const context = await this.browser.newContext({ viewport: { width: 1440, height: 900 }, acceptDownloads: true, ...options });
    const page = await context.newPage();
    page.setDefaultTimeout(200_000);
    page.complaints = [];
    page.on("console", (message) => message.type() === "error" && page.complaints.push(message.text()));
    page.on("pageerror", (error) => page.complaints.push(String(error)));
    page.on("request", (request) => {
      const url = request.url();
      if (!url.startsWith(address) && !/^(data|blob):/.test(url)) page.complaints.push("asked for " + url);
    });
    await page.goto(own ? hash : this.address + hash);
    await page.waitForSelector("h1");
    return page;
  }

  async leave(page) {
    assert.deepEqual(page.complaints, []);
    await page.context().close();
  }

  async close() {
    await this.browser?.close();
    this.server.kill("SIGTERM");
    assert.equal(await this.ended, 0);
    await rm(this.home, { recursive: true, force: true });
  }
}

// Nothing that axe calls serious or critical.
export async function expect_accessible(page) {
  await page.addScriptTag({ path: axe });
  const found = await page.evaluate(async () => (await globalThis.axe.run()).violations.filter((one) => one.impact === "serious" || one.impact === "critical"));
  assert.deepEqual(
    found.map((one) => `${one.id}: ${one.nodes.map((node) => node.html).join(" | ")}`),
    [],
  );
}

// How many times longer than the tests' bounds suppose a page's thread takes for the same work here and now; 1 where it is
// faster.
export async function slowness(page, busy) {
  const supposed = 0.1; // seconds of the processor
  const before = await busy();
  await page.evaluate(() => Array.from({ length: 200_000 }, (_, i) => String((i * 7919) % 200_003)).sort().join("").length);
  return Math.max(1, ((await busy()) - before) / supposed);
}

// Asks again for some seconds, until `true_now` is: what a click changes is drawn a little later.
export async function until(true_now) {
  for (let asked = 0; !(await true_now()) && asked < 100; ++asked) await new Promise((done) => setTimeout(done, 50));
}

export async function text_of(download) {
  const pieces = [];
  for await (const piece of await download.createReadStream()) pieces.push(piece);
  return Buffer.concat(pieces);
}
