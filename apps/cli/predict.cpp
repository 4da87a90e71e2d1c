// Command `fovea predict` (folder apps/cli), which main.cpp makes by name. It prints predictions of data or of a task
// (theory/prediction, theory/streams, theory/exact). It trains and stores nothing.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <thread>

#include "apps/cli/bounds.h"
#include "apps/cli/command.h"
#include "apps/cli/corpus_text.h"
#include "apps/cli/experiment_words.h"
#include "apps/cli/json_output.h"
#include "apps/cli/labelled_file.h"
#include "apps/cli/progress.h"
#include "fovea/data/prefetchers.h"
#include "fovea/data/words/text_bags.h"
#include "fovea/lab/analysis/prediction_source.h"
#include "fovea/lab/record/access_prediction_json.h"
#include "fovea/lab/record/prediction_json.h"
#include "fovea/lab/record/stream_prediction_json.h"
#include "fovea/theory/exact/exact_prediction.h"
#include "fovea/theory/prediction/tag_cues.h"
#include "fovea/theory/prediction/text_attention.h"
#include "fovea/view/terminal/prediction/access_prediction_text.h"
#include "fovea/view/terminal/prediction/prediction_text.h"
#include "fovea/view/terminal/prediction/stream_prediction_text.h"
#include "fovea/view/terminal/prediction/tag_cues_text.h"

namespace fovea::cli {

namespace {

class Predict : public Command {
 public:
  void options(CLI::App& app) override {
    app.add_option(
           "data", data_,
           "a task, an experiment, a corpus (fovea data list), or labelled texts: a .tsv, .csv or .jsonl file, or "
           "a folder for each class")
        ->type_name("DATA");
    CLI::Option* source =
        app.add_option("--source", source_, "a parallel corpus: the file of source sentences, one per line")
            ->type_name("FILE");
    app.add_option("--target", target_, "the file of the translations, one per line")->type_name("FILE")->needs(source);
    words_.add_settings(app);
    words_.add_form(app, Preset::full);
    of_tasks_ = {app.add_option("--seed", seed_, "seed of a task's data")->check(a_seed())->type_name("N"),
                 app.add_option("--draws", draws_, "examples to draw, if the task draws each example at random")
                     ->check(between(std::int64_t{100}, many))
                     ->type_name("N")};
    of_bags_ = {app.add_option("--words", options_.counts.words,
                               fmt::format("use only the N most frequent words of inputs and of outputs (default {})",
                                           options_.counts.words))
                    ->check(between(8, 8192))
                    ->type_name("N"),
                app.add_option("--top", options_.most_words, "largest number of words listed for a class (default 8)")
                    ->check(between(1, 8192))
                    ->type_name("N")};
    labelled_.add_columns(app);
    of_bags_.push_back(app.add_option("--examples", examples_file_,
                                      "file of texts to shade by predicted attention; each line is TEXT, or "
                                      "LABEL<tab>TEXT, or SOURCE<tab>TARGET")
                           ->type_name("FILE"));
    app.add_option("--threads", threads_, "threads that read the data (default: one per core)")
        ->check(a_thread_count())
        ->type_name("N");
    words_.add_output(app);
    app.footer(
        "Predicts attention from the data alone, before any training. Nothing is stored.\n"
        "The prediction shows how well the input words, without their order, predict the outputs. It shows whether "
        "words\n"
        "can be learned under uniform attention, to which words attention will move, and when.\n"
        "Labelled texts are split into lower-case words without punctuation. Sentences and their translations are\n"
        "split at spaces. A text that occurs several times counts once.\n"
        "Every line of a file must be valid. If some are not, make a corpus (fovea data add NAME --skip-bad …) and\n"
        "run: fovea predict NAME.\n"
        "For token streams, the prediction contains the loss plateaus and the earlier tokens that predict the "
        "answers.\n"
        "For words with tags, it contains the words that go with each tag.\n"
        "For memory accesses, it contains the share of accesses that earlier accesses predict.\n"
        "\n"
        "Examples:\n"
        "  fovea predict copy --set task.vocab=40 --set task.length=40\n"
        "  fovea predict induction --set task.vocab=128 --set task.length=32\n"
        "  fovea predict language --set task.file=book.txt\n"
        "  fovea predict language --set task.file=numbers.txt --set task.tokens=numbers\n"
        "  fovea predict address-trace --set task.corpus=app\n"
        "  fovea predict reviews.tsv --examples new.txt\n"
        "  fovea predict --source corpus.de --target corpus.en");
  }

  int run() override {
    Team team(threads_);
    read_examples();
    const std::unique_ptr<BagSource> source = open(team);
    if (!source && task_->prefetchers()) return print_accesses();
    if (!source && task_->shape().kind == Kind::tagged_tokens) return print_tags();
    if (!source) return task_->shape().kind == Kind::token_streams ? print_stream() : print_exact();
    if (source->outputs_are() == BagSource::Outputs::words)
      for (const Example& example : examples_)
        if (!example.tab)
          throw wrong_input("the line has no tab", "write each example as: source, a tab, target", example.location);
    const bool given = !task_ || task_->examples(Split::train) > 0;  // else they are drawn, and copies come by chance
    options_.given = given && source->outputs_are() == BagSource::Outputs::classes;
    Passes passes(words_.quiet, passes_ + (options_.given ? 21 : 0));
    const Prediction prediction = predict(*source, team, options_, passes.next());
    passes.progress.clear();
    if (words_.json) print_as_json(prediction, *source);
    else print_as_text(prediction, *source);
    return 0;
  }

 private:
  // Progress over several readings of the same data.
  struct Passes {
    Progress progress;
    int of;
    std::int64_t last = 0;
    int done = 0;
    Passes(bool quiet, int count) : progress("examples", quiet), of(count) {}
    BagSource::Progress next() {
      return [this](std::int64_t now, std::int64_t all) {
        if (now < last && done + 1 < of) ++done;  // it began again
        last = now;
        progress.show(static_cast<double>(done * all + now), static_cast<double>(of * all));
      };
    }
  };

  // Null of a task of token streams or of memory accesses, and of one of which heights and times are computed.
  std::unique_ptr<BagSource> open(Team& team) {
    if (!source_.empty() || !target_.empty()) {
      if (!data_.empty())
        throw wrong_input(fmt::format("'{}' and --source name two sets of data", data_), "give one of them");
      if (source_.empty() || target_.empty())
        throw wrong_input("a parallel corpus needs two files", "give both --source and --target");
      refuse_settings();
      refuse_form("a parallel corpus");
      refuse_any(labelled_.columns, "is an option for labelled texts, and --source names a parallel corpus");
      Passes passes(words_.quiet, 1);
      TextSource text;
      text.file = source_;
      text.target_file = target_;
      return bags_of(text, team, passes);
    }
    if (data_.empty()) throw wrong_input("no data are named", "name a task, an experiment, a corpus or a file");
    if (!words_.axes().empty())
      throw wrong_input(
          fmt::format("--set {} names several values, and a prediction uses one", words_.axes().front().key),
          "predict each value by itself. A decimal number has a point: 0.5");
    std::vector<Override> first;
    {
      const Waiting waiting("reading the data", words_.quiet);
      NamedTask found = named_task();
      task_ = std::move(found.task);
      stream_.last = found.last;
      stream_.rate = found.rate;
      stream_.given = found.given;
      first = std::move(found.first);
    }
    if (task_) refuse_any(labelled_.columns, fmt::format("is an option for files, and '{}' is not a file", data_));
    const std::vector<std::string> experiments = experiment_names();  // a name of both is of the experiment
    if (Registry<Task>::instance().all().contains(data_) && std::ranges::find(experiments, data_) == experiments.end())
      refuse_form("a task");
    words_.report_first_values(data_, first, "To predict other values, use --set.");
    const auto is = [this](Kind kind) { return task_ && task_->shape().kind == kind; };
    if (task_ &&
        (is(Kind::token_streams) || is(Kind::tagged_tokens) || task_->prefetchers() || !predict_exact(*task_).empty()))
      return nullptr;
    if (task_) return task_bags(*task_, draws_);
    refuse_settings();
    refuse_form("a file");
    Passes passes(words_.quiet, 1);
    labelled_.file = data_;
    return read_labelled([&] { return bags_of(labelled_.source(), team, passes); });
  }

  // The task, the experiment or the corpus that was named. No task: a file was.
  NamedTask named_task() const {
    std::vector<Override> overrides = words_.overrides();
    const auto seed = static_cast<std::uint64_t>(seed_);
    NamedTask found = find_task(data_, words_.preset(), overrides, seed);
    if (found.task || std::filesystem::exists(data_)) return found;
    const std::vector<Corpus> corpora = all_corpora();
    if (const auto corpus = std::ranges::find(corpora, data_, &Corpus::name); corpus != corpora.end()) {
      const auto given = std::ranges::find(overrides, "task.corpus", &Override::key);
      if (given != overrides.end())
        throw wrong_input(fmt::format("'{}' and --set {} both name a corpus", data_, given->value.location.file),
                          "leave out one of the two");
      overrides.push_back({"task.corpus", {data_, {}}});
      return find_task(experiment_of(*corpus), words_.preset(), overrides, seed);
    }
    std::vector<std::string> known = Registry<Task>::instance().names();
    for (const std::string& name : experiment_names()) known.push_back(name);
    for (const Corpus& one : corpora) known.push_back(one.name);
    throw wrong_input(fmt::format("there is no task, experiment, corpus or file '{}'", data_),
                      suggest_name(data_, known, "see: fovea list, and fovea data list"));
  }

  // Predictions skip no line, but a corpus can.
  static std::unique_ptr<BagSource> bags_of(const TextSource& source, Team& team, Passes& passes) {
    try {
      return text_bags(source, team, passes.next());
    } catch (const Error& error) {
      if (error.remedy().code != Remedy::Code::or_skip) throw;
      throw Error(error.kind(), error.problem(),
                  fmt::format("{}, or make a corpus of the other lines: fovea data add NAME {} --skip-bad. Then: fovea "
                              "predict NAME",
                              *error.remedy().arguments[0].as<std::string>(), options_of_training(source)),
                  error.location());
    }
  }

  void refuse_settings() const {
    if (!words_.set.empty())
      throw wrong_input(fmt::format("--set {} changes a task, and a file has no settings", words_.set.front()),
                        "leave the option out");
    refuse_any(of_tasks_, "is an option for tasks, and a file draws nothing");
  }

  template <class Options>
  static void refuse_any(const Options& options, const std::string& because) {
    for (const CLI::Option* option : options)
      if (option->count() > 0) throw wrong_input(option->get_name() + ' ' + because, "leave the option out");
  }

  void refuse_form(const char* what) const {
    if (words_.quick || words_.full)
      throw wrong_input(fmt::format("{} is an option for experiments, and {} has no forms",
                                    words_.quick ? "--quick" : "--full", what),
                        "leave the option out");
  }

  void refuse_bags() const {
    refuse_any(of_bags_,
               fmt::format("is an option for bags of words, and the task gives {}", kind_name(task_->shape().kind)));
  }

  int print_exact() const {
    refuse_bags();
    const ExactPrediction prediction = predict_exact(*task_);
    if (words_.json) {
      Json json{{"data", data_}};
      for (const auto& [name, figures] :
           {std::pair("heights", prediction.heights), {"times", prediction.times}, {"numbers", prediction.numbers}})
        for (const ExactPrediction::Figure& figure : figures) json[name][figure.name] = figure.value;
      print_json(json);
      return 0;
    }
    fmt::print("Predicted before any training.\n\n{}:\n", prediction.heights_are);
    for (const ExactPrediction::Figure& height : prediction.heights)
      fmt::print("  {:>9.6f}  {}\n", height.value, height.says);
    if (!prediction.times.empty()) fmt::print("\nTimes of gradient flow (the sum of the learning rates):\n");
    for (const ExactPrediction::Figure& time : prediction.times) fmt::print("  {:>9.4g}  {}\n", time.value, time.says);
    if (!prediction.numbers.empty()) fmt::print("\nOther numbers:\n");
    for (const ExactPrediction::Figure& number : prediction.numbers)
      fmt::print("  {:>9.4g}  {}\n", number.value, number.says);
    return 0;
  }

  int print_accesses() const {
    refuse_bags();
    const AccessPrediction prediction = [this] {
      const Waiting waiting("reading the trace", words_.quiet);
      return predict_accesses(*task_);
    }();
    if (words_.json) {
      Json json{{"data", data_}};
      json.update(access_prediction_json(prediction));
      print_json(json);
    } else {
      fmt::print("{}", access_prediction_text(prediction, Terminal::of(STDOUT_FILENO)));
    }
    return 0;
  }

  int print_tags() const {
    refuse_bags();
    constexpr int reach = 2;
    constexpr std::size_t of_each_tag = 5;
    constexpr double least_sigmas = 3;
    const std::vector<TagCue> cues = TagCues(*task_, reach, draws_).strongest(of_each_tag, least_sigmas);
    if (!words_.json) {
      fmt::print("{}", tag_cues_text(cues, Terminal::of(STDOUT_FILENO)));
      return 0;
    }
    Json json{{"data", data_}, {"cues", Json::array()}};
    for (const TagCue& cue : cues)
      json["cues"].push_back({{"tag", cue.tag},
                              {"word", cue.word},
                              {"offset", cue.offset},
                              {"sigma", cue.sigma},
                              {"with_tag", cue.with_tag},
                              {"all", cue.all}});
    print_json(json);
    return 0;
  }

  int print_stream() const {
    refuse_bags();
    StreamOptions options = stream_;
    if (of_tasks_[1]->count() > 0) options.sequences = draws_;
    const StreamPrediction prediction = predict_stream(*task_, options);
    if (words_.json) {
      Json json;
      json["data"] = data_;
      json.update(stream_prediction_json(prediction));
      print_json(json);
    } else {
      fmt::print("{}", stream_prediction_text(prediction, Terminal::of(STDOUT_FILENO)));
    }
    return 0;
  }

  // A line of --examples. They are read before anything is predicted, so that what is wrong with them is said at once.
  struct Example {
    std::string before, after;  // of the tab; all is after where there is none
    bool tab = false;
    Location location;
  };

  void read_examples() {
    if (examples_file_.empty()) return;
    LineReader reader{ByteReader(examples_file_)};
    for (std::string_view line; reader.next(line);) {
      const std::size_t tab = line.find('\t');
      const bool is = tab != std::string::npos;
      examples_.push_back({std::string(is ? line.substr(0, tab) : ""), std::string(is ? line.substr(tab + 1) : line),
                           is, reader.location()});
    }
    if (examples_.empty()) throw wrong_input("is empty", "write a text on each line", {examples_file_});
  }

  // Shades each line of --examples.
  template <class Show>
  void each_example(const Prediction& prediction, const BagSource& source, Show&& show) const {
    if (examples_.empty()) return;
    const bool classes = prediction.kind == BagSource::Outputs::classes;
    const TextPredictor predictor(prediction, source);
    for (const Example& example : examples_)
      show(predictor.of(classes ? example.after : example.before, example.after));
  }

  void print_as_text(const Prediction& prediction, const BagSource& source) const {
    const Terminal terminal = Terminal::of(STDOUT_FILENO);
    fmt::print("{}", prediction_text(prediction, source, terminal));
    if (!task_ && prediction.kind == BagSource::Outputs::classes)
      fmt::print("\nTo test attention on these texts: fovea check-attention {}\n", data_);
    bool first = true;
    if (!examples_.empty() && prediction.kind == BagSource::Outputs::classes && !predicts_attention(prediction)) {
      fmt::print("\nAttention on other texts is not predicted.\n");
      return;
    }
    each_example(prediction, source, [&](const TextAttention& text) {
      if (first) fmt::print("\nPredicted attention:\n");
      first = false;
      for (std::size_t row = 0; row < text.weights.size(); ++row) {
        const std::string head = text.output.empty() ? "" : fmt::format("{:>14}  ", text.output[row]);
        fmt::print("{}{}\n", head, shaded_words(text.input, text.weights[row], terminal));
      }
    });
  }

  void print_as_json(const Prediction& p, const BagSource& source) const {
    Json json;
    json["data"] = data_.empty() ? source_ + " and " + target_ : data_;
    json.update(prediction_json(p, source));
    if (!examples_file_.empty()) json["attention"] = Json::array();
    each_example(p, source, [&](const TextAttention& text) {
      json["attention"].push_back({{"input", text.input}, {"output", text.output}, {"weights", text.weights}});
    });
    print_json(json);
  }

  static constexpr int passes_ = 3;
  std::string data_, source_, target_, examples_file_;
  LabelledFile labelled_;
  std::vector<Example> examples_;
  std::vector<const CLI::Option*> of_tasks_;  // the seed, then the draws
  std::vector<const CLI::Option*> of_bags_;
  ExperimentWords words_;
  PredictionOptions options_;
  std::int64_t seed_ = 0, draws_ = 20'000;
  int threads_ = std::clamp(static_cast<int>(std::thread::hardware_concurrency()), 1, 16);
  std::unique_ptr<Task> task_;
  StreamOptions stream_;  // of token streams
};

const Register<Command> predict_command("predict", "predict attention from the data alone",
                                        [] { return std::make_unique<Predict>(); });

}  // namespace

}  // namespace fovea::cli
