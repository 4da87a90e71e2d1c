// The program as mpirun starts it: several processes that share a sweep, or a run.
#include <signal.h>

#include <algorithm>
#include <thread>

#include "tests/cli/program.h"

namespace fovea {
namespace {

using fovea::testing::Outcome;
using fovea::testing::ProgramTest;
using fovea::testing::says;
namespace fs = std::filesystem;

#ifndef FOVEA_MPIRUN
#define FOVEA_MPIRUN ""
#endif

class RanksTest : public ProgramTest {
 protected:
  void SetUp() override {
    ProgramTest::SetUp();
    if (std::string(FOVEA_MPIRUN).empty()) GTEST_SKIP() << "the program was built without MPI";
    write("words.toml",
          "task = { name = \"keyword\", vocab = 10, length = 6 }\n"
          "model = { name = \"gated-classifier\", hidden = 8, embedding = 8 }\n"
          "train = { steps = 50, batch = 8 }\n"
          "probe = { every = 1, examples = 20, names = [\"accuracy\", \"entropy\"] }\n");
  }

  static std::string mpirun(int ranks) {
    return "OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 '" FOVEA_MPIRUN "' -n " + std::to_string(ranks) +
           " --oversubscribe";
  }

  // Whether mpirun leaves the others a second when one of its processes is killed: Open MPI 5 ends them at once.
  bool leaves_a_second() const {
    return fovea("", "'" FOVEA_MPIRUN "' --version").out.find("Open MPI) 5.") == std::string::npos;
  }

  // How many runs have a file in a folder of the store; of checkpoints, the newest.
  std::ptrdiff_t runs_in(const std::string& folder) const {
    std::error_code none_yet;
    return std::count_if(fs::directory_iterator(home_ / folder, none_yet), {}, [](const fs::directory_entry& entry) {
      const std::string name = entry.path().filename().string();
      return name.find("before") == std::string::npos && name.find(".next") == std::string::npos;
    });
  }

  // The process of a rank, found by its environment.
  pid_t process_of(int rank) const {
    for (const auto& entry : fs::directory_iterator("/proc")) {
      const std::string environment = read(entry.path() / "environ");
      if (environment.find("FOVEA_HOME=" + home_.string()) == std::string::npos) continue;
      if (environment.find("OMPI_COMM_WORLD_RANK=" + std::to_string(rank)) == std::string::npos) continue;
      return static_cast<pid_t>(std::stol(entry.path().filename().string()));
    }
    return 0;
  }
};

TEST_F(RanksTest, ASweepOverRanksHasTheSameBitsAndOneVoice) {
  const std::string sweep = "sweep words.toml --seeds 0..8 --json --quiet";
  ASSERT_EQ(fovea(sweep).code, 0);
  const std::string alone = series_of_all();
  home_ = folder_ / "second home";
  const Outcome shared = fovea(sweep, mpirun(3));
  ASSERT_EQ(shared.code, 0) << shared.err;
  EXPECT_EQ(nlohmann::json::parse(shared.out)["done"], 9);
  EXPECT_EQ(series_of_all(), alone);
  EXPECT_EQ(nlohmann::json::parse(fovea(sweep, mpirun(2)).out)["found"], 9);
}

TEST_F(RanksTest, AKilledWorkerIsNamedAndTheSameCommandFinishes) {
  const std::string sweep =
      "sweep words.toml --seeds 0..3 --set train.steps=30000 --set probe.every=10000 --checkpoint 0.1 --json --quiet";
  std::thread killer([&] {
    ASSERT_TRUE(wait_until(
        [&] { return process_of(1) > 0 && runs_in("running") > 1 && runs_in("checkpoints") >= runs_in("running"); }));
    ::kill(process_of(1), SIGKILL);
  });
  const Outcome killed = fovea(sweep, mpirun(3));
  killer.join();
  EXPECT_NE(killed.code, 0);
  EXPECT_TRUE(!leaves_a_second() || says(killed.err, "rank 1 trained this run and does not answer any more"));

  const Outcome again = fovea(sweep, mpirun(3));
  ASSERT_EQ(again.code, 0) << again.err;
  const auto summary = nlohmann::json::parse(again.out);
  EXPECT_EQ(summary["done"].get<int>() + summary["found"].get<int>(), 4);
  EXPECT_EQ(json("runs --json --where 'state = \"done\"'")["runs"].size(), 4u);
}

TEST_F(RanksTest, ARunSharedByRanksHasTheSameBits) {
  const std::string run = "run words.toml --quiet --json --set train.data_parallel=true";
  ASSERT_EQ(fovea(run).code, 0);
  const std::string alone = series_of_all();
  for (const int ranks : {2, 4}) {
    home_ = folder_ / ("home of " + std::to_string(ranks));
    const Outcome shared = fovea(run, mpirun(ranks));
    ASSERT_EQ(shared.code, 0) << shared.err;
    EXPECT_EQ(nlohmann::json::parse(shared.out)["steps"], 50);
    EXPECT_EQ(series_of_all(), alone);
  }
}

TEST_F(RanksTest, MistakesAreNamedOnce) {
  struct Wrong {
    const char* words;
    const char* said;
  };
  for (const Wrong& wrong : std::vector<Wrong>{
           {"run words.toml", "Add --set train.data_parallel=true"},
           {"run words.toml --set train.data_parallel=true --set train.shards=3", "2 ranks cannot share 3"},
           {"sweep wordz.toml", "wordz.toml"},
           {"sweep words.toml --sedes 3", "--seeds"}}) {
    const Outcome outcome = fovea(wrong.words, mpirun(2));
    EXPECT_EQ(outcome.code, 2) << wrong.words;
    EXPECT_TRUE(says(outcome.err, wrong.said));
    std::size_t said = 0;
    for (std::size_t at = 0; (at = outcome.err.find("fovea: ", at)) != std::string::npos; ++at) ++said;
    EXPECT_EQ(said, 1u) << outcome.err;
  }
  EXPECT_FALSE(fs::exists(home_ / "runs.db") && json("runs --json")["runs"].size() > 0);
  const Outcome listed = fovea("list experiments --json", mpirun(3));
  EXPECT_EQ(listed.code, 0);
  EXPECT_EQ(nlohmann::json::parse(listed.out), json("list experiments --json"));
}

}  // namespace
}  // namespace fovea
