// The probe `toy-course`: where a classifier stands, and the toy gate's curve through that plane.
#include <cmath>

#include "fovea/base/error/error.h"
#include "fovea/theory/toy_gate.h"
#include "tests/probe/evaluation_help.h"

namespace fovea {
namespace {

using testing::HandMade;

// One positive sequence of `length` positions with the key at the second, one negative one.
HandMade course_look(int length, float key, float other) {
  HandMade look;
  look.set_lengths({length, length}, length);
  look.batch.marked.assign(static_cast<std::size_t>(2 * length), 0);
  look.batch.marked[1] = 1;
  std::vector<float> beta(static_cast<std::size_t>(2 * length), other);
  beta[1] = key;
  look.set_beta(2, 1, length, beta);
  return look;
}

TEST(ToyCourseProbe, BeginsUniformAndRisesWithTheGap) {
  EXPECT_EQ(course_look(20, 1, 1).numbers("toy-course").at("toy_gate_attention"), 1.0 / 20);
  double before = 0;
  for (const float gap : {0.5f, 1.0f, 2.0f, 3.0f, 5.0f}) {
    const auto numbers = course_look(20, gap - 0.25f, -0.25f).numbers("toy-course");
    EXPECT_NEAR(numbers.at("beta_gap"), static_cast<double>(gap), 1e-6);
    EXPECT_NEAR(numbers.at("beta_keyword"), static_cast<double>(gap) - 0.25, 1e-6);
    EXPECT_NEAR(numbers.at("beta_others"), -0.25, 1e-6);
    EXPECT_GT(numbers.at("toy_gate_attention"), before);
    before = numbers.at("toy_gate_attention");
  }
  EXPECT_GT(before, 0.7);
}

// Of two positions it is the toy gate itself, bounded and with the logistic loss.
TEST(ToyCourseProbe, OfTwoPlacesIsTheToyGate) {
  constexpr ToyVariant variant{ToyVariant::Gate::bounded, ToyVariant::Loss::logistic};
  for (const double time : {1.0, 3.0, 8.0}) {
    const double times[] = {time};
    const ToyPoint point = toy_flow(variant, {0, 0, 0}, times).front();
    const float gap = static_cast<float>(point.beta1 - point.beta0);
    EXPECT_NEAR(course_look(2, gap, 0).numbers("toy-course").at("toy_gate_attention"), toy_attention(variant, point),
                2e-3);
  }
}

TEST(ToyCourseProbe, IsSilentWhereNothingIsMarkedAndRefusesBags) {
  HandMade look = course_look(4, 1, 0);
  look.batch.marked.assign(8, 0);
  EXPECT_TRUE(look.numbers("toy-course").empty());
  look.kind = Kind::labelled_bags;
  EXPECT_THROW(look.prepared("toy-course"), Error);
  look.kind = Kind::labelled_tokens;
  EXPECT_THROW(look.prepared("toy-course", false), Error);
}

}  // namespace
}  // namespace fovea
