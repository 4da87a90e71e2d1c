// Runs large enough to be half written, and processes of their own that write them.
#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>

#include "tests/lab/store/store_sample.h"

namespace fovea::testing_parts {

inline RunRecord large_run(std::uint64_t seed) {
  RunRecord run = sample_run(seed);
  std::vector<float> values(20'000);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = 1.0f / static_cast<float>(i + seed + 3);
  run.arrays.push_back({"image", 0, {static_cast<Index>(values.size())}, std::move(values)});
  return run;
}

inline void expect_whole(const Store& store, std::int64_t id) {
  const auto run = store.find(id, true);
  ASSERT_TRUE(run) << id;
  const RunRecord wanted = large_run(run->spec.seed);
  EXPECT_EQ(run->series, wanted.series);
  ASSERT_EQ(run->arrays.size(), 1u);
  EXPECT_EQ(run->arrays[0].values, wanted.arrays[0].values);
}

// Does the work in a process of its own, so that it may change who it is or be killed; true if it ended with 0.
inline pid_t start_process(const std::function<void()>& work) {
  const pid_t child = ::fork();
  if (child != 0) return child;
  try {
    work();
    ::_exit(testing::Test::HasFailure() ? 1 : 0);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    ::_exit(2);
  }
}

inline bool ended_well(pid_t child) {
  int status = 0;
  return ::waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace fovea::testing_parts
