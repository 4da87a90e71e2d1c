// Small gated classifiers and random sequences for them.
#pragma once

#include <algorithm>

#include "fovea/base/random.h"
#include "tests/data/tasks/task_help.h"
#include "tests/model/model_scene.h"

namespace fovea::testing::gated {

inline constexpr int vocab = 9;

inline const ValueTable small = {
    {"embedding", {std::int64_t{3}, {}}}, {"hidden", {std::int64_t{4}, {}}}, {"score_hidden", {std::int64_t{5}, {}}}};

inline ValueTable with(std::initializer_list<std::pair<const std::string, Value>> others) {
  ValueTable settings(others);
  settings.insert(small.begin(), small.end());
  return settings;
}

inline TaskShape shape_of(int classes, int words = vocab) {
  TaskShape shape;
  shape.kind = Kind::labelled_tokens;
  shape.vocab = words;
  shape.classes = classes;
  return shape;
}

// Sequences of 1 to 7 random tokens; the first position of every second one is marked.
inline Batch random_batch(int size, int classes, std::uint64_t seed = 3) {
  Batch batch;
  batch.size = size;
  batch.source.resize(size, 7);
  batch.marked.assign(static_cast<std::size_t>(size) * 7, 0);
  RandomStream stream(seed, "test");
  for (int b = 0; b < size; ++b) {
    const int length = b == 0 ? 7 : 1 + static_cast<int>(stream.integer(7));
    batch.source.lengths[static_cast<std::size_t>(b)] = length;
    for (int s = 0; s < length; ++s) batch.source.at(b, s) = static_cast<int>(stream.integer(vocab));
    batch.labels.push_back(static_cast<int>(stream.integer(static_cast<std::uint64_t>(classes))));
    if (b % 2 == 0) batch.marked[static_cast<std::size_t>(b) * 7] = 1;
  }
  return batch;
}

// The examples `order` of a batch, cut to the longest of them.
inline Batch examples_of(const Batch& batch, const std::vector<int>& order) {
  Batch part;
  part.size = static_cast<int>(order.size());
  int longest = 0;
  for (const int b : order) longest = std::max(longest, batch.source.lengths[static_cast<std::size_t>(b)]);
  part.source.resize(part.size, longest);
  for (std::size_t i = 0; i < order.size(); ++i) {
    const auto b = static_cast<std::size_t>(order[i]);
    part.source.lengths[i] = batch.source.lengths[b];
    for (int s = 0; s < longest; ++s) {
      part.source.at(static_cast<int>(i), s) = batch.source.at(order[i], s);
      part.marked.push_back(batch.marked[b * 7 + static_cast<std::size_t>(s)]);
    }
    part.labels.push_back(batch.labels[b]);
  }
  return part;
}

struct Variant {
  const char* cell;
  bool bidirectional;
  const char* score;
  int classes;
  bool biases = false;
};
inline constexpr Variant variants[] = {{"lstm", false, "linear", 2},      {"gru", true, "mlp", 2},
                                       {"lstm", true, "linear", 3},       {"gru", false, "mlp", 4},
                                       {"lstm", true, "linear", 2, true}, {"gru", true, "mlp", 3, true}};

inline ValueTable settings_of(const Variant& v) {
  ValueTable settings =
      with({{"cell", word(v.cell)}, {"bidirectional", yes(v.bidirectional)}, {"score", word(v.score)}});
  if (v.biases) settings["biases"] = yes(true);
  return settings;
}

}  // namespace fovea::testing::gated
