// Binds predictions from texts and from tasks (fovea/theory/prediction/prediction.h) (folder python/src).
// python/fovea/prediction.py calls it.
#include <fmt/format.h>
#include <pybind11/stl.h>

#include <cmath>
#include <memory>
#include <optional>
#include <type_traits>
#include <variant>

#include "fovea/data/text/given_bags.h"
#include "fovea/data/words/words.h"
#include "fovea/lab/analysis/prediction_source.h"
#include "fovea/lab/record/prediction_json.h"
#include "fovea/theory/prediction/text_attention.h"
#include "fovea/theory/streams/access_prediction.h"
#include "fovea/view/terminal/prediction/access_prediction_text.h"
#include "fovea/view/terminal/prediction/prediction_text.h"
#include "python/src/arrays.h"
#include "python/src/call.h"
#include "python/src/parts.h"
#include "python/src/values.h"

namespace fovea::python {

namespace {

// The same bags as theory's reader of files makes of a file of these texts.
std::unique_ptr<BagSource> bags_of(const std::vector<std::string>& texts, const std::vector<std::string>& answers,
                                   bool classes) {
  GivenTextBags given;
  given.outputs_are = classes ? BagSource::Outputs::classes : BagSource::Outputs::words;
  given.cut = [classes](std::string_view text) { return classes ? cut_words(text) : split_at_whitespace(text); };
  for (const std::string& text : texts) given.inputs.push_back(given.cut(text));
  for (const std::string& answer : answers)
    given.outputs.push_back(classes ? std::vector{answer} : split_at_whitespace(answer));
  return given_bags(std::move(given));
}

struct Predicted {
  std::unique_ptr<Task> task;  // where it is of one
  std::unique_ptr<BagSource> source;
  Prediction prediction;
  std::optional<TextPredictor> texts;

  bool classes() const { return prediction.kind == BagSource::Outputs::classes; }
};

// Ends a prediction at which somebody has pressed Ctrl-C.
struct Interrupted {};

std::shared_ptr<Predicted> predicted(std::unique_ptr<Task> task, std::unique_ptr<BagSource> source, int threads,
                                     int most_words, Call& call) {
  auto made = std::make_shared<Predicted>();
  made->task = std::move(task);
  made->source = std::move(source);
  Team team(threads);
  PredictionOptions options;
  options.most_words = most_words;
  const bool given = !made->task || made->task->examples(Split::train) > 0;
  options.given = given && made->source->outputs_are() == BagSource::Outputs::classes;
  made->prediction = predict(*made->source, team, options, [&](std::int64_t, std::int64_t) {
    if (call.stop()) throw Interrupted();
  });
  made->texts.emplace(made->prediction, *made->source);
  return made;
}

// [(output, decodable, [(word, deviations)], [(word, deviations, likely, settled by)], [(word, word)])]
py::list outputs_of(const Predicted& made) {
  py::list outputs;
  for (const OutputPrediction& output : made.prediction.outputs) {
    py::list words;
    for (const WordLink& link : output.words)
      words.append(py::make_tuple(made.source->input_word(link.input), link.surely));
    py::list candidates, together;
    for (const Candidate& one : output.candidates)
      candidates.append(
          py::make_tuple(made.source->input_word(one.input), one.surely, one.likely, std::ceil(one.settled_by)));
    for (const auto& [a, b] : output.together)
      together.append(py::make_tuple(made.source->input_word(a), made.source->input_word(b)));
    outputs.append(
        py::make_tuple(made.source->output_word(output.output), output.decodable, words, candidates, together));
  }
  return outputs;
}

py::tuple shade(const Predicted& made, const std::string& text, const std::string& answer) {
  const TextAttention shaded = made.texts->of(text, answer);
  return py::make_tuple(shaded.input, shaded.output, shaded.weights);
}

// What `work` gives, made without the GIL; what Ctrl-C raises, where it was pressed.
template <class Work>
auto interruptible(Work&& work) {
  Call call;
  std::invoke_result_t<Work, Call&> made;
  try {
    const py::gil_scoped_release free;
    made = work(call);
  } catch (const Interrupted&) {
  }
  call.raise();
  return made;
}

}  // namespace

void bind_prediction(py::module_& module) {
  module.def(
      "predict_texts",
      [](const std::vector<std::string>& texts, const std::vector<std::string>& answers, bool classes, int threads,
         int most_words) {
        return interruptible([&](Call& call) {
          return predicted(nullptr, bags_of(texts, answers, classes), threads, most_words, call);
        });
      },
      py::arg("texts"), py::arg("answers"), py::arg("classes"), py::arg("threads"),
      py::arg("most_words") = PredictionOptions().most_words);
  module.def("predict_task", [](const std::string& name, bool quick, const py::dict& settings, std::uint64_t seed,
                                std::int64_t draws, int threads, int most_words) {
    const std::vector<Override> overrides = overrides_of(settings);
    using OfBagsOrAccesses = std::variant<std::shared_ptr<Predicted>, AccessPrediction>;
    NamedTask found;
    OfBagsOrAccesses made = interruptible([&](Call& call) -> OfBagsOrAccesses {
      found = find_task(name, quick ? Preset::quick : Preset::full, overrides, seed);
      std::unique_ptr<Task>& task = found.task;
      if (!task)
        throw wrong_input(fmt::format("there is no task or experiment '{}'", name),
                          "give texts and their labels, or a name (see: fovea.describe(\"tasks\"))");
      if (task->prefetchers()) return predict_accesses(*task);
      std::unique_ptr<BagSource> source = task_bags(*task, draws);
      return predicted(std::move(task), std::move(source), threads, most_words, call);
    });
    return py::make_tuple(std::move(made), dict_of(found.first));  // and the values that a sweep was taken at
  });
  py::class_<Predicted, std::shared_ptr<Predicted>>(module, "Predicted")
      .def_property_readonly("classes", &Predicted::classes)
      .def_property_readonly("examples", [](const Predicted& p) { return p.prediction.examples; })
      .def_property_readonly("signal", [](const Predicted& p) { return p.prediction.signal; })
      .def_property_readonly("error", [](const Predicted& p) { return p.prediction.error; })
      .def_property_readonly("verdict", [](const Predicted& p) { return verdict_name(p.prediction.verdict); })
      .def_property_readonly("says", [](const Predicted& p) { return verdict_text(p.prediction); })
      .def_property_readonly("because", [](const Predicted& p) { return p.prediction.because; })
      .def_property_readonly("outputs", &outputs_of)
      .def_property_readonly("json", [](const Predicted& p) { return prediction_json(p.prediction, *p.source).dump(); })
      .def_property_readonly("halves",
                             [](const Predicted& p) {  // times: knowledge, attention, 90 % correct
                               const Course& course = p.prediction.course;
                               return py::make_tuple(course.knowledge_half, course.attention_half, course.correct_90);
                             })
      .def("course",
           [](const std::shared_ptr<Predicted>& p) {
             const py::object owner = py::cast(p);
             const Course& course = p->prediction.course;
             py::dict curves;
             curves["time"] = view_of(course.times, owner);
             curves["knowledge"] = view_of(course.knowledge, owner);
             curves["attention"] = view_of(course.attention, owner);
             curves["correct"] = view_of(course.correct, owner);
             if (!course.accuracy.empty()) curves["accuracy"] = view_of(course.accuracy, owner);
             return curves;
           })
      .def("shade", &shade)  // (words, answers, a row of weights for each answer)
      .def("text", [](const Predicted& p) { return prediction_text(p.prediction, *p.source, Terminal()); });
  py::class_<AccessPrediction>(module, "PredictedAccesses")
      .def_readonly("trained_on", &AccessPrediction::trained_on)
      .def_readonly("asked", &AccessPrediction::asked)
      .def_property_readonly("fitted",
                             [](const AccessPrediction& p) { return py::make_tuple(p.fitted.first, p.fitted.last); })
      .def_property_readonly("scored",
                             [](const AccessPrediction& p) { return py::make_tuple(p.scored.first, p.scored.last); })
      .def_property_readonly("told", [](const AccessPrediction& p) { return p.told.both; })
      .def_property_readonly("told_page", [](const AccessPrediction& p) { return p.told.page; })
      .def_property_readonly("told_offset", [](const AccessPrediction& p) { return p.told.offset; })
      .def_property_readonly("in_window", [](const AccessPrediction& p) { return p.in_window.both; })
      .def_property_readonly("interval",
                             [](const AccessPrediction& p) {
                               const Estimate interval = p.interval();
                               return py::make_tuple(interval.low, interval.high);
                             })
      .def_property_readonly("enough", &AccessPrediction::enough)
      .def_readonly("new_pages", &AccessPrediction::new_pages)
      .def_property_readonly("tables",
                             [](const AccessPrediction& p) {
                               py::dict tables;
                               for (const TableScore& table : p.tables) tables[py::str(table.name)] = table.both;
                               return tables;
                             })
      .def("text", [](const AccessPrediction& p) { return access_prediction_text(p, Terminal()); });
}

}  // namespace fovea::python
