// What the tests of streams share: what a rung says, and what holds of every ladder.
#pragma once

#include <algorithm>
#include <cmath>

#include "fovea/data/ladder.h"
#include "tests/data/tasks/task_help.h"

namespace fovea {

// What a rung says of each position, (B * positions, vocab).
struct Said {
  std::vector<float> values;
  Matrix<float> rows;

  Said(const Task& task, const Batch& batch, const std::string& rung) {
    const std::vector<std::string> rungs = task.ladder()->rungs();
    const auto found = std::find(rungs.begin(), rungs.end(), rung);
    EXPECT_NE(found, rungs.end()) << rung;
    const Index count = batch.target.rows * batch.target.columns, vocab = task.shape().target_vocab;
    values.assign(static_cast<std::size_t>(count * vocab), 7.0f);
    rows = Matrix<float>(values.data(), count, vocab);
    task.ladder()->predict(batch, static_cast<int>(found - rungs.begin()), rows);
  }
  Said(const Said&) = delete;

  std::span<const float> of(const Batch& batch, int example, int position) const {
    return rows[Index{example} * batch.target.columns + position].flat();
  }
};

// Mean of -log of what a rung says of the answers.
inline double cross_entropy(const Task& task, const Batch& batch, const std::string& rung) {
  const Said said(task, batch, rung);
  double sum = 0;
  int asked = 0;
  for (int b = 0; b < batch.size; ++b) {
    for (int t = 0; t < batch.target.columns; ++t) {
      const int answer = batch.target.at(b, t);
      if (answer < 0) continue;
      sum -= std::log(static_cast<double>(said.of(batch, b, t)[static_cast<std::size_t>(answer)]));
      ++asked;
    }
  }
  return sum / asked;
}

// Mean of KL(truth || rung) over the positions that ask.
inline double distance_from_truth(const Task& task, const Batch& batch, const std::string& rung) {
  const Said truth(task, batch, "truth"), said(task, batch, rung);
  double sum = 0;
  for (std::size_t i = 0; i < truth.values.size(); ++i) {
    const double p = truth.values[i];
    if (p > 0) sum += p * std::log(p / static_cast<double>(said.values[i]));
  }
  const auto asked = std::count_if(batch.target.ids.begin(), batch.target.ids.end(), [](int id) { return id >= 0; });
  return sum / static_cast<double>(asked);
}

// Rows are distributions where something is asked and 0 elsewhere; no answer is thought impossible; an example's rows
// do not depend on the batch it is in; and each rung is at most `slack` worse than the one below it.
inline void expect_ladder(const std::string& name, const ValueTable& settings, double slack = 0) {
  SCOPED_TRACE(name);
  const auto task = make_task(name, settings);
  const TaskShape shape = task->shape();
  EXPECT_EQ(shape.kind, Kind::token_streams);
  ASSERT_NE(task->ladder(), nullptr);
  const Batch batch = draw(*task, Split::train, 3, 40), small = draw(*task, Split::train, 3, 4);
  ASSERT_EQ(batch.source.columns, shape.longest);
  ASSERT_EQ(batch.target.columns, shape.longest);
  ASSERT_EQ(batch.source.rows, 40);
  ASSERT_EQ(batch.target.rows, 40);
  EXPECT_TRUE(std::equal(small.source.ids.begin(), small.source.ids.end(), batch.source.ids.begin()));
  EXPECT_TRUE(std::equal(small.target.ids.begin(), small.target.ids.end(), batch.target.ids.begin()));
  EXPECT_TRUE(std::equal(small.alignment.begin(), small.alignment.end(), batch.alignment.begin()));
  EXPECT_TRUE(std::equal(small.pattern.begin(), small.pattern.end(), batch.pattern.begin()));
  EXPECT_TRUE(std::equal(small.truth.begin(), small.truth.end(), batch.truth.begin()));
  for (const int token : batch.source.ids) ASSERT_TRUE(token >= 0 && token < shape.vocab) << token;
  for (const int token : batch.target.ids) ASSERT_TRUE(token >= -1 && token < shape.target_vocab) << token;
  double below = 1e9;
  for (const std::string& rung : task->ladder()->rungs()) {
    SCOPED_TRACE(rung);
    const Said said(*task, batch, rung), of_small(*task, small, rung);
    EXPECT_TRUE(std::equal(of_small.values.begin(), of_small.values.end(), said.values.begin()));
    for (int b = 0; b < batch.size; ++b) {
      for (int t = 0; t < shape.longest; ++t) {
        const auto row = said.of(batch, b, t);
        double sum = 0;
        for (const float p : row) {
          ASSERT_GE(p, 0.0f);
          sum += static_cast<double>(p);
        }
        const int answer = batch.target.at(b, t);
        ASSERT_NEAR(sum, answer < 0 ? 0 : 1, 1e-5) << "example " << b << ", place " << t;
        if (answer >= 0) {
          ASSERT_GT(row[static_cast<std::size_t>(answer)], 0.0f) << "example " << b << ", place " << t;
        }
      }
    }
    const double height = cross_entropy(*task, batch, rung);
    EXPECT_LE(height, below + slack);
    below = height;
  }
}

// Whether a rung says the same of a position after the batch was changed.
inline bool same_said(const Task& task, const std::string& rung, const Batch& before, const Batch& after,
                      int position) {
  const Said first(task, before, rung), second(task, after, rung);
  const auto a = first.of(before, 0, position), b = second.of(after, 0, position);
  return std::equal(a.begin(), a.end(), b.begin(), b.end());
}

}  // namespace fovea
