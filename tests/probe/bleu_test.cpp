#include "fovea/probe/bleu.h"

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

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

}  // namespace
}  // namespace fovea
