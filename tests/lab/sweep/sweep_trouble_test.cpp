// Sweeps in which something goes wrong: runs that fail or are refused, and what cannot be written.
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "fovea/lab/sweep/sweep.h"
#include "tests/lab/store/store_sample.h"
#include "tests/lab/sweep/sweep_specs.h"

namespace fovea {
namespace {

using namespace testing_parts;

TEST(Sweep, AFailedRunIsKeptWithItsErrorAndTriedAgainWhenAsked) {
  const Folder folder;
  Store store(folder / "runs.db");
  std::vector<RunSpec> specs = swept_specs({}, 3);
  specs[1] = swept_specs({"model.explode_at=30"}, 2)[1];
  SweepProgress last;
  SweepOptions options;
  options.jobs = 2;
  options.progress = [&last](const SweepProgress& progress) { last = progress; };
  std::string started;
  for (const bool retry : {false, false, true}) {
    options.retry_failed = retry;
    const auto runs = sweep_specs(store, "marks", specs, options);
    ASSERT_EQ(runs.size(), 3u);
    EXPECT_EQ(runs[1].state, RunState::failed);
    EXPECT_NE(runs[1].error.find("step 30"), std::string::npos) << runs[1].error;
    EXPECT_EQ(runs[1].series.at("loss").steps.back(), 20);  // what was measured until then
    EXPECT_EQ(runs[2].state, RunState::done);
    EXPECT_EQ(last.failed, 1);
    EXPECT_EQ(last.done + last.reused, 2);
    EXPECT_EQ(last.left(), 0);
    EXPECT_EQ(store.count(), 3);
    EXPECT_EQ(store.find(runs[1].id)->error, runs[1].error);
  }
  // What another version of the program failed at is tried again, and what it finished is found, and counted.
  for (const RunSpec& spec : specs) {
    RunRecord run = *(store.find_done(spec.hash()) ? store.find_done(spec.hash()) : store.find_undone(spec.hash()));
    run.version = "0.0.1";
    run.error = run.error.empty() ? "" : "of old";
    store.keep(run);
  }
  options.retry_failed = false;
  const SweepProgress result = sweep(store, "marks", Listed(specs), options);
  EXPECT_EQ(result.of_versions, (std::map<std::string, std::int64_t>{{"0.0.1", 2}}));
  EXPECT_NE(store.find_undone(specs[1].hash())->error, "of old");
}

TEST(Sweep, ARunThatIsRefusedIsNamedAndDoesNotStopTheOthers) {
  const Folder folder;
  Store store(folder / "runs.db");
  std::vector<RunSpec> specs = swept_specs({}, 6);
  for (const std::size_t place : {1u, 3u}) specs[place].task.at("length").data = std::int64_t{700};
  std::vector<std::string> notices;
  SweepOptions options;
  options.jobs = 2;
  options.notice = [&notices](const std::string& text) { notices.push_back(text); };
  const SweepProgress progress = sweep(store, "marks", Listed(specs), options);
  EXPECT_EQ(progress.done, 4);
  EXPECT_EQ(progress.refused, 2);
  EXPECT_EQ(progress.left(), 0);
  ASSERT_TRUE(progress.refusal);
  EXPECT_EQ(progress.refusal->problem().text(), "rows longer than 500 are not made");
  EXPECT_EQ(store.count(), 4);
  ASSERT_EQ(notices.size(), 1u);  // one reason, said once
  EXPECT_NE(notices[0].find("number 1"), std::string::npos) << notices[0];
  EXPECT_THROW(sweep_specs(store, "marks", specs, options), Error);  // of a list at hand, when all others are done
}

TEST(Sweep, WeightsThatCanNotBeWrittenAreSaidAndTheSweepGoesOn) {
  const Folder folder;
  Store store(folder / "runs.db");
  std::ofstream(folder / "weights") << "no folder";
  std::vector<std::string> notices;
  SweepOptions options;
  options.notice = [&notices](const std::string& text) { notices.push_back(text); };
  EXPECT_EQ(sweep_specs(store, "marks", swept_specs({}, 3), options).size(), 3u);
  EXPECT_EQ(store.count(), 3);
  ASSERT_EQ(notices.size(), 3u);
  EXPECT_NE(notices[0].find("without its weights"), std::string::npos) << notices[0];
}

TEST(Sweep, AStoreThatCanNotBeWrittenEndsItWithTheReason) {
  const Folder folder;
  { const Store store(folder / "runs.db"); }
  Store store(folder / "runs.db", Store::Mode::read_only);
  SweepOptions options;
  options.jobs = 2;
  EXPECT_THROW(sweep_specs(store, "marks", swept_specs({}, 50), options), Error);
}

}  // namespace
}  // namespace fovea
