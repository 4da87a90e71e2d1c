// Model `python-pooling`: attention pooling whose similarity is a function of Python, f(q) = Σ_i α(q, k_i) v_i
// (folder python/src). lab/spec makes it by name for runs of python/fovea/similarities.py. It is model `pooling` with
// all pairs at once: memory is O(m n). Numbers cross as float64.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

#include "fovea/model/items/items.h"
#include "fovea/model/model.h"
#include "fovea/nn/attention/attention.h"
#include "fovea/nn/loss.h"
#include "python/src/arrays.h"
#include "python/src/lent.h"
#include "python/src/parts.h"

namespace fovea::python {

namespace {

constexpr Index most_differenced = 64;  // numbers to learn, where there is no gradient: two calls each at every update

using Doubles = py::array_t<double, py::array::c_style | py::array::forcecast>;

// What a similarity in Python is here: scores(queries, keys, **parameters) -> (m, n), and perhaps
// gradient(queries, keys, d_scores, **parameters) -> {parameter: d loss / d parameter}.
struct GivenSimilarity : PythonPart {
  struct Parameter {
    std::string name;
    std::vector<Index> shape;  // () is a number, and comes as one
    double start = 0;          // of a number; the others are drawn
  };
  py::object scores, gradient;
  std::vector<Parameter> parameters;
};

// One pass's queries, keys and parameters as Python gets them. Lives with the GIL.
class Pairs {
 public:
  template <class T>
  Pairs(GivenSimilarity& given, Matrix<const T> queries, Matrix<const T> keys, const ParameterSet<T>& set)
      : given_(given), queries_(array(queries)), keys_(array(keys)) {
    for (const GivenSimilarity::Parameter& p : given.parameters) {
      const Param<T>& now = *set.find(p.name);
      Doubles values(sizes_of(p.shape));
      std::copy_n(now.value, now.count(), values.mutable_data());
      parameters_.push_back(std::move(values));
    }
  }

  // (m, n), checked.
  Doubles scores() const {
    const Doubles scores = numbers(given_.scores(queries_, keys_, **named()), "it");
    const std::vector<Index> wanted{queries_.shape(0), keys_.shape(0)}, is = shape_of(scores);
    if (is != wanted)
      throw wrong_input(fmt::format("the similarity '{}' gave an array ({}) for {} queries and {} keys", given_.name,
                                    fmt::join(is, ", "), wanted[0], wanted[1]),
                        "give a number for each pair: a row for each query, a column for each key");
    for (py::ssize_t i = 0; i < scores.size(); ++i) {
      const double x = scores.data()[i];
      if (std::isnan(x) || x == std::numeric_limits<double>::infinity())
        throw wrong_input(fmt::format("the similarity '{}' is {} for query {} and key {}", given_.name,
                                      std::isnan(x) ? "not a number" : "infinite", i / wanted[1], i % wanted[1]),
                          "return a number for every pair; -infinity means that a key is not attended to");
    }
    return scores;
  }

  // d loss / d each parameter.
  std::vector<Doubles> gradient(const Doubles& d_scores) {
    return given_.gradient.is_none() ? differences(d_scores) : asked(d_scores);
  }

 private:
  static std::vector<Index> shape_of(const py::array& array) { return {array.shape(), array.shape() + array.ndim()}; }
  template <class T>
  static Doubles array(Matrix<const T> from) {
    Doubles to({from.size(0), from.size(1)});
    std::copy_n(from.data(), from.count(), to.mutable_data());
    make_read_only(to);
    return to;
  }

  Doubles numbers(const py::object& given, const std::string& what) const {
    auto array = Doubles::ensure(given);
    if (array) return array;
    PyErr_Clear();
    throw wrong_input(fmt::format("the similarity '{}' gave {} of type {}", given_.name, what,
                                  py::str(py::type::handle_of(given).attr("__name__")).cast<std::string>()),
                      "give an array of numbers");
  }

  // As the function's keywords: numbers and arrays of its own.
  py::dict named() const {
    py::dict all;
    for (std::size_t i = 0; i < parameters_.size(); ++i) {
      const GivenSimilarity::Parameter& p = given_.parameters[i];
      if (p.shape.empty()) all[py::str(p.name)] = *parameters_[i].data();
      else all[py::str(p.name)] = Doubles(sizes_of(p.shape), parameters_[i].data());
    }
    return all;
  }

  std::vector<Doubles> asked(const Doubles& d_scores) const {
    const py::object given = given_.gradient(queries_, keys_, d_scores, **named());
    if (!py::isinstance<py::dict>(given))
      throw wrong_input(fmt::format("the gradient of the similarity '{}' is no dict", given_.name),
                        "give {parameter: its gradient}");
    const auto all = py::reinterpret_borrow<py::dict>(given);
    std::vector<Doubles> gradients;
    for (const GivenSimilarity::Parameter& p : given_.parameters) {
      if (!all.contains(py::str(p.name)))
        throw wrong_input(fmt::format("the gradient of the similarity '{}' has no '{}'", given_.name, p.name),
                          "give one for each parameter");
      gradients.push_back(numbers(all[py::str(p.name)], fmt::format("a gradient of '{}'", p.name)));
      if (shape_of(gradients.back()) != p.shape && !(p.shape.empty() && gradients.back().size() == 1))
        throw wrong_input(fmt::format("the gradient of '{}' of the similarity '{}' has the shape ({})", p.name,
                                      given_.name, fmt::join(shape_of(gradients.back()), ", ")),
                          fmt::format("it must have ({}), as the parameter", fmt::join(p.shape, ", ")));
    }
    return gradients;
  }

  // Central differences of Σ d_scores · scores. A pair that is not attended to has no part in it.
  std::vector<Doubles> differences(const Doubles& d_scores) {
    std::vector<Doubles> gradients;
    for (Doubles& values : parameters_) {
      Doubles gradient(std::vector<py::ssize_t>(values.shape(), values.shape() + values.ndim()));
      for (py::ssize_t i = 0; i < values.size(); ++i) {
        double& x = values.mutable_data()[i];
        const double before = x, step = 6e-6 * std::max(1.0, std::abs(before));
        x = before + step;
        const Doubles above = scores();
        x = before - step;
        const Doubles below = scores();
        x = before;
        double sum = 0;
        for (py::ssize_t j = 0; j < d_scores.size(); ++j)
          if (std::isfinite(above.data()[j]) && std::isfinite(below.data()[j]))
            sum += d_scores.data()[j] * (above.data()[j] - below.data()[j]);
        gradient.mutable_data()[i] = sum / (2 * step);
      }
      gradients.push_back(std::move(gradient));
    }
    return gradients;
  }

  GivenSimilarity& given_;
  Doubles queries_, keys_;
  std::vector<Doubles> parameters_;
};

template <class T>
class OwnPooling final : public Model<T> {
 public:
  void settings(Fields& fields) override {
    fields.text("key", key_, "function that gives the similarity of a query and a key");
    fields.choice("train_on", train_on_, {{"leave-one-out", TrainOn::leave_one_out}, {"queries", TrainOn::queries}},
                  "error that training minimises: at each key answered from the others, or at the queries");
  }
  Kind takes() const override { return Kind::points; }

  void build(const TaskShape& shape, ParameterSet<T>& parameters) override {
    width_ = shape.width;
    value_width_ = shape.value_width;
    given_ = Lent<GivenSimilarity>::all().find(key_, "similarity");
    parameters_ = &parameters;
    for (const GivenSimilarity::Parameter& p : given_->parameters) {
      if (p.shape.empty()) parameters.add(p.name, {1}, Init::constant(p.start), Group::attention);
      else
        parameters.add(p.name, p.shape, Init::uniform(1 / std::sqrt(static_cast<double>(p.shape.back()))),
                       Group::attention);
    }
    const py::gil_scoped_acquire held;
    if (given_->gradient.is_none() && static_cast<Index>(parameters.count()) > most_differenced)
      throw wrong_input(
          fmt::format("the similarity '{}' has {} numbers to learn and no gradient", given_->name, parameters.count()),
          fmt::format("give its gradient: without one up to {} are learned", most_differenced));
  }

  Trace<T> forward(Compute& compute, const Batch& batch, const Pass& pass) const override {
    Trace<T> trace(batch, pass);
    TraceArrays own;
    const bool leave_out = pass.training && train_on_ == TrainOn::leave_one_out;
    own.keys = matrix_of<T>(compute, batch.items);
    own.queries = leave_out ? own.keys : matrix_of<T>(compute, batch.queries);
    const Index m = own.queries.size(0), n = own.keys.size(0);
    if (leave_out && n < 2)
      throw wrong_input("there is one point, and it cannot be answered from the others",
                        "give more, or set train_on = \"queries\"");
    own.attention = Attention<T>::make(compute, 1, m, n, {}, {});
    own.learned = pass.rules.of(1, 1).pattern != AttentionRule::Pattern::uniform;
    if (own.learned) score(own);
    else std::fill_n(own.attention.weights.data(), m * n, T{0});
    for (Index i = 0; i < m; ++i) finish_row(own, i, leave_out);
    own.attention.weigh(compute.team);

    const Matrix<const T> values = matrix_of<T>(compute, batch.values);
    own.values = batch_major(Cube<const T>(values.data(), 1, n, value_width_));
    const Cube<T> answers = compute.array<T>(1, m, value_width_);
    own.attention.sum(compute.team, own.values, batch_major(answers));
    trace.predictions = Matrix<T>(answers.data(), m, value_width_);
    trace.attention = own.attention.weights;
    const Items& truth = leave_out ? batch.values : batch.answers;
    if (truth.columns == m && m > 0) {
      const Matrix<const T> wanted = matrix_of<T>(compute, truth);
      own.d_answers = compute.array<T>(1, m, value_width_);
      trace.loss = squared_error(compute, std::span<const T>(answers.flat()), std::span<const T>(wanted.flat()),
                                 own.d_answers.flat());
    }
    trace.keep(compute, own);
    return trace;
  }

  void backward(Compute& compute, const Trace<T>& trace) const override {
    const TraceArrays& own = trace.template own<TraceArrays>();
    if (!own.learned || own.d_answers.empty() || given_->parameters.empty()) return;
    const Index m = own.queries.size(0), n = own.keys.size(0);
    const Cube<T> d_scores = own.attention.backward(compute, own.values, batch_major(Cube<const T>(own.d_answers)), {});
    given_->call("similarity", [&] {
      Doubles d({m, n});
      std::copy_n(d_scores.data(), m * n, d.mutable_data());
      Pairs pairs(*given_, own.queries, own.keys, *parameters_);
      const std::vector<Doubles> gradients = pairs.gradient(d);
      for (std::size_t p = 0; p < gradients.size(); ++p) {
        T* const to = parameters_->find(given_->parameters[p].name)->gradient;
        for (py::ssize_t i = 0; i < gradients[p].size(); ++i) to[i] += static_cast<T>(gradients[p].data()[i]);
      }
    });
  }

 private:
  enum class TrainOn { leave_one_out, queries };

  // Of a forward.
  struct TraceArrays {
    Matrix<const T> keys, queries;  // (n,d), (m,d)
    Sequences<const T> values;      // (1,n,V)
    Attention<T> attention;         // (1,m,n); held: a query without a neighbour
    Cube<T> d_answers;              // (1,m,V)
    bool learned = false;
  };

  void score(const TraceArrays& own) const {
    given_->call("similarity", [&] {
      const Doubles scores = Pairs(*given_, own.queries, own.keys, *parameters_).scores();
      std::transform(scores.data(), scores.data() + scores.size(), own.attention.weights.data(),
                     [](double x) { return static_cast<T>(x); });
    });
  }

  // Leaves key i out of the answer to query i; a query without a neighbour finds all keys alike.
  static void finish_row(const TraceArrays& own, Index i, bool leave_out) {
    constexpr T nothing = -std::numeric_limits<T>::infinity();
    const std::span<T> row = own.attention.weights[0][i].flat();
    if (leave_out) row[static_cast<std::size_t>(i)] = nothing;
    if (std::any_of(row.begin(), row.end(), [](T x) { return x != nothing; })) return;
    std::fill(row.begin(), row.end(), T{0});
    if (leave_out) row[static_cast<std::size_t>(i)] = nothing;
    own.attention.held[static_cast<std::size_t>(i)] = 1;
  }

  std::string key_;
  TrainOn train_on_ = TrainOn::leave_one_out;
  Index width_ = 0, value_width_ = 0;
  std::shared_ptr<GivenSimilarity> given_;
  const ParameterSet<T>* parameters_ = nullptr;
};

const RegisterModel<OwnPooling> registered_pooling("python-pooling",
                                                   "attention pooling by a function of Python (fovea.Similarity)");

}  // namespace

void bind_own_similarities(py::module_& module) {
  module.def("add_similarity", [](const std::string& name, const py::object& scores, const py::object& gradient,
                                  const std::vector<std::tuple<std::string, std::vector<Index>, double>>& parameters) {
    auto given = std::make_shared<GivenSimilarity>();
    given->name = name;
    given->scores = scores;
    given->gradient = gradient;
    for (const auto& [parameter, shape, start] : parameters) given->parameters.push_back({parameter, shape, start});
    return Lent<GivenSimilarity>::all().add(std::move(given));
  });
  // The exception that it raised since this was last asked, or None.
  module.def("similarity_error", [](const std::string& key) {
    return std::exchange(Lent<GivenSimilarity>::all().find(key, "similarity")->raised, py::none());
  });
  module.def("remove_similarity", [](const std::string& key) { Lent<GivenSimilarity>::all().take(key); });
}

}  // namespace fovea::python
