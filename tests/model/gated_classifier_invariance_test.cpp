// What must make no difference to the gated classifier: padding, the order of examples, the names of words, threads.
#include <cmath>

#include "tests/model/gated_classifier_scene.h"

namespace fovea {
namespace {

using testing::ModelScene;
using namespace testing::gated;

TEST(GatedClassifier, PaddedBatchIsItsExamplesOneByOne) {
  for (const Variant& v : variants) {
    const Batch batch = random_batch(6, v.classes);
    ModelScene<double> all("gated-classifier", settings_of(v), shape_of(v.classes));
    ModelScene<double> one("gated-classifier", settings_of(v), shape_of(v.classes));
    const Trace<double> together = all.gradient_of(batch);
    const Cube<double> beta = all.model->beta(all.bench.compute, together);
    std::vector<double> gradients(all.parameters.gradients().size());
    double loss = 0;
    for (int b = 0; b < 6; ++b) {
      const Batch single = examples_of(batch, {b});
      const Trace<double> alone = one.gradient_of(single);
      const Cube<double> beta_alone = one.model->beta(one.bench.compute, alone);
      loss += alone.loss / 6;
      for (std::size_t i = 0; i < gradients.size(); ++i) gradients[i] += one.parameters.gradients()[i] / 6;
      for (Index c = 0; c < together.scores.size(1); ++c) EXPECT_NEAR(alone.scores(0, c), together.scores(b, c), 1e-12);
      for (Index s = 0; s < 7; ++s) {
        const bool present = s < single.source.columns;
        EXPECT_NEAR(together.attention(b, 0, s), present ? alone.attention(0, 0, s) : 0, 1e-12);
        EXPECT_NEAR(beta(b, 0, s), present ? beta_alone(0, 0, s) : 0, 1e-12);
      }
    }
    EXPECT_NEAR(together.loss, loss, 1e-12);
    for (std::size_t i = 0; i < gradients.size(); ++i) EXPECT_NEAR(all.parameters.gradients()[i], gradients[i], 1e-12);
  }
}

TEST(GatedClassifier, PermutedBatchGivesPermutedResults) {
  const Batch batch = random_batch(6, 2);
  const std::vector<int> order = {4, 0, 5, 2, 1, 3};
  const Batch permuted = examples_of(batch, order);
  ModelScene<double> a("gated-classifier", small, shape_of(2)), b("gated-classifier", small, shape_of(2));
  const Trace<double> plain = a.gradient_of(batch), mixed = b.gradient_of(permuted);
  EXPECT_NEAR(plain.loss, mixed.loss, 1e-13);
  for (Index i = 0; i < 6; ++i) {
    const Index from = order[static_cast<std::size_t>(i)];
    EXPECT_NEAR(mixed.scores(i, 0), plain.scores(from, 0), 1e-13);
    for (Index s = 0; s < 7; ++s) EXPECT_NEAR(mixed.attention(i, 0, s), plain.attention(from, 0, s), 1e-13);
  }
  for (std::size_t i = 0; i < a.parameters.gradients().size(); ++i)
    EXPECT_NEAR(a.parameters.gradients()[i], b.parameters.gradients()[i], 1e-13);
}

TEST(GatedClassifier, WordsAreOnlyNames) {
  std::vector<int> renamed(vocab);
  RandomStream(1, "names").permutation(renamed);
  const Batch batch = random_batch(5, 2);
  Batch other = batch;
  for (int& id : other.source.ids) id = id < 0 ? -1 : renamed[static_cast<std::size_t>(id)];
  ModelScene<double> a("gated-classifier", small, shape_of(2)), b("gated-classifier", small, shape_of(2));
  const Matrix<double> table = a.parameters.find("embedding.weight")->matrix();
  const Matrix<double> moved = b.parameters.find("embedding.weight")->matrix();
  for (Index v = 0; v < vocab; ++v)
    std::copy_n(table[v].data(), table.size(1), moved[renamed[static_cast<std::size_t>(v)]].data());
  const Trace<double> one = a.gradient_of(batch), two = b.gradient_of(other);
  EXPECT_NEAR(one.loss, two.loss, 1e-13);
  for (Index i = 0; i < 5; ++i) EXPECT_NEAR(one.scores(i, 0), two.scores(i, 0), 1e-13);
  const Matrix<double> d_table = a.parameters.find("embedding.weight")->matrix_gradient();
  const Matrix<double> d_moved = b.parameters.find("embedding.weight")->matrix_gradient();
  for (Index v = 0; v < vocab; ++v)
    for (Index e = 0; e < 3; ++e) EXPECT_NEAR(d_table(v, e), d_moved(renamed[static_cast<std::size_t>(v)], e), 1e-13);
}

// Softmax does not see what is added to every score: here by a unit whose state is the same everywhere.
TEST(GatedClassifier, ShiftedScoresGiveTheSameAttention) {
  const Batch batch = random_batch(6, 2);
  ModelScene<double> scene("gated-classifier", with({{"cell", word("gru")}}), shape_of(2));
  const Index hidden = 4, unit = 2;  // z = 0 and n = 1 for this unit, so its state is 1 and its score weight is a shift
  scene.parameters.find("encoder.bias_ih_l0")->value[1 * hidden + unit] = -1e6;
  scene.parameters.find("encoder.bias_ih_l0")->value[2 * hidden + unit] = 1e6;
  const Trace<double> before = scene.gradient_of(batch);
  const std::vector<double> attention = testing::copy_of(before.attention);
  const double loss = before.loss;
  EXPECT_NEAR(scene.parameters.find("score.weight")->gradient[unit], 0, 1e-15);
  scene.parameters.find("score.weight")->value[unit] += 100;
  const Trace<double> after = scene.forward(batch, {});
  for (std::size_t i = 0; i < attention.size(); ++i) EXPECT_NEAR(after.attention.flat()[i], attention[i], 1e-12);
  EXPECT_NEAR(after.loss, loss, 1e-12);
}

TEST(GatedClassifier, IsTheSameForAnyNumberOfThreads) {
  const auto task = make_task("keyword", table({{"shortest", whole(4)}}));
  const Batch batch = draw(*task, Split::train, 0, 100);
  ModelScene<float> one("gated-classifier", {}, task->shape(), 1), three("gated-classifier", {}, task->shape(), 3);
  EXPECT_EQ(one.gradient_of(batch).loss, three.gradient_of(batch).loss);
  EXPECT_EQ(testing::copy_of(one.parameters.gradients()), testing::copy_of(three.parameters.gradients()));
}

}  // namespace
}  // namespace fovea
