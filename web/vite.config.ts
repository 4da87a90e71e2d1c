// One HTML file with everything in it: it is built into the program, put around a report's data, and laid on static
// hosts.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { deflateSync } from "node:zlib";
import { Marked } from "marked";
import { defineConfig, type Plugin } from "vite";
import { viteSingleFile } from "vite-plugin-singlefile";

// FOVEA_ENGINE names the folder that the engine was built in; without it the page has none and says so.
const folder = process.env.FOVEA_ENGINE ?? "";
const built = folder !== "" && existsSync(join(folder, "engine.wasm"));

function engine(): Plugin {
  const none = "export default () => Promise.reject(new Error('no engine'))";
  return {
    name: "engine",
    resolveId: id =>
      id === "#engine" ? (built ? join(folder, "engine.js") : "\0no-engine") : id === "#engine.wasm" ? "\0wasm" : null,
    load: id => {
      if (id === "\0no-engine") return none;
      if (id !== "\0wasm") return null;
      const packed = built
        ? deflateSync(readFileSync(join(folder, "engine.wasm")), { level: 9 }).toString("base64")
        : "";
      return `export default ${JSON.stringify(packed)}`;
    },
    // The engine is given its bytes: where they would lie else needs no second copy of them.
    transform: (code, id) =>
      id === join(folder, "engine.js") ? code.replace(/new URL\("engine.wasm",\s*import.meta.url\)/g, '""') : null,
  };
}

// The text of docs/how-to/lesson.md for the view Start, without its title and its table of parts, which stand there
// already. Its links into the page are the page's own; of other documents only the name is left.
function lesson(): Plugin {
  return {
    name: "lesson",
    resolveId: id => (id === "#lesson" ? "\0lesson" : null),
    load(id) {
      if (id !== "\0lesson") return null;
      const file = fileURLToPath(new URL("../docs/how-to/lesson.md", import.meta.url));
      this.addWatchFile(file);
      const marked = new Marked({
        renderer: {
          heading({ tokens, depth }) {
            return depth === 1 ? "" : `<h3>${this.parser.parseInline(tokens)}</h3>`;
          },
          table: () => "",
          link({ href, tokens }) {
            const text = this.parser.parseInline(tokens),
              to = /^http:\/\/127\.0\.0\.1:\d+\/(#.*)$/.exec(href)?.[1];
            return to ? `<a href="${to.replaceAll("&", "&amp;")}">${text}</a>` : `<i>${text}</i>`;
          },
        },
      });
      return `export default ${JSON.stringify(marked.parse(readFileSync(file, "utf8")))}`;
    },
  };
}

// Old names of metrics, each with the name of today, from the library's table.
function old_names(): Plugin {
  return {
    name: "old-names",
    resolveId: id => (id === "#old-names" ? "\0old-names" : null),
    load(id) {
      if (id !== "\0old-names") return null;
      const file = fileURLToPath(new URL("../fovea/base/old_names.inc", import.meta.url));
      this.addWatchFile(file);
      const rows = readFileSync(file, "utf8").matchAll(/^RENAMED\(metric, "(.+)", "(.+)"\)$/gm);
      return `export default ${JSON.stringify(Object.fromEntries([...rows].map(row => row.slice(1))))}`;
    },
  };
}

// What the full forms came to when they were last run, from docs/results/: of each experiment its claims, on each corpus,
// and of each finding the claim that it shows.
function kept(): Plugin {
  return {
    name: "kept",
    resolveId: id => (id === "#kept" ? "\0kept" : null),
    load(id) {
      if (id !== "\0kept") return null;
      const results = fileURLToPath(new URL("../docs/results/", import.meta.url));
      const text_of = (name: string) => {
        this.addWatchFile(join(results, name));
        return readFileSync(join(results, name), "utf8");
      };
      const experiments = readdirSync(results)
        .filter(name => name.endsWith(".json"))
        .sort()
        .map(name => JSON.parse(text_of(name)))
        .map(({ experiment, corpus = "", claims }) => ({ experiment, corpus, claims }));
      const findings = [...text_of("findings.toml").matchAll(/^claim = "(.+)"\nheading = "(.+)"$/gm)];
      return `export default ${JSON.stringify({ experiments, findings: Object.fromEntries(findings.map(([, claim, heading]) => [heading, claim])) })}`;
    },
  };
}

export default defineConfig({
  base: "./",
  plugins: [engine(), lesson(), old_names(), kept(), viteSingleFile({ removeViteModuleLoader: true })],
  // A page that is opened as a file may start no module as a worker.
  worker: { plugins: () => [engine()], format: "iife" },
  esbuild: { jsx: "automatic", jsxImportSource: "preact" },
  build: { target: "es2022", modulePreload: false, reportCompressedSize: false, chunkSizeWarningLimit: 8000 },
});
