#include "fovea/view/terminal/watch_text.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/view/sample_runs.h"

namespace fovea {
namespace {

LiveRun live(std::uint64_t seed) {
  LiveRun run;
  run.seen = true;
  run.steps = 200;
  run.record = sample::copy_run(seed, 40);
  run.record.steps = 100;
  run.record.arrays = {{"attention", 100, {1, 3, 4}, {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0.5f, 0.5f}}};
  return run;
}

bool any_has(const std::vector<std::string>& lines, const std::string& part) {
  return std::ranges::any_of(lines, [&part](const std::string& line) { return line.find(part) != std::string::npos; });
}

TEST(WatchText, ShowsWhereARunIsAndWhatItAttendsTo) {
  const std::vector<LiveRun> runs{live(3)};
  const std::vector<std::string> lines = watch_lines(runs, 0, Terminal{80, false});
  EXPECT_EQ(lines[0], "1 run is in training");
  EXPECT_TRUE(any_has(lines, "copy-permutation  seed 3  step 100 of 200"));
  EXPECT_TRUE(any_has(lines, "accuracy"));
  EXPECT_TRUE(any_has(lines, "attention of one example at step 100"));
  EXPECT_EQ(lines[lines.size() - 3], "██      ");
  EXPECT_EQ(lines[lines.size() - 1], "    ▒▒▒▒");
}

TEST(WatchText, FitsTheScreen) {
  std::vector<LiveRun> runs;
  for (std::uint64_t seed = 0; seed < 30; ++seed) runs.push_back(live(seed));
  runs.push_back({"hash", "process 12 on here", false, {}, 0});
  for (const int height : {5, 10, 24, 50}) {
    const std::vector<std::string> lines = watch_lines(runs, height, Terminal{40, false});
    EXPECT_LE(lines.size(), static_cast<std::size_t>(height));
    for (const std::string& line : lines) EXPECT_LE(display_width(line), 40) << line;
    EXPECT_EQ(lines[0], "31 runs are in training");
  }
  EXPECT_TRUE(any_has(watch_lines(runs, 24, {}), " more"));
  EXPECT_TRUE(any_has(watch_lines(runs, 0, {}), "just begun  process 12 on here"));
}

}  // namespace
}  // namespace fovea
