// Reads sentences in CoNLL columns: a word and its tags on each line, the tag of its entity in the last column, and a
// blank line after each sentence (room data/text). The text of an example has the words and its target has the tags,
// each separated by one space. text_reader.cpp opens it.
//
// Tags are given as BIO: B-TYPE for the first word of an entity, I-TYPE for its other words, O for words of none. A
// file in the older scheme, which opens an entity by I-TYPE, is read, too: such an I becomes B. One file has one
// scheme, so an I without its B is an error in a file that opens another entity by B where the older scheme has I.
#include <fmt/format.h>

#include <optional>
#include <utility>

#include "fovea/data/text/text_examples.h"
#include "fovea/io/whitespace.h"

namespace fovea {

namespace {

class ConllSentences final : public TextReader::Examples {
 public:
  explicit ConllSentences(const TextSource& source) : lines_(LineReader(ByteReader(source.file), source.longest)) {}

  // A malformed line is told when its sentence is over, so that the next sentence can be asked for.
  bool next(TextExample& example) override {
    text_.clear();
    tags_.clear();
    last_type_.clear();
    location_ = {};
    std::optional<Error> wrong;
    while (true) {
      std::string_view line;
      try {
        if (!lines_.next(line)) break;
        if (ends_sentence(line)) {
          if (text_.empty() && !wrong) continue;
          break;
        }
        add(line);
      } catch (const Error& error) {
        if (error.kind() != Error::Kind::wrong_input || error.location().line == 0) throw;
        if (!wrong) wrong = error;
      }
    }
    if (wrong) throw Error(*wrong);
    example = {text_, {}, tags_, location_};
    return !text_.empty();
  }

 private:
  // Blank lines; lines of an empty word with the tag O, which some corpora have between sentences; and the line that
  // opens a document.
  static bool ends_sentence(std::string_view line) {
    const std::string_view left = trimmed(line);
    return left.empty() || (line.front() == '\t' && left == "O") || left.starts_with("-DOCSTART-");
  }

  void add(std::string_view line) {
    const Location location = lines_.location();
    const bool tabs = line.find('\t') != line.npos;
    std::string_view word, tag;
    std::size_t columns = 0;
    const auto take = [&](std::string_view field) {
      if (columns++ == 0) word = field;
      tag = field;
    };
    if (tabs) each_field(line, take);
    else each_word(line, take);
    if (columns < 2)
      throw wrong_input("has one column, and needs a word and its tag",
                        Remedy::or_skip("separate word and tag by a tab or a space", "sentences"), location);
    if (columns_ == 0) columns_ = columns;
    if (columns != columns_)
      throw wrong_input(fmt::format("has {} columns, but the first line has {}", columns, columns_),
                        Remedy::or_skip("give each word the same columns", "sentences"), location);
    word = trimmed(word);
    if (word.empty())
      throw wrong_input("the word is empty", Remedy::or_skip("write a word, or remove the line", "sentences"),
                        location);
    if (word.find(' ') != word.npos)
      throw wrong_input(fmt::format("the word '{}' contains a space", word),
                        Remedy::or_skip("give each word a line of its own", "sentences"), location);
    const std::string written = in_bio(trimmed(tag), location);
    if (text_.empty()) location_ = location;
    else text_ += ' ', tags_ += ' ';
    text_ += word;
    tags_ += written;
  }

  template <class Visit>
  static void each_field(std::string_view line, const Visit& visit) {
    for (std::size_t begin = 0; begin <= line.size();) {
      const std::size_t end = std::min(line.find('\t', begin), line.size());
      visit(line.substr(begin, end - begin));
      begin = end + 1;
    }
  }

  std::string in_bio(std::string_view tag, const Location& location) {
    if (tag == "O") {
      last_type_.clear();
      return "O";
    }
    const bool begins = tag.starts_with("B-"), inside = tag.starts_with("I-");
    const std::string_view type = tag.substr(std::min<std::size_t>(2, tag.size()));
    if ((!begins && !inside) || type.empty() || type.find(' ') != type.npos)
      throw wrong_input(fmt::format("'{}' is no tag: tags are O, B-TYPE and I-TYPE", tag),
                        Remedy::or_skip("put the entity's tag in the last column, in the BIO scheme", "sentences"),
                        location);
    const bool goes_on = type == last_type_;  // of an entity of the same type that the word before is in
    if (begins && !goes_on) first_b_ = first_b_ == 0 ? location.line : first_b_;
    if (inside && !goes_on) first_i_ = first_i_ == 0 ? location.line : first_i_;
    if (first_b_ > 0 && first_i_ > 0)
      throw wrong_input(
          begins ? fmt::format("'{}' opens an entity, but line {} opens one by I", tag, first_i_)
                 : fmt::format("'{}' is in no entity of its type, and line {} opens one by B", tag, first_b_),
          Remedy::or_skip(fmt::format("open each entity of the file by B-{}", type), "sentences"), location);
    last_type_ = type;
    return fmt::format("{}-{}", begins || !goes_on ? 'B' : 'I', type);
  }

  LineReader lines_;
  std::size_t columns_ = 0;        // of the first line
  int first_b_ = 0, first_i_ = 0;  // the first lines that open an entity by B, and by I
  std::string text_, tags_, last_type_;
  Location location_;
};

}  // namespace

std::unique_ptr<TextReader::Examples> open_conll(const TextSource& source) {
  return std::make_unique<ConllSentences>(source);
}

}  // namespace fovea
