// Which letters the fonts have that every reader of PDF has, as what codes, and how wide Helvetica's are.

// From the blank to the tilde, in thousandths of the size.
const widths = [
  278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278, 556, 556, 556, 556, 556, 556, 556,
  556, 556, 556, 278, 278, 584, 584, 584, 556, 1015, 667, 667, 722, 722, 667, 611, 778, 722, 278, 500, 667, 556, 833,
  722, 778, 667, 778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 278, 278, 278, 469, 556, 333, 556, 556, 500, 556,
  556, 278, 556, 556, 222, 222, 500, 222, 833, 556, 556, 556, 556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334,
  260, 334, 584,
];
const usual = 556; // of those that have no width here

// Those of Windows' Latin alphabet that Unicode has elsewhere.
const latin: { [letter: string]: number } = {
  "€": 128,
  "…": 133,
  "‘": 145,
  "’": 146,
  "“": 147,
  "”": 148,
  "•": 149,
  "–": 150,
  "—": 151,
  "\u202f": 32,
  "\u2009": 32,
};
// Those of the font Symbol, by code from its first, and how wide.
const greek = "αβχδεφγηιϕκλμνοπθρστυϖωξψζ",
  symbols: { [letter: string]: [code: number, width: number] } = {
    "−": [45, 549],
    "≥": [179, 549],
    "≤": [163, 549],
    "→": [174, 987],
    "←": [172, 987],
    "↑": [173, 603],
    "↓": [175, 603],
    "∞": [165, 713],
    "√": [214, 549],
    "≠": [185, 549],
    "≈": [187, 549],
    Δ: [68, 612],
    Σ: [83, 592],
    "∑": [229, 713],
  };
for (const [i, letter] of [...greek].entries()) symbols[letter] = [97 + i, 560];
// Written small, above the line and below it.
const shifted = [
  { letters: "⁰¹²³⁴⁵⁶⁷⁸⁹⁻", raised: 0.35 },
  { letters: "₀₁₂₃₄₅₆₇₈₉₋", raised: -0.15 },
];
const plain = "0123456789−";

interface Run {
  font: "F" | "S";
  codes: number[];
  small: number; // of the size
  raised: number;
  width: number; // to a size of 1
}

// The plain letter that a shifted one is written by, and how high; undefined of others.
function unshifted(letter: string): { letter: string; raised: number } | undefined {
  const kind = shifted.find(({ letters }) => letters.includes(letter));
  return kind && { letter: plain[kind.letters.indexOf(letter)]!, raised: kind.raised };
}

function glyph(letter: string): [font: "F" | "S", code: number, width: number] | undefined {
  const code = letter.charCodeAt(0);
  if (letter.length > 1) return undefined;
  if (code >= 32 && code < 127) return ["F", code, widths[code - 32]! / 1000];
  if (symbols[letter]) return ["S", symbols[letter]![0], symbols[letter]![1] / 1000];
  const found = latin[letter] ?? (code >= 160 && code < 256 ? code : undefined);
  return found === undefined ? undefined : ["F", found, usual / 1000];
}

// The first letter that none of the fonts has; "" where they have all.
export function missing_in(text: string): string {
  return [...text].find(letter => !unshifted(letter) && !glyph(letter)) ?? "";
}

// A text as runs of letters of one font and size.
export function letters(text: string): Run[] {
  const runs: Run[] = [];
  for (const letter of text) {
    const from = unshifted(letter),
      small = from ? 0.7 : 1,
      raised = from?.raised ?? 0;
    const [font, code, width] = glyph(from?.letter ?? letter) ?? ["F", 63, usual / 1000];
    const last = runs.at(-1);
    if (last?.font === font && last.small === small && last.raised === raised) {
      last.codes.push(code);
      last.width += width * small;
    } else runs.push({ font, codes: [code], small, raised, width: width * small });
  }
  return runs;
}

export function width_of(runs: Run[], size: number): number {
  return size * runs.reduce((sum, run) => sum + run.width, 0);
}
