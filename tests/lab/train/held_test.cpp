// While attention is held a run says both: what the model does as it attends by itself, and what it does under the
// hold.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "fovea/lab/record/held_name.h"
#include "fovea/lab/store/store.h"
#include "fovea/lab/train/trainer.h"
#include "fovea/probe/survey.h"
#include "tests/lab/store/store_sample.h"
#include "tests/lab/train/mark.h"

namespace fovea {
namespace {

using Steps = std::vector<std::int64_t>;

// Carries how often it was asked from one evaluation to the next.
class Follows : public Probe {
 public:
  void measure(const Evaluation& look, Readings& readings) override {
    readings.number("asked", ++asked_);
    readings.number("followed_mark", static_cast<double>(look.outcome.attention(0, 0, 0)));
  }
  std::vector<double> memory() const override { return {asked_}; }
  bool remember(std::span<const double> memory) override {
    if (memory.size() != 1) return false;
    asked_ = memory[0];
    return true;
  }

 private:
  double asked_ = 0;
};

// Sums over its survey of forty examples, which come in two batches.
class Surveys : public SurveyProbe {
 public:
  int count() const override { return 40; }
  void survey(const SurveyBatch& at, Readings&) override {
    shown_ += at.evaluation.batch.size;
    loss_ += at.evaluation.outcome.loss;
  }
  void conclude(Readings& readings) override {
    readings.number("shown", shown_);
    readings.number("survey_loss", loss_);
    readings.array("survey", {1}, std::vector<float>{static_cast<float>(loss_)});
    shown_ = 0;
    loss_ = 0;
  }

 private:
  double shown_ = 0, loss_ = 0;
};

const Register<Probe> follows("follows", "counts how often it is asked", [] { return std::make_unique<Follows>(); });
const Register<Probe> surveys("surveys", "sums over a survey", [] { return std::make_unique<Surveys>(); });

RunSpec held_spec(const std::string& intervene, std::vector<std::string> more = {}, int every = 10) {
  more.insert(more.end(), {"probe.every=" + std::to_string(every), "probe.names=[\"watch\", \"follows\", \"surveys\"]",
                           "probe.keep=3"});
  if (!intervene.empty()) more.push_back("intervene=" + intervene);
  return testing_parts::mark_spec(more, 5);
}

double at(const RunRecord& run, const std::string& name, std::int64_t step) {
  const Series& series = run.series.at(name);
  const auto found = std::ranges::find(series.steps, step);
  EXPECT_NE(found, series.steps.end()) << name << " at " << step;
  return series.values.at(static_cast<std::size_t>(found - series.steps.begin()));
}

Steps steps_of_arrays(const RunRecord& run, const std::string& name) {
  Steps steps;
  for (const ArrayRecord& array : run.arrays)
    if (array.name == name) steps.push_back(array.step);
  return steps;
}

TEST(Held, BothKindsAreKeptWhileItLasts) {
  const RunRecord run = train(held_spec("[{hold=\"truth\", from=10, until=40}]"));
  const Steps all{0, 10, 20, 30, 40, 50, 60}, held{10, 20, 30};
  for (const char* name : {"loss", "on_mark", "weight", "survey_loss", "shown"}) {
    EXPECT_EQ(run.series.at(name).steps, all) << name;
    EXPECT_EQ(run.series.at(held_name(name)).steps, held) << name;
  }
  EXPECT_FALSE(run.series.contains("train_loss_held"));
  for (const std::int64_t step : held) {
    EXPECT_EQ(at(run, "on_mark_held", step), 1);
    EXPECT_LT(at(run, "on_mark", step), 0.9);
    EXPECT_EQ(at(run, "weight_held", step), at(run, "weight", step));
    EXPECT_LT(at(run, "loss_held", step), at(run, "loss", step));
    EXPECT_NE(at(run, "survey_loss_held", step), at(run, "survey_loss", step));
  }
  EXPECT_EQ(steps_of_arrays(run, "attention"), all);
  EXPECT_EQ(steps_of_arrays(run, "attention_held"), held);
  EXPECT_EQ(steps_of_arrays(run, "attention_source"), Steps{0});
  EXPECT_EQ(steps_of_arrays(run, "survey"), all);
  EXPECT_TRUE(steps_of_arrays(run, "survey_held").empty());
  for (const ArrayRecord& array : run.arrays)
    if (array.name == "attention_held") {
      EXPECT_EQ(array.shape, (std::vector<Index>{3, 1, 5}));
    }
}

TEST(Held, AHoldFromTheStartKeepsWhatTheExamplesAreOnce) {
  const RunRecord run = train(held_spec("[{hold=\"uniform\"}]"));
  EXPECT_EQ(steps_of_arrays(run, "attention_held"), (Steps{0, 10, 20, 30, 40, 50, 60}));
  EXPECT_EQ(steps_of_arrays(run, "attention_source"), Steps{0});
  EXPECT_EQ(at(run, "on_mark_held", 60), at(run, "on_mark_held", 0));
}

// The same twenty updates under the hold; one of the two evaluations that follow is made once more under it.
TEST(Held, AModelByItselfIsMeasuredAsIfNothingHeldIt) {
  const RunRecord released = train(held_spec("[{hold=\"truth\", until=20}]")),
                  held = train(held_spec("[{hold=\"truth\", until=30}]"));
  EXPECT_FALSE(std::ranges::count(released.series.at("loss_held").steps, 20));
  for (const char* name : {"loss", "on_mark", "weight", "survey_loss", "train_loss"})
    EXPECT_EQ(at(released, name, 20), at(held, name, 20)) << name;
  EXPECT_NE(at(held, "loss_held", 20), at(held, "loss", 20));
}

TEST(Held, AnEvaluationUnderTheHoldDoesNotChangeTheCourse) {
  const std::string hold = "[{hold=\"truth\", until=45}]";
  const RunRecord often = train(held_spec(hold)), seldom = train(held_spec(hold, {}, 60));
  EXPECT_EQ(often.weights.at(0).bytes, seldom.weights.at(0).bytes);
  EXPECT_EQ(often.weights.at(1).bytes, seldom.weights.at(1).bytes);
}

TEST(Held, ProbesThatFollowATrainingAreAskedOnce) {
  const RunRecord run = train(held_spec("[{hold=\"truth\", until=30}]"));
  EXPECT_EQ(run.series.at("asked").values, (std::vector<double>{1, 2, 3, 4, 5, 6, 7}));
  EXPECT_FALSE(run.series.contains("asked_held"));
  EXPECT_FALSE(run.series.contains("followed_mark_held"));
  EXPECT_FLOAT_EQ(static_cast<float>(at(run, "followed_mark", 0)), 0.2f);  // by itself: no score has moved
}

TEST(Held, ASurveyUnderTheHoldIsOneOfItsOwn) {
  const RunRecord run = train(held_spec("[{hold=\"uniform\", until=30}]"));
  for (const double shown : run.series.at("shown").values) EXPECT_EQ(shown, 64);  // two batches of 32
  for (const double shown : run.series.at("shown_held").values) EXPECT_EQ(shown, 64);
}

TEST(Held, ThreadsDoNotChangeTheBits) {
  for (const char* precision : {"float", "double"}) {
    const std::string setting = std::string("train.precision=") + precision, hold = "[{hold=\"truth\", until=30}]";
    const RunRecord one = train(held_spec(hold, {setting})),
                    three = train(held_spec(hold, {setting, "train.threads=3"}));
    EXPECT_EQ(one.series, three.series);
    ASSERT_EQ(one.arrays.size(), three.arrays.size());
    for (std::size_t i = 0; i < one.arrays.size(); ++i) EXPECT_EQ(one.arrays[i].values, three.arrays[i].values);
  }
}

TEST(Held, AStopConditionMeansTheModelByItselfUnlessItSaysOtherwise) {
  const std::string hold = "[{hold=\"truth\", until=30}]";
  const RunRecord by_itself = train(held_spec(hold, {"train.stop_when=on_mark > 0.9"})),
                  held = train(held_spec(hold, {"train.stop_when=on_mark_held > 0.9"}));
  EXPECT_GT(by_itself.steps, 20);
  EXPECT_EQ(held.steps, 0);
  std::vector<std::string> told;
  TrainHooks hooks;
  hooks.trouble = [&told](const std::string& text) { told.push_back(text); };
  train(held_spec("[{hold=\"truth\", from=20}]", {"train.stop_when=on_mark_held > 2"}), hooks);
  EXPECT_TRUE(told.empty());  // nothing is held yet at the first evaluation, and will be
  train(held_spec("", {"train.stop_when=on_mark_held > 2"}), hooks);
  EXPECT_EQ(told.size(), 1u);
}

TEST(Held, RunsComeThroughStoresAndMergesWithBoth) {
  const testing_parts::Folder folder;
  RunRecord run = train(held_spec("[{hold=\"truth\", until=30}]"));
  run.experiment = "held";
  {
    Store one(folder / "one.db");
    one.keep(run);
  }
  Store other(folder / "other.db");
  EXPECT_EQ(other.merge(folder / "one.db").added, 1);
  RunQuery all;
  all.with_series = true;
  const std::vector<RunRecord> found = other.query(all);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].series, run.series);
  EXPECT_EQ(other.arrays(found[0].id, "attention_held").size(), 3u);
  EXPECT_EQ(other.arrays(found[0].id, "attention").size(), 7u);
}

}  // namespace
}  // namespace fovea
