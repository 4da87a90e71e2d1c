// Writes what another program needs to compute our training steps: the settings, the first parameters, a few batches,
// the gradient of the first of them and the loss of each as the parameters move. Peers check themselves against it
// before anyone is timed (bench/compare).
//
//   export_step SYSTEM|EXPERIMENT|FILE.toml OUT.safetensors [KEY=VALUE]…
#include <fmt/format.h>

#include <cstdio>

#include "fovea/base/file.h"
#include "fovea/io/safetensors.h"
#include "fovea/lab/bench/bench.h"
#include "fovea/lab/experiment/sweep_plan.h"
#include "fovea/lab/spec/assembly.h"
#include "fovea/lab/train/trainer.h"

namespace fovea {
namespace {

constexpr std::int64_t steps = 3;

// Tensors, and the memory that they view.
class Arrays {
 public:
  void floats(const std::string& name, std::vector<Index> shape, std::span<const float> values) {
    add(name, "F32", std::move(shape), std::as_bytes(values));
  }
  void doubles(const std::string& name, const std::vector<double>& values) {
    add(name, "F64", {static_cast<Index>(values.size())}, std::as_bytes(std::span(values)));
  }
  void integers(const std::string& name, std::vector<Index> shape, const std::vector<int>& values) {
    add(name, "I32", std::move(shape), std::as_bytes(std::span(values)));
  }
  void tokens(const std::string& name, const Tokens& tokens) {
    if (tokens.rows == 0) return;
    integers(name, {tokens.rows, tokens.columns}, tokens.ids);
    integers(name + "_lengths", {tokens.rows}, tokens.lengths);
  }
  void items(const std::string& name, const Items& items) {
    if (items.rows == 0) return;
    floats(name, {items.rows, items.columns, items.width}, items.first(items.rows));
    integers(name + "_lengths", {items.rows}, items.lengths);
  }
  std::span<const Tensor> all() const { return tensors_; }

 private:
  void add(const std::string& name, const std::string& type, std::vector<Index> shape,
           std::span<const std::byte> bytes) {
    const std::vector<std::byte>& copy = bytes_.emplace_back(bytes.begin(), bytes.end());
    tensors_.push_back({name, type, std::move(shape), copy});
  }

  std::deque<std::vector<std::byte>> bytes_;
  std::vector<Tensor> tensors_;
};

void write(const RunSpec& spec, const std::string& file) {
  const std::unique_ptr<Task> task = make_task(spec);
  const TaskShape shape = task->shape();
  const TrainSettings train_settings = read_train(spec.train);
  ParameterSet<float> parameters;
  const std::unique_ptr<Model<float>> model = make_model<float>(spec, shape, parameters);
  Arrays arrays;
  for (const Param<float>& p : parameters.all()) arrays.floats("parameter." + p.name, p.shape, p.values());

  Arena arena;
  Team team;
  Compute compute{arena, team};
  for (std::int64_t step = 0; step < steps; ++step) {
    Batch batch;
    task->batch(Split::train, static_cast<std::uint64_t>(step), train_settings.batch, batch);
    const std::string prefix = fmt::format("batch.{}.", step);
    arrays.tokens(prefix + "source", batch.source);
    arrays.tokens(prefix + "target", batch.target);
    arrays.items(prefix + "items", batch.items);
    arrays.items(prefix + "values", batch.values);
    arrays.items(prefix + "queries", batch.queries);
    arrays.items(prefix + "answers", batch.answers);
    if (!batch.features.empty())
      arrays.integers(prefix + "features", {batch.source.rows, batch.source.columns, batch.feature_width},
                      batch.features);
    if (!batch.labels.empty()) arrays.integers(prefix + "labels", {batch.size}, batch.labels);
    if (step > 0) continue;
    model->backward(compute, model->forward(compute, batch, {true, spec.seed, 0}));
    for (const Param<float>& p : parameters.all()) arrays.floats("gradient." + p.name, p.shape, p.gradients());
  }

  RunSpec run = spec;
  run.train["steps"].data = steps;
  run.probe["every"].data = std::int64_t{1};
  arrays.doubles("losses", train(run).series.at("train_loss").values);

  std::map<std::string, std::string> about{{"spec", spec.text()}};
  const auto note = [&about](const char* name, int value) {
    about[std::string("shape.") + name] = fmt::to_string(value);
  };
  note("vocab", shape.vocab);
  note("target_vocab", shape.target_vocab);
  note("start_token", shape.start_token);
  note("classes", shape.classes);
  note("features", shape.features);
  note("width", shape.width);
  note("value_width", shape.value_width);
  note("most_items", shape.most_items);
  note("counters", shape.counters);
  note("pages", shape.pages);
  note("offsets", shape.offsets);
  write_whole(file, safetensors(arrays.all(), about));
}

int run(int argc, char** argv) {
  if (argc < 3)
    throw wrong_input("export_step needs a system and a file to write", "export_step copying copying.safetensors");
  Experiment experiment = find_bench_system(argv[1]);
  std::vector<Override> overrides;
  for (int i = 3; i < argc; ++i) overrides.push_back(parse_override(argv[i]));
  for (Override& one : first_values(experiment, Preset::full, overrides)) overrides.push_back(std::move(one));
  write(resolve(experiment, Preset::full, overrides, experiment.seed), argv[2]);
  return 0;
}

}  // namespace
}  // namespace fovea

int main(int argc, char** argv) {
  try {
    return fovea::run(argc, argv);
  } catch (const fovea::Error& error) {
    std::fprintf(stderr, "export_step: %s\n", error.what());
    return error.exit_code();
  }
}
