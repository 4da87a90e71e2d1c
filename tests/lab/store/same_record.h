// Two records of runs are the same to the last bit; their ids may differ.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "fovea/lab/record/record.h"

namespace fovea::testing_parts {

template <class T>
bool same_bits(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}

inline void expect_same(const RunRecord& a, const RunRecord& b) {
  EXPECT_EQ(a.experiment, b.experiment);
  EXPECT_EQ(a.hash, b.hash);
  EXPECT_EQ(a.state, b.state);
  EXPECT_EQ(a.error, b.error);
  EXPECT_EQ(a.version, b.version);
  EXPECT_EQ(a.arithmetic, b.arithmetic);
  EXPECT_EQ(a.machine, b.machine);
  EXPECT_EQ(a.started, b.started);
  EXPECT_TRUE(same_bits<double>({a.seconds}, {b.seconds}));
  EXPECT_EQ(a.steps, b.steps);
  EXPECT_EQ(a.spec.table(), b.spec.table());
  EXPECT_EQ(a.spec.seed, b.spec.seed);
  ASSERT_EQ(a.series.size(), b.series.size());
  for (const auto& [name, series] : a.series) {
    ASSERT_TRUE(b.series.contains(name)) << name;
    EXPECT_EQ(series.steps, b.series.at(name).steps);
    EXPECT_TRUE(same_bits(series.values, b.series.at(name).values)) << name;
  }
  ASSERT_EQ(a.arrays.size(), b.arrays.size());
  for (std::size_t i = 0; i < a.arrays.size(); ++i) {
    EXPECT_EQ(a.arrays[i].name, b.arrays[i].name);
    EXPECT_EQ(a.arrays[i].step, b.arrays[i].step);
    EXPECT_EQ(a.arrays[i].shape, b.arrays[i].shape);
    EXPECT_TRUE(same_bits(a.arrays[i].values, b.arrays[i].values)) << a.arrays[i].name;
  }
}

}  // namespace fovea::testing_parts
