#include "fovea/base/team.h"

#include <gtest/gtest.h>

#include <atomic>
#include <vector>

#include "fovea/base/error/error.h"

namespace fovea {
namespace {

TEST(Team, DoesEveryPieceOnce) {
  for (const int threads : {1, 2, 3, 8}) {
    Team team(threads);
    for (const int pieces : {0, 1, 2, 7, 1000}) {
      std::vector<std::atomic<int>> times(static_cast<std::size_t>(pieces));
      team.each(pieces, [&](int i) { ++times[static_cast<std::size_t>(i)]; });
      for (const auto& n : times) EXPECT_EQ(n.load(), 1);
    }
  }
}

TEST(Team, ManyShortJobsFollowEachOther) {
  Team team(2);
  long sum = 0;
  std::vector<long> parts(4);
  for (int job = 0; job < 20'000; ++job) {
    team.each(4, [&](int i) { parts[static_cast<std::size_t>(i)] = job + i; });
    for (const long part : parts) sum += part;
  }
  EXPECT_EQ(sum, 4L * (20'000L * 19'999L / 2) + 6L * 20'000L);
}

TEST(Team, SplitsByGrainAndCoversAll) {
  Team team(3);
  for (const std::ptrdiff_t count : {0, 1, 63, 64, 65, 1000}) {
    std::vector<std::atomic<int>> times(static_cast<std::size_t>(count));
    team.split(count, 64, [&](std::ptrdiff_t begin, std::ptrdiff_t end) {
      EXPECT_EQ(begin % 64, 0);
      EXPECT_LE(end - begin, 64);
      for (std::ptrdiff_t i = begin; i < end; ++i) ++times[static_cast<std::size_t>(i)];
    });
    for (const auto& n : times) EXPECT_EQ(n.load(), 1);
  }
}

TEST(Team, AnErrorInAPieceComesBackAndTheTeamWorksOn) {
  for (const int threads : {1, 4}) {
    Team team(threads);
    EXPECT_THROW(team.each(16,
                           [](int i) {
                             if (i == 5) throw failure("piece 5");
                           }),
                 Error);
    std::atomic<int> done = 0;
    team.each(16, [&](int) { ++done; });
    EXPECT_EQ(done.load(), 16);
  }
}

TEST(Team, NeedsAThread) { EXPECT_THROW(Team(0), Error); }

}  // namespace
}  // namespace fovea
