// A run is read once and made once on its way from its experiment to the store. An optimiser, an intervention, a probe
// and a model of the test's own count.
#include "fovea/lab/spec/resolved_run.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <atomic>

#include "fovea/lab/analysis/reproduce.h"
#include "fovea/lab/intervention/intervention.h"
#include "fovea/lab/spec/assembly.h"
#include "fovea/lab/sweep/sweep.h"
#include "fovea/nn/optimizer/update_rule.h"
#include "tests/lab/store/same_record.h"
#include "tests/lab/store/store_sample.h"
#include "tests/lab/train/mark.h"

namespace fovea {
namespace {

using namespace testing_parts;

// Of all runs since the last reset. Sweeps train in several threads.
struct Counts {
  std::atomic<int> settings = 0, interventions = 0, probes = 0, models = 0;

  void reset() { settings = interventions = probes = models = 0; }
  std::string text() const {
    return fmt::format("settings {}, interventions {}, probes {}, models {}", settings.load(), interventions.load(),
                       probes.load(), models.load());
  }
} counts;

template <class T>
class CountedModel : public Tiny<T> {
 public:
  void build(const TaskShape& shape, ParameterSet<T>& parameters) override {
    ++counts.models;
    Tiny<T>::build(shape, parameters);
  }
};

// Whoever reads the settings of a training has every optimiser state its own.
class CountedRule : public UpdateRule {
 public:
  void settings(Fields&) override { ++counts.settings; }
  int moments() const override { return 0; }
  double update(const UpdateStep&, const WeightStretch<float>&) const override { return 0; }
  double update(const UpdateStep&, const WeightStretch<double>&) const override { return 0; }
};

class CountedChange : public Intervention {
 public:
  void settings(Fields& fields) override { fields.integer("counted-change", number_, 0, 9, "changes nothing"); }
  void finish(const ValueTable&) override { ++counts.interventions; }

 private:
  int number_ = 0;
};

// Is made by whoever reads the settings of evaluation.
class CountedProbe : public Probe {
 public:
  CountedProbe() { ++counts.probes; }
  void measure(const Evaluation& evaluation, Readings& readings) override {
    readings.number("counted_loss", evaluation.outcome.loss);
  }
};

const RegisterModel<CountedModel> counted_model("counted", "counts how often it is built");
const Register<UpdateRule> counted_rule("counting", "counts how often settings are stated",
                                        [] { return std::make_unique<CountedRule>(); });
const Register<Intervention> counted_change("counted-change", "counts how often it is parsed",
                                            [] { return std::make_unique<CountedChange>(); });
const Register<Probe> counted_probe("counted", "counts how often it is made",
                                    [] { return std::make_unique<CountedProbe>(); });

constexpr const char* each_once = "settings 1, interventions 1, probes 1, models 1";

Experiment counted_experiment(const std::string& more = {}) {
  Experiment experiment = mark_experiment("intervene = [{ counted-change = 1 }]\n" + more);
  experiment.model["name"].data = std::string("counted");
  experiment.probe["optional"].data = ValueList{{std::string("counted"), {}}};
  return experiment;
}

ResolvedRun counted_run(const std::string& precision) {
  counts.reset();
  return resolve_run(counted_experiment(), Preset::full, {parse_override("train.precision=" + precision)}, 3);
}

void expect_same_numbers(const RunRecord& run, const RunRecord& again) {
  EXPECT_EQ(again.hash, run.hash);
  for (const auto& [name, series] : run.series) EXPECT_EQ(again.series.at(name).values, series.values) << name;
}

TEST(ResolvedRun, IsReadOnceAndItsModelIsBuiltOnce) {
  for (const char* const precision : {"float", "double"}) {
    const Folder folder;
    Store store(folder / "runs.db");
    ResolvedRun run = counted_run(precision);
    const RunSpec spec = run.spec();
    const std::optional<RunRecord> kept = sweep_one(store, "marks", std::move(run), {});
    EXPECT_EQ(counts.text(), each_once);
    ASSERT_TRUE(kept);
    EXPECT_EQ(kept->spec.text(), spec.text());

    // As it is kept, it is the same run.
    counts.reset();
    const RunRecord again = train(spec);
    EXPECT_EQ(counts.text(), each_once);
    expect_same_numbers(*kept, again);
  }
}

TEST(ResolvedRun, IsReadAgainOnlyByWhoTrainsItAgain) {
  ResolvedRun run = counted_run("float");
  const RunRecord first = train(run.hand_over());
  EXPECT_EQ(counts.text(), each_once);
  const RunRecord second = train(run.hand_over());
  EXPECT_EQ(counts.text(), "settings 2, interventions 2, probes 2, models 2");
  expect_same_numbers(first, second);

  std::vector<ResolvedRun> runs;
  runs.push_back(counted_run("float"));
  const Folder folder;
  Store store(folder / "runs.db");
  EXPECT_EQ(sweep(store, "marks", ResolvedRuns(runs), {}).done, 1);
  EXPECT_EQ(counts.text(), each_once);
}

TEST(ResolvedRun, IsReadOnceInAnExperiment) {
  const Folder folder;
  Store store(folder / "runs.db");
  counts.reset();
  const Experiment experiment = counted_experiment("sweep = { \"task.length\" = [4, 5], seed = \"0..1\" }");
  const Reproduction made = reproduce(store, experiment, Preset::full, {}, {});
  ASSERT_EQ(made.runs.size(), 4u);
  EXPECT_EQ(counts.text(), "settings 4, interventions 4, probes 4, models 4");
}

TEST(ResolvedRun, OfManyPointsOnlyTheFirstKeepTheModelThatTheCheckBuilt) {
  const Folder folder;
  Store store(folder / "runs.db");
  counts.reset();
  const Experiment experiment = counted_experiment("sweep = { \"task.length\" = \"1..7\" }");
  ASSERT_EQ(reproduce(store, experiment, Preset::full, {}, {}).runs.size(), 7u);
  EXPECT_EQ(counts.text(), "settings 7, interventions 7, probes 7, models 10");
}

TEST(ResolvedRun, IsReadWhenItIsFirstAskedFor) {
  RunSpec broken = counted_run("float").spec();
  broken.train["stepz"] = {std::int64_t{3}, {}};
  ResolvedRun run(broken);
  EXPECT_EQ(run.spec().text(), broken.text());
  EXPECT_THROW(run.train(), Error);
  EXPECT_EQ(run.shape().classes, 2);
}

TEST(ResolvedRun, KeepsItsSettingsWithItsSpec) {
  ResolvedRun run = resolve_run(mark_experiment(), Preset::full, {parse_override("train.threads=4")}, 3);
  run.use_one_thread();
  EXPECT_EQ(run.train().threads, 1);
  EXPECT_EQ(run.spec().train.at("threads").text(), "1");
}

}  // namespace
}  // namespace fovea
