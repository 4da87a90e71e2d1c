// What the translator says itself, against what it makes of every sequence it could have said.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "fovea/math/vector_math.h"
#include "fovea/model/optional_queries.h"
#include "tests/data/tasks/task_help.h"
#include "tests/model/model_scene.h"

namespace fovea {
namespace {

using testing::ModelScene;

constexpr int end_token = 3, start_token = 4, said_vocab = 5;

ModelScene<double> scene_of(const char* cell, std::int64_t layers, bool bidirectional,
                            const char* encoder = "recurrent", const char* score = "general", bool biases = false) {
  TaskShape shape;
  shape.kind = Kind::token_pairs;
  shape.vocab = shape.target_vocab = said_vocab;
  shape.start_token = start_token;
  shape.end_token = end_token;
  return ModelScene<double>("seq2seq",
                            {{"embedding", whole(3)},
                             {"hidden", whole(4)},
                             {"layers", whole(layers)},
                             {"cell", word(cell)},
                             {"bidirectional", yes(bidirectional)},
                             {"encoder", word(encoder)},
                             {"score", word(score)},
                             {"biases", yes(biases)},
                             {"dropout", real(0.5)}},
                            shape);
}

Batch sources() {
  Batch batch;
  batch.size = 3;
  batch.source.resize(3, 4);
  batch.source.lengths = {4, 2, 3};
  for (int b = 0; b < 3; ++b)
    for (int s = 0; s < batch.source.lengths[static_cast<std::size_t>(b)]; ++s) batch.source.at(b, s) = (b + 2 * s) % 3;
  return batch;
}

std::vector<std::vector<int>> said_by(ModelScene<double>& scene, const Batch& batch, const Search& search) {
  scene.bench.arena.reset();
  return dynamic_cast<GeneratesText<double>&>(*scene.model).generate(scene.bench.compute, batch, {}, search);
}

// log p of each next word, where an example's target begins so.
std::vector<std::vector<double>> log_probabilities(ModelScene<double>& scene, const Batch& sources, int example,
                                                   const std::vector<int>& target) {
  Batch one;
  one.size = 1;
  one.source.resize(1, sources.source.lengths[static_cast<std::size_t>(example)]);
  for (int s = 0; s < one.source.columns; ++s) one.source.at(0, s) = sources.source.at(example, s);
  one.target.resize(1, static_cast<int>(target.size()));
  one.target.ids = target;
  const Trace<double> outcome = scene.forward(one, {});
  std::vector<std::vector<double>> rows;
  for (Index t = 0; t < outcome.scores.size(0); ++t) {
    const std::span<const double> scores = outcome.scores[t].flat();
    rows.emplace_back(scores.begin(), scores.end());
    for (double& x : rows.back()) x -= log_sum_exp(scores);
  }
  return rows;
}

TEST(Say, GreedySearchTakesTheLikeliestWordEachTime) {
  for (const auto& [cell, layers, both, encoder, score] :
       {std::tuple{"lstm", 2, true, "recurrent", "general"}, std::tuple{"gru", 1, false, "recurrent", "additive"},
        std::tuple{"lstm", 1, true, "recurrent", "general"}, std::tuple{"lstm", 2, false, "embedding", "general"},
        std::tuple{"gru", 1, false, "embedding", "additive"}}) {
    ModelScene<double> scene = scene_of(cell, layers, both, encoder, score, both);
    const Batch batch = sources();
    const auto said = said_by(scene, batch, {.beams = 1, .longest = 6});
    ASSERT_EQ(said.size(), 3u);
    for (int b = 0; b < 3; ++b) {
      std::vector<int> target = said[static_cast<std::size_t>(b)];
      ASSERT_LE(target.size(), 6u);
      const bool ended = target.size() < 6;
      if (ended) target.push_back(end_token);
      const auto rows = log_probabilities(scene, batch, b, target);
      for (std::size_t t = 0; t < target.size(); ++t) {
        std::vector<double> row = rows[t];
        row[start_token] = -1e9;  // is never said
        EXPECT_EQ(target[t], std::max_element(row.begin(), row.end()) - row.begin()) << cell << b << " " << t;
      }
    }
  }
}

// In one group of sentences or in three; and what the caller has taken before stays, and no more is taken after.
TEST(Say, LeavesTheCallersMemoryAsItWas) {
  ModelScene<double> scene = scene_of("lstm", 2, true);
  Arena& arena = scene.bench.arena;
  const auto say = [&](int beams) {
    return dynamic_cast<GeneratesText<double>&>(*scene.model)
        .generate(scene.bench.compute, sources(), {}, {beams, 1.0, 4});
  };
  const auto kept = arena.take<int>(1000);
  std::ranges::fill(kept, 7);
  const auto together = say(200), apart = say(640);
  const std::size_t asked = arena.blocks_requested(), in_use = arena.bytes_in_use();
  EXPECT_EQ(apart, together);
  EXPECT_EQ(say(640), apart);
  EXPECT_EQ(arena.blocks_requested(), asked);
  EXPECT_EQ(arena.bytes_in_use(), in_use);
  EXPECT_LT(in_use, 5000u);
  EXPECT_EQ(std::ranges::count(kept, 7), 1000);
}

// Every sequence of up to `longest` words, ended or cut there, with its log-probability.
void every(ModelScene<double>& scene, const Batch& batch, int example, std::size_t longest, std::vector<int> begun,
           double so_far, std::vector<std::pair<std::vector<int>, double>>& all) {
  std::vector<int> asked = begun;
  asked.push_back(0);
  const std::vector<double> next = log_probabilities(scene, batch, example, asked).back();
  for (int token = 0; token < start_token; ++token) {
    std::vector<int> longer = begun;
    longer.push_back(token);
    const double there = so_far + next[static_cast<std::size_t>(token)];
    if (token == end_token || longer.size() == longest) all.emplace_back(longer, there);
    else every(scene, batch, example, longest, longer, there, all);
  }
}

TEST(Say, WithRoomForEveryBeginningTheBestOfAllIsSaid) {
  ModelScene<double> scene = scene_of("lstm", 2, true);
  const Batch batch = sources();
  for (const double penalty : {0.0, 1.0, 5.0}) {
    const auto said = said_by(scene, batch, {.beams = 200, .length_penalty = penalty, .longest = 3});
    for (int b = 0; b < 3; ++b) {
      std::vector<std::pair<std::vector<int>, double>> all;
      every(scene, batch, b, 3, {}, 0, all);
      ASSERT_EQ(all.size(), 1u + 3 + 9 + 27);
      const auto score = [&](const auto& one) {
        return one.second / std::pow((5.0 + static_cast<double>(one.first.size())) / 6.0, penalty);
      };
      const auto best =
          std::max_element(all.begin(), all.end(), [&](const auto& x, const auto& y) { return score(x) < score(y); });
      if (best->first.back() == end_token) best->first.pop_back();
      EXPECT_EQ(said[static_cast<std::size_t>(b)], best->first) << penalty << " " << b;
    }
  }
}

TEST(Say, ALengthPenaltyMakesLongerSayingsLikelier) {
  ModelScene<double> scene = scene_of("lstm", 1, false);
  const Batch batch = sources();
  std::size_t before = 0;
  for (const double penalty : {0.0, 2.0, 10.0}) {
    std::size_t length = 0;
    for (const auto& one : said_by(scene, batch, {.beams = 50, .length_penalty = penalty, .longest = 4}))
      length += one.size();
    EXPECT_GE(length, before);
    before = length;
  }
  EXPECT_GT(before, 0u);
}

}  // namespace
}  // namespace fovea
