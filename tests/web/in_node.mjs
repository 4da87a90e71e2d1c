// The page's engine and parts of the page without a browser: what needs no window is tested here, and costs seconds less.
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const { build } = createRequire(join(root, "web/package.json"))("esbuild");
const built = join(dirname(dirname(process.env.FOVEA_PAGE_FILE)), "engine");

// Loads a module whose text this is.
async function load(text) {
  const folder = await mkdtemp(join(tmpdir(), "fovea-in-node-"));
  const file = join(folder, "part.mjs");
  await writeFile(file, text);
  try {
    return await import(pathToFileURL(file).href);
  } finally {
    await rm(folder, { recursive: true });
  }
}

// A function that asks the engine as the page's worker does, and gives its answer; what is refused is thrown. Its `floats` are
// a part of what came beside the last answer.
export async function open_engine() {
  const { default: make } = await load(await readFile(join(built, "engine.js"), "utf8"));
  const engine = await make({ wasmBinary: await readFile(join(built, "engine.wasm")) });
  const ask = (question) => {
    const text = JSON.stringify(question);
    const size = engine.lengthBytesUTF8(text) + 1;
    const at = engine._malloc(size);
    engine.stringToUTF8(text, at, size);
    const answer = JSON.parse(engine.UTF8ToString(engine._fovea_ask(at)));
    engine._free(at);
    if (answer.error?.problem) throw new Error(answer.error.problem);
    return answer;
  };
  ask.floats = ({ at, bytes }) => new Float32Array(engine.HEAPU8.slice(engine._fovea_attached() + at, engine._fovea_attached() + at + bytes).buffer);
  return ask;
}

// What these modules of web/src export, all together; they ask an engine in vain.
export async function parts_of_page(...modules) {
  const stub = {
    name: "stub",
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^#|\?worker/ }, ({ path }) => ({ path, namespace: "stub" }));
      onLoad({ filter: /.*/, namespace: "stub" }, () => ({ contents: "export default ''" }));
    },
  };
  const contents = modules.map((name) => `export * from ${JSON.stringify(join(root, "web/src", name))};`).join("\n");
  const { outputFiles } = await build({ stdin: { contents, resolveDir: join(root, "web") }, bundle: true, format: "esm", write: false, plugins: [stub], jsx: "automatic", jsxImportSource: "preact", logLevel: "error" });
  return load(outputFiles[0].text);
}
