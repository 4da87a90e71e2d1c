// Probes that hand arrays to figures, and single numbers.
#include <cmath>

#include "fovea/base/error/error.h"
#include "tests/probe/evaluation_help.h"

namespace fovea {
namespace {

using testing::HandMade;
using testing::Said;

Said said_at_end(const HandMade& look, Probe& probe) {
  const testing::NoTask task;
  Said said;
  probe.measure({.step = 7,
                 .first = false,
                 .last = true,
                 .train_loss = 0,
                 .time = 0,
                 .task = task,
                 .batch = look.batch,
                 .outcome = look.outcome,
                 .beta = {},
                 .parameters = look.parameters},
                said);
  return said;
}

TEST(BagView, ShowsImagesWeightsLabelsAndAnswers) {
  HandMade look;
  look.kind = Kind::labelled_bags;
  look.batch.size = 2;
  look.batch.items.resize(2, 2, 3);
  for (std::size_t i = 0; i < look.batch.items.values.size(); ++i) look.batch.items.values[i] = static_cast<float>(i);
  look.batch.items.lengths = {2, 1};
  look.batch.labels = {4, 1};
  look.set_attention(2, 1, 2, {0.25f, 0.75f, 1, 0});
  look.set_scores(2, 5, {0, 0, 0, 0, 9, 9, 0, 0, 0, 0}, {4, 1});
  const std::unique_ptr<Probe> probe = look.prepared("bag_view");
  const Said said = said_at_end(look, *probe);
  EXPECT_EQ(said.arrays.at("bag_images"), look.batch.items.values);
  const std::vector<float>& weights = said.arrays.at("bag_attention");
  ASSERT_EQ(weights.size(), 4u);
  EXPECT_EQ(weights[1], 0.75f);
  EXPECT_EQ(weights[2], 1);
  EXPECT_TRUE(std::isnan(weights[3]));  // there is no such item
  EXPECT_EQ(said.arrays.at("bag_labels"), (std::vector<float>{4, 1}));
  EXPECT_EQ(said.arrays.at("bag_answers"), (std::vector<float>{4, 0}));
}

TEST(BagView, IsSilentBetweenFirstAndLastLook) {
  HandMade look;
  look.kind = Kind::labelled_bags;
  look.step = 3;
  EXPECT_TRUE(look.ask(*look.prepared("bag_view")).arrays.empty());
}

TEST(PoolingView, PutsQueriesAndKeysInOrder) {
  HandMade look;
  look.kind = Kind::points;
  look.batch.items.resize(1, 3, 1);
  look.batch.items.values = {2, 0, 1};
  look.batch.values.resize(1, 3, 1);
  look.batch.values.values = {20, 0, 10};
  look.batch.queries.resize(1, 2, 1);
  look.batch.queries.values = {5, 4};
  look.batch.answers.resize(1, 2, 1);
  look.batch.answers.values = {0.5f, 0.4f};
  look.predictions = {50, 40};
  look.outcome.predictions = Matrix<float>(look.predictions.data(), 2, 1);
  look.set_attention(1, 2, 3, {0.1f, 0.2f, 0.7f, 0.3f, 0.4f, 0.3f});
  const std::unique_ptr<Probe> probe = Registry<Probe>::instance().make("pooling_view", "probe");
  TaskShape shape;
  shape.kind = Kind::points;
  shape.width = shape.value_width = 1;
  probe->prepare(shape, true, 1);
  const Said said = said_at_end(look, *probe);
  EXPECT_EQ(said.arrays.at("x"), (std::vector<float>{4, 5}));
  EXPECT_EQ(said.arrays.at("prediction"), (std::vector<float>{40, 50}));
  EXPECT_EQ(said.arrays.at("truth"), (std::vector<float>{0.4f, 0.5f}));
  EXPECT_EQ(said.arrays.at("points_x"), (std::vector<float>{0, 1, 2}));
  EXPECT_EQ(said.arrays.at("points_y"), (std::vector<float>{0, 10, 20}));
  EXPECT_EQ(said.arrays.at("pooling_attention"), (std::vector<float>{0.4f, 0.3f, 0.3f, 0.2f, 0.7f, 0.1f}));
  EXPECT_TRUE(look.ask(*probe).arrays.empty());  // not the last look
  shape.width = 2;
  EXPECT_THROW(probe->prepare(shape, true, 1), Error);
}

TEST(Scalars, AreParametersOfOneNumber) {
  HandMade look;
  const std::vector<float> values{4.5f, 1, 2};
  look.parameters = {{"kernel.w", {1}, Group::attention, std::span(values).first(1)},
                     {"weight", {2}, Group::body, std::span(values).last(2)}};
  EXPECT_EQ(look.numbers("scalars"), (std::map<std::string, double>{{"kernel_w", 4.5}}));
}

}  // namespace
}  // namespace fovea
