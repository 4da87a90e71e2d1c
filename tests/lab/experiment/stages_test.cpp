// Experiments whose later runs are chosen by what the earlier ones came to. In these, runs are told apart by the
// further step they are looked at (probe.at), which decides the first step after 0 at which a look was made.
#include "fovea/lab/experiment/stages.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "fovea/lab/analysis/reproduce.h"
#include "tests/lab/store/store_sample.h"
#include "tests/lab/train/mark.h"

namespace fovea {
namespace {

using namespace testing_parts;

constexpr const char* basics = R"toml(
task = { name = "mark" }
model = { name = "tiny" }
train = { steps = 9, batch = 4, rate = 0.1, start = 0 }
probe = { every = 9, at = [1], names = ["watch"], keep = 0 }
sweep = { "probe.at" = "[1]..[9]", seed = "0..1" }
)toml";
constexpr const char* stage = R"toml(
[[stage]]
combine = "probe.at"
draws = 5
first_seed = 100
kinds = [
  { name = "early", when = "most(step_of(loss < 99 and step > 0)) <= 3" },
  { name = "late", when = "least(step_of(loss < 99 and step > 0)) >= 5" },
]
groups = [
  { name = "all late", take = { late = 3 } },
  { name = "one early", take = { late = 2, early = 1 } },
  { name = "whatever", take = { any = 4 } },
]
quick = { draws = 2, groups = [{ name = "pair", take = { early = 2 } }] }
)toml";

Experiment staged_experiment(const std::string& more = {}) {
  return parse_experiment(std::string(basics) + stage + more, "staged.toml");
}

std::vector<ResolvedRun> first_runs() { return resolve_sweep(staged_experiment(), Preset::full, {}); }

std::string role(const RunRecord& run, const std::string& key) { return *run.role.at(key).as<std::string>(); }

std::set<std::int64_t> looks(const RunRecord& run) {
  std::set<std::int64_t> steps;
  const Value at = *run.spec.setting("probe.at");
  for (const Value& step : *at.as<ValueList>()) steps.insert(*step.as<std::int64_t>());
  return steps;
}

TEST(Stages, TheFirstRunsDecideWhichAreDrawnNext) {
  const Folder folder;
  Store store(folder / "runs.db");
  const StagedRuns made = sweep_stages(store, staged_experiment(), Preset::full, {}, {}, {});
  EXPECT_TRUE(made.whole);
  EXPECT_TRUE(made.notes.empty());
  ASSERT_EQ(made.runs.size(), 18u + 15u);
  std::map<std::string, std::set<std::set<std::int64_t>>> drawn;
  std::map<std::string, std::set<std::uint64_t>> seeds;
  for (const RunRecord& run : made.runs) {
    const std::set<std::int64_t> at = looks(run);
    if (*run.role.at("stage").as<std::int64_t>() == 1) {
      EXPECT_EQ(role(run, "group"), "");
      EXPECT_EQ(role(run, "kind"), *at.begin() <= 3 ? "early" : *at.begin() >= 5 ? "late" : "other");
      continue;
    }
    EXPECT_EQ(role(run, "kind"), "");
    EXPECT_EQ(run.spec.start(), 0u);
    const std::string group = role(run, "group");
    const auto early = std::ranges::count_if(at, [](std::int64_t step) { return step <= 3; });
    const auto late = std::ranges::count_if(at, [](std::int64_t step) { return step >= 5; });
    if (group == "all late") EXPECT_TRUE(early == 0 && late == 3 && at.size() == 3);
    else if (group == "one early") EXPECT_TRUE(early == 1 && late == 2 && at.size() == 3);
    else EXPECT_EQ(at.size(), 4u);
    drawn[group].insert(at);
    seeds[group].insert(run.spec.seed);
  }
  ASSERT_EQ(drawn.size(), 3u);
  for (const auto& [group, sets] : drawn) EXPECT_EQ(sets.size(), 5u) << group;
  for (const auto& [group, of_group] : seeds)
    EXPECT_EQ(of_group, (std::set<std::uint64_t>{100, 101, 102, 103, 104})) << group;
}

// Of seed 0 values up to 3 are early, of seed 1 up to 5.
TEST(Stages, WithTheSameSeedAValueIsJudgedAndCombinedSeedBySeed) {
  const Folder folder;
  Store store(folder / "runs.db");
  const std::string text = std::string(basics) + R"toml(
[[stage]]
combine = "probe.at"
draws = 2
same_seed = true
kinds = [{ name = "early", when = "most(step_of(loss < 99 and step > 0) - 2 * seed) <= 3" }]
groups = [{ name = "early", take = { early = 2 } }, { name = "other", take = { other = 4 } }]
)toml";
  const StagedRuns made = sweep_stages(store, parse_experiment(text, "staged.toml"), Preset::full, {}, {}, {});
  EXPECT_TRUE(made.whole);
  std::map<std::pair<std::uint64_t, std::string>, int> drawn;
  for (const RunRecord& run : made.runs) {
    const std::set<std::int64_t> at = looks(run);
    const std::int64_t latest = run.spec.seed == 0 ? 3 : 5;
    if (*run.role.at("stage").as<std::int64_t>() == 1) {
      EXPECT_EQ(role(run, "kind"), *at.begin() <= latest ? "early" : "other");
      continue;
    }
    ++drawn[{run.spec.seed, role(run, "group")}];
    for (const std::int64_t step : at) EXPECT_EQ(step <= latest, role(run, "group") == "early") << run.spec.seed;
  }
  // Seed 1 has four that are not early: one combination.
  using Drawn = std::map<std::pair<std::uint64_t, std::string>, int>;
  EXPECT_EQ(drawn, (Drawn{{{0, "early"}, 2}, {{0, "other"}, 2}, {{1, "early"}, 2}, {{1, "other"}, 1}}));
  ASSERT_EQ(made.notes.size(), 1u);
  EXPECT_EQ(made.notes[0].find("with seed 1 group 'other' has only 1"), 0u) << made.notes[0];
}

TEST(Stages, TheSameIsDrawnAgainAndNothingIsTrainedTwice) {
  const Folder folder;
  Store store(folder / "runs.db");
  const auto hashes = [](const StagedRuns& made) {
    std::vector<std::string> all;
    for (const RunRecord& run : made.runs) all.push_back(run.hash);
    return all;
  };
  SweepOptions options;
  std::int64_t trained = 0;
  options.progress = [&](const SweepProgress& progress) {
    if (progress.done + progress.reused == progress.total) trained += progress.done;
    EXPECT_TRUE(progress.stage.starts_with("stage ")) << progress.stage;
  };
  const auto first = hashes(sweep_stages(store, staged_experiment(), Preset::full, {}, {}, options));
  const std::int64_t runs = store.count();
  EXPECT_GT(trained, 0);
  trained = 0;
  EXPECT_EQ(hashes(sweep_stages(store, staged_experiment(), Preset::full, {}, {}, options)), first);
  EXPECT_EQ(store.count(), runs);
  EXPECT_EQ(trained, 0);
  // What is in the store is enough to know the stages by.
  const auto in_store = [&](std::vector<ResolvedRun> planned, std::size_t) {
    std::vector<RunRecord> there;
    for (const ResolvedRun& one : planned)
      if (auto run = store.find_done(one.spec().hash())) there.push_back(std::move(*run));
    return there;
  };
  const StagedRuns kept = run_stages(staged_experiment(), Preset::full, {}, {}, first_runs(), in_store);
  EXPECT_EQ(hashes(kept), first);
  EXPECT_TRUE(kept.whole);
}

TEST(Stages, AStageWaitsForEveryRunOfTheOneBefore) {
  std::size_t calls = 0;
  const auto lacking = [&calls](std::vector<ResolvedRun> planned, std::size_t) {
    ++calls;
    return std::vector<RunRecord>(planned.size() - 1);
  };
  const StagedRuns made = run_stages(staged_experiment(), Preset::full, {}, {}, first_runs(), lacking);
  EXPECT_FALSE(made.whole);
  EXPECT_EQ(calls, 1u);
  const auto failed = [&calls](std::vector<ResolvedRun> planned, std::size_t) {
    ++calls;
    std::vector<RunRecord> runs(planned.size());
    for (RunRecord& run : runs) run.state = RunState::done;
    runs[3].state = RunState::failed;
    return runs;
  };
  const StagedRuns broken = run_stages(staged_experiment(), Preset::full, {}, {}, first_runs(), failed);
  EXPECT_EQ(calls, 2u);
  EXPECT_EQ(broken.runs.size(), 18u);
}

TEST(Stages, WhatCanNotBeDrawnIsSaidAndItsClaimsHaveNoValue) {
  const Folder folder;
  Store store(folder / "runs.db");
  const Experiment experiment = staged_experiment(R"toml(
[[claim]]
says = "all of them are trained"
metric = "count(loss < 99 | group = \"all late\") - count(loss < 99 | group = \"one early\")"
at_least = -99
[[claim]]
says = "those of the second group are"
metric = "share(loss < 99)"
where = "group = \"all late\""
at_least = 1
[[claim]]
says = "the first ones are"
metric = "share(loss < 99 | stage = 1)"
at_least = 1
)toml");
  // 5, 6 and 7 are late: one three of them. Nothing is early.
  Reproduction made = reproduce(store, experiment, Preset::full, {parse_override("seed=1")}, {});
  EXPECT_TRUE(std::ranges::all_of(made.claims, &ClaimResult::held));
  const std::vector<Axis> few{parse_axis("probe.at=[4]..[7]")};
  const StagedRuns one = sweep_stages(store, experiment, Preset::full, {}, few, {});
  ASSERT_EQ(one.notes.size(), 3u);
  EXPECT_EQ(one.notes[0],
            "group 'all late' has only 1 different combination instead of 5: of 4 values of probe.at 0 are early, 3 "
            "are late");
  EXPECT_EQ(one.notes[1],
            "group 'one early' could not be drawn. It takes 1 early and 2 late: of 4 values of probe.at 0 are early, "
            "3 are late");
  EXPECT_EQ(one.runs.size(), 8u + 1u + 1u);
  const std::vector<ClaimResult> claims = check_claims(experiment, Preset::full, one.runs, one.notes);
  EXPECT_TRUE(claims[0].held);  // counts none
  EXPECT_NE(claims[0].note.find("could not be drawn"), std::string::npos);
  EXPECT_TRUE(claims[1].held);
  EXPECT_NE(claims[1].note.find("only 1 different combination"), std::string::npos);
  EXPECT_TRUE(claims[2].held);
  EXPECT_EQ(claims[2].note, "");
  const StagedRuns none = sweep_stages(store, experiment, Preset::full, {}, {parse_axis("probe.at=[1]..[3]")}, {});
  const ClaimResult empty = check_claims(experiment, Preset::full, none.runs, none.notes)[1];
  EXPECT_FALSE(empty.held);
  EXPECT_TRUE(std::isnan(empty.value));
  EXPECT_NE(empty.note.find("group 'all late' could not be drawn"), std::string::npos) << empty.note;
}

TEST(Stages, TheQuickFormHasItsOwnKeys) {
  const Experiment experiment = staged_experiment();
  ASSERT_EQ(experiment.stages_of(Preset::quick).size(), 1u);
  EXPECT_EQ(experiment.stages_of(Preset::quick)[0].draws, 2);
  EXPECT_EQ(experiment.stages_of(Preset::quick)[0].groups.size(), 1u);
  EXPECT_EQ(experiment.stages_of(Preset::quick)[0].kinds.size(), 2u);
  EXPECT_EQ(experiment.stages_of(Preset::full)[0].draws, 5);
}

TEST(Stages, WhatIsWrongIsRefusedWithItsPlace) {
  const struct {
    std::string from, to, problem, remedy;
  } cases[] = {
      {"combine = \"probe.at\"", "", "has no setting to combine", "add it"},
      {"draws = 5", "", "no number of draws", "draws = 50"},
      {"draws = 5", "draws = 0", "'draws' of a stage must be 1 to", "combinations"},
      {"draws = 5", "drawz = 5", "a stage has no setting 'drawz'", "did you mean 'draws'?"},
      {"first_seed = 100", "first_seed = -1", "not -1", "first draw"},
      {"late = 3", "lat = 3", "unknown kind 'lat'", "did you mean 'late'?"},
      {"late = 3", "late = 0", "cannot take 0", "1 to 1000"},
      {"any = 4", "any = 4, late = 1", "and other kinds", "alone"},
      {"name = \"early\"", "name = \"any\"", "a kind cannot have the name 'any'", "every kind"},
      {"name = \"early\"", "name = \"late\"", "two kinds of the stage have the name 'late'", "rename"},
      {"name = \"one early\"", "name = \"all late\"", "two groups of the stage have the name 'all late'", "rename"},
      {">= 5\"", "5\"", "not expected here", "an operator in front of it"},
      {">= 5\"", "\"", "is not a condition", "comparison"},
      {"quick = {", "quik = {", "no setting 'quik'", "known are"},
      {"probe.at\"\n", "probe.att\"\n", "does not vary 'probe.att'", "sweep"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.to);
    std::string text = std::string(basics) + stage;
    const std::size_t at = text.find(c.from, std::string(basics).size());
    ASSERT_NE(at, std::string::npos);
    text.replace(at, c.from.size(), c.to);
    try {
      parse_experiment(text, "x.toml");
      ADD_FAILURE() << "was accepted";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), Error::Kind::wrong_input);
      EXPECT_NE(std::string(error.what()).find("x.toml:"), std::string::npos) << error.what();
      EXPECT_NE(error.problem().text().find(c.problem), std::string::npos) << error.what();
      EXPECT_NE(error.remedy().text().find(c.remedy), std::string::npos) << error.what();
    }
  }
}

TEST(Stages, AnAxisCanHaveListsOfOne) {
  const Axis axis = parse_axis("model.heads=[2]..[4],[7,8]");
  ASSERT_EQ(axis.values.size(), 4u);
  EXPECT_EQ(axis.values[0].text(), "[2]");
  EXPECT_EQ(axis.values[2].text(), "[4]");
  EXPECT_EQ(axis.values[3].text(), "[7, 8]");
}

}  // namespace
}  // namespace fovea
