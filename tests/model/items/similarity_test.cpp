// The similarities that pooling is made of: each in the positions where it could go wrong.
#include "fovea/model/items/similarity.h"

#include <cmath>

#include "fovea/model/items/pooling.h"
#include "tests/model/items/points_batch.h"

namespace fovea {
namespace {

using testing::items_of, testing::ModelScene, testing::points_shape, testing::random_points, testing::similarity;

// Two heaps of keys, thousands of bandwidths apart: what is far away says nothing, and what is near as much as if it
// were alone.
TEST(Pooling, GaussianTellsNeighboursApartHoweverFarOthersLie) {
  for (const std::string kind : {"gaussian", "gaussian-learned"})
    for (const float far : {0.0f, 1000.0f, 20'000.0f, 1'000'000.0f}) {
      SCOPED_TRACE(kind + " " + std::to_string(far));
      Batch batch;
      batch.size = 1;
      batch.items = items_of({0, 1, 2, 3, 4, far, far + 1, far + 2, far + 3, far + 4}, 1);
      batch.values = items_of({0, 1, 2, 3, 4, 10, 20, 30, 40, 50}, 1);
      batch.queries = batch.items;
      batch.answers = batch.values;
      ModelScene<float> scene("pooling", similarity(kind), points_shape(1, 1));
      const Trace<float> outcome = scene.forward(batch, {});
      for (int i = 0; i < 10; ++i) {
        double sum = 0, answer = 0;
        for (int j = 0; j < 10; ++j) {
          const double off =
              static_cast<double>(*batch.items.item(0, i)) - static_cast<double>(*batch.items.item(0, j));
          const double weight = std::exp(-off * off / 2);
          sum += weight;
          answer += weight * static_cast<double>(*batch.values.item(0, j));
        }
        EXPECT_NEAR(static_cast<double>(outcome.predictions(i, 0)), answer / sum, 2e-3);
      }
    }
}

// Queries of `query_width` numbers, over keys of `key_width`, several tiles each way.
Batch two_spaces(int query_width, int key_width) {
  Batch batch = random_points(300, 90, key_width, 2);
  batch.queries = items_of(testing::random_values<float>(3, 90 * query_width), query_width);
  return batch;
}
TaskShape two_widths(int query_width, int key_width) {
  TaskShape shape = points_shape(key_width, 2);
  shape.query_width = query_width;
  return shape;
}

TEST(Pooling, QueriesAndKeysMayDifferInWidth) {
  for (const auto& [query_width, key_width] : {std::pair{2, 5}, std::pair{4, 3}})
    for (const char* kind : {"general", "additive"}) {
      const Batch batch = two_spaces(query_width, key_width);
      ModelScene<double> scene("pooling", similarity(kind, {{"train_on", word("queries")}, {"hidden", whole(5)}}),
                               two_widths(query_width, key_width));
      scene.check_gradients(batch, {.training = true});
      const Trace<double> outcome = scene.forward(batch, {});
      for (int i = 0; i < 90; i += 7) {
        double sum = 0, answer = 0;
        for (int j = 0; j < 300; ++j) {
          double s = 0;
          const float *const q = batch.queries.item(0, i), *const k = batch.items.item(0, j);
          if (kind == std::string("general")) {
            const Matrix<double> w = scene.parameters.find("weight")->matrix();
            ASSERT_EQ(w.size(0), query_width);
            for (int a = 0; a < query_width; ++a)
              for (int b = 0; b < key_width; ++b) s += static_cast<double>(q[a]) * w(a, b) * static_cast<double>(k[b]);
          } else {
            const Matrix<double> wq = scene.parameters.find("query.weight")->matrix(),
                                 wk = scene.parameters.find("key.weight")->matrix();
            for (Index h = 0; h < 5; ++h) {
              double z = 0;
              for (int a = 0; a < query_width; ++a) z += wq(h, a) * static_cast<double>(q[a]);
              for (int b = 0; b < key_width; ++b) z += wk(h, b) * static_cast<double>(k[b]);
              s += scene.parameters.find("out.weight")->value[h] * std::tanh(z);
            }
          }
          sum += std::exp(s);
          answer += std::exp(s) * static_cast<double>(batch.values.item(0, j)[1]);
        }
        EXPECT_NEAR(outcome.predictions(i, 1), answer / sum, 1e-10) << kind;
      }
    }
}

TEST(Pooling, ASimilarityOfOneSpaceRefusesTwo) {
  const auto says = [](const ValueTable& settings, const char* part) {
    try {
      ModelScene<double> scene("pooling", settings, two_widths(4, 3));
      ADD_FAILURE() << part;
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
    }
  };
  for (const char* kind : {"gaussian", "gaussian-learned", "boxcar", "epanechnikov", "dot"})
    says(similarity(kind, {{"train_on", word("queries")}}), "a query has 4 numbers and a key 3");
  says(similarity("user", {{"train_on", word("queries")}, {"formula", word("dot")}}),
       "needs queries and keys of one space");
  says(similarity("general"), "keys cannot be used as queries");
  ModelScene<double> average("pooling", similarity("average", {{"train_on", word("queries")}}), two_widths(4, 3));
  EXPECT_EQ(average.forward(two_spaces(4, 3), {}).predictions.size(0), 90);
}

TEST(Pooling, EmptyNeighbourhoodIsAnsweredByTheAverage) {
  Batch batch;
  batch.size = 1;
  batch.items = items_of({0, 1, 2}, 1);
  batch.values = items_of({3, 4, 8}, 1);
  batch.queries = items_of({100, 1}, 1);
  batch.answers = items_of({5, 4}, 1);
  for (const char* kind : {"boxcar", "epanechnikov"}) {
    ModelScene<double> scene("pooling", similarity(kind, {{"width", real(0.5)}}), points_shape(1, 1));
    const Trace<double> outcome = scene.forward(batch, {});
    EXPECT_DOUBLE_EQ(outcome.predictions(0, 0), 5);
    EXPECT_DOUBLE_EQ(outcome.predictions(1, 0), 4);
    EXPECT_DOUBLE_EQ(outcome.loss, 0);
    const Trace<double> others = scene.forward(batch, {.training = true});  // nobody has a neighbour but itself
    EXPECT_DOUBLE_EQ(others.predictions(0, 0), 6);
    EXPECT_DOUBLE_EQ(others.predictions(1, 0), 5.5);
    EXPECT_DOUBLE_EQ(others.predictions(2, 0), 3.5);
  }
  batch.items = batch.queries = items_of({0}, 1);
  batch.values = batch.answers = items_of({3}, 1);
  ModelScene<double> lonely("pooling", similarity("gaussian"), points_shape(1, 1));
  EXPECT_EQ(lonely.forward(batch, {.training = true}).predictions(0, 0), 0);
  EXPECT_EQ(lonely.forward(batch, {}).predictions(0, 0), 3);
}

TEST(Pooling, UserSimilarityThatIsNoNumberIsNamed) {
  Batch batch = random_points(4, 3, 1, 1);
  batch.queries.values = {0.5f, 1, 2};
  batch.items.values = {1, 1, 2, 3};
  ModelScene<double> scene("pooling", similarity("user", {{"formula", word("log(k - q)")}}), points_shape(1, 1));
  try {
    scene.forward(batch, {});
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), Error::Kind::wrong_input);
    EXPECT_NE(error.problem().text().find("the similarity 'log(k - q)' is not a number for query 2 (2) and key 0 (1)"),
              std::string::npos)
        << error.what();
  }
  ModelScene<double> endless("pooling", similarity("user", {{"formula", word("1/abs(q - k)")}}), points_shape(1, 1));
  EXPECT_THROW(endless.forward(batch, {}), Error);
}

TEST(Pooling, UserSimilarityMayBeAFunction) {
  const Batch batch = random_points(30, 20, 2, 1);
  Pooling<double> model;
  model.use([](std::span<const double> q,
               std::span<const double> k) { return -(std::pow(q[0] - k[0], 2) + std::pow(q[1] - k[1], 2)) / 2; },
            "mine");
  ParameterSet<double> parameters;
  model.build(points_shape(2, 1), parameters);
  parameters.finish();
  testing::Bench bench;
  const Trace<double> mine = model.forward(bench.compute, batch, {});
  ModelScene<double> gaussian("pooling", similarity("gaussian"), points_shape(2, 1));
  const Trace<double> known = gaussian.forward(batch, {});
  for (Index i = 0; i < 20; ++i) EXPECT_NEAR(mine.predictions(i, 0), known.predictions(i, 0), 1e-6);
}

TEST(Pooling, RefusesWhatCanNotBe) {
  const auto says = [](const ValueTable& settings, const char* part) {
    try {
      ModelScene<double> scene("pooling", settings, points_shape(2, 1));
      ADD_FAILURE() << part;
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
    }
  };
  says(similarity("user"), "has no formula");
  says(similarity("user", {{"formula", word("-abs(q - k)")}}), "reads q or k, but they have 2 dimensions");
  says(similarity("user", {{"formula", word("-d3")}}), "there is no 'd3'");
  says(similarity("gausian"), "Did you mean 'gaussian'");
  says(similarity("dot", {{"temperature", real(0)}}), "temperature");
}

TEST(Pooling, LargeSimilaritiesDoNotOverflow) {
  for (const char* kind : {"gaussian", "dot"}) {
    ModelScene<float> scene("pooling", similarity(kind, {{"w", real(1000)}, {"temperature", real(1e-4)}}),
                            points_shape(3, 1));
    const Batch batch = random_points(300, 80, 3, 1, 10);
    for (const float x : testing::copy_of(scene.forward(batch, {}).predictions)) EXPECT_TRUE(std::isfinite(x));
  }
}

}  // namespace
}  // namespace fovea
