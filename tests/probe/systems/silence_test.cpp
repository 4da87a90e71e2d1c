#include <cmath>

#include "fovea/base/error/error.h"
#include "tests/probe/evaluation_help.h"

namespace fovea {
namespace {

using testing::HandMade;

// Tokens 0 1 2 in two dimensions, of which the last position needs the first; one head.
struct Silent {
  HandMade look;
  std::vector<float> embedding{3, 4, 1, 0, 0, 2}, identity{1, 0, 0, 1}, weights{1, 0, 0, 0.5f, 0.5f, 0, 1, 0, 0};
  std::vector<float> gate{0, 0, 0, 0}, gate_bias{0, 0};
  std::vector<AttentionMap<float>> maps{{"layer.1.head.1", Cube<float>(weights.data(), 1, 3, 3)}};

  Silent() {
    look.kind = Kind::token_streams;
    look.set_lengths({3}, 3);
    look.batch.source.ids = {0, 1, 2};
    look.batch.target.resize(1, 3);
    look.batch.target.ids = {-1, 0, 0};
    look.batch.alignment = {-1, -1, 0};
    look.parameters = {{"embedding.weight", {3, 2}, Group::body, embedding},
                       {"layer.1.value.weight", {2, 2}, Group::body, identity},
                       {"layer.1.output.weight", {2, 2}, Group::body, identity}};
    look.outcome.further = maps;
  }
  double said() { return look.numbers("silence").at("silence"); }
};

TEST(SilenceProbe, IsTheRatioOfWhatAttentionAdds) {
  EXPECT_NEAR(Silent().said(), std::hypot(2, 2) / 5, 1e-6);  // ½ (3,4) + ½ (1,0), beside (3,4)
}

TEST(SilenceProbe, AGateSilences) {
  Silent layer;
  layer.gate = {0, -10, 0, -10};  // it closes at token 2, whose second number is 2
  layer.look.parameters.push_back({"layer.1.gate.weight", {2, 2}, Group::body, layer.gate});
  layer.look.parameters.push_back({"layer.1.gate.bias", {2}, Group::body, layer.gate_bias});
  EXPECT_NEAR(layer.said(), std::hypot(2, 2) / 2 / (5 / (1 + std::exp(20.0))), 1e3);
  EXPECT_GT(layer.said(), 1e6) << "the position that needs one is the silent one";
}

TEST(SilenceProbe, OtherModelsAreRefused) {
  Silent layer;
  layer.look.parameters.erase(layer.look.parameters.begin());
  EXPECT_THROW(layer.said(), Error);
}

}  // namespace
}  // namespace fovea
