#include "fovea/data/words/words.h"

#include <gtest/gtest.h>

#include <fstream>

#include "fovea/data/text/vocabulary.h"

namespace fovea {
namespace {

using Words = std::vector<std::string>;

Words words_of(std::string_view text, bool lower_case = true) {
  WordSplitter splitter(lower_case);
  const auto& words = splitter.split(text);
  return {words.begin(), words.end()};
}

TEST(Words, AreLettersAndDigitsAndPunctuationStandsAlone) {
  EXPECT_EQ(words_of("Go until 3pm, crazy..  (OK)"),
            (Words{"go", "until", "3pm", ",", "crazy", ".", ".", "(", "ok", ")"}));
  EXPECT_EQ(words_of("A\tb\nC\r\n\x01"
                     "d",
                     false),
            (Words{"A", "b", "C", "d"}));
  EXPECT_EQ(words_of(""), Words{});
  EXPECT_EQ(words_of(" \t\xc2\xa0"), Words{}) << "a no-break space is a blank";
  EXPECT_EQ(words_of("a_b €5 a+b"), (Words{"a", "_", "b", "€", "5", "a", "+", "b"}));
}

TEST(Words, ApostrophesWithinWordsBelongToThem) {
  EXPECT_EQ(words_of("Don't 'quote' it’s rock'n'roll dogs' l’été"),
            (Words{"don't", "'", "quote", "'", "it's", "rock'n'roll", "dogs", "'", "l'été"}));
}

TEST(Words, OtherScriptsAreLoweredToo) {
  EXPECT_EQ(words_of("ÄRGER Straße ΣΟΦΟΣ ЖЁЛТЫЙ"), (Words{"ärger", "straße", "σοφοσ", "жёлтый"}));
  EXPECT_EQ(words_of("ÄRGER", false), Words{"ÄRGER"});
  EXPECT_EQ(words_of("我爱你。カナabc 한국어 말"), (Words{"我", "爱", "你", "。", "カ", "ナ", "abc", "한국어", "말"}));
  EXPECT_EQ(words_of("हिन्दी"), Words{"हिन्दी"}) << "vowel signs belong to their letters";
  EXPECT_EQ(words_of("👍🏽!"), (Words{"👍", "🏽", "!"}));
}

TEST(Words, MarksAreNoWordsOfTheirOwn) {
  EXPECT_EQ(words_of("I ❤\ufe0flove it"), (Words{"i", "❤", "love", "it"})) << "the mark says that it is an emoji";
  EXPECT_EQ(words_of("☺\ufe0f ok \u0301x"), (Words{"☺", "ok", "x"}));
  EXPECT_EQ(words_of("か\u3099き's"), (Words{"が", "き", "'", "s"})) << "a letter of its own keeps its mark";
}

TEST(Words, AreTheSameHoweverTheirMarksAreWritten) {
  EXPECT_EQ(words_of("\u1112\u1161\u11ab\u1100\u116e\u11a8"), Words{"한국"});
  EXPECT_EQ(words_of("cafe\u0301 ok"), words_of("café ok"));
  EXPECT_EQ(words_of("co\u00adop\u200bera\u200dtion"), (Words{"coop", "eration"}));
}

// The page cuts the same texts into the same words (tests/web/play_presets.test.mjs).
TEST(Words, AreThoseOfTheCommonTable) {
  std::ifstream table(FOVEA_SOURCE_DIR "/tests/data/words/cut.tsv", std::ios::binary);
  int lines = 0;
  for (std::string line; std::getline(table, line); ++lines) {
    const std::size_t tab = line.find('\t');
    std::string cut;
    for (const std::string& word : words_of(line.substr(0, tab))) cut += (cut.empty() ? "" : " ") + word;
    EXPECT_EQ(cut, line.substr(tab + 1));
  }
  EXPECT_EQ(lines, 14);
}

TEST(Vocabulary, IsOrderedByCountThenBytes) {
  const auto counted = [](const Words& words) {
    WordCounter counter;
    for (const std::string& word : words) counter.add(word);
    return counter;
  };
  const WordCounter counter = counted({"b", "a", "c", "c", "a", "b", "c", "d", "<end>", "<end>"});
  const Vocabulary all(counter, 1, 0, {"<end>"});
  ASSERT_EQ(all.size(), 7);
  EXPECT_EQ(all.word(0), "<unknown>");
  EXPECT_EQ(all.word(1), "<end>");
  EXPECT_EQ(all.word(2), "c");
  EXPECT_EQ(all.word(3), "<end>") << "the text's own, which is not the special one";
  EXPECT_EQ(all.word(4), "a");
  EXPECT_EQ(all.number("<end>"), 3);
  EXPECT_EQ(all.number("d"), 6);
  EXPECT_EQ(all.number("e"), Vocabulary::unknown);
  const Vocabulary frequent(counter, 2, 0);
  EXPECT_EQ(frequent.size(), 5);
  EXPECT_EQ(frequent.number("d"), Vocabulary::unknown);
  EXPECT_EQ(Vocabulary(counter, 1, 2).size(), 3);
}

}  // namespace
}  // namespace fovea
