#include "fovea/data/tasks/files/language_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <limits>

#include "fovea/data/text/vocabulary.h"
#include "fovea/io/utf8.h"
#include "fovea/io/whitespace.h"

namespace fovea {

namespace {

constexpr std::size_t most_bytes = 100'000'000, most_in_line = 1'000'000;

template <class Visit>
void each_character(std::string_view text, Visit&& visit) {
  while (!text.empty()) {
    char32_t point = 0;
    const std::size_t length = std::max<std::size_t>(1, read_utf8(text, point));
    visit(text.substr(0, length));
    text.remove_prefix(length);
  }
}

template <class Visit>
void each_line(std::string_view text, Visit&& visit) {
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    visit(text.substr(0, end), end != text.npos);
    text.remove_prefix(end == text.npos ? text.size() : end + 1);
  }
}

std::string readable(std::string_view character) {
  if (character == "\n") return "⏎";
  if (character == " ") return "␣";
  if (character == "\t") return "⇥";
  return printable(character);
}

using Parts = std::array<std::string, 3>;

LanguageText cut_characters(const Parts& texts, int vocab) {
  WordCounter counter;
  each_character(texts[0], [&](std::string_view character) { counter.add(character); });
  const Vocabulary vocabulary(counter, 1, vocab);
  LanguageText cut;
  for (int i = 0; i < vocabulary.size(); ++i)
    cut.words.push_back(i == Vocabulary::unknown ? vocabulary.word(i) : readable(vocabulary.word(i)));
  for (std::size_t part = 0; part < texts.size(); ++part) {
    cut.parts[part].begin();
    each_character(texts[part],
                   [&](std::string_view character) { cut.parts[part].token(vocabulary.number(character)); });
    cut.parts[part].shrink();
  }
  return cut;
}

LanguageText cut_subwords(const Parts& texts, int vocab, const std::string& position) {
  const std::string model = Pieces::learn(
      [&](const std::function<void(std::string_view)>& take) {
        each_line(texts[0], [&](std::string_view line, bool) { take(line); });
      },
      vocab);
  LanguageText cut;
  cut.pieces = std::make_shared<const Pieces>(model, position);
  const Pieces& pieces = *cut.pieces;
  for (int i = 0; i < pieces.size(); ++i) cut.words.push_back(i == pieces.end() ? "⏎" : pieces.piece(i));
  for (std::size_t part = 0; part < texts.size(); ++part) {
    cut.parts[part].begin();
    each_line(texts[part], [&](std::string_view line, bool ended) {
      for (const int piece : pieces.encode(line)) cut.parts[part].token(piece);
      if (ended) cut.parts[part].token(pieces.end());
    });
    cut.parts[part].shrink();
  }
  return cut;
}

LanguageText cut_parts(const Parts& texts, TokenUnits units, int vocab, const std::string& position) {
  return units == TokenUnits::subwords ? cut_subwords(texts, vocab, position) : cut_characters(texts, vocab);
}

template <class Where>
int read_token(std::string_view word, Where position) {
  std::int64_t token = 0;
  const auto [end, wrong] = std::from_chars(word.data(), word.data() + word.size(), token);
  if (end != word.data() + word.size() || wrong == std::errc::invalid_argument)
    throw wrong_input(fmt::format("'{}' is not a whole number, and each token must be one", word),
                      "write tokens as numbers separated by spaces, or set task.tokens = \"characters\"", position());
  if (word.front() == '-')
    throw wrong_input(fmt::format("the token {} is negative", word), "number the tokens from 0", position());
  if (wrong != std::errc() || token > std::numeric_limits<int>::max())
    throw wrong_input(fmt::format("the token {} is larger than {}", word, std::numeric_limits<int>::max()),
                      "number the tokens from 0", position());
  return static_cast<int>(token);
}

TokenTexts read_numbers(LineReader& lines) {
  TokenTexts all;
  for (std::string_view line; lines.next(line);) {
    if (trimmed(line).empty())
      throw wrong_input("the line is empty, and each line is a sequence of tokens", "remove it", lines.location());
    all.begin();
    std::size_t count = 0;
    each_word(line, [&](std::string_view word) {
      const auto position = [&] {
        Location at = lines.location();
        at.column = static_cast<int>(word.data() - line.data()) + 1;
        return at;
      };
      if (++count > most_in_line)
        throw wrong_input(fmt::format("the line has more than {} tokens", most_in_line), "split it into several lines",
                          position());
      all.token(read_token(word, position));
    });
  }
  return all;
}

LanguageText cut_numbers(LineReader& lines, int vocab) {
  const TokenTexts all = read_numbers(lines);
  const int kept_back = std::max(1, all.count() / 10), trained = all.count() == 1 ? 1 : all.count() - kept_back;
  LanguageText cut;
  const auto add = [&](Split split, std::span<const int> tokens) {
    TokenTexts& part = cut.part(split);
    part.begin();
    for (const int token : tokens) part.token(token);
  };
  if (all.count() == 1) {
    const std::size_t end = all[0].size() - all[0].size() / 10;
    add(Split::train, all[0].first(end));
    add(Split::validation, all[0].subspan(end));
  } else {
    for (int i = 0; i < all.count(); ++i) add(i < trained ? Split::train : Split::validation, all[i]);
  }
  WordCounter counter;
  for (const int token : cut.part(Split::train).ids()) counter.add(std::to_string(token));
  const Vocabulary vocabulary(counter, 1, vocab);
  for (int i = 0; i < vocabulary.size(); ++i) cut.words.push_back(vocabulary.word(i));
  for (TokenTexts& part : cut.parts) {
    for (int& token : part.ids()) token = vocabulary.number(std::to_string(token));
    part.shrink();
  }
  return cut;
}

}  // namespace

std::string read_language_file(const std::string& file) {
  std::error_code code;
  const std::filesystem::file_status status = std::filesystem::status(file, code);
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status) &&
      !std::filesystem::is_directory(status))
    throw wrong_input("can be read only once, and must be read twice", "write it into a file first", {file});
  std::string bytes = read_unpacked(ByteReader(std::filesystem::path(file)), most_bytes);
  if (bytes.empty()) throw wrong_input("is empty", "check that it is the right file", {file});
  return bytes;
}

LanguageText cut_language_file(const std::string& bytes, const std::string& file, TokenUnits units, int vocab) {
  LineReader lines(ByteReader(bytes, Location{file}), most_bytes);
  if (units == TokenUnits::numbers) return cut_numbers(lines, vocab);
  std::string text;
  text.reserve(bytes.size() + 1);
  for (std::string_view line; lines.next(line);) (text += line) += '\n';
  if (!bytes.ends_with('\n') && !text.empty()) text.pop_back();
  std::size_t end = text.size() - text.size() / 10;
  while (end < text.size() && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) ++end;  // a character stays whole
  return cut_parts({text.substr(0, end), text.substr(end), {}}, units, vocab, file);
}

LanguageText cut_language_corpus(const Corpus& corpus, TokenUnits units, int vocab) {
  Parts texts;
  for (const Split split : all_splits) {
    std::string& text = texts[static_cast<std::size_t>(split)];
    each_example(corpus, split, [&](const TextExample& example) {
      (text += example.text) += '\n';
      if (text.size() > most_bytes)
        throw wrong_input(
            fmt::format("the corpus '{}' has more than the {} bytes that are read", corpus.name, most_bytes),
            "use another corpus, or a file with a part of its texts");
    });
  }
  return cut_parts(texts, units, vocab, corpus.name);
}

std::vector<std::string> readable_characters(std::string_view text) {
  std::vector<std::string> all;
  each_character(text, [&](std::string_view character) { all.push_back(readable(character)); });
  return all;
}

}  // namespace fovea
