// Texts cut into words as the program's classifiers read them (fovea/data/words/words.h): a run of letters, digits and their
// marks, in small letters, is a word, and an apostrophe between two letters belongs to it. A Chinese character or a Japanese
// one is a word, and so is each punctuation mark and symbol, an emoji too, without the marks that may follow it.

type Role = "parts" | "word" | "mark" | "alone" | "nothing";

const no_blanks = /[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\u{20000}-\u{3ffff}]/u;

const roles = new Map<string | undefined, Role>();

function role_of(character: string | undefined): Role {
  const role = roles.get(character) ?? found_role(character);
  roles.set(character, role);
  return role;
}

function found_role(character: string | undefined): Role {
  if (character === undefined || character === "\u200b") return "parts";
  if (/\p{L}/u.test(character)) return no_blanks.test(character) ? "alone" : "word";
  if (/\p{N}/u.test(character)) return "word";
  if (/\p{M}/u.test(character)) return "mark";
  if (/[\p{P}\p{S}]/u.test(character)) return "alone";
  return /\p{Cf}/u.test(character) ? "nothing" : "parts";
}

// Of one character: İ and a final Σ have no small letter of their own.
const small = (character: string) => [...character.toLowerCase()][0]!;

export function words_of(text: string): string[] {
  const words: string[] = [];
  let word = "",
    alone = false; // whether it takes marks and nothing else
  const end = () => {
    if (word !== "") words.push(word.normalize("NFC"));
    word = "";
    alone = false;
  };
  const characters = [...text];
  characters.forEach((character, i) => {
    const role = role_of(character);
    if ((character === "'" || character === "’") && word !== "" && !alone && role_of(characters[i + 1]) === "word") {
      word += "'";
    } else if (role === "word") {
      if (alone) end();
      word += small(character);
    } else if (role === "mark") {
      if (word !== "") word += character;
    } else if (role === "alone") {
      end();
      word = character === "’" ? "'" : character;
      alone = no_blanks.test(character);
      if (!alone) end();
    } else if (role === "parts") {
      end();
    }
  });
  end();
  return words;
}
