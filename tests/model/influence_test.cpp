// Δ against what it is defined as: how the loss of a row changes when the embedding of one position is made longer.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "fovea/math/vector_math.h"
#include "fovea/model/optional_queries.h"
#include "tests/data/tasks/task_help.h"
#include "tests/model/model_scene.h"

namespace fovea {
namespace {

using testing::ModelScene;

// Every position holds a word of its own, so that a row of the table is the embedding of one position.
Batch words_apart(std::vector<int> lengths) {
  Batch batch;
  batch.size = static_cast<int>(lengths.size());
  int longest = 0, next = 0;
  for (const int length : lengths) longest = std::max(longest, length);
  batch.source.resize(batch.size, longest);
  for (int b = 0; b < batch.size; ++b)
    for (int s = 0; s < lengths[static_cast<std::size_t>(b)]; ++s) batch.source.at(b, s) = next++;
  batch.source.lengths = std::move(lengths);
  return batch;
}

Cube<double> influence_of(ModelScene<double>& scene, const Trace<double>& trace) {
  return dynamic_cast<HasInfluence<double>&>(*scene.model).influence(scene.bench.compute, trace);
}

double loss_of(const Outcome<double>& outcome, Index row, int answer) {
  const std::span<const double> scores = outcome.scores[row].flat();
  if (scores.size() == 1) return std::log1p(std::exp(answer == 1 ? -scores[0] : scores[0]));
  return log_sum_exp(scores) - scores[static_cast<std::size_t>(answer)];
}

// Minus the central difference of the loss of `row` by a factor on the embedding of a word.
double measured(ModelScene<double>& scene, const Batch& batch, int word, Index row, int answer) {
  const Param<double>& table = *scene.parameters.find("embedding.weight");
  const Index width = table.count() / table.shape[0];
  const std::vector<double> before(table.value + word * width, table.value + (word + 1) * width);
  constexpr double step = 1e-5;
  const auto at = [&](double factor) {
    for (Index i = 0; i < width; ++i) table.value[word * width + i] = factor * before[static_cast<std::size_t>(i)];
    return loss_of(scene.forward(batch, {}), row, answer);
  };
  const double difference = (at(1 + step) - at(1 - step)) / (2 * step);
  std::copy(before.begin(), before.end(), table.value + word * width);
  return -difference;
}

TEST(Influence, OfTheClassifierIsTheDerivativeByAFactor) {
  for (const int classes : {2, 3}) {
    TaskShape shape;
    shape.vocab = 12;
    shape.classes = classes;
    ModelScene<double> scene(
        "gated-classifier",
        {{"embedding", whole(3)}, {"hidden", whole(4)}, {"score", word("mlp")}, {"dropout", real(0.5)}}, shape);
    Batch batch = words_apart({5, 1, 4});
    batch.labels = {1, 0, classes - 1};
    // influence is of evaluation all the same
    const Cube<double> influence = influence_of(scene, scene.forward(batch, {true, 3, 7}));
    const std::vector<double> found(influence.flat().begin(), influence.flat().end());
    ASSERT_EQ(found.size(), 15u);
    for (int b = 0; b < 3; ++b)
      for (int s = 0; s < 5; ++s) {
        const double here = found[static_cast<std::size_t>(b * 5 + s)];
        if (s >= batch.source.lengths[static_cast<std::size_t>(b)]) {
          EXPECT_EQ(here, 0);
          continue;
        }
        EXPECT_NEAR(here, measured(scene, batch, batch.source.at(b, s), b, batch.labels[static_cast<std::size_t>(b)]),
                    1e-8);
      }
  }
}

void check_translator(const char* encoder, const char* score, bool biases) {
  SCOPED_TRACE(encoder);
  const bool recurrent = encoder == std::string("recurrent");
  TaskShape shape;
  shape.kind = Kind::token_pairs;
  shape.vocab = 10;
  shape.target_vocab = 24;  // another table, so that a source word is at one position only
  shape.start_token = 23;
  shape.end_token = 22;
  ModelScene<double> scene("seq2seq",
                           {{"embedding", whole(3)},
                            {"hidden", whole(4)},
                            {"layers", whole(2)},
                            {"bidirectional", yes(recurrent)},
                            {"encoder", word(encoder)},
                            {"score", word(score)},
                            {"combiner", word("relu")},
                            {"biases", yes(biases)},
                            {"dropout", real(0.5)}},
                           shape);
  Batch batch = words_apart({4, 2});
  batch.target.resize(2, 20);  // more target words than copies are made at a time
  batch.target.lengths = {20, 3};
  for (int b = 0; b < 2; ++b)
    for (int t = 0; t < batch.target.lengths[static_cast<std::size_t>(b)]; ++t)
      batch.target.at(b, t) = (7 * t + b) % 22;
  const Cube<double> influence = influence_of(scene, scene.forward(batch, {}));
  const std::vector<double> found(influence.flat().begin(), influence.flat().end());
  ASSERT_EQ(found.size(), 2u * 20 * 4);
  for (const auto& [b, t, s] : {std::array{0, 0, 0}, std::array{0, 3, 2}, std::array{0, 17, 3}, std::array{0, 19, 1},
                                std::array{1, 0, 1}, std::array{1, 2, 0}})
    EXPECT_NEAR(found[static_cast<std::size_t>((b * 20 + t) * 4 + s)],
                measured(scene, batch, batch.source.at(b, s), b * 20 + t, batch.target.at(b, t)), 1e-8)
        << b << " " << t << " " << s;
  EXPECT_EQ(found[static_cast<std::size_t>((20 + 5) * 4)], 0) << "behind the end";
}

TEST(Influence, OfTheTranslatorIsThatOfEachTargetWord) {
  check_translator("recurrent", "general", true);
  check_translator("embedding", "additive", false);
}

}  // namespace
}  // namespace fovea
