// Binds probes on attention that another program has computed, and stores such a program's runs (folder python/src).
// python/fovea/torch, text/study.py and run_store.py call it. It writes the store on request only.
#include <fmt/format.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "fovea/base/error/names.h"
#include "fovea/base/statistics.h"
#include "fovea/base/version.h"
#include "fovea/io/digest.h"
#include "fovea/lab/record/machine.h"
#include "fovea/lab/store/store.h"
#include "fovea/nn/attention/attention_rule.h"
#include "fovea/probe/agreement.h"
#include "fovea/probe/probe.h"
#include "python/src/arrays.h"
#include "python/src/batches.h"
#include "python/src/parts.h"
#include "python/src/values.h"

namespace fovea::python {

namespace {

using Floats = py::array_t<float, py::array::c_style | py::array::forcecast>;
using Ints = py::array_t<int, py::array::c_style | py::array::forcecast>;

// The task of another program: nothing is known of it but what its batches hold.
class OtherTask final : public Task {
 public:
  explicit OtherTask(const TaskShape& shape) : shape_(shape) {}
  void settings(Fields&) override {}
  void prepare(std::uint64_t) override {}
  TaskShape shape() const override { return shape_; }
  void batch(Split, std::uint64_t, int, Batch& batch) const override { batch.size = 0; }

 private:
  TaskShape shape_;
};

class Numbers final : public Readings {
 public:
  void number(const std::string& name, double value) override { values[name] = value; }
  void array(const std::string&, const std::vector<Index>&, std::span<const float>) override {}

  std::map<std::string, double> values;
};

template <class Array>
Array part(const py::dict& parts, const char* name, int rank) {
  const Array given = Array::ensure(parts[name]);
  if (!given) throw py::error_already_set();
  if (given.ndim() != rank)
    throw failure(fmt::format("'{}' has {} dimensions, not {}", name, given.ndim(), rank), "this is a mistake");
  return given;
}

std::vector<std::string> pattern_names() {
  std::vector<std::string> names;
  for (const auto& [name, pattern] : attention_patterns) names.emplace_back(name);
  return names;
}

// The weights of a pattern in each row: over all columns, or over the first of them up to the row's own. A pattern of
// right positions has none, because they differ from example to example.
py::array pattern_rows(const std::string& name, Index rows, Index columns, bool causal) {
  const auto* const found = std::ranges::find(attention_patterns, name, &AttentionPatterns::value_type::first);
  if (found == attention_patterns.end() || RequestedRule{found->second}.reads_right())
    throw wrong_input(fmt::format("there is no pattern '{}' of rows that all examples share", name),
                      suggest_name(name, pattern_names()));
  py::array_t<double> weights({rows, columns});
  for (Index i = 0; i < rows; ++i)
    write_pattern<double>(found->second, i, causal ? std::min(i + 1, columns) : columns, {},
                          {weights.mutable_data(i, 0), static_cast<std::size_t>(columns)});
  return weights;
}

Tokens tokens_of(const Ints& ids, const std::vector<int>& lengths) {
  Tokens tokens;
  tokens.resize(static_cast<int>(ids.shape(0)), static_cast<int>(ids.shape(1)));
  std::copy_n(ids.data(), ids.size(), tokens.ids.begin());
  if (!lengths.empty()) tokens.lengths = lengths;
  return tokens;
}

// Probes that read attention (B, rows, positions) and its β, of a program that has made them.
class Probes {
 public:
  Probes(const std::vector<std::string>& names, const std::string& kind) {
    TaskShape shape;
    shape.kind = kind_of(kind);
    task_ = std::make_unique<OtherTask>(shape);
    for (const std::string& name : names) {
      probes_.push_back(Registry<Probe>::instance().make(name, "probe"));
      probes_.back()->prepare(shape, true, 0);
    }
  }

  // attention (B, rows, positions); source (B, positions); lengths (B) positions that are there; asked (B, rows) 1
  // where an answer counts; perhaps alignment (B, rows), beta as attention, states (B, positions, width), embedding
  // (words, width). `first`: chance is told, too; `last`: and what the whole course says.
  std::map<std::string, double> measure(bool first, const py::dict& parts, std::int64_t step, bool last) {
    const auto attention = part<Floats>(parts, "attention", 3);
    const auto asked = part<Ints>(parts, "asked", 2);
    const auto lengths = part<Ints>(parts, "lengths", 1);
    Batch batch;
    batch.size = static_cast<int>(attention.shape(0));
    batch.source = tokens_of(part<Ints>(parts, "source", 2), {lengths.data(), lengths.data() + lengths.size()});
    batch.target = tokens_of(asked, {});
    std::vector<int> answers(asked.data(), asked.data() + asked.size());
    for (int& answer : answers) answer = answer ? 0 : -1;
    batch.target.ids = answers;
    if (parts.contains("alignment")) {
      const auto alignment = part<Ints>(parts, "alignment", 2);
      batch.alignment.assign(alignment.data(), alignment.data() + alignment.size());
    }
    // A probe reads what it is shown and changes none of it.
    Outcome<float> outcome;
    outcome.answers = answers;
    outcome.attention =
        Cube<float>(const_cast<float*>(attention.data()), attention.shape(0), attention.shape(1), attention.shape(2));
    Evaluation evaluation{.step = step,
                          .first = first,
                          .last = last,
                          .train_loss = std::nan(""),
                          .time = 0,
                          .task = *task_,
                          .batch = batch,
                          .outcome = outcome,
                          .beta = {},
                          .states = {},
                          .parameters = {}};
    Floats beta, states, embedding;
    const auto cube = [&parts](const char* name, Floats& kept) {
      if (!parts.contains(name)) return Cube<const float>();
      kept = part<Floats>(parts, name, 3);
      return Cube<const float>(kept.data(), kept.shape(0), kept.shape(1), kept.shape(2));
    };
    evaluation.beta = cube("beta", beta);
    evaluation.states = cube("states", states);
    std::vector<ParameterView> parameters;
    if (parts.contains("embedding")) {
      embedding = part<Floats>(parts, "embedding", 2);
      parameters.push_back({.name = "embedding.weight",
                            .shape = {embedding.shape(0), embedding.shape(1)},
                            .group = Group::body,
                            .values = {embedding.data(), static_cast<std::size_t>(embedding.size())}});
    }
    evaluation.parameters = parameters;
    const py::gil_scoped_release free;
    Numbers numbers;
    for (const auto& probe : probes_) probe->measure(evaluation, numbers);
    return numbers.values;
  }

  // What a probe that follows a course carries on.
  std::vector<double> memory() const { return probes_.front()->memory(); }
  bool remember(const std::vector<double>& memory) { return probes_.front()->remember(memory); }

 private:
  std::unique_ptr<OtherTask> task_;
  std::vector<std::unique_ptr<Probe>> probes_;
};

// How far rows of a (N, positions) agree with those of b: the share of rows, by chance, and Kendall's τ-b; each row
// over its own first positions, of those that have two or more.
std::map<std::string, double> agreement_of(const Floats& a, const Floats& b, const Ints& lengths) {
  double agreeing = 0, chance = 0, tau = 0;
  std::int64_t rows = 0, ranked = 0;
  std::vector<double> x, y;
  for (py::ssize_t row = 0; row < a.shape(0); ++row) {
    const int length = lengths.at(row);
    if (length < 2) continue;
    x.assign(a.data(row, 0), a.data(row, 0) + length);
    y.assign(b.data(row, 0), b.data(row, 0) + length);
    agreeing += agrees(x, y);
    chance += agreement_by_chance(y);
    ++rows;
    if (const double t = kendall_tau(x, y); !std::isnan(t)) tau += t, ++ranked;
  }
  std::map<std::string, double> found;
  if (rows > 0) {
    found["agreement"] = agreeing / static_cast<double>(rows);
    found["agreement_chance"] = chance / static_cast<double>(rows);
  }
  if (ranked > 0) found["agreement_tau"] = tau / static_cast<double>(ranked);
  return found;
}

// A run that another program made. `key` tells runs of one spec apart: one of the same key is replaced.
std::int64_t add_run(const std::string& file, const std::string& name, const py::dict& settings, const std::string& key,
                     const py::dict& series, const py::list& arrays, const std::string& state, const py::dict& facts) {
  RunRecord run;
  run.experiment = name;
  run.spec = run_spec_from_table(*value_of(settings, "settings").as<ValueTable>());
  run.state = state_named(state);
  run.version = version();
  run.machine = machine_line();
  run.error = facts["error"].cast<std::string>();
  run.started = facts["started"].cast<std::string>();
  run.seconds = facts["seconds"].cast<double>();
  run.steps = facts["steps"].cast<std::int64_t>();
  for (const auto& [metric, points] : series) {
    const auto pair = py::reinterpret_borrow<py::tuple>(points);
    run.series[metric.cast<std::string>()] = {pair[0].cast<std::vector<std::int64_t>>(),
                                              pair[1].cast<std::vector<double>>()};
  }
  for (const py::handle each : arrays) {
    const auto array = py::reinterpret_borrow<py::tuple>(each);
    const auto values = Floats::ensure(array[2]);
    if (!values) throw py::error_already_set();
    run.arrays.push_back({array[0].cast<std::string>(),
                          array[1].cast<std::int64_t>(),
                          {values.shape(), values.shape() + values.ndim()},
                          {values.data(), values.data() + values.size()}});
  }
  Digest digest;
  digest.add(run.spec.text());
  digest.add(key);
  run.hash = digest.hex();
  const py::gil_scoped_release free;
  return Store(file).keep(run);
}

}  // namespace

void bind_observing(py::module_& module) {
  py::class_<Probes, std::shared_ptr<Probes>>(module, "Probes")
      .def(py::init<const std::vector<std::string>&, const std::string&>(), py::arg("names"), py::arg("kind"))
      .def("measure", &Probes::measure, py::arg("first"), py::arg("parts"), py::arg("step") = 0,
           py::arg("last") = false)
      .def("memory", &Probes::memory)
      .def("remember", &Probes::remember);
  module.def("attention_patterns", &pattern_names);
  module.def("pattern_rows", &pattern_rows, py::arg("pattern"), py::arg("rows"), py::arg("columns"), py::arg("causal"));
  module.def("agreement", &agreement_of, py::arg("a"), py::arg("b"), py::arg("lengths"));
  module.def(
      "share_interval",
      [](std::int64_t holding, std::int64_t all) {
        const Estimate share = share_interval(holding, all);
        return py::make_tuple(share.mean, share.low, share.high);
      },
      py::arg("holding"), py::arg("all"));
  module.def(
      "bootstrap_mean",
      [](const std::vector<double>& values, std::uint64_t seed) {
        const Estimate mean = bootstrap_mean(values, seed);
        return py::make_tuple(mean.mean, mean.low, mean.high);
      },
      py::arg("values"), py::arg("seed"));
  module.def("store_add", &add_run, py::arg("file"), py::arg("name"), py::arg("settings"), py::arg("key"),
             py::arg("series"), py::arg("arrays"), py::arg("state"), py::arg("facts"));
}

}  // namespace fovea::python
