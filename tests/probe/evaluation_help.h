// What the tests of probes share: an evaluation made by hand, and what a probe says to it.
#pragma once

#include <gtest/gtest.h>

#include <limits>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "fovea/probe/probe.h"

namespace fovea::testing {

class NoTask : public Task {
 public:
  void settings(Fields&) override {}
  void prepare(std::uint64_t) override {}
  TaskShape shape() const override { return {}; }
  void batch(Split, std::uint64_t, int, Batch&) const override {}
};

struct Said : Readings {
  std::map<std::string, double> numbers;
  std::map<std::string, std::vector<float>> arrays;
  void number(const std::string& name, double value) override {
    EXPECT_TRUE(numbers.emplace(name, value).second) << name << " is said twice";
  }
  void array(const std::string& name, const std::vector<Index>&, std::span<const float> values) override {
    arrays[name].assign(values.begin(), values.end());
  }
};

// The arrays that a probe is shown; fill those it needs.
struct HandMade {
  Kind kind = Kind::labelled_tokens;
  Batch batch;
  Outcome<float> outcome;
  std::vector<float> scores, attention, beta, predictions;
  std::vector<int> answers;
  std::vector<ParameterView> parameters;
  std::int64_t step = 0;
  double time = 0;
  const Task* task = nullptr;  // if the probe asks it

  Cube<const float> beta_cube, states_cube;

  void set_scores(Index rows, Index classes, std::vector<float> values, std::vector<int> right) {
    scores = std::move(values);
    answers = std::move(right);
    outcome.scores = Matrix<float>(scores.data(), rows, classes);
    outcome.answers = answers;
  }
  void set_attention(Index examples, Index rows, Index positions, std::vector<float> values) {
    attention = std::move(values);
    outcome.attention = Cube<float>(attention.data(), examples, rows, positions);
  }
  void set_beta(Index examples, Index rows, Index positions, std::vector<float> values) {
    beta = std::move(values);
    beta_cube = Cube<const float>(beta.data(), examples, rows, positions);
  }
  void set_lengths(std::vector<int> lengths, int columns) {
    batch.size = static_cast<int>(lengths.size());
    batch.source.resize(batch.size, columns);
    batch.source.lengths = std::move(lengths);
  }

  Evaluation evaluation() const {
    static const NoTask no_task;
    return {.step = step,
            .first = step == 0,
            .last = false,
            .train_loss = std::numeric_limits<double>::quiet_NaN(),
            .time = time,
            .task = task ? *task : no_task,
            .batch = batch,
            .outcome = outcome,
            .beta = beta_cube,
            .states = states_cube,
            .parameters = parameters};
  }
  Said ask(Probe& probe) const {
    Said said;
    probe.measure(evaluation(), said);
    return said;
  }
  std::map<std::string, double> numbers(const std::string& name) const {
    const std::unique_ptr<Probe> probe = prepared(name);
    return ask(*probe).numbers;
  }
  std::unique_ptr<Probe> prepared(const std::string& name, bool attends = true) const {
    std::unique_ptr<Probe> probe = Registry<Probe>::instance().make(name, "probe");
    TaskShape shape;
    shape.kind = kind;
    shape.classes = kind == Kind::labelled_tokens ? 2 : 0;
    probe->prepare(shape, attends, 1);
    return probe;
  }
};

}  // namespace fovea::testing
