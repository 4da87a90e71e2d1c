// The probes that look into heads: head-beta, gradients.
#include <cmath>

#include "fovea/base/error/error.h"
#include "fovea/probe/survey.h"
#include "tests/probe/evaluation_help.h"

namespace fovea {
namespace {

using testing::HandMade;
using testing::Said;

// One stream a b a of which the last position asks for b, at position 1, and two heads.
struct HeadsScene {
  HandMade look;
  std::vector<float> beta;
  std::vector<HeadBeta<float>> heads;
  std::vector<std::pair<std::string_view, double>> gradients;

  explicit HeadsScene(std::vector<float> betas) : beta(std::move(betas)) {
    look.kind = Kind::token_streams;
    look.set_lengths({3}, 3);
    look.batch.source.ids = {0, 1, 0};
    look.batch.target = look.batch.source;
    look.batch.target.ids = {-1, -1, 1};
    look.batch.alignment = {-1, -1, 1};
    for (Index head = 0; head < 2; ++head)
      heads.push_back({head == 0 ? "layer.1.head.1" : "layer.2.head.3", Cube<float>(beta.data() + head * 9, 1, 3, 3)});
  }

  std::map<std::string, double> numbers(const std::string& name) {
    const std::unique_ptr<Probe> probe = look.prepared(name);
    const Evaluation evaluation = look.evaluation();
    SurveyBatch at{evaluation, {}};
    at.heads = [&] { return HeadGradients{heads, gradients}; };
    Said said;
    probe->as_survey()->survey(at, said);
    probe->as_survey()->conclude(said);
    return said.numbers;
  }
};

TEST(HeadBetaProbe, PlacesThatWouldServeBestCountAsOneAndChanceAsNought) {
  // Layer 1: for position 1, position 0 is 4 over the mean. For position 2, position 0 is 2 over the mean; 1 below it
  // by position 1. Layer 2: position 2 is best served by the answer at position 1, which is the previous and the successor.
  HeadsScene scene({0, 0, 0, 8, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0, 0, -1, 2, -1});
  const auto said = scene.numbers("head-beta");
  EXPECT_NEAR(said.at("head_beta_previous_l1_h1"), (4.0 - 1.0) / (4.0 + 2.0), 1e-6);
  EXPECT_NEAR(said.at("head_beta_induction_l1_h1"), -1.0 / 2.0, 1e-6);
  EXPECT_NEAR(said.at("head_beta_needed_l1_h1"), -1.0 / 2.0, 1e-6);
  EXPECT_NEAR(said.at("head_beta_previous_l2_h3"), 1, 1e-6);
  EXPECT_NEAR(said.at("head_beta_needed_l2_h3"), 1, 1e-6);
  EXPECT_NEAR(said.at("head_beta_needed"), 1, 1e-6);
}

TEST(HeadBetaProbe, AHeadThatServesNothingSaysNothing) {
  HeadsScene scene(std::vector<float>(18, 0.0f));
  EXPECT_TRUE(scene.numbers("head-beta").empty());
}

TEST(GradientsProbe, NormsOfACircuitAddAsSquares) {
  HeadsScene scene(std::vector<float>(18, 0.0f));
  scene.gradients = {{"layer.1.query.weight", 3.0},  {"layer.1.key.weight", 4.0},   {"layer.12.output.bias", 2.0},
                     {"layer.1.norm1.weight", 5.0},  {"norm.weight", 12.0},         {"embedding.weight", 1.0},
                     {"unembedding.weight", 6.0},    {"layer.2.mlp.0.weight", 7.0}, {"layer.2.value.weight", 8.0},
                     {"layer.2.position.weight", 9}, {"position.weight", 10.0}};
  const auto said = scene.numbers("gradients");
  EXPECT_EQ(said, (std::map<std::string, double>{{"gradient_qk_1", 5},
                                                 {"gradient_o_12", 2},
                                                 {"gradient_norms", 13},
                                                 {"gradient_embed", 1},
                                                 {"gradient_unembed", 6},
                                                 {"gradient_mlp_2", 7},
                                                 {"gradient_v_2", 8},
                                                 {"gradient_qk_2", 9},
                                                 {"gradient_positions", 10}}));
}

TEST(HeadBetas, ModelsWithoutHeadsAreRefused) {
  HeadsScene scene(std::vector<float>(18, 0.0f));
  scene.heads.clear();
  for (const char* name : {"head-beta", "gradients"}) EXPECT_THROW(scene.numbers(name), Error) << name;
}

}  // namespace
}  // namespace fovea
