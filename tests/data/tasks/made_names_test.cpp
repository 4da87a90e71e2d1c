#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "tests/data/tasks/task_help.h"

namespace fovea {
namespace {

TEST(MadeNames, BatchesArePure) { expect_pure("made-names", {}); }

// Each word of a name is aligned to a word that tells its type: its own, or its cue right before or behind the name.
TEST(MadeNames, EveryNameIsToldByItsCue) {
  const auto task = make_task("made-names");
  const Batch batch = draw(*task, Split::train, 0, 400);
  int own = 0, before = 0, behind = 0, longer = 0;
  for (int b = 0; b < batch.size; ++b)
    for (int t = 0; t < batch.source.columns; ++t) {
      const std::string tag = task->target_word(batch.target.at(b, t)), word = task->word(batch.source.at(b, t));
      const auto at = static_cast<std::size_t>(b * batch.source.columns + t);
      const int cue = batch.alignment[at];
      EXPECT_EQ(tag != "O", word.starts_with("Own") || word.starts_with("Name")) << word << ' ' << tag;
      EXPECT_EQ(batch.features[at], tag != "O");
      EXPECT_EQ(cue >= 0, tag != "O");
      if (tag == "O") continue;
      const int type = std::stoi(tag.substr(2));
      longer += tag.starts_with("I-");
      if (tag.starts_with("I-")) {
        EXPECT_EQ(task->target_word(batch.target.at(b, t - 1)), "B-" + tag.substr(2));
      }
      const std::string sign = task->word(batch.source.at(b, cue));
      if (word.starts_with("Own")) {
        EXPECT_EQ(cue, t);
        EXPECT_TRUE(word.starts_with("Own" + std::to_string(type) + "-"));
        ++own;
        continue;
      }
      EXPECT_TRUE(sign.starts_with("cue" + std::to_string(type) + "-")) << sign;
      EXPECT_LE(std::abs(cue - t), 2);
      EXPECT_EQ(cue < t, type % 2 == 0);
      ++(cue < t ? before : behind);
    }
  for (const int count : {own, before, behind, longer}) EXPECT_GT(count, 100);
}

TEST(MadeNames, UnseenNamesAreInNoTrainingSentence) {
  const auto task = make_task("made-names", {{"shared", whole(6)}, {"unseen", whole(3)}});
  for (const Split split : {Split::train, Split::validation}) {
    const Batch batch = draw(*task, split, 0, 400);
    std::set<std::string> names;
    for (const int id : batch.source.ids)
      if (const std::string word = task->word(id); word.starts_with("Name")) names.insert(word);
    EXPECT_EQ(names.size(), split == Split::train ? 3u : 6u);
  }
  EXPECT_NE(complaint("made-names", {{"shared", whole(3)}, {"unseen", whole(3)}}).find("Set unseen to less"),
            std::string::npos);
}

}  // namespace
}  // namespace fovea
