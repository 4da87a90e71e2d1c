// What the tests of tasks share: making one from settings, comparing batches, a chi-square test.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "fovea/base/registry.h"
#include "fovea/data/task.h"

namespace fovea {

inline std::unique_ptr<Task> make_task(const std::string& name, const ValueTable& settings = {},
                                       std::uint64_t seed = 1) {
  std::unique_ptr<Task> task = Registry<Task>::instance().make(name, "task");
  Fields fields;
  task->settings(fields);
  fields.read(settings, "task '" + name + "'");
  task->prepare(seed);
  return task;
}

inline Batch draw(const Task& task, Split split, std::uint64_t step, int size) {
  Batch batch;
  task.batch(split, step, size, batch);
  return batch;
}

inline bool same(const Batch& a, const Batch& b) {
  return a.size == b.size && a.source.ids == b.source.ids && a.source.lengths == b.source.lengths &&
         a.target.ids == b.target.ids && a.target.lengths == b.target.lengths &&
         a.items.first(a.items.rows) == b.items.first(b.items.rows) && a.items.lengths == b.items.lengths &&
         a.values.values == b.values.values && a.queries.values == b.queries.values &&
         a.answers.values == b.answers.values && a.labels == b.labels && a.alignment == b.alignment &&
         a.marked == b.marked && a.pattern_width == b.pattern_width && a.pattern == b.pattern && a.truth == b.truth;
}

// The same batch whenever and in whatever order it is asked for, into a fresh batch or a used one; other seeds, steps
// and splits give others.
inline void expect_pure(const std::string& name, const ValueTable& settings) {
  const auto task = make_task(name, settings, 5);
  const auto again = make_task(name, settings, 5);
  const auto other = make_task(name, settings, 6);
  const Batch third = draw(*task, Split::train, 3, 8);
  Batch reused;
  again->batch(Split::train, 9, 12, reused);
  again->batch(Split::validation, 0, 3, reused);
  again->batch(Split::train, 3, 8, reused);
  EXPECT_TRUE(same(third, reused)) << name << ": the order of asking changed a batch";
  EXPECT_FALSE(same(third, draw(*task, Split::train, 4, 8)));
  EXPECT_FALSE(same(third, draw(*task, Split::test, 3, 8)));
  EXPECT_FALSE(same(draw(*task, Split::validation, 0, 8), draw(*task, Split::test, 0, 8)));
  EXPECT_FALSE(same(third, draw(*other, Split::train, 3, 8)));
}

// What is wrong with the settings, in full; fails the test if nothing is.
inline std::string complaint(const std::string& name, const ValueTable& settings) {
  try {
    make_task(name, settings);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), Error::Kind::wrong_input);
    return error.what();
  }
  ADD_FAILURE() << name << " took settings it should refuse";
  return {};
}

inline ValueTable table(std::initializer_list<std::pair<const std::string, Value>> entries) {
  return ValueTable(entries);
}
inline Value whole(std::int64_t x) { return {x, {}}; }
inline Value real(double x) { return {x, {}}; }
inline Value yes(bool x) { return {x, {}}; }
inline Value word(const std::string& x) { return {x, {}}; }

// Whether counts fit equal chances: the chi-square statistic within 4 standard deviations of its mean (degrees of
// freedom d, variance 2d). Seeds are fixed, so the verdict is too.
inline void expect_even(const std::vector<double>& counts) {
  double total = 0;
  for (const double c : counts) total += c;
  const double wanted = total / static_cast<double>(counts.size());
  double statistic = 0;
  for (const double c : counts) statistic += (c - wanted) * (c - wanted) / wanted;
  const double freedom = static_cast<double>(counts.size()) - 1;
  EXPECT_LT(std::abs(statistic - freedom), 4 * std::sqrt(2 * freedom))
      << "chi-square " << statistic << " of " << freedom;
}

}  // namespace fovea
