// Labelled texts of one's own, read by the engine.
import { engine } from "../engine/engine";
import { Trouble } from "../trouble";
import { Own } from "./data";
import { words_of } from "./words";

interface Texts {
  given: string; // as they were pasted
  labels: string[];
  texts: string[]; // words separated by spaces
  header?: string[]; // the first line, where it was taken for the columns' names
  last?: boolean; // a line had its label after its text
  columns?: number; // of each line, if several columns of text were joined
  without?: string[]; // words that were removed from them
}

// What the engine reads.
interface Table {
  labels: string[];
  texts: string[];
  header: string[];
  last: boolean;
}

const most_texts = 2_000;
const most_classes = 20;
const least_of_class = 5; // so that some can be held out

export const words_in = (text: string) => words_of(text).join(" ");

// What is before the first separator; "" if there is none, or if it is within quotes.
function label_before(line: string, mark: string): string {
  const label = line.includes(mark) ? line.slice(0, line.indexOf(mark)).trim() : "";
  return /^"[^"]*$/.test(label) ? "" : label;
}

// The fields of a line of a table, without the quotes around them.
const fields_of = (line: string, mark: string) =>
  [...line.matchAll(new RegExp(`(?:^|${mark})\\s*(?:"((?:[^"]|"")*)"\\s*(?=${mark}|$)|([^${mark}]*))`, "g"))].map(
    ([, quoted, plain]) => quoted?.replaceAll('""', '"') ?? plain!.trim(),
  );

// Lines of a label and a text that holds commas or semicolons as it pleases, as lines of a label, a tab and a text. What
// comes before the first separator is taken for a label where few of these come again and again; quotes around a text are
// taken off. A table with quoted fields may have several columns of text. Anything else (JSON, tabs, quoted texts over
// several lines) is as it was.
export const with_tabs = (given: string): string => read_lines(given).text;

function read_lines(given: string): { text: string; columns?: number } {
  const lines = given.split(/\r?\n/),
    full = lines.filter(line => line.trim() !== "");
  if (full.length === 0 || /^\s*\{/.test(full[0]!) || full[0]!.includes("\t")) return { text: given };
  const fits = [",", ";"]
    .map(mark => ({
      mark,
      labels: new Set(full.map(line => label_before(line, mark))),
    }))
    .filter(({ labels }) => !labels.has("") && labels.size <= most_classes + 1 && 3 * labels.size <= full.length)
    .sort((a, b) => a.labels.size - b.labels.size || [...a.labels].join("").length - [...b.labels].join("").length);
  const mark = fits[0]?.mark;
  if (!mark) return { text: given };
  const columns = fields_of(full[0]!, mark).length;
  if (columns > 2 && given.includes('"') && full.every(line => fields_of(line, mark).length === columns))
    return {
      text: lines
        .map(line => {
          const [label, ...text] = fields_of(line, mark);
          return line.trim() === "" ? line : `${label}\t${text.join(" ").replaceAll("\t", " ")}`;
        })
        .join("\n"),
      columns,
    };
  const rows = lines.map(line => {
    if (line.trim() === "") return line;
    const at = line.indexOf(mark);
    const label = line
        .slice(0, at)
        .trim()
        .replace(/^"(.*)"$/, "$1"),
      text = line.slice(at + 1).trim();
    const quoted = /^"((?:[^"]|"")*)"(.*)$/.exec(text);
    if (text.startsWith('"') && (!quoted || /^\s*[,;]/.test(quoted[2]!))) return undefined; // over several lines, or in several columns
    return `${label}\t${(quoted?.[2] === "" ? quoted[1]!.replaceAll('""', '"') : text).replaceAll("\t", " ")}`;
  });
  return { text: rows.includes(undefined) ? given : rows.join("\n") };
}

// A first line whose label no other line has is the header, if the other labels come again and again.
function take_header({ labels, texts, header, last }: Table): Table {
  const count = counted(labels),
    [first] = labels;
  const is_header = header.length === 0 && count.size > 2 && count.get(first!) === 1;
  const others = [...count].filter(([label]) => label !== first).every(([, n]) => n >= least_of_class);
  return is_header && others
    ? { labels: labels.slice(1), texts: texts.slice(1), header: last ? [texts[0]!, first!] : [first!, texts[0]!], last }
    : { labels, texts, header, last };
}

// Of a table with tabs, the first line without one; of other lines, the first if it has no separator at all.
function refuse_missing_tabs(given: string) {
  const lines = given.split(/\r?\n/).map((line, i) => ({ line, number: i + 1 }));
  const full = lines.filter(({ line }) => line.trim() !== "");
  if (full.length === 0 || /^\s*\{/.test(full[0]!.line)) return;
  if (full[0]!.line.includes("\t")) {
    const without = full.find(({ line }) => !line.includes("\t"));
    if (without) throw new Trouble(`Line ${without.number} has no tab: write a label, a tab and a text.`);
  } else if (!/[,;]/.test(full[0]!.line)) {
    throw new Trouble(
      `Line ${full[0]!.number} has no tab, comma or semicolon: write a label, one of these and a text.`,
    );
  }
}

class OwnTexts extends Own<Texts> {
  readonly title = "Your texts";
  readonly label =
    "Your texts, one per line: label,text or text,label. A tab, comma or semicolon separates them. A header line may come first.";
  readonly placeholder =
    "good,What a wonderful film\nbad,A dull story\n\nor\n\ntext,label\nWhat a wonderful film,good\nA dull story,bad";
  readonly hint =
    "If the label comes first, a text may contain commas and semicolons. If it comes last, put such a text in double quotes.";
  readonly accept = ".tsv,.csv,.jsonl,.txt";

  async read(given: string): Promise<Texts> {
    refuse_missing_tabs(given);
    const { text, columns } = read_lines(given);
    const table = await engine
      .ask<Table>({
        ask: "table",
        text,
        most_labels: most_classes,
      })
      .catch((error: Error) => {
        throw new Trouble(error.message.replace(/^your data:(\d+):/, "Line $1"));
      });
    const { header, last, labels, texts } = /^\s*\{/.test(given) ? table : take_header(table);
    if (texts.length === 0)
      throw new Trouble("There is a header and no text under it: paste a label and a text in each line.");
    if (texts.length > most_texts)
      throw new Trouble(
        `There are ${texts.length} texts, and this page takes at most ${most_texts}: take fewer, or let the program read them (fovea data add).`,
      );
    const cut = texts.map(words_in);
    const empty = cut.indexOf("");
    if (empty >= 0)
      throw new Trouble(
        `Text ${empty + 1} ("${texts[empty]!.slice(0, 40)}") has no words: fill it in, or leave it out.`,
      );
    const count = counted(labels);
    if (count.size < 2)
      throw new Trouble(`Every text has the label "${labels[0]}": give texts of two classes or more.`);
    if (count.size > most_classes)
      throw new Trouble(
        `There are ${count.size} different labels, and this page takes at most ${most_classes}: does the label stand first in each line?`,
      );
    for (const [label, n] of count)
      if (n < least_of_class)
        throw new Trouble(
          `The class "${label}" has ${n === 1 ? "one text" : `${n} texts`}: give at least ${least_of_class} of each, so that some can be held out.`,
        );
    return { given, labels, texts: cut, header, last, ...(columns !== undefined && { columns }) };
  }

  // Takes words out of the given texts, or puts all back. The model is trained on the remaining words.
  async remove(words: string[]) {
    if (!this.data) return;
    const read = await this.read(this.data.given);
    const texts = read.texts.map(text =>
      text
        .split(" ")
        .filter(word => !words.includes(word))
        .join(" "),
    );
    const empty = texts.indexOf("");
    if (empty >= 0) throw new Trouble(`Text ${empty + 1} has no other words: leave it out, then remove the words.`);
    this.change({ ...read, texts, without: words }, true);
  }

  told({ labels, texts, header = [], last, columns }: Texts): string {
    const count = counted(labels);
    const words = new Set(texts.flatMap(text => text.split(" ")));
    const copies = texts.length - new Set(texts.map((text, i) => `${labels[i]}\t${text}`)).size;
    return `${texts.length} texts of ${count.size} classes (${[...count].map(([label, n]) => `${isolated(label)}: ${n}`).join(", ")}), ${words.size} different words.${copies > 0 ? ` ${copies === 1 ? "One text is a copy" : `${copies} texts are copies`} of another.` : ""}${header.length > 0 ? ` The first line (${header.join(", ")}) is taken for the names of the columns, and is no text.` : ""}${last ? " The labels are in the last column." : ""}${columns ? ` Columns 2 to ${columns} are joined into one text.` : ""}`;
  }

  // Two words speak for each class, the others for none.
  example(): string {
    const nouns = ["film", "story", "cast", "music", "ending", "camera", "script", "scene"];
    const others = ["old", "long", "quiet", "second", "first", "last"];
    const telling = { good: ["wonderful", "moving"], bad: ["dreadful", "dull"] };
    return Array.from({ length: 120 }, (_, i) => {
      const label = i % 2 ? "bad" : "good";
      const says = telling[label][(i >> 1) % 2];
      return `${label}\tThe ${others[(i * 7) % 6]} ${nouns[(i * 5) % 8]} is ${says} and the ${nouns[(i * 3 + 1) % 8]} is ${others[Math.floor(i / 20) % 6]}.`;
    }).join("\n");
  }

  task_of({ labels, texts }: Texts) {
    return { name: "given-texts", labels, texts };
  }
}

// So that a label that is written from right to left leaves what stands around it where it is.
function isolated(label: string): string {
  return /[\p{Script=Arabic}\p{Script=Hebrew}]/u.test(label) ? `\u2068${label}\u2069` : label;
}

export function counted(labels: string[]): Map<string, number> {
  const count = new Map<string, number>();
  for (const label of labels) count.set(label, (count.get(label) ?? 0) + 1);
  return count;
}

export const own_texts = new OwnTexts("fovea.own-texts");

// A text by its line among the pasted lines. If texts have several lines, by its number among the texts.
export function name_of_text(i: number): string {
  const { given = "", header = [], texts = [] } = own_texts.data ?? {};
  const lines = given.split(/\r?\n/).flatMap((line, at) => (line.trim() === "" ? [] : [at + 1])),
    before = header.length > 0 ? 1 : 0;
  return lines.length === texts.length + before ? `Line ${lines[i + before]}` : `Text ${i + 1}`;
}
