// How often the forecast of few texts is right: FOVEA_PAGE_FILE=build/page/index.html node scripts/calibrate.mjs CORPUS …
// A corpus is a table of texts with the label first (TSV, CSV with or without quotes, also as .gz). Of each, 30 texts are drawn
// 200 times, evenly from its classes; the page's own reader and the engine say which word attention will come to for each class, and
// how likely that is. It is right where the word stands with the class more often than chance has it in the whole corpus. Printed is
// how often that is so, by what was said.
import { readFile } from "node:fs/promises";
import { basename } from "node:path";
import { gunzipSync } from "node:zlib";
import { open_engine, parts_of_page } from "../tests/web/in_node.mjs";

const draws = 200, size = 30;
const files = process.argv.slice(2);
if (files.length === 0) {
  console.error("usage: FOVEA_PAGE_FILE=build/page/index.html node scripts/calibrate.mjs CORPUS.tsv[.gz] …");
  process.exit(2);
}
const ask = await open_engine();
const { words_in } = await parts_of_page("own/texts.ts");

// The fields of lines that are parted by tabs, or by commas outside of quotes; further columns are more of the text.
function rows_of(text) {
  const rows = [];
  for (const line of text.split(/\r?\n/)) {
    const fields = line.includes("\t") ? line.split("\t") : [...line.matchAll(/("(?:[^"]|"")*"|[^,]*)(?:,|$)/g)].map(([, field]) => field.replace(/^"(.*)"$/, "$1").replaceAll('""', '"'));
    const label = fields[0].trim(), words = words_in(fields.slice(1).join(" "));
    if (label && words) rows.push({ label, words });
  }
  return rows;
}

// The same draws every time (a linear congruential generator, as in Numerical Recipes).
let state = 1;
const uniform = () => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0) / 2 ** 32;

function drawn(by_class) {
  const texts = [];
  [...by_class.values()].forEach((all, i, classes) => {
    const wanted = Math.floor(size / classes.length) + (i < size % classes.length ? 1 : 0), pool = [...all];
    for (let k = 0; k < wanted && pool.length > 0; ++k) texts.push(...pool.splice(Math.floor(uniform() * pool.length), 1));
  });
  return texts;
}

const bins = [
  { says: "sure", least: 1.01 },
  { says: "probably, 0.9 and more", least: 0.9 },
  { says: "probably, 0.8 to 0.9", least: 0.8 },
  { says: "perhaps, 0.7 to 0.8", least: 0.7 },
  { says: "perhaps, 0.6 to 0.7", least: 0.6 },
  { says: "cannot tell, below 0.6", least: 0 },
];

console.log("| corpus | said | times | chance, as said | right |\n|---|---|---|---|---|");
for (const file of files) {
  const bytes = await readFile(file), rows = rows_of(String(file.endsWith(".gz") ? gunzipSync(bytes) : bytes));
  const by_class = new Map();
  for (const row of rows) (by_class.get(row.label) ?? by_class.set(row.label, []).get(row.label)).push(row);
  for (const [label, all] of by_class) if (all.length < size) by_class.delete(label); // a header
  // Drawing is even over classes, and so is what counts as chance.
  const shares = new Map([...by_class].map(([label, all]) => [label, all.length]));
  const holds = new Map(); // word to how many texts of each class hold it
  for (const { label, words } of rows)
    for (const word of new Set(words.split(" "))) {
      const counts = holds.get(word) ?? holds.set(word, new Map()).get(word);
      counts.set(label, (counts.get(label) ?? 0) + 1);
    }
  const is_right = (word, label) => {
    const share = (of) => (holds.get(word)?.get(of) ?? 0) / shares.get(of);
    return share(label) > [...shares.keys()].reduce((sum, of) => sum + share(of), 0) / shares.size;
  };
  const told = bins.map(() => ({ times: 0, likely: 0, right: 0 }));
  for (let draw = 0; draw < draws; ++draw) {
    const texts = drawn(by_class);
    const task = { name: "given-texts", labels: texts.map(({ label }) => label), texts: texts.map(({ words }) => words) };
    const spec = { task, model: { name: "gated-classifier", hidden: 8, embedding: 8 } };
    for (const { output, words, candidates } of ask({ ask: "predict", spec, set: {}, seed: draw, texts: [] }).prediction.outputs) {
      const first = words[0] ?? candidates[0];
      if (!first) continue;
      const bin = told[words.length > 0 ? 0 : bins.findIndex(({ least }, i) => i > 0 && first.likely >= least)];
      ++bin.times;
      bin.likely += candidates.find(({ word }) => word === first.word)?.likely ?? first.likely ?? 1;
      if (is_right(first.word, output)) ++bin.right;
    }
  }
  const name = basename(file).replace(/\..*/, "");
  bins.forEach(({ says }, i) => {
    const { times, likely, right } = told[i];
    if (times > 0) console.log(`| ${name} | ${says} | ${times} | ${(likely / times).toFixed(2)} | ${(right / times).toFixed(2)} |`);
  });
}
