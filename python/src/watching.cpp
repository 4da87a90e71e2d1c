#include "python/src/watching.h"

#include <fmt/format.h>

#include <utility>

#include "python/src/arrays.h"
#include "python/src/parts.h"
#include "python/src/values.h"

namespace fovea::python {

namespace {

py::capsule held(std::shared_ptr<const void> owner) {
  return py::capsule(new std::shared_ptr<const void>(std::move(owner)),
                     [](void* kept) { delete static_cast<std::shared_ptr<const void>*>(kept); });
}

py::object array_of(const StepArray& array) {
  if (!array.data) return py::none();
  const py::capsule owner = held(array.owner);
  if (array.float64) return view_of(static_cast<const double*>(array.data), sizes_of(array.shape), owner);
  return view_of(static_cast<const float*>(array.data), sizes_of(array.shape), owner);
}

// An update as the callback sees it. What was taken from it stays good; itself it is good during the callback alone.
class Step {
 public:
  explicit Step(StepView& view) : view_(&view), number_(view.step()), of_(view.of()), loss_(view.loss()) {}
  void close() { view_ = nullptr; }

  std::int64_t number() const { return number_; }
  std::int64_t of() const { return of_; }
  double loss() const { return loss_; }
  py::object attention() { return array_of(view().attention()); }
  py::object beta() { return array_of(view().beta()); }
  py::dict parameters() { return named(&StepView::parameter); }
  py::dict gradients() { return named(&StepView::gradient); }
  py::object source() { return tokens(&Batch::source); }
  py::object target() { return tokens(&Batch::target); }
  py::object labels() {
    const auto batch = view().batch();
    if (batch->labels.empty()) return py::none();
    return view_of(batch->labels, held(batch));
  }

 private:
  StepView& view() const {
    if (!view_)
      throw failure(fmt::format("step {} is over: its data can be read only during the callback", number_),
                    "copy the arrays in the callback: copies stay valid");
    return *view_;
  }
  py::dict named(StepArray (StepView::*get)(std::size_t)) {
    py::dict arrays;
    for (std::size_t i = 0; i < view().parameters(); ++i)
      arrays[py::str(view().parameter_name(i))] = array_of((view().*get)(i));
    return arrays;
  }
  py::object tokens(Tokens Batch::*which) {
    const auto batch = view().batch();
    const Tokens& tokens = (*batch).*which;
    if (tokens.rows == 0) return py::none();
    return view_of(tokens.ids.data(), {tokens.rows, tokens.columns}, held(batch));
  }

  StepView* view_;
  std::int64_t number_, of_;
  double loss_;
};

ValueList interventions_of(const py::object& said) {
  const Value value = value_of(said, "intervene");
  if (const auto* list = value.as<ValueList>()) return *list;
  return {value};
}

}  // namespace

PythonWatcher::PythonWatcher(Call& call, py::object on_step, py::object intervene)
    : call_(call), on_step_(std::move(on_step)), intervene_(std::move(intervene)) {}

ValueList PythonWatcher::interventions(std::int64_t step) {
  ValueList wanted;
  if (intervene_.is_none()) return wanted;
  call_.back([&] {
    if (const py::object said = intervene_(step); !said.is_none()) wanted = interventions_of(said);
  });
  return wanted;
}

py::object PythonWatcher::weights() const {
  if (!seen_) return py::none();
  py::dict weights;
  for (const auto& [name, array] : weights_) weights[py::str(name)] = array_of(array);
  return weights;
}

void PythonWatcher::watch(StepView& view) {
  if (!std::exchange(seen_, true))
    for (std::size_t i = 0; i < view.parameters(); ++i)
      weights_.emplace_back(view.parameter_name(i), view.parameter(i));
  if (on_step_.is_none()) return;
  call_.back([&] {
    const auto step = std::make_shared<Step>(view);
    struct Closing {
      Step& step;
      ~Closing() { step.close(); }
    } closing{*step};
    on_step_(step);
  });
}

void bind_watching(py::module_& module) {
  py::class_<Step, std::shared_ptr<Step>>(module, "Step", R"(Show one update to a callback, before the parameters move.

This object is good during the callback alone. Arrays are the engine's own memory, read-only: attention and β keep their values, parameters and
gradients change as the training goes on. A part that the model or the task does not have is None.

Attributes
----------
number : int
    The number of the update, from 0.
of : int
    The number of updates of the training.
loss : float
    The loss of the batch.
attention : array, (examples, rows, positions)
    The weights; of several heads their mean.
beta : array, (examples, rows, positions)
    β. It is computed when it is first read.
parameters : dict
    The array of each parameter, by name.
gradients : dict
    The array of each parameter's gradient, by name.
source : array of int32, (examples, positions)
    Tokens of the batch, -1 behind the end of an example.
target : array of int32, (examples, rows)
    The right token of each row, -1 for a row without an answer.
labels : array of int32, (examples,)
    The class of each example, from 0.

Examples
--------
>>> import fovea
>>> losses = []
>>> run = fovea.run("toy-uniform", steps=3, keep=False, on_step=lambda step: losses.append(step.loss))
>>> len(losses)
3)")
      .def_property_readonly("number", &Step::number)
      .def_property_readonly("of", &Step::of)
      .def_property_readonly("loss", &Step::loss)
      .def_property_readonly("attention", &Step::attention)
      .def_property_readonly("beta", &Step::beta)
      .def_property_readonly("parameters", &Step::parameters)
      .def_property_readonly("gradients", &Step::gradients)
      .def_property_readonly("source", &Step::source)
      .def_property_readonly("target", &Step::target)
      .def_property_readonly("labels", &Step::labels)
      .def("__repr__", [](const Step& step) {
        return fmt::format("<step {} of {}, loss {:.4g}>", step.number(), step.of(), step.loss());
      });
}

}  // namespace fovea::python
