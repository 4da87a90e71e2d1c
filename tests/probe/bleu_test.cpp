#include "fovea/probe/bleu.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "fovea/data/text/reference_text.h"
#include "fovea/probe/survey.h"
#include "tests/probe/evaluation_help.h"

namespace fovea {
namespace {

const nlohmann::json& reference() {
  static const nlohmann::json json =
      nlohmann::json::parse(std::ifstream(FOVEA_SOURCE_DIR "/tests/reference/bleu.json"));
  return json;
}

TEST(Bleu, WordsAreSacreBleus) {
  ASSERT_GE(reference()["words"].size(), 12u);
  for (const auto& one : reference()["words"])
    EXPECT_EQ(bleu_words(one["text"].get<std::string>()), one["words"].get<std::vector<std::string>>()) << one["text"];
}

TEST(Bleu, ScoresAreSacreBleus) {
  ASSERT_GE(reference()["cases"].size(), 40u);
  for (const auto& one : reference()["cases"]) {
    BleuCounts counts;
    for (std::size_t i = 0; i < one["said"].size(); ++i)
      counts.add(one["said"][i].get<std::string>(), one["references"][i].get<std::string>());
    EXPECT_NEAR(counts.score(), one["bleu"].get<double>(), 1e-9) << one.dump();
  }
}

TEST(Bleu, OfNothingIsNothing) { EXPECT_EQ(BleuCounts().score(), 0); }

// Example n of the split was written "wN wN+1 wN+2 wN+3 wN+4".
class Numbered : public testing::NoTask, public WrittenTargets {
 public:
  const WrittenTargets* written_targets() const override { return this; }
  std::string target_text(std::span<const int> tokens) const override {
    std::string text;
    for (const int token : tokens) text += fmt::format("w{} ", token);
    return text;
  }
  std::string written_target(Split split, std::int64_t example) const override {
    EXPECT_EQ(split, Split::test);
    return target_text(of(static_cast<int>(example)));
  }
  static std::vector<int> of(int example) { return {example, example + 1, example + 2, example + 3, example + 4}; }
};

// A survey shows examples in any order, and some beyond those that were asked for.
TEST(Bleu, MeetsEachSayingWithItsOwnTarget) {
  testing::HandMade look;
  look.kind = Kind::token_pairs;
  look.batch.size = 4;
  look.batch.target.resize(4, 6);
  const Numbered task;
  look.task = &task;
  const std::vector<int> positions = {7, 0, 100, 40};
  const auto score = [&](const std::vector<int>& said) {
    const std::unique_ptr<Probe> probe = look.prepared("bleu");  // of 100 examples
    const Evaluation evaluation = look.evaluation();
    SurveyBatch at{evaluation, positions, Split::test};
    at.generate = [&](const Search&) {
      std::vector<std::vector<int>> sayings;
      for (const int example : said) sayings.push_back(Numbered::of(example));
      return sayings;
    };
    testing::Said readings;
    probe->as_survey()->survey(at, readings);
    probe->as_survey()->conclude(readings);
    return readings.numbers.at("bleu");
  };
  EXPECT_NEAR(score({7, 0, 55, 40}), 100, 1e-9);
  EXPECT_LT(score({0, 7, 55, 40}), 90);
  EXPECT_LT(score({7, 0, 100, 41}), 90);
}

}  // namespace
}  // namespace fovea
