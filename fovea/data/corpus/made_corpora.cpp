// The corpora that the program makes: small, the same on every machine, and with every answer known (room
// data/corpus). corpus.cpp lists and opens them. They write nothing.
#include <fmt/format.h>

#include <array>

#include "fovea/data/corpus/corpus.h"
#include "fovea/data/draw.h"
#include "fovea/io/whitespace.h"

namespace fovea {

namespace {

using Take = std::function<void(const TextExample&)>;

template <std::size_t n>
std::string_view pick(RandomStream& stream, const std::array<std::string_view, n>& words) {
  return words[stream.integer(n)];
}

// Reviews of a sentence or two. One word decides the class; everything else is the same in both.
constexpr std::array<std::string_view, 12> praise{"wonderful", "brilliant", "superb",   "delightful",
                                                  "moving",    "gripping",  "masterly", "charming",
                                                  "elegant",   "hilarious", "tender",   "clever"};
constexpr std::array<std::string_view, 12> blame{"dreadful", "tedious", "awful",   "clumsy", "lifeless", "boring",
                                                 "shallow",  "painful", "pompous", "stale",  "dull",     "messy"};
constexpr std::array<std::string_view, 10> things{"film",  "plot",  "script", "cast",     "ending",
                                                  "music", "story", "camera", "dialogue", "opening"};
constexpr std::array<std::string_view, 8> when{"yesterday",         "last night", "on a plane",    "with my sister",
                                               "at the old cinema", "twice",      "without sound", "in one go"};
constexpr std::array<std::string_view, 6> begins{"I saw it",  "We watched this", "A friend showed it to me",
                                                 "It was on", "My class saw it", "They sent us a copy"};
constexpr std::array<std::string_view, 6> ends{"That is all.",           "Make of it what you will.",
                                               "It runs for two hours.", "The tickets were cheap.",
                                               "I had popcorn.",         "It rained afterwards."};

void each_review(std::int64_t count, Split split, const Take& take) {
  for (std::int64_t i = 0; i < count; ++i) {
    RandomStream stream = example_stream(1, "made-reviews", split, 0, static_cast<std::uint64_t>(i));
    const bool positive = i % 2 == 1;
    std::string text;
    const auto add = [&text](std::string_view words) {
      if (!text.empty()) text += ' ';
      text += words;
    };
    if (stream.integer(4) > 0) {
      add(pick(stream, begins));
      add(pick(stream, when));
      text += '.';
    }
    add("The");
    add(pick(stream, things));
    add(stream.integer(2) ? "is" : "was");
    add(pick(stream, positive ? praise : blame));
    if (stream.integer(3) == 0) {
      add("and so");
      add("is the");
      add(pick(stream, things));
    }
    text += '.';
    if (stream.integer(2)) add(pick(stream, ends));
    take({text, positive ? "positive" : "negative", {}, {"made-reviews", static_cast<int>(i) + 1}});
  }
}

// Sentences of a small invented language with their English: its adjectives stand behind their nouns and its verb at
// the end, so that a word's translation is not at the word's position.
using Word = std::pair<std::string_view, std::string_view>;
constexpr std::array<Word, 10> nouns{{{"malu", "dog"},
                                      {"tiri", "cat"},
                                      {"hapo", "child"},
                                      {"keda", "bird"},
                                      {"sonu", "woman"},
                                      {"vari", "man"},
                                      {"lumo", "horse"},
                                      {"pesi", "fish"},
                                      {"goba", "teacher"},
                                      {"nifa", "king"}}};
constexpr std::array<Word, 8> adjectives{{{"rosi", "red"},
                                          {"belu", "old"},
                                          {"kimi", "small"},
                                          {"dano", "happy"},
                                          {"figo", "wet"},
                                          {"sulo", "tall"},
                                          {"tema", "quiet"},
                                          {"wari", "wise"}}};
constexpr std::array<Word, 8> verbs{{{"vidak", "sees"},
                                     {"amok", "loves"},
                                     {"portek", "carries"},
                                     {"sekvik", "follows"},
                                     {"audik", "hears"},
                                     {"trovek", "finds"},
                                     {"helpik", "helps"},
                                     {"tusek", "touches"}}};

void each_phrase(std::int64_t count, Split split, const Take& take) {
  for (std::int64_t i = 0; i < count; ++i) {
    RandomStream stream = example_stream(1, "made-phrases", split, 0, static_cast<std::uint64_t>(i));
    std::string source, target, links;
    int read = 0, written = 0;  // words
    const auto noun_phrase = [&] {
      const Word noun = nouns[stream.integer(nouns.size())];
      const int noun_read = read++;
      source += noun.first;
      target += "the ";
      links += fmt::format("{}p{} ", noun_read, written++);
      if (stream.integer(3) > 0) {
        const Word adjective = adjectives[stream.integer(adjectives.size())];
        source += ' ';
        source += adjective.first;
        target += adjective.second;
        target += ' ';
        links += fmt::format("{}-{} ", read++, written++);
      }
      target += noun.second;
      links += fmt::format("{}-{} ", noun_read, written++);
    };
    const Word verb = verbs[stream.integer(verbs.size())];
    noun_phrase();
    target += ' ';
    target += verb.second;
    const int verb_written = written++;
    if (stream.integer(4) > 0) {
      source += ' ';
      target += ' ';
      noun_phrase();
    }
    source += ' ';
    source += verb.first;
    links += fmt::format("{}-{}", read, verb_written);
    take({source, {}, target, {"made-phrases", static_cast<int>(i) + 1}, links});
  }
}

// Sentences with names of people, places and firms. All names are of the same syllables, so many of them are new in
// the test. A title stands before a person, a preposition before a place, and a legal form behind a firm.
constexpr std::array<std::string_view, 8> syllables{"ka", "lo", "mi", "ru", "sen", "tor", "vel", "dan"};
constexpr std::array<std::string_view, 3> titles{"Dr", "Ms", "Mr"}, prepositions{"in", "near", "from"};
constexpr std::array<std::string_view, 2> forms{"Ltd", "Inc"};
constexpr std::array<std::string_view, 6> acts{"met", "praised", "called", "left", "joined", "asked"};
constexpr std::array<std::string_view, 6> remarks{"yesterday", "twice", "again", "today", "at last", "by chance"};

void each_mention(std::int64_t count, Split split, const Take& take) {
  for (std::int64_t i = 0; i < count; ++i) {
    RandomStream stream = example_stream(1, "made-mentions", split, 0, static_cast<std::uint64_t>(i));
    std::string words, tags;
    const auto add = [&](std::string_view word, std::string_view tag = "O") {
      for (const auto& [text, part] : {std::pair{&words, word}, {&tags, tag}})
        *text += (text->empty() ? "" : " ") + std::string(part);
    };
    const auto name = [&](const std::string& type) {
      for (std::uint64_t word = 0, most = 1 + stream.integer(2); word < most; ++word) {
        std::string written;
        for (std::uint64_t n = 2 + stream.integer(2); n > 0; --n) written += pick(stream, syllables);
        written[0] = static_cast<char>(written[0] - 'a' + 'A');
        add(written, (word == 0 ? "B-" : "I-") + type);
      }
    };
    const auto person = [&] {
      add(pick(stream, titles));
      name("person");
    };
    const auto firm = [&] {
      name("firm");
      add(pick(stream, forms));
    };
    stream.integer(2) ? person() : firm();
    add(pick(stream, acts));
    stream.integer(2) ? person() : firm();
    if (stream.integer(2)) {
      add(pick(stream, prepositions));
      name("place");
    }
    each_word(pick(stream, remarks), [&](std::string_view word) { add(word); });
    add(".");
    take({words, {}, tags, {"made-mentions", static_cast<int>(i) + 1}});
  }
}

// A program that does two things in turn: it reads an array of 256 lines from end to end, and walks a list of 127 nodes
// that lie scattered over 8 pages. Neither number divides the other: an array's line and a node seldom meet twice.
void each_access_of_two(std::int64_t count, Split split, const Take& take) {
  constexpr int lines = 256, nodes = 127, lines_of_heap = 8 * 64;
  static const std::vector<int> list = [] {
    std::vector<int> drawn(nodes), scratch(lines_of_heap);
    RandomStream(1, "made-accesses").distinct(drawn, scratch);
    return drawn;
  }();
  const std::int64_t begin = split == Split::train ? 0 : split == Split::validation ? 8 * count : 9 * count;
  for (std::int64_t i = begin; i < begin + count; ++i) {
    const std::int64_t turn = i / 2;
    const std::string access =
        i % 2 == 0
            ? fmt::format("0x401126,0x{:x}", 0x404000 + 64 * (turn % lines))
            : fmt::format("0x40113a,0x{:x}", 0x7f3a'1c00'0010 + 64 * list[static_cast<std::size_t>(turn % nodes)]);
    take({access, {}, {}, {"made-accesses", static_cast<int>(i) + 1}});
  }
}

MadeCorpus made(std::string name, std::string summary, bool trace, bool paired, std::vector<std::string> classes,
                std::array<std::int64_t, 3> examples, void (*each)(std::int64_t, Split, const Take&),
                bool tagged = false) {
  return {
      std::move(name),
      std::move(summary),
      trace,
      paired,
      std::move(classes),
      examples,
      [examples, each](Split split, const Take& take) { each(examples[static_cast<std::size_t>(split)], split, take); },
      tagged};
}

}  // namespace

const std::vector<MadeCorpus>& made_corpora() {
  static const std::vector<MadeCorpus> all{
      made("made-reviews", "made by the program: short reviews in which one word determines the class", false, false,
           {"negative", "positive"}, {2000, 500, 500}, each_review),
      made("made-phrases", "made by the program: an invented language of another word order, and English", false, true,
           {}, {4000, 500, 500}, each_phrase),
      made("made-accesses", "made by the program: memory accesses to an array and to a list, in turn", true, false, {},
           {16000, 2000, 2000}, each_access_of_two),
      made("made-mentions", "made by the program: sentences with names of people, places and firms", false, true, {},
           {2000, 500, 500}, each_mention, true)};
  return all;
}

}  // namespace fovea
