#include <cmath>

#include "fovea/base/error/error.h"
#include "tests/probe/evaluation_help.h"

namespace fovea {
namespace {

using testing::HandMade;

// A transformer of four tokens and four positions in eight dimensions, each with a direction of its own: what is stored
// can be written down.
struct StoredMatrices {
  std::vector<std::vector<float>> values;
  HandMade look;

  std::vector<AttentionMap<float>> maps{2};

  StoredMatrices() {
    look.outcome.further = maps;
    look.kind = Kind::token_streams;
    look.set_lengths({4}, 4);
    look.batch.source.ids = {0, 1, 2, 3};
    look.batch.target = look.batch.source;
    look.batch.target.ids = {-1, 1, 2, -1};  // asked at the tokens 1 and 2
    values.reserve(16);
    add("embedding", 4, [](int token, int d) { return d == token; });
    add("position", 4, [](int position, int d) { return d == 4 + position; });
    add("unembedding", 4, [](int token, int d) { return d == token; });
    for (const char* part : {"layer.1.value", "layer.1.output", "layer.2.value", "layer.2.output", "layer.2.key"})
      add(part, 8, [](int row, int d) { return row == d; });
    add("layer.1.key", 8, [](int row, int d) { return row >= 5 && d == row - 1; });  // turns position s into s + 1
  }

  template <class Entry>
  void add(const std::string& name, int rows, Entry entry) {
    std::vector<float>& of = values.emplace_back();
    for (int row = 0; row < rows; ++row)
      for (int d = 0; d < 8; ++d) of.push_back(entry(row, d) ? 1.0f : 0.0f);
    look.parameters.push_back({name + ".weight", {rows, 8}, Group::body, of});
  }
  std::vector<float>& matrix(const std::string& name) {
    for (std::size_t i = 0; i < values.size(); ++i)
      if (look.parameters[i].name == name + ".weight") return values[i];
    throw std::logic_error(name);
  }
};

TEST(RecallProbe, WhatIsStoredIsRecalled) {
  const auto said = StoredMatrices().look.numbers("recall");
  EXPECT_EQ(said.at("output_recalled"), 1);
  EXPECT_EQ(said.at("previous_token_recalled"), 1);
  EXPECT_EQ(said.at("match_recalled"), 1);
  // A score of 1 at the answer and of 0 elsewhere, among four tokens, and among the positions up to 1, 2 and 3.
  const double e = std::exp(1.0), root = std::exp(1 / std::sqrt(8.0));
  EXPECT_NEAR(said.at("output_recalled_weight"), e / (e + 3), 1e-12);
  EXPECT_NEAR(said.at("match_recalled_weight"), root / (root + 3), 1e-12);
  EXPECT_NEAR(said.at("previous_token_recalled_weight"),
              (root / (root + 1) + root / (root + 2) + root / (root + 3)) / 3, 1e-12);
}

TEST(RecallProbe, WhatIsLostIsNot) {
  StoredMatrices stored;
  stored.matrix("layer.2.output")[3 * 8 + 3] = -1;  // token 3 is no longer said
  stored.matrix("layer.1.key")[6 * 8 + 5] = -1;     // position 2 no longer finds position 1
  stored.matrix("layer.2.key")[2 * 8 + 2] = -1;     // token 2, of the two that are asked, finds nothing
  stored.matrix("layer.2.key")[3 * 8 + 3] = -1;     // token 3 is not asked
  const auto said = stored.look.numbers("recall");
  EXPECT_EQ(said.at("output_recalled"), 0.75);
  EXPECT_EQ(said.at("previous_token_recalled"), 2.0 / 3);
  EXPECT_EQ(said.at("match_recalled"), 0.5);
}

TEST(RecallProbe, ModelsThatItsEquationsDoNotCoverAreRefused) {
  StoredMatrices normed;
  normed.add("norm", 1, [](int, int) { return true; });
  EXPECT_THROW(normed.look.numbers("recall"), Error);
  StoredMatrices of_heads;
  of_heads.maps.resize(4);
  of_heads.look.outcome.further = of_heads.maps;
  EXPECT_THROW(of_heads.look.numbers("recall"), Error);
}

}  // namespace
}  // namespace fovea
