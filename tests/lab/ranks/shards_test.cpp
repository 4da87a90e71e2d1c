#include "fovea/lab/ranks/shards.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "fovea/lab/experiment/experiment.h"
#include "fovea/lab/spec/assembly.h"
#include "fovea/lab/train/trainer.h"

namespace fovea {
namespace {

RunSpec small(const std::string& experiment, const std::vector<std::string>& words) {
  std::vector<Override> overrides;
  for (const std::string& word : words) overrides.push_back(parse_override(word));
  return resolve(find_experiment(experiment), Preset::quick, overrides, 3);
}

// The gradient of one batch, whole and from parts of it.
struct BatchGradients {
  std::vector<double> whole, sharded;
  double loss = 0, sharded_loss = 0;
};

BatchGradients gradients_of(const RunSpec& spec, int shards, int size) {
  Arena arena;
  Team team;
  Compute compute{arena, team};
  const std::unique_ptr<Task> task = make_task(spec);
  ParameterSet<double> parameters;
  const auto model = make_model<double>(spec, task->shape(), parameters);
  Batch batch;
  task->batch(Split::train, 0, size, batch);
  const Pass pass{true, spec.seed, 0};
  BatchGradients all;
  parameters.clear_gradients();
  const Trace<double> trace = model->forward(compute, batch, pass);
  all.loss = trace.loss;
  model->backward(compute, trace);
  all.whole.assign(parameters.gradients().begin(), parameters.gradients().end());
  Shards<double> parts(shards, nullptr, model->takes(), parameters);
  all.sharded_loss = parts.gradient(compute, *model, batch, pass, false);
  all.sharded.assign(parameters.gradients().begin(), parameters.gradients().end());
  return all;
}

TEST(Shards, PartsGiveTheWholeBatchsGradient) {
  const RunSpec copy = small("copy-subset", {"model.hidden=8", "model.embedding=6", "task.length=5", "task.vocab=9"});
  const RunSpec keyword = small("keyword-lstm", {"model.hidden=8", "model.embedding=6"});
  // Of pages that are not told apart it is not known which comes.
  const RunSpec trace = small("prefetch-trace", {"task.pages=3", "model.hidden=8", "model.experts=3"});
  for (const RunSpec& spec : {copy, keyword, trace}) {
    for (const int shards : {1, 2, 3, 8, 16}) {
      const BatchGradients all = gradients_of(spec, shards, 11);
      EXPECT_NEAR(all.loss, all.sharded_loss, 1e-12);
      const double largest = std::abs(*std::ranges::max_element(all.whole, {}, [](double x) { return std::abs(x); }));
      ASSERT_GT(largest, 1e-4);
      for (std::size_t i = 0; i < all.whole.size(); ++i) EXPECT_NEAR(all.whole[i], all.sharded[i], 1e-12) << i;
    }
  }
}

TEST(Shards, RefuseWhatHasNoParts) {
  EXPECT_THROW(train(small("digits-dot", {"train.data_parallel=true"})), Error);
  EXPECT_THROW(train(small("pooling-learned", {"train.data_parallel=true"})), Error);
  EXPECT_THROW(train(small("copy-subset", {"train.shards=2"})), Error);
}

TEST(Shards, SettingsLeftOpenChangeNoHash) {
  const std::string open = small("copy-subset", {}).text();
  EXPECT_EQ(open.find("data_parallel"), std::string::npos);
  EXPECT_EQ(open.find("shards"), std::string::npos);
}

}  // namespace
}  // namespace fovea
