// Rivals of taggers and the cues of tags, over sentences written by hand.
#include <gtest/gtest.h>

#include <cmath>

#include "fovea/theory/prediction/tag_cues.h"
#include "fovea/theory/prediction/tag_rivals.h"

namespace fovea {
namespace {

// Words: 0 unknown, 1 dr, 2 ada, 3 may, 4 runs. Tags: 0 B-per, 1 B-loc, 2 I-per, 3 O.
class Written final : public Task {
 public:
  struct Sentence {
    std::vector<int> words, tags;
  };
  std::vector<Sentence> sentences;

  void settings(Fields&) override {}
  void prepare(std::uint64_t) override {}
  TaskShape shape() const override {
    TaskShape shape;
    shape.kind = Kind::tagged_tokens;
    shape.vocab = 5;
    shape.target_vocab = 4;
    shape.unknown_token = 0;
    return shape;
  }
  std::int64_t examples(Split) const override { return std::ssize(sentences); }
  void batch(Split, std::uint64_t step, int, Batch& batch) const override {
    const Sentence& sentence = sentences.at(step);
    batch.size = 1;
    for (const auto& [tokens, ids] : {std::pair{&batch.source, &sentence.words}, {&batch.target, &sentence.tags}}) {
      tokens->resize(1, static_cast<int>(ids->size()));
      tokens->ids = *ids;
    }
  }
  std::string target_word(int tag) const override {
    return std::vector<std::string>{"B-per", "B-loc", "I-per", "O"}.at(static_cast<std::size_t>(tag));
  }
};

Written sentences() {
  Written task;
  task.sentences = {{{1, 2, 3, 4}, {3, 0, 2, 3}},
                    {{2, 4}, {0, 3}},
                    {{3, 4}, {1, 3}},
                    {{1, 2, 4}, {3, 0, 3}},
                    {{0, 4}, {0, 3}},
                    {{3, 4}, {1, 3}},
                    {{4, 4}, {3, 3}},
                    {{1, 3, 4}, {3, 0, 3}}};
  return task;
}

using Tags = std::vector<std::string_view>;

TEST(TagRivals, TheMajorityTagIsOfTheWordAlone) {
  const Written task = sentences();
  const TagRivals rivals(task, 1);
  EXPECT_EQ(rivals.by_majority(std::vector{2, 3, 4, 1, 0}), (Tags{"B-per", "B-loc", "O", "O", "O"}));
}

// The name "ada may" is longer than "ada"; "may" was a place twice, and a person once.
TEST(TagRivals, TheLexiconTakesTheLongestNames) {
  const Written task = sentences();
  const TagRivals rivals(task, 1);
  EXPECT_EQ(rivals.by_lexicon(std::vector{2, 3, 3, 2, 4}), (Tags{"B-per", "I-per", "B-loc", "B-per", "O"}));
  EXPECT_EQ(rivals.by_lexicon(std::vector{0, 3}), (Tags{"O", "B-loc"})) << "a name of an unknown word";
}

TEST(TagCues, AreCountedByOffset) {
  const Written task = sentences();
  const TagCues cues(task, 1, 1);
  // Of 20 words 5 are B-per. "dr" stands before a word 3 times, each time before a B-per.
  const double p = 5.0 / 20;
  EXPECT_NEAR(cues.sigma(0, -1, 1), (3 - 3 * p) / std::sqrt(3 * p * (1 - p)), 1e-12);
  EXPECT_EQ(cues.sigma(0, 0, 3), 0) << "seen less than three times with the tag";
  EXPECT_EQ(cues.predicted(std::vector{1, 3, 4}, 1, 0), 0);
  EXPECT_EQ(cues.predicted(std::vector{2, 4}, 0, 0), 0);
  EXPECT_EQ(cues.predicted(std::vector{0, 0}, 0, 1), -1);
  const std::vector<TagCue> strongest = cues.strongest(1, 2);
  ASSERT_EQ(strongest.size(), 1u);
  EXPECT_EQ(strongest[0].tag, "B-per");
  EXPECT_EQ(strongest[0].word, "1");
  EXPECT_EQ(strongest[0].offset, -1);
  EXPECT_EQ(strongest[0].with_tag, 3);
  EXPECT_EQ(strongest[0].all, 3);
}

}  // namespace
}  // namespace fovea
