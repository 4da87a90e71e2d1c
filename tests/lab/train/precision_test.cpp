// What `train.precision` changes: products in three terms of bfloat16 beside those of float and double.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "fovea/io/shipped.h"
#include "fovea/lab/experiment/experiment.h"
#include "fovea/lab/record/machine.h"
#include "fovea/lab/spec/assembly.h"
#include "fovea/lab/train/trainer.h"

namespace fovea {
namespace {

using Named = std::map<std::string, std::vector<double>>;

// Of a training batch from the weights that `given` has; the first of a run where it has none.
template <class T>
struct Scene {
  explicit Scene(const RunSpec& spec) : task(make_task(spec)), model(make_model<T>(spec, task->shape(), parameters)) {}

  Named gradients(const RunSpec& spec, Products products) {
    Batch batch;
    task->batch(Split::train, 0, read_train(spec.train).batch, batch);
    Arena arena;
    Team team;
    Compute compute{arena, team, Gradients::all, products};
    parameters.clear_gradients();
    model->backward(compute, model->forward(compute, batch, {true, spec.seed, 0}));
    Named all;
    for (const Param<T>& p : parameters.all())
      for (const T x : p.gradients()) all[p.name].push_back(static_cast<double>(x));
    return all;
  }

  ParameterSet<T> parameters;
  std::unique_ptr<Task> task;
  std::unique_ptr<Model<T>> model;
};

double squared(const std::vector<double>& x, const std::vector<double>& y) {
  double sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i) sum += (x[i] - y[i]) * (x[i] - y[i]);
  return sum;
}

// Every shipped system, in batches as it trains on.
TEST(Precision, GradientsInThreeTermsAreThoseOfDouble) {
  std::set<std::string> tried, models, without_products;
  for (const std::string& name : experiment_names()) {
    SCOPED_TRACE(name);
    const RunSpec spec = resolve(find_experiment(name), Preset::quick, {}, 1);
    const std::string model = *spec.model.at("name").as<std::string>();
    const auto similarity = spec.model.find("similarity");
    if (!tried
             .insert(spec.task.at("name").text() + model +
                     (similarity == spec.model.end() ? "" : similarity->second.text()))
             .second)
      continue;
    Scene<float> once(spec);
    Scene<double> twice(spec);
    if (once.parameters.all().empty()) continue;
    for (std::size_t p = 0; p < once.parameters.all().size(); ++p)
      std::ranges::copy(once.parameters.all()[p].values(), twice.parameters.all()[p].values().begin());
    const Named wanted = twice.gradients(spec, Products::full), split = once.gradients(spec, Products::bf16x3);
    double size = 0, error = 0;
    for (const auto& [parameter, values] : wanted) {
      size += squared(values, std::vector<double>(values.size()));
      error += squared(split.at(parameter), values);
    }
    EXPECT_LE(std::sqrt(error), 3e-5 * std::sqrt(size));
    models.insert(model);
    if (split == once.gradients(spec, Products::full)) without_products.insert(model);
  }
  EXPECT_GE(models.size(), 13u);
  EXPECT_EQ(without_products, (std::set<std::string>{"induction-exact", "linear-attention", "logistic-attention",
                                                     "position-heads", "position-match", "product", "race-product",
                                                     "rank-one-attention", "toy-gate", "unigram-gate"}));
}

RunSpec copying(const std::string& precision, int threads = 1) {
  std::vector<Override> overrides;
  for (const std::string& word :
       {std::string("train.steps=4"), "train.precision=" + precision, "train.threads=" + std::to_string(threads)})
    overrides.push_back(parse_override(word));
  return resolve(find_experiment("copy-subset"), Preset::quick, overrides, 1);
}

std::vector<double> losses(const RunRecord& run) { return run.series.at("train_loss").values; }

TEST(Precision, InThreeTermsIsTheSameBitsOnAnyNumberOfThreads) {
  const RunRecord one = train(copying("bf16x3")), two = train(copying("bf16x3", 2));
  ASSERT_EQ(one.state, RunState::done) << one.error;
  ASSERT_EQ(one.weights.size(), two.weights.size());
  for (std::size_t i = 0; i < one.weights.size(); ++i) EXPECT_EQ(one.weights[i].bytes, two.weights[i].bytes);
  EXPECT_NE(losses(one), losses(train(copying("float"))));
  EXPECT_NEAR(losses(one).back(), losses(train(copying("double"))).back(), 1e-4);
}

TEST(Precision, TrainingsInThreadsOfOneProcessDoNotMeet) {
  const std::vector<double> full = losses(train(copying("float"))), split = losses(train(copying("bf16x3")));
  std::vector<double> beside_full, beside_split;
  std::thread other([&] { beside_split = losses(train(copying("bf16x3"))); });
  beside_full = losses(train(copying("float")));
  other.join();
  EXPECT_EQ(beside_full, full);
  EXPECT_EQ(beside_split, split);
}

TEST(Precision, WhatMultipliesInThreeTermsIsRecorded) {
  EXPECT_EQ(train(copying("float")).machine, machine_line());
  EXPECT_EQ(train(copying("bf16x3")).machine, machine_line() + ", bf16x3 by " + tile_unit_line());
}

}  // namespace
}  // namespace fovea
