// A run that is interrupted and resumed has the same bits as a run without interruption.
#include <gtest/gtest.h>

#include <chrono>
#include <fstream>
#include <set>
#include <thread>

#include "fovea/base/file.h"
#include "fovea/lab/experiment/experiment.h"
#include "fovea/lab/train/checkpoint.h"
#include "fovea/lab/train/train_state.h"
#include "fovea/lab/train/trainer.h"
#include "fovea/lab/train/training.h"
#include "fovea/nn/optimizer/update_rule.h"
#include "tests/lab/store/store_sample.h"
#include "tests/lab/train/mark.h"
#include "tests/sanitized.h"

namespace fovea {
namespace {

using namespace testing_parts;
namespace fs = std::filesystem;

RunSpec tiny_spec(const std::vector<std::string>& changes = {}) { return testing_parts::mark_spec(changes, 3); }

// Stops each time a batch of one of these steps is about to be made, which is one update later.
class StopsAt {
 public:
  explicit StopsAt(std::vector<std::uint64_t> steps) : steps_(std::move(steps)) {
    before_batch = [this](std::uint64_t step) { stop = stop || std::ranges::find(steps_, step) != steps_.end(); };
  }
  ~StopsAt() { before_batch = nullptr; }
  std::atomic<bool> stop = false;

 private:
  std::vector<std::uint64_t> steps_;
};

struct Told {
  std::vector<Resumption> resumed;
  std::vector<std::string> troubles;
  int saved = 0;

  TrainHooks hooks(const Folder& folder, const std::atomic<bool>* stop = nullptr) {
    TrainHooks hooks;
    hooks.stop = stop;
    hooks.checkpoints = {folder / "checkpoints"};
    hooks.resumed = [this](const Resumption& resumption) { resumed.push_back(resumption); };
    hooks.saved = [this](const RunRecord& record) {
      EXPECT_EQ(record.state, RunState::running);
      ++saved;
    };
    hooks.trouble = [this](const std::string& text) { troubles.push_back(text); };
    return hooks;
  }
};

void expect_same(const RunRecord& a, const RunRecord& b) {
  EXPECT_EQ(a.state, RunState::done);
  EXPECT_EQ(b.state, RunState::done);
  EXPECT_EQ(a.steps, b.steps);
  EXPECT_EQ(a.hash, b.hash);
  ASSERT_EQ(a.series.size(), b.series.size());
  for (const auto& [name, series] : a.series) {
    ASSERT_TRUE(b.series.contains(name)) << name;
    const Series& other = b.series.at(name);
    EXPECT_EQ(series.steps, other.steps) << name;
    ASSERT_EQ(series.values.size(), other.values.size()) << name;
    for (std::size_t i = 0; i < series.values.size(); ++i)
      EXPECT_EQ(std::bit_cast<std::uint64_t>(series.values[i]), std::bit_cast<std::uint64_t>(other.values[i]))
          << name << " at step " << series.steps[i];
  }
  ASSERT_EQ(a.arrays.size(), b.arrays.size());
  for (std::size_t i = 0; i < a.arrays.size(); ++i) {
    EXPECT_EQ(a.arrays[i].name, b.arrays[i].name);
    EXPECT_EQ(a.arrays[i].step, b.arrays[i].step);
    EXPECT_EQ(a.arrays[i].shape, b.arrays[i].shape);
    EXPECT_TRUE(
        std::ranges::equal(std::as_bytes(std::span(a.arrays[i].values)), std::as_bytes(std::span(b.arrays[i].values))))
        << a.arrays[i].name;
  }
  EXPECT_TRUE(std::ranges::equal(a.weights, b.weights, {}, &WeightRecord::name, &WeightRecord::name));
  EXPECT_TRUE(std::ranges::equal(a.weights, b.weights, {}, &WeightRecord::bytes, &WeightRecord::bytes));
}

TEST(Training, CutIntoAnyStepsItIsTheSameBits) {
  for (const auto& changes : std::vector<std::vector<std::string>>{
           {},
           {"train.precision=double"},
           {"intervene=[{hold=\"uniform\", until=30}, {freeze=\"body\", from=10, until=45}]"},
           {"train.steps=1000", "train.stop_when=on_mark > 0.3"},
           {"train.steps=0"}}) {
    const RunSpec spec = tiny_spec(changes);
    Training training(spec);
    EXPECT_EQ(training.record().steps, 0);
    for (std::int64_t step : {0, 0, 1, 2, 7, 20, 20, 19, 41, 45}) {
      const std::int64_t before = training.record().steps;
      training.advance(step);
      if (training.record().state == RunState::running) {
        EXPECT_EQ(training.record().steps, std::max(before, step));
      }
    }
    training.advance(1 << 20);
    expect_same(training.record(), train(spec));
  }
}

TEST(Resume, AnInterruptedRunIsTheSameBits) {
  std::vector<std::vector<std::string>> variants{
      {},
      {"train.precision=double"},
      {"train.optimizer=sgd", "train.momentum=0.9"},
      {"train.optimizer=adamw", "train.weight_decay=0.1", "train.schedule=cosine", "train.warmup=10", "train.clip=0.1"},
      {"intervene=[{hold=\"uniform\", until=30}, {freeze=\"body\", from=10, until=45}]"},
      {"intervene=[{freeze=\"w\", from=10, until=45}]"},
      {"train.steps=1000", "train.stop_when=on_mark > 0.3"},
      {"train.threads=2", "train.checkpoints=[0, 1, 8, 20, 30, 60]"},
      {"intervene=[{hold=\"truth\", from=10}]", "train.threads=2"},
      {"intervene=[{hold=\"truth\", until=41}]", "train.precision=double", "train.checkpoints=[3, 22, 41]"},
  };
  for (const auto& name : Registry<UpdateRule>::instance().names()) variants.push_back({"train.optimizer=" + name});
  for (const auto& changes : variants) {
    const RunSpec spec = tiny_spec(changes);
    const RunRecord whole = train(spec);
    const auto began = std::chrono::system_clock::now();
    const Folder folder;
    Told told;
    std::vector<std::int64_t> stops;
    RunRecord run;
    {
      StopsAt at({0, 7, 19, 20, 21, 40, 41});
      do {
        at.stop = false;
        run = train(spec, told.hooks(folder, &at.stop));
        if (run.state == RunState::stopped) stops.push_back(run.steps);
      } while (run.state == RunState::stopped && stops.size() < 20);
    }
    std::vector<std::int64_t> wanted{1, 8, 20, 21, 22, 41, 42};
    std::erase_if(wanted, [&whole](std::int64_t step) { return step >= whole.steps; });
    EXPECT_EQ(stops, wanted);
    ASSERT_EQ(told.resumed.size(), stops.size());
    const std::chrono::duration<double> took = std::chrono::system_clock::now() - began;
    for (std::size_t i = 0; i < stops.size(); ++i) {
      EXPECT_EQ(told.resumed[i].step, stops[i]);
      EXPECT_TRUE(told.resumed[i].interrupted);
      EXPECT_GE(told.resumed[i].seconds_ago, 0);
      EXPECT_LE(told.resumed[i].seconds_ago, took.count() + 1);
    }
    EXPECT_TRUE(told.troubles.empty());
    expect_same(run, whole);
    EXPECT_GE(run.seconds, 0);
  }
}

// Halted after half of its steps and gone on with, a shipped experiment is what it is without a halt.
void expect_halted_is_the_same(const Experiment& experiment, const std::vector<Override>& changes) {
  ValueList probes = *resolve(experiment, Preset::quick, {}, 1).probe.at("names").as<ValueList>();
  probes.push_back(value("halt"));
  std::vector<Override> overrides{{"train.steps", value(4)},        {"probe.every", value(2)},
                                  {"probe.at", value(ValueList())}, {"probe.names", value(probes)},
                                  {"probe.halt.step", value(2)},    {"train.stop_when", value("")}};
  overrides.insert(overrides.end(), changes.begin(), changes.end());
  const RunSpec spec = resolve(experiment, Preset::quick, overrides, 1);
  const RunRecord whole = train(spec);
  ASSERT_EQ(whole.state, RunState::done) << whole.error;
  const Folder folder;
  Told told;
  halted = false;
  const RunRecord part = train(spec, told.hooks(folder, &halted));
  ASSERT_EQ(part.state, RunState::stopped);
  EXPECT_EQ(part.steps, 2);
  expect_same(train(spec, told.hooks(folder)), whole);
  EXPECT_EQ(told.resumed.size(), 1u);
  EXPECT_TRUE(told.troubles.empty()) << told.troubles.front();
}

// Every shipped system: batch norm's statistics, dropout, gates, kernels, the memories of probes. Under a sanitizer,
// one experiment of each task with each model.
TEST(Resume, EveryShippedExperimentIsTheSameBits) {
  std::set<std::pair<std::string, std::string>> tried;
  for (const std::string& name : experiment_names()) {
    SCOPED_TRACE(name);
    const Experiment experiment = find_experiment(name);
    const bool first = tried.emplace(experiment.task.at("name").text(), experiment.model.at("name").text()).second;
    if (sanitized && !first) continue;
    expect_halted_is_the_same(experiment, {});
    if (HasFatalFailure()) return;
  }
}

TEST(Resume, HeldUntilItIsTakenUpAgainItIsTheSameBits) {
  for (const char* name : {"prefetch-pages", "glimpse-plain", "copy-subset"})
    expect_halted_is_the_same(find_experiment(name), {parse_override("intervene=[{hold=\"uniform\", until=2}]")});
}

TEST(Resume, InThreeTermsItIsTheSameBits) {
  for (const char* name : {"copy-subset", "induction"})
    expect_halted_is_the_same(find_experiment(name), {{"train.precision", value("bf16x3")}});
}

fs::path newest(const Folder& folder, const RunSpec& spec) {
  return folder / "checkpoints" / (spec.hash() + ".safetensors");
}

// The state at a step, as the checkpoint of a stop there has it.
std::map<std::string, std::string> state_at(std::uint64_t step, const RunSpec& spec, const Folder& folder, Told& told) {
  StopsAt at({step});
  EXPECT_EQ(train(spec, told.hooks(folder, &at.stop)).state, RunState::stopped);
  const TensorFile file = Checkpoints::read(newest(folder, spec));
  std::map<std::string, std::string> state;
  for (const Tensor& tensor : file.tensors())
    state[tensor.name] = {reinterpret_cast<const char*>(tensor.bytes.data()), tensor.bytes.size()};
  EXPECT_GT(state.size(), 10u);
  return state;
}

// As a kill leaves it: checkpoints by the clock, the last of them some time ago.
TEST(Resume, CheckpointsAreWrittenByTheClockAndTheLastButOneIsKept) {
  const RunSpec spec = tiny_spec({"train.steps=1000000000", "probe.every=100"});
  const Folder folder;
  Told told;
  std::atomic<bool> stop = false;
  TrainHooks hooks = told.hooks(folder, &stop);
  hooks.checkpoints.every = 0;  // as often as is cheap
  std::vector<std::int64_t> saved;
  hooks.saved = [&](const RunRecord& record) {
    EXPECT_EQ(record.state, RunState::running);
    saved.push_back(record.steps);
    // The copy is what a kill right now would leave.
    if (saved.size() == 2) fs::copy(folder / "checkpoints", folder / "copy");
    stop = saved.size() >= 3;
  };
  EXPECT_EQ(train(spec, hooks).state, RunState::stopped);
  ASSERT_EQ(saved.size(), 4u);  // three by the clock, one at the stop
  EXPECT_TRUE(std::ranges::is_sorted(saved));
  fs::remove_all(folder / "checkpoints");
  fs::rename(folder / "copy", folder / "checkpoints");
  EXPECT_EQ(Checkpoints(folder / "checkpoints", spec.hash()).files().size(), 2u);
  const auto end = static_cast<std::uint64_t>(saved[1]) + 500;
  const auto resumed = state_at(end, spec, folder, told);
  ASSERT_EQ(told.resumed.size(), 1u);
  EXPECT_EQ(told.resumed[0].step, saved[1]);
  EXPECT_FALSE(told.resumed[0].interrupted);
  const Folder elsewhere;
  EXPECT_TRUE(resumed == state_at(end, spec, elsewhere, told));
}

TEST(Resume, AShortRunWritesNone) {
  const Folder folder;
  Told told;
  EXPECT_EQ(train(tiny_spec(), told.hooks(folder)).state, RunState::done);
  EXPECT_EQ(told.saved, 0);
  EXPECT_FALSE(fs::exists(folder / "checkpoints"));
}

// Where writing is slow, it is done the less often: two per cent of the time at most.
TEST(Resume, CheckpointsTakeAFiftiethOfTheTimeAtMost) {
  const RunSpec spec = tiny_spec({"train.steps=100000000", "probe.every=100000000"});
  const Folder folder;
  Told told;
  std::atomic<bool> stop = false;
  TrainHooks hooks = told.hooks(folder, &stop);
  hooks.checkpoints.every = 0;
  std::vector<std::chrono::steady_clock::time_point> ends;
  constexpr std::chrono::milliseconds writing(4);
  hooks.saved = [&](const RunRecord&) {
    std::this_thread::sleep_for(writing);  // counts as writing
    ends.push_back(std::chrono::steady_clock::now());
    stop = ends.size() == 4;
  };
  train(spec, hooks);
  ASSERT_GE(ends.size(), 4u);
  for (std::size_t i = 1; i < 4; ++i) EXPECT_GE(ends[i] - ends[i - 1], 50 * writing);
}

struct Damage {
  const char* name;
  std::function<std::string(std::string)> of;
};

TEST(Resume, ADamagedCheckpointIsSaidAndTheOneBeforeIsUsed) {
  const RunSpec spec = tiny_spec();
  const RunRecord whole = train(spec);
  const std::vector<Damage> damages{
      {"a bit", [](std::string s) { return s[s.size() - 9] = static_cast<char>(s[s.size() - 9] ^ 4), s; }},
      {"a bit of the checksum", [](std::string s) { return s[s.find("crc32") + 9] ^= 1, s; }},
      {"a bit of the header", [](std::string s) { return s[9] ^= 1, s; }},
      {"cut short", [](const std::string& s) { return s.substr(0, s.size() / 2); }},
      {"empty", [](const std::string&) { return std::string(); }},
      {"no checkpoint", [](const std::string&) { return std::string("hello"); }},
  };
  for (const Damage& damage : damages) {
    SCOPED_TRACE(damage.name);
    for (const bool both : {false, true}) {
      const Folder folder;
      Told told;
      {
        StopsAt at({20, 40});
        train(spec, told.hooks(folder, &at.stop));
        at.stop = false;
        train(spec, told.hooks(folder, &at.stop));
      }
      const auto files = Checkpoints(folder / "checkpoints", spec.hash()).files();
      ASSERT_EQ(files.size(), 2u);
      ASSERT_EQ(files[0], newest(folder, spec));
      for (const fs::path& file : files)
        if (both || file == files[0]) write_whole(file, damage.of(read_file(file, 1 << 20)));
      told = {};
      expect_same(train(spec, told.hooks(folder)), whole);
      ASSERT_EQ(told.troubles.size(), both ? 2u : 1u);
      EXPECT_NE(told.troubles[0].find(files[0].string()), std::string::npos) << told.troubles[0];
      const std::vector<std::int64_t> wanted = both ? std::vector<std::int64_t>() : std::vector<std::int64_t>{21};
      std::vector<std::int64_t> steps;
      for (const Resumption& resumption : told.resumed) steps.push_back(resumption.step);
      EXPECT_EQ(steps, wanted);
    }
  }
}

TEST(Resume, ACheckpointOfAnotherRunOrVersionIsNotUsed) {
  const RunSpec spec = tiny_spec(), other = tiny_spec({"model.start=1.0"});
  const Folder folder;
  Told told;
  {
    StopsAt at({20});
    train(other, told.hooks(folder, &at.stop));
  }
  fs::rename(newest(folder, other), newest(folder, spec));
  expect_same(train(spec, told.hooks(folder)), train(spec));
  ASSERT_EQ(told.troubles.size(), 1u);
  EXPECT_NE(told.troubles[0].find("of another run"), std::string::npos) << told.troubles[0];
  EXPECT_TRUE(told.resumed.empty());

  TensorFile file = Checkpoints::read(newest(folder, spec));
  auto metadata = file.metadata();
  metadata["version"] = "0.0.1";
  metadata["hash"] = spec.hash();
  Checkpoints(folder / "checkpoints", spec.hash()).write(file.tensors(), metadata);
  fs::remove(folder / "checkpoints" / (spec.hash() + ".before.safetensors"));
  told = {};
  expect_same(train(spec, told.hooks(folder)), train(spec));
  ASSERT_EQ(told.troubles.size(), 1u);
  EXPECT_NE(told.troubles[0].find("0.0.1"), std::string::npos) << told.troubles[0];
  EXPECT_TRUE(told.resumed.empty());
}

TEST(Resume, ACheckpointOfAnOlderArithmeticIsNotUsed) {
  const RunSpec spec = tiny_spec();
  const Folder folder;
  Told told;
  {
    StopsAt at({20});
    train(spec, told.hooks(folder, &at.stop));
  }
  const TensorFile file = Checkpoints::read(newest(folder, spec));
  EXPECT_EQ(record_of(file).arithmetic, arithmetic_revision);
  auto metadata = file.metadata();
  metadata.erase("arithmetic");  // as it was written before revisions were counted
  Checkpoints(folder / "checkpoints", spec.hash()).write(file.tensors(), metadata);
  fs::remove(folder / "checkpoints" / (spec.hash() + ".before.safetensors"));
  told = {};
  const RunRecord run = train(spec, told.hooks(folder));
  expect_same(run, train(spec));
  EXPECT_EQ(run.arithmetic, arithmetic_revision);
  ASSERT_EQ(told.troubles.size(), 1u);
  EXPECT_NE(told.troubles[0].find("at step 21 is of arithmetic revision 0"), std::string::npos) << told.troubles[0];
  EXPECT_TRUE(told.resumed.empty());
}

TEST(Resume, ForgetsWhenAsked) {
  const RunSpec spec = tiny_spec();
  const Folder folder;
  Told told;
  {
    StopsAt at({20});
    train(spec, told.hooks(folder, &at.stop));
  }
  TrainHooks hooks = told.hooks(folder);
  hooks.checkpoints.forget = true;
  expect_same(train(spec, hooks), train(spec));
  EXPECT_TRUE(told.resumed.empty());
}

TEST(Resume, WhereNoneCanBeWrittenTheRunGoesOnAndSaysSoOnce) {
  const RunSpec spec = tiny_spec({sanitized ? "train.steps=20000" : "train.steps=200000", "probe.every=100000"});
  const Folder folder;
  std::ofstream(folder / "checkpoints") << "a file where the folder should be";
  Told told;
  TrainHooks hooks = told.hooks(folder);
  hooks.checkpoints.every = 0;
  EXPECT_EQ(train(spec, hooks).state, RunState::done);
  EXPECT_EQ(told.saved, 0);
  ASSERT_EQ(told.troubles.size(), 1u);
  EXPECT_NE(told.troubles[0].find("the run continues without a checkpoint"), std::string::npos) << told.troubles[0];
}

}  // namespace
}  // namespace fovea
