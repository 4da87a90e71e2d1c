// One HTML file with everything in it: it is built into the program, put around a report's data, and laid on static hosts.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { deflateSync } from "node:zlib";
import { defineConfig, type Plugin } from "vite";
import { viteSingleFile } from "vite-plugin-singlefile";

// FOVEA_ENGINE names the folder that the engine was built in; without it the page has none and says so.
const folder = process.env.FOVEA_ENGINE ?? "";
const built = folder !== "" && existsSync(join(folder, "engine.wasm"));

function engine(): Plugin {
  const none = "export default () => Promise.reject(new Error('no engine'))";
  return {
    name: "engine",
    resolveId: (id) => (id === "#engine" ? (built ? join(folder, "engine.js") : "\0no-engine") : id === "#engine.wasm" ? "\0wasm" : null),
    load: (id) => {
      if (id === "\0no-engine") return none;
      if (id !== "\0wasm") return null;
      const packed = built ? deflateSync(readFileSync(join(folder, "engine.wasm")), { level: 9 }).toString("base64") : "";
      return `export default ${JSON.stringify(packed)}`;
    },
    // The engine is given its bytes: where they would lie else needs no second copy of them.
    transform: (code, id) => (id === join(folder, "engine.js") ? code.replace(/new URL\("engine.wasm",\s*import.meta.url\)/g, '""') : null),
  };
}

export default defineConfig({
  base: "./",
  plugins: [engine(), viteSingleFile({ removeViteModuleLoader: true })],
  // A page that is opened as a file may start no module as a worker.
  worker: { plugins: () => [engine()], format: "iife" },
  esbuild: { jsx: "automatic", jsxImportSource: "preact" },
  build: { target: "es2022", modulePreload: false, reportCompressedSize: false, chunkSizeWarningLimit: 8000 },
});
