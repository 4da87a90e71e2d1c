#include "fovea/lab/train/trainer.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <cstdlib>
#include <new>

#include "fovea/lab/experiment/experiment.h"
#include "fovea/lab/spec/assembly.h"
#include "fovea/lab/spec/train_settings.h"
#include "fovea/lab/train/checkpoint.h"
#include "fovea/lab/train/training.h"
#include "fovea/lab/train/weights_file.h"
#include "tests/lab/store/store_sample.h"
#include "tests/lab/train/mark.h"
#include "tests/sanitized.h"

// A sanitizer has operators of its own.
#if !FOVEA_SANITIZED
namespace {
// Every request to the system for memory, counted: a steady step makes none.
std::atomic<std::int64_t> allocations{0};
}  // namespace

[[gnu::noinline]] void* operator new(std::size_t size) {
  ++allocations;
  if (void* const memory = std::malloc(size ? size : 1)) return memory;
  throw std::bad_alloc();
}
[[gnu::noinline]] void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  ++allocations;
  return std::malloc(size ? size : 1);
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
#endif

namespace fovea {
namespace {

RunSpec spec_of(const std::vector<std::string>& changes = {}, std::uint64_t seed = 1) {
  return testing_parts::mark_spec(changes, seed);
}

using Steps = std::vector<std::int64_t>;

TEST(Trainer, LooksAtTheStartEveryNWhereListedAndAtTheEnd) {
  const RunRecord run = train(spec_of({"train.steps=50", "probe.at=[7, 40, 99]"}));
  EXPECT_EQ(run.state, RunState::done);
  EXPECT_EQ(run.steps, 50);
  EXPECT_EQ(run.series.at("loss").steps, (Steps{0, 7, 20, 40, 50}));
  EXPECT_EQ(run.series.at("train_loss").steps, (Steps{7, 20, 40, 50}));
  EXPECT_NEAR(run.series.at("loss").values.front(), std::log(2.0), 1e-6);
  EXPECT_LT(run.series.at("loss").values.back(), 0.6);
  EXPECT_EQ(run.hash, spec_of({"train.steps=50", "probe.at=[7, 40, 99]"}).hash());
  EXPECT_FALSE(run.version.empty() || run.machine.empty() || run.started.empty());
  EXPECT_EQ(train(spec_of({"train.steps=0"})).series.at("loss").steps, Steps{0});
}

TEST(Trainer, LooksAtTheSplitItIsTold) {
  const RunRecord validation = train(spec_of()), test = train(spec_of({"probe.split=test"}));
  EXPECT_NE(validation.series.at("loss").values.back(), test.series.at("loss").values.back());
  EXPECT_EQ(validation.series.at("train_loss").values, test.series.at("train_loss").values);
}

TEST(Trainer, LeavesOutWhatCanNotBeMeasuredOnlyWhereAllowed) {
  EXPECT_THROW(spec_of({"model.attends=false"}), Error);
  const std::vector<std::string> allowed{"probe.names=[]", "probe.optional=[\"watch\"]"};
  EXPECT_EQ(train(spec_of(allowed)).series.at("loss").values, train(spec_of()).series.at("loss").values);
  const RunRecord without = train(spec_of({"probe.names=[]", "probe.optional=[\"watch\"]", "model.attends=false"}));
  EXPECT_EQ(without.state, RunState::done);
  EXPECT_FALSE(without.series.contains("weight"));
}

TEST(Trainer, GivesTheSameBitsWhateverTheThreadsAndWhenRunTwice) {
  for (const char* precision : {"float", "double"}) {
    const std::string setting = std::string("train.precision=") + precision;
    const RunRecord one = train(spec_of({setting})), again = train(spec_of({setting})),
                    three = train(spec_of({setting, "train.threads=3"}));
    EXPECT_EQ(one.series, again.series);
    EXPECT_EQ(one.series, three.series);
    EXPECT_EQ(one.hash, three.hash);
    ASSERT_EQ(one.arrays.size(), three.arrays.size());
    for (std::size_t i = 0; i < one.arrays.size(); ++i) EXPECT_EQ(one.arrays[i].values, three.arrays[i].values);
    EXPECT_NE(one.series, train(spec_of({setting}, 2)).series);
  }
  const double single = train(spec_of()).metrics().at("weight"),
               twice = train(spec_of({"train.precision=double"})).metrics().at("weight");
  EXPECT_NE(single, twice);
  EXPECT_NEAR(single, twice, 1e-3);
}

TEST(Trainer, AStartSeedDrawsTheInitialWeightsAndNothingElse) {
  const Experiment experiment = parse_experiment(R"(
task = { name = "keyword" }
model = { name = "gated-classifier", hidden = 4, embedding = 4 }
train = { steps = 3, start = 5 }
probe = { names = ["accuracy"] }
)",
                                                 "run.toml");
  struct Begun {
    std::vector<float> weights;
    std::vector<int> tokens;
  };
  const auto begin = [&](std::uint64_t seed, const std::string& change) {
    const RunSpec spec = resolve(experiment, Preset::full, {parse_override(change)}, seed);
    const std::unique_ptr<Task> task = make_task(spec);
    ParameterSet<float> parameters;
    const auto model = make_model<float>(spec, task->shape(), parameters);
    Batch batch;
    task->batch(Split::train, 0, 8, batch);
    return Begun{{parameters.values().begin(), parameters.values().end()}, batch.source.ids};
  };
  const Begun one = begin(1, "train.start=5"), two = begin(2, "train.start=5"), other = begin(1, "train.start=6"),
              own = begin(5, "train.start=5");
  EXPECT_EQ(one.weights, two.weights);
  EXPECT_NE(one.tokens, two.tokens);
  EXPECT_EQ(one.tokens, other.tokens);
  EXPECT_NE(one.weights, other.weights);
  EXPECT_EQ(own.weights, one.weights);
  const auto run = [&](std::uint64_t seed) { return train(resolve(experiment, Preset::full, {}, seed)).series; };
  EXPECT_NE(run(1).at("train_loss").values, run(2).at("train_loss").values);
}

TEST(Trainer, ALookDoesNotChangeTheCourse) {
  EXPECT_EQ(train(spec_of()).metrics().at("weight"), train(spec_of({"probe.every=1"})).metrics().at("weight"));
}

TEST(Trainer, TakesAPlainStepOfGradientDescent) {
  // At the start every attention is 1/5 and the logistic slope 1/2: w0 moves by rate/2 * (share of positives) / 5.
  const RunSpec spec =
      spec_of({"train.optimizer=sgd", "train.rate=1.0", "train.steps=1", "train.batch=8", "train.precision=double"});
  const auto task = std::make_unique<testing_parts::Mark>();
  task->prepare(spec.seed);
  Batch batch;
  task->batch(Split::train, 0, 8, batch);
  int positives = 0;
  for (const int label : batch.labels) positives += label;
  ASSERT_GT(positives, 0);
  EXPECT_NEAR(train(spec).metrics().at("weight"), positives / 8.0 / 5 / 2, 1e-7);
}

TEST(Trainer, RatesFollowTheirSchedule) {
  const auto weight = [](const std::string& schedule) {
    return train(spec_of({"train.optimizer=sgd", "train.rate=1.0", "train.steps=2", "train.precision=double",
                          "train.schedule=" + schedule}))
        .series.at("weight")
        .values.back();
  };
  EXPECT_GT(weight("constant"), weight("linear"));
  EXPECT_EQ(train(spec_of({"train.rate=0.0"})).metrics().at("weight"), 0);
}

TEST(Trainer, HoldsFreezesAndPaces) {
  const auto on_mark = [](const std::string& intervene, const std::string& name = "on_mark") {
    return train(spec_of({"train.steps=200", intervene})).series.at(name);
  };
  EXPECT_GT(on_mark("intervene=[]").values.back(), 0.5);
  for (const char* name : {"on_mark", "on_mark_held"})
    for (const double x : on_mark("intervene=[{hold=\"uniform\"}]", name).values)
      EXPECT_FLOAT_EQ(static_cast<float>(x), 0.2f) << name;
  const Series released = on_mark("intervene=[{hold=\"uniform\", until=100}]");
  for (std::size_t i = 0; i < released.steps.size(); ++i)
    EXPECT_EQ(released.steps[i] <= 100, std::abs(released.values[i] - 0.2) < 1e-6) << released.steps[i];
  for (const double x : on_mark("intervene=[{hold=\"truth\"}]", "on_mark_held").values) EXPECT_EQ(x, 1);
  for (const double x : on_mark("intervene=[{hold=\"truth\"}]").values) EXPECT_LT(x, 0.5);
  for (const double x : on_mark("intervene=[{freeze=\"attention\"}]").values)
    EXPECT_FLOAT_EQ(static_cast<float>(x), 0.2f);
  for (const double x : on_mark("intervene=[{rate=0.0, of=\"attention\"}]").values)
    EXPECT_FLOAT_EQ(static_cast<float>(x), 0.2f);
  const Series body = train(spec_of({"intervene=[{freeze=\"body\", from=20, until=40}]"})).series.at("weight");
  EXPECT_NE(body.values[0], body.values[1]);
  EXPECT_EQ(body.values[1], body.values[2]);
  EXPECT_NE(body.values[2], body.values[3]);
  // By name, the one parameter of the body.
  EXPECT_EQ(train(spec_of({"intervene=[{freeze=\"w\", from=20, until=40}]"})).series.at("weight"), body);
  // A rate of one's own equal to the common one changes nothing.
  EXPECT_EQ(on_mark("intervene=[{rate=0.1, of=\"attention\"}]"), on_mark("intervene=[]"));
}

TEST(Trainer, ClampsFromTheStepOnThatIsSaidAndNotALongerOne) {
  const auto weight = [](const std::string& intervene) {
    return train(spec_of({"probe.every=1", "train.steps=12", intervene})).series.at("weight").values;
  };
  const std::vector<double> free = weight("intervene=[]"),
                            held = weight("intervene=[{clamp=\"w\", at=0.75, from=4, until=8}]");
  for (std::size_t step = 0; step <= 12; ++step) {
    if (step < 4) EXPECT_EQ(held[step], free[step]) << step;
    else EXPECT_EQ(held[step] == 0.75, step <= 8) << step;  // the update that comes after is the first to move it
  }
  EXPECT_EQ(weight("intervene=[{clamp=\"w\", at=-2}]"), std::vector<double>(13, -2));
  // Set once, and left to itself.
  const std::vector<double> set = weight("intervene=[{clamp=\"w\", at=0.75, until=1}]");
  EXPECT_EQ(set[0], 0.75);
  EXPECT_EQ(set[1], 0.75);
  EXPECT_NE(set[2], 0.75);
}

TEST(Trainer, AStopConditionThatReadsAMisspeltNameIsRefused) {
  try {
    train(spec_of({"train.stop_when=on_mrak > 0.5"}));
    FAIL() << "it was trained";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), Error::Kind::wrong_input);
    EXPECT_NE(error.remedy().text().find("on_mark"), std::string::npos) << error.what();
  }
  std::string said;
  TrainHooks hooks;
  hooks.trouble = [&said](const std::string& text) { said = text; };
  EXPECT_EQ(train(spec_of({"train.stop_when=something_else > 0.5"}), hooks).state, RunState::done);
  EXPECT_NE(said.find("something_else"), std::string::npos);
}

TEST(Trainer, StopsWhenItIsTold) {
  const RunRecord run = train(spec_of({"train.steps=1000", "train.stop_when=on_mark > 0.5"}));
  EXPECT_EQ(run.state, RunState::done);
  EXPECT_LT(run.steps, 1000);
  const Series& on_mark = run.series.at("on_mark");
  EXPECT_EQ(on_mark.steps.back(), run.steps);
  EXPECT_GT(on_mark.values.back(), 0.5);
  EXPECT_LE(on_mark.values[on_mark.values.size() - 2], 0.5);
  std::atomic<bool> stop{true};
  const RunRecord stopped = train(spec_of(), {{}, &stop});
  EXPECT_EQ(stopped.state, RunState::stopped);
  EXPECT_EQ(stopped.steps, 0);
}

TEST(Trainer, KeepsTheWeightsAtTheEndWhereWanted) {
  const RunRecord run = train(spec_of());
  ASSERT_EQ(run.weights.size(), 2u);
  for (const WeightRecord& weight : run.weights) {
    std::size_t count = 1;
    for (const Index size : weight.shape) count *= static_cast<std::size_t>(size);
    EXPECT_EQ(weight.type, "F32");
    EXPECT_EQ(weight.bytes.size(), 4 * count) << weight.name;
  }
  EXPECT_NE(train(spec_of({"train.steps=0"})).weights[0].bytes, run.weights[0].bytes);
  EXPECT_NE(train(spec_of({"train.steps=59"})).weights[0].bytes, run.weights[0].bytes);
  EXPECT_EQ(train(spec_of({"train.steps=100", "train.stop_when=steps = 60"})).weights[0].bytes, run.weights[0].bytes);
  const RunRecord twice = train(spec_of({"train.precision=double"}));
  EXPECT_EQ(twice.weights[0].type, "F64");
  EXPECT_EQ(twice.weights[0].bytes.size(), 2 * run.weights[0].bytes.size());
  EXPECT_TRUE(train(spec_of({"train.keep_weights=never"})).weights.empty());
  EXPECT_EQ(train(spec_of({"train.keep_weights=always"})).weights[0].bytes, run.weights[0].bytes);
  std::atomic<bool> stop{true};
  EXPECT_TRUE(train(spec_of(), {{}, &stop}).weights.empty());
  EXPECT_TRUE(train(spec_of({"model.explode_at=33"})).weights.empty());
}

TEST(Trainer, KeepsTheWeightsAtListedStepsAsARunOfSoManyStepsEnds) {
  const RunRecord plain = train(spec_of());
  for (const char* precision : {"train.precision=float", "train.precision=double"}) {
    const RunRecord run =
        train(spec_of({precision, "train.checkpoints=[7, 0, 60, 21]", "train.keep_weights=never", "probe.every=20"}));
    ASSERT_EQ(run.weights.size(), 5 * 2u);  // the final ones, too
    std::size_t at = 0;
    for (const std::int64_t step : {0, 7, 21, 60}) {
      const RunRecord until = train(spec_of({precision, "train.steps=" + std::to_string(step)}));
      for (const WeightRecord& weight : until.weights) {
        EXPECT_EQ(run.weights[at].name, checkpoint_name(step, weight.name));
        EXPECT_EQ(run.weights[at].type, weight.type);
        EXPECT_EQ(run.weights[at].shape, weight.shape);
        EXPECT_EQ(run.weights[at++].bytes, weight.bytes) << step;
      }
    }
    EXPECT_EQ(run.weights[at].name, plain.weights[0].name);
    EXPECT_EQ(run.weights[at].bytes, run.weights[at - 2].bytes);
  }
  const RunRecord early = train(spec_of({"train.checkpoints=[5, 50]", "train.stop_when=steps = 20"}));
  EXPECT_EQ(early.weights.size(), 2 * 2u) << "step 50 was not reached";
  EXPECT_THROW(train(spec_of({"train.checkpoints=[61]"})), Error);
  EXPECT_EQ(spec_of({"train.checkpoints=[]"}).hash(), spec_of().hash());
  EXPECT_EQ(spec_of().text().find("checkpoints"), std::string::npos);
  EXPECT_NE(spec_of({"train.checkpoints=[1]"}).hash(), spec_of().hash());
}

TEST(Trainer, ANumberThatIsNoneNamesStepAndParameter) {
  for (const char* clip : {"train.clip=0.0", "train.clip=1.0"}) {
    const RunRecord run = train(spec_of({"model.explode_at=33", clip}));
    EXPECT_EQ(run.state, RunState::failed);
    EXPECT_EQ(run.error.find("at step 33 the gradient of parameter 'w' is not finite"), 0u) << run.error;
    EXPECT_NE(run.error.find("train.rate"), std::string::npos);
    EXPECT_EQ(run.steps, 33);
    EXPECT_EQ(run.series.at("loss").steps, (Steps{0, 20}));  // what was measured until then
  }
}

// The optimiser has used such a gradient by the time its norm is known: nothing of what it made is kept.
TEST(Trainer, NothingKeepsWhatANumberThatIsNoneMade) {
  const testing_parts::Folder folder;
  const RunSpec spec = spec_of({"model.explode_at=33", "train.keep_weights=always"});
  std::atomic<bool> stop = false;
  TrainHooks hooks;
  hooks.stop = &stop;
  hooks.checkpoints = {folder / "checkpoints"};
  testing_parts::before_batch = [&stop](std::uint64_t step) { stop = step == 30; };
  EXPECT_EQ(train(spec, hooks).state, RunState::stopped);
  testing_parts::before_batch = nullptr;
  stop = false;
  const RunRecord failed = train(spec, hooks);
  EXPECT_EQ(failed.state, RunState::failed);
  EXPECT_TRUE(failed.weights.empty());
  const auto files = Checkpoints(folder / "checkpoints", spec.hash()).files();
  ASSERT_EQ(files.size(), 1u);  // of the stop
  const TensorFile kept = Checkpoints::read(files[0]);
  EXPECT_EQ(kept.metadata().at("steps"), "31");
  int finite = 0, of = 0;
  for (const Tensor& tensor : kept.tensors())
    if (tensor.type == "F32")
      for (const float x : kept.floats(tensor.name)) ++of, finite += std::isfinite(x);
  EXPECT_EQ(finite, of);
  EXPECT_GE(of, 60);  // parameters of ten tokens, twice, with both moments

  Training training(spec);
  training.advance(33);
  for (const WeightRecord& weight : training.weights()) EXPECT_FALSE(weight.bytes.empty());
  training.advance(34);
  EXPECT_EQ(training.record().state, RunState::failed);
  EXPECT_EQ(training.record().steps, 33);
  EXPECT_THROW(training.weights(), Error);
}

TEST(Trainer, KeepsTheAttentionOfTheSameExamples) {
  const RunRecord run = train(spec_of({"train.rate=1"}));
  int looks = 0;
  std::vector<float> labels, answers;
  for (const ArrayRecord& array : run.arrays) {
    if (array.name == "attention_labels") labels = array.values;
    if (array.name == "attention_answers") answers = array.values;  // at the end the last
    if (array.name == "attention_answers") continue;
    if (array.name != "attention") {
      EXPECT_EQ(array.step, 0);
      continue;
    }
    ++looks;
    EXPECT_EQ(array.shape, (std::vector<Index>{2, 1, 5}));
    for (std::size_t row = 0; row < 2; ++row) {
      float sum = 0;
      for (std::size_t l = 0; l < 5; ++l) sum += array.values[row * 5 + l];
      EXPECT_NEAR(sum, 1, 1e-5);
    }
  }
  EXPECT_EQ(looks, 4);
  EXPECT_EQ(labels.size(), 2u);
  EXPECT_EQ(answers, labels);
  const auto source = std::find_if(run.arrays.begin(), run.arrays.end(),
                                   [](const ArrayRecord& a) { return a.name == "attention_source"; });
  ASSERT_NE(source, run.arrays.end());
  EXPECT_EQ(source->shape, (std::vector<Index>{2, 5}));
  const RunRecord many = train(spec_of(
      {"task.length=400", "probe.every=1", "probe.keep=50", "train.steps=600", "probe.examples=2", "train.batch=2"}));
  std::size_t numbers = 0;
  for (const ArrayRecord& array : many.arrays) numbers += array.values.size();
  EXPECT_LT(numbers, std::size_t{3} << 20);
  EXPECT_TRUE(train(spec_of({"probe.keep=0"})).arrays.empty());
}

#if !FOVEA_SANITIZED
TEST(Trainer, ASteadyStepAsksTheSystemForNothing) {
  const auto count = [](const char* steps) {
    const RunSpec spec = spec_of({steps, "probe.every=1000000", "probe.keep=0"});
    const std::int64_t before = allocations;
    train(spec);
    return allocations - before;
  };
  count("train.steps=100");
  // Numbers of as many digits: the texts of a longer one, kept as its place, lie elsewhere.
  EXPECT_EQ(count("train.steps=999"), count("train.steps=100"));
  EXPECT_EQ(count("train.steps=4000"), count("train.steps=1000"));
}
#endif

TEST(Trainer, TellsOfProgress) {
  std::vector<std::int64_t> told;
  train(spec_of({"train.steps=200000", "train.batch=1", "probe.every=1000000"}),
        {[&told](std::int64_t step, std::int64_t of) {
          EXPECT_EQ(of, 200000);
          told.push_back(step);
        }});
  EXPECT_TRUE(std::is_sorted(told.begin(), told.end()));
}

TEST(ProbeSettings, KnowTheNextLook) {
  ProbeSettings probe;
  probe.every = 10;
  probe.at = {3, 17};
  for (std::int64_t step = 0; step < 25; ++step) {
    std::int64_t next = step + 1;
    while (!probe.evaluates_at(next, 25)) ++next;
    EXPECT_EQ(probe.next_evaluation(step, 25), next) << step;
  }
}

}  // namespace
}  // namespace fovea
