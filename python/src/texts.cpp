// Binds texts: the words of runs, corpora and files of texts, and measures and comparisons across runs (folder
// python/src). python/fovea/data.py and measuring.py call it. Corpora are written in the user's folder.
#include <fmt/format.h>
#include <pybind11/stl.h>

#include <memory>
#include <utility>

#include "fovea/base/error/names.h"
#include "fovea/data/corpus/corpus.h"
#include "fovea/data/corpus/trace_corpus.h"
#include "fovea/data/draw.h"
#include "fovea/data/text/labelled_source.h"
#include "fovea/lab/analysis/analysis_json.h"
#include "fovea/lab/spec/assembly.h"
#include "fovea/lab/store/vocabulary_cache.h"
#include "fovea/view/terminal/compare_text.h"
#include "fovea/view/terminal/measures_text.h"
#include "python/src/batches.h"
#include "python/src/call.h"
#include "python/src/parts.h"

namespace fovea::python {

namespace {

using Words = std::vector<std::string>;

// Source, target (empty: the source's) and classes, by their numbers; of a run that is not kept, as its task has them.
std::tuple<Words, Words, Words> known_words(const std::string& file, const RunSpec& spec) {
  const KnownWords words =
      file.empty() ? VocabularyCache({}).of(spec) : vocabulary_cache(Store(file, Store::Mode::read_only)).of(spec);
  return {words.source, words.target, words.classes};
}

TextFormat format_named(const std::string& name) {
  Words known;
  for (const TextFormat format :
       {TextFormat::tsv, TextFormat::csv, TextFormat::jsonl, TextFormat::lines, TextFormat::folder}) {
    if (format_name(format) == name) return format;
    known.push_back(format_name(format));
  }
  if (name.empty()) return TextFormat::automatic;
  throw wrong_input(fmt::format("there is no format '{}'", name), suggest_name(name, known));
}

std::pair<Words, Words> read_labelled(const std::string& file, const std::string& label, const Words& text,
                                      const std::string& format) {
  std::pair<Words, Words> read;
  TextReader reader(labelled_source(file, label, text, format_named(format)));
  for (TextExample example; reader.next(example);) {
    read.first.emplace_back(example.text);
    read.second.emplace_back(example.label);
  }
  return read;
}

py::dict corpus_of(const Corpus& corpus) {
  py::dict examples;
  for (const Split split : all_splits) examples[py::str(std::string(split_name(split)))] = corpus.count(split);
  py::dict facts;
  facts["name"] = corpus.name;
  facts["summary"] = corpus.summary;
  facts["paired"] = corpus.paired;
  facts["classes"] = corpus.classes;
  facts["examples"] = examples;
  facts["digest"] = corpus.digest;
  facts["trace"] = py::none();
  if (corpus.trace)
    facts["trace"] = py::dict(py::arg("counters") = corpus.trace->counters, py::arg("pages") = corpus.trace->pages);
  return facts;
}

std::pair<Words, Words> corpus_texts(const std::string& name, const std::string& split) {
  const Corpus corpus = find_corpus(name);
  Words known;
  std::pair<Words, Words> texts;
  for (const Split one : all_splits) {
    known.emplace_back(split_name(one));
    if (known.back() != split) continue;
    each_example(corpus, one, [&](const TextExample& example) {
      texts.first.emplace_back(example.text);
      texts.second.emplace_back(corpus.paired ? example.target : example.label);
    });
    return texts;
  }
  throw wrong_input(fmt::format("there is no split '{}'", split), suggest_name(split, known));
}

TextSource source_of(const py::dict& parts) {
  TextSource source;
  const auto text = [&](const char* name) { return parts[name].cast<std::string>(); };
  source.file = text("file");
  source.target_file = text("target_file");
  source.format = format_named(text("format"));
  source.text = parts["text"].cast<Words>();
  source.label = text("label");
  source.target = text("target");
  source.bad = parts["skip_bad"].cast<bool>() ? BadLine::skip : BadLine::stop;
  return source;
}

// Ends an adding at which somebody has pressed Ctrl-C.
struct Stopped {};

// What `work` adds, made without the GIL: (the corpus, how many lines were skipped).
template <class Work>
py::tuple added_by(Work&& work) {
  AddedCorpus added;
  Call call;
  try {
    const py::gil_scoped_release free;
    added = work([&] {
      call.poll_signals();
      if (call.stop()) throw Stopped();
    });
  } catch (const Stopped&) {
  }
  call.raise();
  std::int64_t skipped = 0;
  for (const ReadReport& report : added.reports) skipped += report.skipped;
  return py::make_tuple(corpus_of(added.corpus), skipped);
}

py::tuple add(const std::string& name, const py::dict& train, const py::object& validation, const py::object& test,
              std::pair<double, double> shares, std::uint64_t seed, bool replace) {
  CorpusSources sources{source_of(train), {}, {}, {}, seed};
  if (!validation.is_none()) sources.validation = source_of(validation);
  if (!test.is_none()) sources.test = source_of(test);
  sources.fractions.validation = shares.first;
  sources.fractions.test = shares.second;
  return added_by([&](const auto& check) {
    return add_corpus(name, sources, replace, [&](std::int64_t, std::int64_t) { check(); });
  });
}

py::tuple add_accesses(const std::string& name, const std::string& file, bool skip_bad, bool replace) {
  return added_by([&](const auto& check) {
    return add_trace(name, file, skip_bad ? BadLine::skip : BadLine::stop, replace, [&](std::int64_t) { check(); });
  });
}

// (the document of it, the text of it, its verdict in sentences)
std::tuple<std::string, std::string, Words> measured(const std::string& file, const std::vector<std::int64_t>& ids,
                                                     const std::string& only_class) {
  const Store store(file, Store::Mode::read_only);
  const MeasurementRuns runs = runs_to_measure(store, ids);
  MeasureOptions options;
  if (!only_class.empty())
    options.only_class = vocabulary_cache(store).of(runs.reference.spec).class_number(only_class);
  const Measures measures = measure(runs, store.fetch_arrays(), options);
  return {measures_json(measures).dump(), measures_text(measures, Terminal()), measures_verdict(measures)};
}

using Group = std::pair<std::string, std::vector<std::shared_ptr<RunRecord>>>;

std::pair<std::string, std::string> compared(const Group& a, const Group& b, Words names) {
  const auto group = [](const Group& of) {
    ComparedGroup made{of.first, {}};
    for (const auto& run : of.second) made.runs.push_back(*run);
    return made;
  };
  const ComparedGroup left = group(a), right = group(b);
  if (names.empty()) names = metrics_to_compare(left, right);
  std::vector<Expression> metrics;
  for (const std::string& name : names) {
    metrics.push_back(Expression::parse(name, Location::argument("metrics")));
    metrics.back().require_single_run();
  }
  const Comparison comparison = compare(left.runs, right.runs, metrics);
  return {comparison_json(comparison).dump(), comparison_text(left, right, comparison, Terminal())};
}

// A task that cuts texts, and knows its sizes.
class TextTask {
 public:
  explicit TextTask(const RunSpec& spec) : task_(make_task(spec)) {}
  Words cut(const std::string& text) const { return task_->cut(text); }
  TaskShape shape() const { return task_->shape(); }

 private:
  std::unique_ptr<Task> task_;
};

}  // namespace

void bind_texts(py::module_& module) {
  using Free = py::call_guard<py::gil_scoped_release>;
  module.def("known_words", &known_words, Free());
  module.def("read_labelled", &read_labelled, Free());
  module.def("corpora", [] {
    py::list all;
    for (const Corpus& corpus : all_corpora()) all.append(corpus_of(corpus));
    return all;
  });
  module.def("find_corpus", [](const std::string& name) { return corpus_of(find_corpus(name)); });
  module.def("corpus_texts", &corpus_texts, Free());
  module.def("add_corpus", &add, py::arg("name"), py::arg("train"), py::arg("validation"), py::arg("test"),
             py::arg("shares"), py::arg("seed"), py::arg("replace"));
  module.def("add_trace", &add_accesses);
  module.def("remove_corpus", &remove_corpus, Free());
  module.def("measure", &measured, Free());
  module.def("compare", &compared, Free());
  py::class_<TextTask, std::shared_ptr<TextTask>>(module, "TextTask")
      .def(py::init<const RunSpec&>(), Free())
      .def("cut", &TextTask::cut)
      .def_property_readonly("sizes", [](const TextTask& task) { return facts_of(task.shape()); })
      .def_property_readonly("labelled",
                             [](const TextTask& task) { return task.shape().kind == Kind::labelled_tokens; });
}

}  // namespace fovea::python
