#include "fovea/base/error/error.h"
#include "tests/probe/evaluation_help.h"

namespace fovea {
namespace {

using testing::HandMade;

// Three tokens in two dimensions, in one stream: 0 1 2.
struct OneLayer {
  HandMade look;
  std::vector<float> embedding{3, 4, 1, 0, 0, 2}, identity{1, 0, 0, 1}, twice{2, 0, 0, 2}, bias{0, 0}, scale{1, 1};

  OneLayer() {
    look.kind = Kind::token_streams;
    look.set_lengths({3}, 3);
    look.batch.source.ids = {0, 1, 2};
    look.parameters = {{"embedding.weight", {3, 2}, Group::body, embedding},
                       {"layer.1.value.weight", {2, 2}, Group::body, identity},
                       {"layer.1.value.bias", {2}, Group::body, bias},
                       {"layer.1.output.weight", {2, 2}, Group::body, twice}};
  }
  double said() { return look.numbers("sink_value_length").at("sink_value_length"); }
};

TEST(FirstValueProbe, LengthsAreThoseOfWhatEachPlaceBrings) {
  EXPECT_NEAR(OneLayer().said(), 10 / ((2 + 4) / 2.0), 1e-6);  // |2 (3,4)| over the mean of |2 (1,0)| and |2 (0,2)|
}

TEST(FirstValueProbe, TheBiasOfTheValuesCounts) {
  OneLayer layer;
  layer.bias = {-3, -4};  // all that the first position has is taken away
  EXPECT_NEAR(layer.said(), 0, 1e-6);
}

TEST(FirstValueProbe, PlacesAreReadWithTheirPositions) {
  OneLayer layer;
  const std::vector<float> positions{-3, -4, 0, 0, 0, 0};
  layer.look.parameters.push_back({"position.weight", {3, 2}, Group::body, positions});
  EXPECT_NEAR(layer.said(), 0, 1e-6);
}

TEST(FirstValueProbe, WhatTheNormMakesEqualBringsAsMuch) {
  OneLayer layer;
  layer.look.parameters.push_back({"layer.1.norm1.weight", {2}, Group::body, layer.scale});
  EXPECT_NEAR(layer.said(), 1, 1e-4);  // of two numbers a norm leaves 1 and -1
}

TEST(FirstValueProbe, OtherModelsAreRefused) {
  OneLayer layer;
  layer.look.parameters.erase(layer.look.parameters.begin());
  EXPECT_THROW(layer.look.numbers("sink_value_length"), Error);
}

}  // namespace
}  // namespace fovea
