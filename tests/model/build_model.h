// What the tests of models share: a model by name, built in double from settings, and batches written by hand.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "fovea/model/model.h"
#include "tests/nn/gradient_check.h"

namespace fovea::testing {

struct BuiltModel {
  std::unique_ptr<Model<double>> model;
  ParameterSet<double> parameters;
  Bench bench;

  BuiltModel(const std::string& name, const TaskShape& shape, const ValueTable& settings = {}) {
    model = Registry<Model<double>>::instance().make(name, "model");
    Fields fields;
    model->settings(fields);
    fields.read(settings, "model '" + name + "'");
    model->build(shape, parameters);
    parameters.finish();
    parameters.initialise(1);
  }

  Outcome<double> forward(const Batch& batch, Attend attend = Attend::learned, bool training = true) {
    bench.arena.reset();
    return model->forward(bench.compute, batch, {.training = training, .attend = attend});
  }
  Outcome<double> forward(Batch&&, Attend = Attend::learned, bool = true) = delete;  // the batch must outlive backward
  void backward() { model->backward(bench.compute); }
};

// Sequences of tokens with their labels; `key` is the token that is marked.
inline Batch labelled_tokens(const std::vector<std::vector<int>>& sequences, const std::vector<int>& labels, int key) {
  std::size_t longest = 0;
  for (const auto& sequence : sequences) longest = std::max(longest, sequence.size());
  Batch batch;
  batch.size = static_cast<int>(sequences.size());
  batch.source.resize(batch.size, static_cast<int>(longest));
  batch.labels = labels;
  for (int b = 0; b < batch.size; ++b) {
    const std::vector<int>& ids = sequences[static_cast<std::size_t>(b)];
    batch.source.lengths[static_cast<std::size_t>(b)] = static_cast<int>(ids.size());
    for (std::size_t l = 0; l < longest; ++l) {
      if (l < ids.size()) batch.source.at(b, static_cast<int>(l)) = ids[l];
      batch.marked.push_back(l < ids.size() && ids[l] == key);
    }
  }
  return batch;
}

inline TaskShape labelled_tokens_shape(int vocab) {
  TaskShape shape;
  shape.vocab = vocab;
  shape.classes = 2;
  return shape;
}

}  // namespace fovea::testing
