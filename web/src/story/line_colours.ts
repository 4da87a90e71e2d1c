// The colours of a figure that the library draws. Knowledge (β, D) is orange and attention (α, p) is blue in every view, and
// the library numbers its colours by the order of the lines.
import type { ToldNumbers } from "../model";

const knowledge = /β|\bknowledge\b|^D\b|^probability of the right/,
  attention = /α|\battention\b|\bweight\b|^p\b/;
const others = ["var(--c2)", "var(--c3)", "var(--c4)"];
const most = 4; // colours of the library that lines have before they repeat

function kind_of(line: string): "knowledge" | "attention" | "other" {
  return knowledge.test(line) ? "knowledge" : attention.test(line) ? "attention" : "other";
}

// For each of the library's colours that has another meaning here its colour on the page, as custom properties. A colour with
// several meanings, as over panels, is that of the text.
export function line_colours(parts: ToldNumbers[]): { [property: string]: string } {
  const panels = new Map<string, string[]>();
  for (const { panel, line } of parts) {
    const name = line.replace(/, (run \d+.*|median)$/, ""),
      lines = panels.get(panel) ?? panels.set(panel, []).get(panel)!;
    if (!lines.includes(name)) lines.push(name);
  }
  const kinds = Array.from({ length: most }, (_, i) => [
    ...new Set([...panels.values()].flatMap(lines => lines.filter((_, k) => k % most === i).map(kind_of))),
  ]);
  if (!kinds.flat().some(kind => kind !== "other")) return {};
  const free = [...others];
  return Object.fromEntries(
    kinds.flatMap((all, i) => {
      const [kind] = all;
      if (!kind) return [];
      const colour =
        all.length > 1
          ? "var(--text)"
          : kind === "other"
            ? free.shift()!
            : kind === "knowledge"
              ? "var(--c1)"
              : "var(--c0)";
      return [[`--k${i}`, colour ?? "var(--text)"]];
    }),
  );
}
