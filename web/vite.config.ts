// One HTML file with everything in it: it is built into the program.
import { defineConfig } from "vite";
import { viteSingleFile } from "vite-plugin-singlefile";

export default defineConfig({
  base: "./",
  plugins: [viteSingleFile({ removeViteModuleLoader: true })],
  esbuild: { jsx: "automatic", jsxImportSource: "preact" },
  build: { target: "es2022", modulePreload: false, reportCompressedSize: false },
});
