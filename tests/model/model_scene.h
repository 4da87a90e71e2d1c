// A model set up for a test: made by name from settings, built for a task, started from seed 5.
#pragma once

#include <array>
#include <memory>

#include "fovea/model/model.h"
#include "fovea/nn/optimizer/optimizer.h"
#include "tests/nn/attention/test_shift.h"
#include "tests/nn/gradient_check.h"
#include "tests/nn/optimizer/update_rules.h"

namespace fovea::testing {

using Pattern = AttentionRule::Pattern;

// A pass with every head held at a pattern.
inline Pass held_at(Pattern pattern, Pass pass = {}) {
  static constexpr std::array<ScopedRule, 2> rules{{{0, 0, {Pattern::uniform}}, {0, 0, {Pattern::truth}}}};
  for (const ScopedRule& rule : rules)
    if (rule.rule.pattern == pattern) pass.rules = {{&rule, 1}};
  return pass;
}

template <class T>
struct ModelScene {
  ModelScene(const std::string& name, const ValueTable& settings, const TaskShape& shape, int threads = 1)
      : bench(threads), model(Registry<Model<T>>::instance().make(name, "model")) {
    Fields fields;
    model->settings(fields);
    fields.read(settings, "model '" + name + "'");
    model->build(shape, parameters);
    parameters.finish();
    parameters.initialise(5);
  }

  Trace<T> forward(const Batch& batch, const Pass& pass) {
    bench.arena.reset();
    return model->forward(bench.compute, batch, pass);
  }

  // What some models can be asked besides.
  template <class Query>
  const Query& model_as() const {
    return dynamic_cast<const Query&>(*model);
  }

  // Gradients anew, of a training pass.
  Trace<T> gradient_of(const Batch& batch, Pass pass = {}) {
    pass.training = true;
    const Trace<T> trace = forward(batch, pass);
    parameters.clear_gradients();
    model->backward(bench.compute, trace);
    return trace;
  }

  void adam(int steps, double rate, const Batch& batch) {
    Optimizer<T> optimizer(parameters, testing::update_rule("adam"));
    for (int step = 0; step < steps; ++step) {
      gradient_of(batch);
      optimizer.step(bench.team, rate);
    }
  }

  void check_gradients(const Batch& batch, const Pass& pass, const GradientCheck& check = {}) {
    gradient_of(batch, pass);
    expect_parameter_gradients(parameters, [&] { return forward(batch, pass).loss; }, check);
  }

  Bench bench;
  ParameterSet<T> parameters;
  std::unique_ptr<Model<T>> model;
};

}  // namespace fovea::testing
