#include "fovea/base/error/error.h"
#include "tests/probe/evaluation_help.h"

namespace fovea {
namespace {

using testing::HandMade;

// A transformer of three tokens in six dimensions: 0 to 2 for what stands at a position, 3 to 5 for what layer 1 has shown
// it. Layer 1 writes tokens there; layer 2 asks for them, and says what it attends to.
struct CircuitsScene {
  HandMade look;
  std::vector<std::vector<float>> values;
  std::vector<AttentionMap<float>> maps;

  CircuitsScene() : maps(2) {
    look.outcome.further = maps;
    look.kind = Kind::token_streams;
    look.set_lengths({3}, 3);
    values.reserve(16);
    const auto same = [](int row, int d) { return row == d; };
    add("embedding.weight", 3, same);
    add("unembedding.weight", 3, same);
    for (const char* part : {"value", "output", "query", "key"})
      for (const int layer : {1, 2})
        add("layer." + std::to_string(layer) + "." + part + ".weight", 6, [&](int row, int d) {
          if (layer == 1 && part == std::string("output")) return d < 3 && row == d + 3;  // written as shown
          if (layer == 2 && part == std::string("key")) return d >= 3 && row == d - 3;    // read from what was shown
          return row == d;
        });
  }

  template <class Entry>
  void add(const std::string& name, int rows, Entry entry) {
    std::vector<float>& of = values.emplace_back();
    for (int row = 0; row < rows; ++row)
      for (int d = 0; d < 6; ++d) of.push_back(entry(row, d) ? 1.0f : 0.0f);
    look.parameters.push_back({name, {rows, 6}, Group::body, of});
  }
  std::vector<float>& matrix(const std::string& name) {
    for (std::size_t i = 0; i < values.size(); ++i)
      if (look.parameters[i].name == name) return values[i];
    throw std::logic_error(name);
  }
};

TEST(CircuitsProbe, AnInductionHeadThatWasWrittenDown) {
  const auto said = CircuitsScene().look.numbers("circuits");
  const double none = 1.0 / 3;  // all scores are 0, and the first token is the largest
  EXPECT_EQ(said.at("copies_l1_h1"), none);
  EXPECT_EQ(said.at("copies_l2_h1"), 1);
  EXPECT_EQ(said.at("matches_l1_h1"), 1);
  EXPECT_EQ(said.at("matches_l2_h1"), none);
  EXPECT_EQ(said.at("composes_l2_h1"), 1);
  EXPECT_FALSE(said.contains("composes_l1_h1"));
  EXPECT_EQ(said.at("copies"), 1);
}

TEST(CircuitsProbe, WhatIsBrokenIsCounted) {
  CircuitsScene scene;
  scene.matrix("layer.2.output.weight")[2 * 6 + 2] = -1;  // token 2 is said less where it is attended to
  scene.matrix("layer.1.output.weight")[4 * 6 + 1] = -1;  // token 1 is shown the wrong way
  const auto said = scene.look.numbers("circuits");
  EXPECT_EQ(said.at("copies_l2_h1"), 2.0 / 3);
  EXPECT_EQ(said.at("composes_l2_h1"), 2.0 / 3);
}

// Two heads of three dimensions: the first of layer 1 reads dimensions 0 to 2, the second nothing but zeros.
TEST(CircuitsProbe, HeadsAreReadApart) {
  CircuitsScene scene;
  scene.maps.resize(4);
  scene.look.outcome.further = scene.maps;
  const auto said = scene.look.numbers("circuits");
  EXPECT_EQ(said.at("copies_l2_h1"), 1);
  EXPECT_EQ(said.at("copies_l2_h2"), 1.0 / 3);
  EXPECT_EQ(said.at("matches_l1_h1"), 1);
  EXPECT_EQ(said.at("matches_l1_h2"), 1.0 / 3);
}

// A norm that weighs a dimension with -1 turns it round; centring alone leaves which token is largest.
TEST(CircuitsProbe, NormsWeighAndCentre) {
  CircuitsScene scene;
  const auto weights = [&](const std::string& name, int turned) -> const std::vector<float>& {
    std::vector<float>& of = scene.values.emplace_back(6, 1.0f);
    if (turned >= 0) of[static_cast<std::size_t>(turned)] = -1;
    scene.look.parameters.push_back({name, {6}, Group::body, of});
    return of;
  };
  weights("norm.weight", -1);
  weights("layer.1.norm1.weight", -1);
  weights("layer.2.norm1.weight", 1);
  const auto said = scene.look.numbers("circuits");
  EXPECT_EQ(said.at("matches_l1_h1"), 1);
  EXPECT_EQ(said.at("copies_l2_h1"), 2.0 / 3) << "token 1 is read the wrong way";
}

TEST(CircuitsProbe, OtherModelsAreRefused) {
  HandMade look;
  look.kind = Kind::token_streams;
  EXPECT_THROW(look.numbers("circuits"), Error);
}

}  // namespace
}  // namespace fovea
