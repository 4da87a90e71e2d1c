// Streams that transformers are tested on, and every row of the model's settings.
#pragma once

#include <vector>

#include "fovea/base/random.h"
#include "fovea/data/batch.h"
#include "tests/data/tasks/task_help.h"

namespace fovea::testing {

inline TaskShape stream_shape(int vocab, int target_vocab, int longest) {
  TaskShape shape{Kind::token_streams};
  shape.vocab = vocab;
  shape.target_vocab = target_vocab;
  shape.longest = longest;
  return shape;
}

// Streams of 5 to 7 positions over 6 tokens, asked at some of them; with positions that a right answer needs.
inline Batch some_streams(int examples = 3) {
  Batch data;
  data.size = examples;
  data.source.resize(examples, 7);
  data.target.resize(examples, 7);
  data.pattern_width = 2;
  RandomStream stream(11, "test");
  for (int b = 0; b < examples; ++b) {
    const int length = 5 + b % 3;
    data.source.lengths[static_cast<std::size_t>(b)] = length;
    for (int t = 0; t < 7; ++t) {
      const bool there = t < length, asked = there && (t == length - 1 || stream.uniform() < 0.6);
      data.source.at(b, t) = there ? static_cast<int>(stream.integer(6)) : -1;
      data.target.at(b, t) = asked ? static_cast<int>(stream.integer(5)) : -1;
      const bool needs = asked && t > 1;
      data.pattern.push_back(needs ? static_cast<int>(stream.integer(static_cast<std::uint64_t>(t))) : -1);
      data.pattern.push_back(needs && data.pattern.back() != t ? t : -1);
    }
  }
  return data;
}

struct TransformerRow {
  const char* name;
  ValueTable settings;
};

inline ValueTable transformer_with(ValueTable more) {
  ValueTable all{{"layers", {2, {}}}, {"heads", {2, {}}}, {"width", {8, {}}}, {"start", {0.5, {}}}};
  for (auto& [name, value] : more) all[name] = value;
  return all;
}

// Every row of the model's settings.
inline std::vector<TransformerRow> transformer_rows() {
  return {
      {"usual", transformer_with({})},
      {"gelu", transformer_with({{"mlp", {4, {}}}})},
      {"relu mlp", transformer_with({{"mlp", {2, {}}}, {"activation", word("relu")}, {"layers", {1, {}}}})},
      {"no norm", transformer_with({{"norm", word("none")}, {"mlp", {1, {}}}})},
      {"relative", transformer_with({{"position", word("relative")}, {"biases", {false, {}}}})},
      {"rotary", transformer_with({{"position", word("rotary")}})},
      {"no position", transformer_with({{"position", word("none")}})},
      {"linear",
       transformer_with({{"attention", word("linear")}, {"layers", {1, {}}}, {"heads", {1, {}}}, {"mlp", {4, {}}}})},
      {"relu", transformer_with({{"attention", word("relu")}})},
      {"merged", transformer_with({{"queries", word("merged")}, {"position", word("relative")}})},
      {"identity", transformer_with({{"queries", word("identity")}, {"norm", word("none")}, {"biases", {false, {}}}})},
      {"uniform start", transformer_with({{"start_law", word("uniform")}, {"start_embedding", {1.0, {}}}})},
  };
}

}  // namespace fovea::testing
