// The probe 'alignment_error' on two pairs, with the counts of each figure by hand.
#include <fmt/format.h>

#include <algorithm>

#include "fovea/data/text/reference_text.h"
#include "fovea/probe/survey.h"
#include "tests/io/scratch_folder.h"
#include "tests/probe/evaluation_help.h"

namespace fovea {
namespace {

// Pair 0 has three words on either side, and the second of the source is two tokens. Pair 1 has two words on either
// side, and the first of the target is two tokens.
class TwoPairs : public testing::NoTask, public WrittenTargets {
 public:
  const WrittenTargets* written_targets() const override { return this; }
  std::string target_text(std::span<const int>) const override { return {}; }
  std::string written_target(Split, std::int64_t) const override { return {}; }
  std::span<const int> source_words(Split, std::int64_t example) const override { return source[at(example)]; }
  std::span<const int> target_words(Split, std::int64_t example) const override { return target[at(example)]; }
  const WordAlignment* alignment(Split split, std::int64_t example) const override {
    EXPECT_EQ(split, Split::test);
    return gold.empty() ? nullptr : &gold[at(example)];
  }
  static std::size_t at(std::int64_t example) { return static_cast<std::size_t>(example); }

  std::vector<int> source[2] = {{0, 1, 1, 2}, {0, 1}}, target[2] = {{0, 1, 2}, {0, 0, 1}};
  std::vector<WordAlignment> gold = {parse_alignment("0-0 1-1 2-1 2p2", {}), parse_alignment("1-0 0-1", {})};
};

class AlignmentErrorTest : public WithScratchFolder {
 protected:
  // In one survey of both pairs, in the other order, or in two.
  testing::Said numbers(const std::vector<std::vector<int>>& batches, const ValueTable& settings = {}) {
    const std::unique_ptr<Probe> probe = Registry<Probe>::instance().make("alignment_error", "probe");
    Fields fields;
    probe->settings(fields);
    fields.read(settings, "probe 'alignment_error'");
    probe->pin();
    TaskShape shape;
    shape.kind = Kind::token_pairs;
    probe->prepare(shape, true, 1);
    testing::Said said;
    for (const std::vector<int>& places : batches) {
      testing::HandMade look;
      look.kind = Kind::token_pairs;
      look.task = &task_;
      look.batch.size = static_cast<int>(places.size());
      std::vector<float> weights;
      for (const int place : places)
        for (const int top : tops_[place])
          for (int i = 0; i < 5; ++i) weights.push_back(i == top ? 0.4f : place == 1 && i > 2 ? 0.9f : 0.15f);
      look.set_attention(std::ssize(places), 4, 5, weights);
      const Evaluation evaluation = look.evaluation();
      probe->as_survey()->survey({evaluation, places, Split::test}, said);
    }
    probe->as_survey()->conclude(said);
    return said;
  }
  static ValueTable gold_of(const std::filesystem::path& file) { return {{"gold", {file.string(), {}}}}; }

  TwoPairs task_;
  int tops_[2][4] = {{0, 2, 4, 0}, {1, 1, 0, 0}};  // the last row predicts the end, and position 4 of pair 0 is the end
};

// Of pair 0 A = {(0,0), (1,1)}, since the third word looks at the end; S has 3 links and P 4. Of pair 1 A = {(1,0),
// (0,1)}, as are S and P.
TEST_F(AlignmentErrorTest, IsTheOneByHand) {
  for (const std::vector<std::vector<int>>& batches :
       std::vector<std::vector<std::vector<int>>>{{{0, 1}}, {{1, 0}}, {{1}, {0}}}) {
    const auto said = numbers(batches).numbers;
    EXPECT_NEAR(said.at("alignment_error"), 1 - (4. + 4) / (4 + 5), 1e-12);
    EXPECT_NEAR(said.at("alignment_error_shifted_back"), 1, 1e-12);                          // (0,1) and (0,0)
    EXPECT_NEAR(said.at("alignment_error_shifted_forward"), 1 - (1. + 1) / (3 + 5), 1e-12);  // (1,0) (2,1) and (1,1)
    EXPECT_NEAR(said.at("alignment_error_diagonal"), 1 - (2. + 3) / (5 + 5), 1e-12);         // (0,0) (1,1) (2,2), …
    EXPECT_NEAR(said.at("alignment_error_chance"), 1 - (3. / 3 + 1 + 4. / 3 + 1) / (5 + 5), 1e-12);
  }
}

TEST_F(AlignmentErrorTest, OfOnePairWithPossibleLinks) {
  const auto said = numbers({{0}}, {{"examples", {std::int64_t{1}, {}}}}).numbers;
  EXPECT_NEAR(said.at("alignment_error"), 0.2, 1e-12);
  EXPECT_NEAR(said.at("alignment_error_diagonal"), 1. / 6, 1e-12);
  tops_[0][2] = 3;  // the possible link costs nothing
  EXPECT_NEAR(numbers({{0}}).numbers.at("alignment_error"), 1 - (2. + 3) / (3 + 3), 1e-12);
}

TEST_F(AlignmentErrorTest, AFileOfLinksIsTheSame) {
  const auto known = numbers({{0, 1}}).numbers;
  task_.gold.clear();
  EXPECT_EQ(numbers({{1}, {0}}, gold_of(put("gold.txt", "0-0 1-1 2-1 2p2\n1-0 0-1\n"))).numbers, known);
  EXPECT_SAYS(wrong_input_of([&] { numbers({{0, 1}}); }), "these texts have none");
}

TEST_F(AlignmentErrorTest, WhatDoesNotFitIsNamedWithItsLine) {
  const auto says = [&](const std::string& gold) {
    return wrong_input_of([&] { numbers({{0, 1}}, gold_of(put("gold.txt", gold))); });
  };
  EXPECT_SAYS(says("0-0\n2p1\n"), "gold.txt:2: the link 2p1 is outside of the pair: its texts have 2 and 2 words");
  EXPECT_SAYS(says("0-3\n1-0\n"), "gold.txt:1: the link 0-3 is outside");
  EXPECT_SAYS(says("0-0\n0-0\n0-0\n"), "gold.txt: has 3 lines, and the split has 2 pairs");
  EXPECT_SAYS(says("0-0\nx\n"), "gold.txt:2: 'x' is no link");
  task_.source[1].clear();
  EXPECT_SAYS(says("0-0\n0-0\n"), "gold.txt:2: a token of pair 2 is a part of two words");
}

TEST_F(AlignmentErrorTest, AFileThatChangedIsNotRead) {
  ValueTable settings = gold_of(put("gold.txt", "0-0\n"));
  const std::unique_ptr<Probe> probe = Registry<Probe>::instance().make("alignment_error", "probe");
  Fields fields;
  probe->settings(fields);
  fields.read(settings, "probe");
  probe->pin();
  TaskShape shape;
  shape.kind = Kind::token_pairs;
  probe->prepare(shape, true, 1);
  put("gold.txt", "0-1\n");
  EXPECT_SAYS(wrong_input_of([&] { probe->prepare(shape, true, 1); }), "has changed since this run was made");
}

}  // namespace
}  // namespace fovea
