// Words as an answer names them, and those that are hardly a reason for a label.

export function quoted(words: string[]): string {
  return words.map((word, i) => `${i === 0 ? "" : i === words.length - 1 ? " and " : ", "}“${word}”`).join("");
}

export const is_punctuation = (word: string) =>
  /^[\p{P}\p{S}]+$/u.test(word) && !/\p{Extended_Pictographic}/u.test(word);

const marks: { [mark: string]: string } = {
  ".": "full stop",
  ",": "comma",
  ";": "semicolon",
  ":": "colon",
  "!": "exclamation mark",
  "?": "question mark",
  "-": "hyphen",
};

// The full stop “.”.
export const mark_text = (word: string) => `the ${marks[word] ?? "sign"} “${word}”`;

// What makes a word hardly a reason; "" if nothing does.
export function doubt_of(word: string): string {
  if (is_punctuation(word)) return "punctuation";
  if (/^\p{N}$/u.test(word)) return "one digit";
  return /^[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}]\p{M}*$/u.test(word) ? "one letter" : "";
}

// A warning of those among the words; "" if there are none.
export function doubts_in(words: string[]): string {
  const doubtful = [...new Set(words)].filter(doubt_of);
  if (doubtful.length === 0) return "";
  const named = doubtful.map((word, i) => {
    const before = i === 0 ? "" : i === doubtful.length - 1 ? " and " : ", ";
    return `${before}“${word}” (${doubt_of(word)})`;
  });
  return `${named.join("")} ${doubtful.length === 1 ? "is probably an artefact" : "are probably artefacts"} of how your texts were made.`;
}
