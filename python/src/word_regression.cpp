// Binds logistic regression on words (fovea/theory/prediction/word_regression.h), and the splitting of texts into
// words (folder python/src). python/fovea/text and data.py call it.
#include "fovea/theory/prediction/word_regression.h"

#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <algorithm>

#include "fovea/data/words/words.h"
#include "python/src/parts.h"

namespace fovea::python {

namespace {

using Rows = std::vector<std::vector<int>>;

// (texts, classes)
py::array_t<double> scores_of(const WordRegression& fitted, const Rows& texts, int classes) {
  py::array_t<double> scores({static_cast<py::ssize_t>(texts.size()), static_cast<py::ssize_t>(classes)});
  double* at = scores.mutable_data();
  for (const std::vector<int>& text : texts) at = std::ranges::copy(fitted.scores(text), at).out;
  return scores;
}

}  // namespace

void bind_word_regression(py::module_& module) {
  module.def("cut_words", [](const std::string& text) { return cut_words(text); });
  py::class_<WordRegression>(module, "WordRegression")
      .def(py::init([](const Rows& texts, const std::vector<int>& labels, int words, int classes) {
             const py::gil_scoped_release free;
             return WordRegression(texts, labels, words, classes);
           }),
           py::arg("texts"), py::arg("labels"), py::arg("words"), py::arg("classes"))
      .def("scores", &scores_of, py::arg("texts"), py::arg("classes"))
      .def(
          "parts",
          [](const WordRegression& fitted, const std::vector<int>& text, int label) {
            return fitted.parts(text, label);
          },
          py::arg("text"), py::arg("label"))
      .def("weight", &WordRegression::weight, py::arg("word"), py::arg("label"));
}

}  // namespace fovea::python
