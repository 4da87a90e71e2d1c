// Predictions from texts at hand, and from tasks (fovea/theory/prediction.h).
#include <fmt/format.h>
#include <pybind11/stl.h>

#include <cmath>
#include <memory>
#include <optional>
#include <set>
#include <type_traits>
#include <variant>

#include "fovea/data/text/labelled_source.h"
#include "fovea/data/text/word_counts.h"
#include "fovea/lab/analysis/prediction_source.h"
#include "fovea/theory/streams/access_prediction.h"
#include "fovea/theory/text_attention.h"
#include "fovea/view/terminal/access_prediction_text.h"
#include "fovea/view/terminal/prediction_text.h"
#include "python/src/arrays.h"
#include "python/src/call.h"
#include "python/src/parts.h"
#include "python/src/values.h"

namespace fovea::python {

namespace {

constexpr std::size_t most_words = 1'000'000;

// Words and their ids: by falling frequency for words of texts, by their letters for classes.
class Words {
 public:
  Words() = default;
  explicit Words(std::vector<std::string> words) : words_(std::move(words)) {
    for (std::size_t id = 0; id < words_.size(); ++id) ids_.emplace(words_[id], static_cast<int>(id));
  }
  int size() const { return static_cast<int>(words_.size()); }
  const std::string& word(int id) const { return words_[static_cast<std::size_t>(id)]; }
  int id(std::string_view word) const {  // -1: not known
    const auto found = ids_.find(word);
    return found == ids_.end() ? -1 : found->second;
  }

 private:
  std::vector<std::string> words_;
  TextMap<int> ids_;
};

Words words_of(const std::vector<std::string>& texts) {
  std::unordered_map<std::string_view, std::int64_t> counts;
  for (const std::string& text : texts) each_word(text, [&](std::string_view word) { ++counts[word]; });
  WordCounts counter(most_words);
  counter.add(counts);
  return Words(counter.words());
}

std::vector<int> ids_of(const std::string& text, const Words& words) {
  std::vector<int> ids;
  each_word(text, [&](std::string_view word) { ids.push_back(words.id(word)); });
  return ids;
}

// The same bags as theory's reader of files makes of a file of these texts.
class GivenTexts : public BagSource {
 public:
  GivenTexts(const std::vector<std::string>& texts, const std::vector<std::string>& answers, bool classes)
      : classes_(classes), inputs_(words_of(texts)) {
    if (classes) {
      const std::set<std::string> labels(answers.begin(), answers.end());
      check_classes(labels.size(), labels.empty() ? "" : *labels.begin(), std::ssize(texts), {});
      outputs_ = Words({labels.begin(), labels.end()});
    } else {
      outputs_ = words_of(answers);
    }
    for (const std::string& text : texts) input_ids_.push_back(known(ids_of(text, inputs_)));
    for (const std::string& answer : answers)
      output_ids_.push_back(classes ? std::vector{outputs_.id(answer)} : known(ids_of(answer, outputs_)));
  }

  Outputs outputs_are() const override { return classes_ ? Outputs::classes : Outputs::words; }
  int inputs() const override { return inputs_.size(); }
  int outputs() const override { return outputs_.size(); }
  std::string input_word(int id) const override { return inputs_.word(id); }
  std::string output_word(int id) const override { return outputs_.word(id); }
  std::int64_t size() const override { return std::ssize(input_ids_); }
  void each(Team& team, const Visit& visit, const Progress& progress) const override {
    const auto count = std::ssize(input_ids_);
    team.each(team.threads(), [&](int worker) {
      for (auto i = static_cast<std::ptrdiff_t>(worker); i < count; i += team.threads()) {
        const auto at = static_cast<std::size_t>(i);
        visit(worker, {i, input_ids_[at], output_ids_[at]});
      }
    });
    if (progress) progress(count, count);
  }

 private:
  static std::vector<int> known(std::vector<int> ids) {
    std::erase(ids, -1);
    return ids;
  }

  bool classes_;
  Words inputs_, outputs_;
  std::vector<std::vector<int>> input_ids_, output_ids_;
};

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
  options.copies_once = given && made->source->outputs_are() == BagSource::Outputs::classes;
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
          return predicted(nullptr, std::make_unique<GivenTexts>(texts, answers, classes), threads, most_words, call);
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
      .def_property_readonly("says", [](const Predicted& p) { return verdict_text(p.prediction.verdict); })
      .def_property_readonly("because", [](const Predicted& p) { return p.prediction.because; })
      .def_property_readonly("outputs", &outputs_of)
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
