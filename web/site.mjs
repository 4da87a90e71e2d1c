// Lays out the site for a host of static files: the page, the story that it tells, and the documentation as HTML. Every
// address in it is relative, so it may lie in any folder of the host.
// usage: node site.mjs PAGE.html STORY.json FOLDER
import { copyFile, cp, mkdir, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { dirname, join, posix } from "node:path";
import { fileURLToPath } from "node:url";
import { deflateSync } from "node:zlib";
import { Marked } from "marked";

const root = dirname(dirname(fileURLToPath(import.meta.url)));

const style = `
:root{color-scheme:light dark;--page:#fff;--text:#1c2128;--soft:#57606a;--line:#d8dee4;--tint:#f6f8fa;--link:#0550ae}
@media (prefers-color-scheme:dark){:root{--page:#14181d;--text:#e6edf3;--soft:#a3adb8;--line:#343b44;--tint:#1b2027;--link:#79b8ff}}
*{box-sizing:border-box}
body{margin:0;background:var(--page);color:var(--text);font:17px/1.55 system-ui,-apple-system,"Segoe UI",Helvetica,Arial,sans-serif;overflow-wrap:break-word}
header,main{max-width:820px;margin:0 auto;padding:12px 20px}
header{display:flex;flex-wrap:wrap;gap:4px 18px;border-bottom:1px solid var(--line);font-size:.95rem}
header a[aria-current]{color:var(--text);text-decoration:none;font-weight:600}
a{color:var(--link)}:focus-visible{outline:3px solid var(--link);outline-offset:2px}
h1,h2,h3{line-height:1.25}h2{margin-top:2.2rem}
code,pre{font-family:ui-monospace,Menlo,Consolas,"DejaVu Sans Mono",monospace;font-size:.88em}
pre{background:var(--tint);border-radius:6px;padding:10px 14px;overflow-x:auto}
img{max-width:100%;height:auto;background:#fff;border-radius:6px}
.scroll{overflow-x:auto}table{border-collapse:collapse;font-size:.92rem;line-height:1.4}
th,td{text-align:left;vertical-align:top;padding:5px 14px 5px 0;border-bottom:1px solid var(--line)}
`;

const escaped = text => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");

// Where an address of the Markdown file leads on the site; null where it names a file that the site does not have.
function leads(address, file, pages) {
  if (/^[a-z]+:/i.test(address) || address.startsWith("#")) return address;
  const [path, mark = ""] = address.split(/(?=#)/);
  const target = posix.normalize(posix.join(posix.dirname(file), path));
  if (pages.has(target)) return pages.get(target) + mark;
  return target.startsWith("docs/figures/") ? target.slice("docs/".length) : null;
}

const heading_id = text =>
  text
    .toLowerCase()
    .replace(/<[^>]*>|&[a-z]+;|[^\p{L}\p{N}\s-]/gu, "")
    .trim()
    .replace(/\s+/g, "-");

async function page_of(file, pages) {
  const renderer = {
    heading({ tokens, depth }) {
      const text = this.parser.parseInline(tokens);
      return `<h${depth} id="${heading_id(text)}">${text}</h${depth}>\n`;
    },
    link({ href, tokens }) {
      const text = this.parser.parseInline(tokens);
      const to = leads(href, file, pages);
      return to === null ? text : `<a href="${escaped(to)}">${text}</a>`;
    },
    image({ href, text }) {
      const to = leads(href, file, pages);
      return to === null ? escaped(text) : `<img src="${escaped(to)}" alt="${escaped(text)}" loading="lazy">`;
    },
    code({ text }) {
      return `<pre tabindex="0"><code>${escaped(text)}</code></pre>\n`;
    },
  };
  const text = await readFile(join(root, file), "utf8");
  const body = new Marked({ gfm: true, renderer }).parse(text);
  const title = /^# (.+)$/m.exec(text)?.[1] ?? file;
  const names = [...pages.values()];
  const links = names.map(
    name =>
      `<a href="${name}"${name === pages.get(file) ? ' aria-current="page"' : ""}>${name === "index.html" ? "overview" : name.replace(".html", "")}</a>`,
  );
  return `<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="data:,"><title>${escaped(title)} · Fovea</title><style>${style}</style></head>
<body><header><nav aria-label="Documentation" style="display:contents"><a href="../index.html">The page</a>${links.join("")}</nav></header>
<main>${body.replaceAll("<table>", '<div class="scroll" tabindex="0" role="region" aria-label="Table"><table>').replaceAll("</table>", "</table></div>")}</main></body></html>
`;
}

const [page, story, folder] = process.argv.slice(2);
if (!folder) {
  console.error("usage: node site.mjs PAGE.html STORY.json FOLDER");
  process.exit(2);
}
const documents = (await readdir(join(root, "docs"))).filter(name => name.endsWith(".md")).sort();
const pages = new Map([
  ["README.md", "index.html"],
  ...documents.map(name => [posix.join("docs", name), name.replace(/\.md$/, ".html")]),
]);
await mkdir(join(folder, "docs"), { recursive: true });
await copyFile(page, join(folder, "index.html"));
const packed = deflateSync(await readFile(story), { level: 9 }); // not every host packs what it sends
await writeFile(join(folder, "story.deflate"), packed);
await cp(join(root, "docs/figures"), join(folder, "docs/figures"), { recursive: true });
for (const [file, name] of pages) await writeFile(join(folder, "docs", name), await page_of(file, pages));
// What a visitor's browser loads before the story can be read.
const most = 8e6;
const megabytes = bytes => `${(bytes / 1e6).toFixed(1)} MB`;
const size = (await stat(page)).size + packed.length;
if (size > most) {
  console.error(
    `Page and story have ${megabytes(size)} together, more than ${megabytes(most)}. Tell fewer experiments, or draw figures with fewer marks.`,
  );
  process.exit(1);
}
console.log(`page and story: ${megabytes(size)}`);
await writeFile(join(folder, ".nojekyll"), ""); // hosts that would make something else of it leave it as it is
