// Probe `python`: a function of Python (fovea.Probe) as a probe (folder python/src). The Evaluator (lab/train) calls
// it; function(batch, outcome, model) gives numbers and arrays at each evaluation. python/fovea/probes.py has the
// list of live ones, and also checks their results.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "fovea/lab/query/expression.h"
#include "fovea/lab/record/held_name.h"
#include "fovea/probe/probe.h"
#include "python/src/arrays.h"
#include "python/src/parts.h"

namespace fovea::python {

namespace {

// An evaluation while a function is shown it: the engine's memory is its own again afterwards.
class Shown {
 public:
  explicit Shown(const Evaluation& evaluation) : evaluation_(&evaluation) {}
  void close() { evaluation_ = nullptr; }
  const Evaluation& get() const {
    if (!evaluation_)
      throw failure("the evaluation is over: a probe can read it only during its call",
                    "keep the arrays in the call: they are copies");
    return *evaluation_;
  }

 private:
  const Evaluation* evaluation_;
};

template <class Number>
py::array copy_of(const Number* from, const std::vector<py::ssize_t>& shape) {
  return py::array_t<Number>(shape, from);
}

template <int Rank, class Number>
py::object copy_of(const View<Number, Rank>& view) {
  if (view.empty()) return py::none();
  return copy_of<std::remove_const_t<Number>>(view.data(), {view.shape().begin(), view.shape().end()});
}

template <class Number>
py::object rows_of(const std::vector<Number>& values, int rows) {  // (rows, …), or (rows) where each has one
  if (values.empty() || rows == 0) return py::none();
  const auto each = static_cast<py::ssize_t>(values.size()) / rows;
  return copy_of(values.data(), each == 1 ? std::vector<py::ssize_t>{rows} : std::vector<py::ssize_t>{rows, each});
}

py::object tokens_of(const Tokens& tokens) {
  if (tokens.rows == 0) return py::none();
  return copy_of(tokens.ids.data(), {tokens.rows, tokens.columns});
}

// (rows, items, width); of one item each, or one row of points, (items, width).
py::object items_of(const Items& items, bool one_set) {
  if (items.rows == 0 || items.width == 0) return py::none();
  std::vector<py::ssize_t> shape{items.rows, items.columns, items.width};
  if (one_set) shape = {py::ssize_t{items.rows} * items.columns, items.width};
  py::array_t<float> copy(shape);
  float* to = copy.mutable_data();
  for (int row = 0; row < items.rows; ++row)
    for (int column = 0; column < items.columns; ++column) to = std::copy_n(items.item(row, column), items.width, to);
  return copy;
}

// The three things that a function is given.
struct ProbeBatch {
  std::shared_ptr<const Shown> shown;

  const Batch& batch() const { return shown->get().batch; }
  py::object items(Items Batch::*which) const {
    const Kind kind = shown->get().task.shape().kind;
    const Items& items = batch().*which;
    return items_of(items, kind == Kind::labelled_vectors || (kind == Kind::points && items.rows == 1));
  }
  bool is(Kind kind) const { return shown->get().task.shape().kind == kind; }
};
struct ProbeOutcome {
  std::shared_ptr<const Shown> shown;

  const Outcome<float>& outcome() const { return shown->get().outcome; }
};
struct ProbeModel {
  std::shared_ptr<const Shown> shown;
};

class OwnProbe final : public Probe {
 public:
  explicit OwnProbe(py::object probe)
      : name_(probe.attr("name").cast<std::string>()),
        beta_(probe.attr("beta").cast<bool>()),
        examples_(examples_named(probe.attr("examples").cast<std::string>())),
        probe_(std::move(probe)) {}
  ~OwnProbe() override {
    const py::gil_scoped_acquire held;
    probe_ = {};
  }

  bool wants_beta() const override { return beta_; }
  bool needs_beta() const override { return beta_; }
  Examples examples() const override { return examples_; }

  void measure(const Evaluation& evaluation, Readings& readings) override {
    const auto start = std::chrono::steady_clock::now();
    const py::gil_scoped_acquire held;
    const auto shown = std::make_shared<Shown>(evaluation);
    struct Closing {
      Shown& shown;
      ~Closing() { shown.close(); }
    } closing{*shown};
    try {
      const py::tuple said =
          probe_.attr("_measure")(ProbeBatch{shown}, ProbeOutcome{shown}, ProbeModel{shown}, evaluation.step);
      read(said, evaluation.step, readings);
    } catch (py::error_already_set& error) {
      if (!error.matches(PyExc_KeyboardInterrupt)) throw;
      PyErr_SetInterrupt();  // for whoever looks for signals: the training ends, as without a probe
    }
    seconds_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    const float spent = static_cast<float>(std::exchange(seconds_, 0));
    readings.array(fmt::format("probe_seconds.{}", name_), {1}, {&spent, 1});
  }

 private:
  static Examples examples_named(const std::string& name) {
    return name == "same" ? Examples::same : name == "kept" ? Examples::kept : Examples::fresh;
  }

  [[noreturn]] static void refuse(std::int64_t step, const std::string& problem, const std::string& remedy) {
    throw step == 0 ? wrong_input(problem, remedy) : failure(problem, remedy);
  }

  // Whether a condition on runs would read a series of this name by it.
  static bool is_free(const std::string& name) {
    if (std::ranges::find(run_facts(), name) != run_facts().end() || RunSpec().setting(name)) return false;
    if (name == "train_loss" || is_held_name(name)) return false;
    try {
      return Expression::parse(name).is_name();
    } catch (const Error&) {  // of a function
      return false;
    }
  }

  // said: numbers, arrays, and what is wrong, with what to do about it.
  void read(const py::tuple& said, std::int64_t step, Readings& readings) const {
    if (const auto problem = said[2].cast<std::string>(); !problem.empty())
      refuse(step, problem, said[3].cast<std::string>());
    for (const auto& [key, value] : said[0].cast<py::dict>()) {
      const auto name = key.cast<std::string>();
      if (!is_free(name))
        refuse(step, fmt::format("the probe '{}' measures '{}', a name with another meaning", name_, name),
               "give the number another name");
      readings.number(name, value.cast<double>());
    }
    for (const auto& [key, value] : said[1].cast<py::dict>()) {
      const auto array = py::reinterpret_borrow<py::array_t<float, py::array::c_style>>(value);
      readings.array(key.cast<std::string>(), {array.shape(), array.shape() + array.ndim()},
                     {array.data(), static_cast<std::size_t>(array.size())});
    }
  }

  std::string name_;
  bool beta_;
  Examples examples_;
  double seconds_ = 0;
  py::object probe_;
};

class PythonProbes final : public ProgramProbes {
 public:
  std::unique_ptr<Probe> make(const std::string& name, const Location& location) const override {
    const py::gil_scoped_acquire held;
    const py::tuple found = py::module_::import("fovea.probes").attr("find")(name);  // probe, problem, remedy
    if (found[0].is_none()) throw wrong_input(found[1].cast<std::string>(), found[2].cast<std::string>(), location);
    return std::make_unique<OwnProbe>(found[0]);
  }
};

const Register<ProgramProbes> registered_probes("python", "functions of Python (fovea.Probe)",
                                                [] { return std::make_unique<PythonProbes>(); });

}  // namespace

void bind_own_probes(py::module_& module) {
  py::class_<ProbeBatch>(module, "ProbeBatch", R"(Show the examples of an evaluation to a probe.

This object is good during the call alone. Arrays are copies. A part that the task does not have is None.

Under ``fovea.observe`` an object with ``size``, ``source`` (tokens), ``alignment`` (the ``truth``) and ``given`` (the
input of the module) takes its place. The other parts are None.

Attributes
----------
size : int
    The number of examples.
source : array of int32, (examples, positions)
    Tokens, -1 behind the end of an example.
target : array of int32, (examples, rows)
    The right token of each row, -1 for a row without an answer.
labels : array of int32, (examples,)
    The class of each example, from 0.
alignment : array of int32, (examples, rows)
    The true position of each row, -1 for none.
marked : array of uint8, (examples, positions)
    1 at positions, items or features that determine the label.
items : array of float32, (examples, items, width)
    The vectors of bags. Single vectors have the shape (examples, width).
lengths : array of int32, (examples,)
    The number of items of each bag.
keys : array of float32, (points, width)
    The keys of pooling. Several sets of points have the shape (sets, points, width), here and below.
values : array of float32, (points, value width)
    The values of pooling.
queries : array of float32, (queries, width)
    The queries of pooling.
answers : array of float32, (queries, value width)
    The right predictions of pooling.

Examples
--------
>>> import fovea
>>> probe = fovea.Probe(lambda batch, outcome, model: {"examples": batch.size}, name="count")
>>> fovea.run("copy-subset", quick=True, steps=10, keep=False, probes=[probe]).metrics["examples"]
50.0)")
      .def_property_readonly("size", [](const ProbeBatch& b) { return b.batch().size; })
      .def_property_readonly("source", [](const ProbeBatch& b) { return tokens_of(b.batch().source); })
      .def_property_readonly("target", [](const ProbeBatch& b) { return tokens_of(b.batch().target); })
      .def_property_readonly("labels", [](const ProbeBatch& b) { return rows_of(b.batch().labels, b.batch().size); })
      .def_property_readonly("alignment",
                             [](const ProbeBatch& b) { return rows_of(b.batch().alignment, b.batch().size); })
      .def_property_readonly("marked", [](const ProbeBatch& b) { return rows_of(b.batch().marked, b.batch().size); })
      .def_property_readonly(
          "items", [](const ProbeBatch& b) { return b.is(Kind::points) ? py::none() : b.items(&Batch::items); })
      .def_property_readonly("lengths",
                             [](const ProbeBatch& b) {
                               return b.is(Kind::labelled_bags) ? rows_of(b.batch().items.lengths, b.batch().size)
                                                                : py::none();
                             })
      .def_property_readonly(
          "keys", [](const ProbeBatch& b) { return b.is(Kind::points) ? b.items(&Batch::items) : py::none(); })
      .def_property_readonly("values", [](const ProbeBatch& b) { return b.items(&Batch::values); })
      .def_property_readonly("queries", [](const ProbeBatch& b) { return b.items(&Batch::queries); })
      .def_property_readonly("answers", [](const ProbeBatch& b) { return b.items(&Batch::answers); });
  py::class_<ProbeOutcome>(module, "ProbeOutcome", R"(Show the outcome of the examples to a probe.

This object is good during the call alone. Arrays are copies. A part that the model does not have is None.

Under ``fovea.observe`` an object with ``loss``, ``attention`` (of the last site), ``heads``, ``beta``, ``answer``
(log-probabilities, (examples, rows)) and ``output`` (of the module) takes its place. ``scores``, ``answers`` and
``predictions`` are None.

Attributes
----------
loss : float
    The mean loss of the rows that have an answer.
scores : array of float32, (all rows, classes)
    The scores of each class. Two classes may have one column: the logit of class 1.
answers : array of int32, (all rows,)
    The right class of each row. It is flat: one entry for each row, example after example, -1 for a row without an answer.
attention : array of float32, (examples, rows, positions)
    The weights; of several heads their mean.
heads : dict
    The map of each head, such as ``"layer.1.head.2"``, in the shape of ``attention``. Empty for a single map.
predictions : array of float32, (queries, value width)
    The predictions of pooling.
beta : array of float32, (examples, rows, positions)
    β, if the probe has ``beta=True``.

Examples
--------
>>> import fovea
>>> probe = fovea.Probe(lambda batch, outcome, model: {"largest": outcome.attention.max()}, name="largest")
>>> 0 < fovea.run("copy-subset", quick=True, steps=10, keep=False, probes=[probe]).metrics["largest"] <= 1
True)")
      .def_property_readonly("loss", [](const ProbeOutcome& o) { return o.outcome().loss; })
      .def_property_readonly("scores", [](const ProbeOutcome& o) { return copy_of(o.outcome().scores); })
      .def_property_readonly("answers",
                             [](const ProbeOutcome& o) -> py::object {
                               const std::span<const int> answers = o.outcome().answers;
                               if (answers.empty()) return py::none();
                               return copy_of(answers.data(), {static_cast<py::ssize_t>(answers.size())});
                             })
      .def_property_readonly("attention", [](const ProbeOutcome& o) { return copy_of(o.outcome().attention); })
      .def_property_readonly("heads",
                             [](const ProbeOutcome& o) {
                               py::dict maps;
                               for (const AttentionMap<float>& map : o.outcome().further)
                                 maps[py::str(std::string(map.name))] = copy_of(map.weights);
                               return maps;
                             })
      .def_property_readonly("predictions", [](const ProbeOutcome& o) { return copy_of(o.outcome().predictions); })
      .def_property_readonly("beta", [](const ProbeOutcome& o) { return copy_of(o.shown->get().beta); });
  py::class_<ProbeModel>(module, "ProbeModel",
                         R"(Show the model of an evaluation to a probe. This object is good during the call alone.

Under ``fovea.observe`` an object with ``step``, ``parameters`` and ``module`` (the module of PyTorch) takes its place.

Attributes
----------
step : int
    The number of updates that are done.
parameters : dict
    The arrays of float32 of all parameters, by name.

Examples
--------
>>> import fovea
>>> probe = fovea.Probe(lambda batch, outcome, model: {"now": model.step}, name="now")
>>> fovea.run("toy-uniform", steps=10, keep=False, probes=[probe]).metrics["now"]
10.0)")
      .def_property_readonly("step", [](const ProbeModel& m) { return m.shown->get().step; })
      .def_property_readonly("parameters", [](const ProbeModel& m) {
        py::dict all;
        for (const ParameterView& p : m.shown->get().parameters)
          all[py::str(p.name)] = copy_of(p.values.data(), sizes_of(p.shape));
        return all;
      });
}

}  // namespace fovea::python
