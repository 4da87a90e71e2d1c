// No modules of the page import each other in a circle.
import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { dirname, join, normalize } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const sources = fileURLToPath(new URL("../../web/src", import.meta.url));

// Of each module, by its path without ending, what it imports.
async function imports_of(folder) {
  const imports = new Map();
  for (const name of await readdir(folder, { recursive: true })) {
    if (!/\.tsx?$/.test(name)) continue;
    const text = await readFile(join(folder, name), "utf8");
    const paths = [...text.matchAll(/^(?:import|export)\b[^;]*?"(\.[^"]*)";/gm)].map(([, path]) => normalize(join(dirname(name), path)));
    imports.set(name.replace(/\.tsx?$/, ""), paths);
  }
  return imports;
}

// The first circle that is found from one of these modules on, as a list that ends where it begins.
function circle_in(imports) {
  const over = new Set();
  const from = (name, way) => {
    if (way.includes(name)) return [...way.slice(way.indexOf(name)), name];
    if (over.has(name) || !imports.has(name)) return undefined;
    for (const next of imports.get(name)) {
      const circle = from(next, [...way, name]);
      if (circle) return circle;
    }
    over.add(name);
    return undefined;
  };
  for (const name of imports.keys()) {
    const circle = from(name, []);
    if (circle) return circle;
  }
  return undefined;
}

test("no modules of the page import each other in a circle", async () => {
  const imports = await imports_of(sources);
  assert.ok(imports.get("main").includes("views/play") && imports.get("views/play").includes("play/use_player"), "imports are found");
  assert.equal(circle_in(imports)?.join(" → "), undefined);
});

test("a circle is found, and a module that two others import is none", () => {
  assert.equal(circle_in(new Map([["a", ["b", "c"]], ["b", ["d"]], ["c", ["d"]], ["d", []]])), undefined);
  assert.deepEqual(circle_in(new Map([["a", ["b"]], ["b", ["c"]], ["c", ["b"]]])), ["b", "c", "b"]);
});
