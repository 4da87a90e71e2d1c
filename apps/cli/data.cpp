// Command `fovea data` with add, list, show and get (data_get.h) (folder apps/cli), which main.cpp makes by name. It
// reads and writes corpora in the user's folder (data/corpus).
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "apps/cli/bounds.h"
#include "apps/cli/command.h"
#include "apps/cli/corpus_text.h"
#include "apps/cli/data_get.h"
#include "apps/cli/interrupt.h"
#include "apps/cli/labelled_file.h"
#include "apps/cli/progress.h"
#include "apps/cli/word_options.h"
#include "fovea/data/corpus/corpus.h"
#include "fovea/data/corpus/corpus_summary.h"
#include "fovea/data/corpus/trace_corpus.h"
#include "fovea/data/text/labelled_source.h"
#include "fovea/io/utf8.h"
#include "fovea/view/terminal/terminal.h"

namespace fovea::cli {

namespace {

// "a,b" and several words alike.
std::vector<std::string> columns_of(const std::vector<std::string>& words) {
  std::vector<std::string> columns;
  for (const std::string& word : words)
    for (std::size_t begin = 0; begin <= word.size();) {
      const std::size_t comma = std::min(word.find(',', begin), word.size());
      columns.push_back(word.substr(begin, comma - begin));
      begin = comma + 1;
    }
  return columns;
}

std::string clipped(std::string_view text, std::size_t most) {
  const std::string line = printable(text.substr(0, utf8_prefix(text.substr(0, most))));
  return text.size() > most ? line + "…" : line;
}

class Data : public Command {
 public:
  void options(CLI::App& app) override {
    app.require_subcommand(1);
    app.footer(
        "Examples:\n"
        "  fovea data list\n"
        "  fovea data show made-reviews\n"
        "  fovea data get sms-spam\n"
        "  fovea data rm sms-spam\n"
        "  fovea data add spam --train sms.tsv.gz --label 1 --text 2\n"
        "  fovea run text-classify --set task.corpus=spam\n"
        "  fovea data add names --conll train.conll dev.conll test.conll\n"
        "  fovea data add app --trace app.csv\n"
        "  fovea run prefetch-trace --set task.corpus=app");
    list_ = app.add_subcommand("list", "list the corpora");
    list_->add_flag("--json", json_, "print one JSON document");
    list_->footer("Example:\n  fovea data list");
    show_ = app.add_subcommand("show", "describe a corpus: sizes, classes, lengths, most frequent words, examples");
    show_->add_option("name", name_, "the corpus")->required()->type_name("NAME");
    show_->add_flag("--json", json_, "print one JSON document");
    show_->footer("Example:\n  fovea data show made-reviews");
    add_ = app.add_subcommand("add", "add your texts, tagged words, or a trace of memory accesses");
    add_options(*add_);
    get_ = app.add_subcommand("get", "download a public corpus from its publisher");
    getting_.options(*get_);
    remove_ = app.add_subcommand("rm", "remove a corpus; runs that were trained on it stay");
    remove_->add_option("name", name_, "the corpus")->required()->type_name("NAME");
    remove_->footer("Example:\n  fovea data rm sms-spam");
  }

  int run() override {
    if (list_->parsed()) return list();
    if (show_->parsed()) return show();
    if (get_->parsed()) return getting_.run();
    if (remove_->parsed()) return remove();
    return add();
  }

 private:
  void add_options(CLI::App& app) {
    app.add_option("name", name_, "name of the new corpus")->required()->type_name("NAME");
    app.add_option("--train", train_, "file or folder of the training texts")->type_name("FILE");
    app.add_option("--dev", dev_, "file of the validation texts (default: split off the training texts)")
        ->type_name("FILE");
    app.add_option("--test", test_, "file of the test texts (default: split off the training texts)")
        ->type_name("FILE");
    app.add_option("--label", label_,
                   "column of the class, by name or number (default: 1, or the one that the header calls label, …)")
        ->check(not_empty())
        ->type_name("COL");
    app.add_option("--text", text_,
                   "column of the text; several are joined (default: 2, or the one that the header calls text, …)")
        ->check(not_empty())
        ->type_name("COL");
    app.add_option("--source", text_, "column of the source text, for pairs; several are joined")
        ->check(not_empty())
        ->type_name("COL");
    app.add_option("--target", target_, "column of the translation")->check(not_empty())->type_name("COL");
    app.add_option("--train-target", train_target_, "translations of --train, one per line")->type_name("FILE");
    app.add_option("--dev-target", dev_target_, "translations of --dev, one per line")->type_name("FILE");
    app.add_option("--test-target", test_target_, "translations of --test, one per line")->type_name("FILE");
    app.add_option("--format", format_, "tsv, csv, jsonl, lines or folder (default: by the file's name)")
        ->type_name("FORMAT");
    app.add_option("--header", header_, "yes or no: whether the first line names the columns (default: detected)")
        ->type_name("YES|NO");
    app.add_option("--dev-share", fractions_.validation, "share split off for validation (default 0.1)")
        ->check(between(0.0, 1.0))
        ->type_name("SHARE");
    app.add_option("--test-share", fractions_.test, "share split off for the test (default 0.1)")
        ->check(between(0.0, 1.0))
        ->type_name("SHARE");
    app.add_option("--split-seed", seed_, "seed that chooses the examples that are split off (default 0)")
        ->check(a_seed())
        ->type_name("N");
    CLI::Option* const conll =
        app.add_option("--conll", conll_,
                       "files in CoNLL format for training, validation and test (one file is split). Allowed with it: "
                       "--dev-share, --test-share, --split-seed, --skip-bad, --replace, --quiet, --json")
            ->expected(1, 3)
            ->type_name("FILE");
    for (CLI::Option* const option : app.get_options()) {
      const std::string& name = option->get_name();
      if (option != conll && option->nonpositional() && name != "--help" && !name.ends_with("-share") &&
          name != "--split-seed")
        conll->excludes(option);
    }
    CLI::Option* const trace =
        app.add_option("--trace", trace_,
                       "file of memory accesses: PROGRAM-COUNTER,ADDRESS on each line, in decimal "
                       "or as 0x1000, separated by a comma, ';' or a tab. Allowed with it: "
                       "--skip-bad, --replace, --quiet, --json")
            ->type_name("FILE");
    for (CLI::Option* const option : app.get_options())
      if (option != trace && option->nonpositional() && option->get_name() != "--help") trace->excludes(option);
    app.add_flag("--skip-bad", skip_, "skip malformed lines, and count them");
    app.add_flag("--replace", replace_, "replace an existing corpus of this name");
    app.add_flag("--quiet", quiet_, "show no progress");
    app.add_flag("--json", json_, "print one JSON document");
    app.footer(
        "Texts and traces are checked and copied into data/NAME in the store. "
        "Later changes to the files change no run.\n"
        "Files may be plain, .gz or .zst.\n"
        "\n"
        "Examples:\n"
        "  fovea data add spam --train sms.tsv.gz --label 1 --text 2\n"
        "  fovea data add news --train news.csv --label class --text title,description\n"
        "  fovea data add reviews --train aclImdb/train --test aclImdb/test\n"
        "  fovea data add captions --train train.de.gz --train-target train.en.gz \\\n"
        "      --dev val.de.gz --dev-target val.en.gz\n"
        "  fovea data add names --conll train.conll dev.conll test.conll\n"
        "  fovea data add app --trace app.csv.gz");
  }

  TextSource source(const std::string& file, const std::string& target_file) const {
    TextSource source;
    source.file = file;
    source.target_file = target_file;
    source.text = columns_of(text_);
    source.label = label_;
    source.target = target_;
    source.format = text_format(format_);
    source.header =
        word_of<Header>("--header", header_, {{"", Header::automatic}, {"yes", Header::yes}, {"no", Header::no}});
    source.bad = skip_ ? BadLine::skip : BadLine::stop;
    const bool pairs = !target_.empty() || !train_target_.empty();
    const bool numbered = label_.find_first_not_of("0123456789") == std::string::npos;
    if (!pairs && numbered) {  // or not named at all
      const TextSource usual = labelled_source(file, label_, source.text, source.format, source.header);
      source.label = usual.label;
      report_columns(usual);
      if (!usual.text.empty()) source.text = usual.text;
    }
    return source;
  }

  // A share is split off only if there is no file for it.
  void check_share(const char* share, const char* file, bool named) const {
    if (named && add_->count(share) > 0)
      throw wrong_input(fmt::format("{} splits texts off, and {} names a file of them", share, file),
                        fmt::format("leave out {} or {}", share, file));
  }

  int add() {
    check_share("--dev-share", "--dev", !dev_.empty());
    check_share("--test-share", "--test", !test_.empty());
    check_share("--dev-share", "--conll", conll_.size() > 1);
    check_share("--test-share", "--conll", conll_.size() > 2);
    if (!trace_.empty()) return add_accesses();
    if (!conll_.empty()) return add_tagged();
    if (train_.empty() && !train_target_.empty())
      throw wrong_input("--train-target names translations, and --train is missing",
                        "name the file of their source texts with --train");
    if (train_.empty())
      throw wrong_input("no file of training examples is named",
                        "name a file of texts with --train, files of tagged words with --conll, or a trace of memory "
                        "accesses with --trace");
    if (text_format(format_) == TextFormat::lines && train_target_.empty())
      throw wrong_input("--format lines has one text per line, and no column for a label",
                        "name the translations with --train-target, or use tsv, csv or jsonl");
    if (add_->count("--source") > 0 && target_.empty() && train_target_.empty())
      throw wrong_input("--source names a column of source texts, but --target is missing",
                        "name the column of the translation with --target");
    check_pair("--dev", dev_, "--dev-target", dev_target_);
    check_pair("--test", test_, "--test-target", test_target_);
    CorpusSources sources{source(train_, train_target_), {}, {}, fractions_, seed_};
    if (!dev_.empty()) sources.validation = source(dev_, dev_target_);
    if (!test_.empty()) sources.test = source(test_, test_target_);
    return add_texts(sources);
  }

  int add_tagged() {
    const auto file = [&](std::size_t i) {
      TextSource source;
      source.file = conll_[i];
      source.format = TextFormat::conll;
      source.bad = skip_ ? BadLine::skip : BadLine::stop;
      return source;
    };
    CorpusSources sources{file(0), {}, {}, fractions_, seed_};
    if (conll_.size() > 1) sources.validation = file(1);
    if (conll_.size() > 2) sources.test = file(2);
    return add_texts(sources);
  }

  int add_texts(const CorpusSources& sources) {
    AddedCorpus added;
    {
      Progress progress("texts", quiet_ || json_);
      const auto* const stop = interrupt_flag();
      added = add_corpus(name_, sources, replace_, [&](std::int64_t done, std::int64_t total) {
        if (stop->load()) throw failure("stopped; the corpus was not added", "give the same command again");
        if (total > 0) progress.show(static_cast<double>(done), static_cast<double>(total));
      });
    }
    if (json_) print_json(added_json(added));
    else print_added(added);
    return 0;
  }

  int add_accesses() {
    AddedCorpus added;
    {
      Progress progress("million accesses", quiet_ || json_);
      const auto* const stop = interrupt_flag();
      added = add_trace(name_, trace_, skip_ ? BadLine::skip : BadLine::stop, replace_, [&](std::int64_t done) {
        if (stop->load()) throw failure("stopped; the trace was not added", "give the same command again");
        progress.show(1e-6 * static_cast<double>(done), 0);
      });
    }
    if (json_) print_json(added_json(added));
    else print_added(added);
    return 0;
  }

  void check_pair(const char* option, const std::string& file, const char* target_option,
                  const std::string& target_file) const {
    if (!target_file.empty() && (file.empty() || train_target_.empty()))
      throw wrong_input(fmt::format("{} names translations, but {} is missing", target_option,
                                    file.empty() ? option : "--train-target"),
                        "give each file of texts with its translations: --train with --train-target, --dev with "
                        "--dev-target, and so on");
    if (!file.empty() && !train_target_.empty() && target_file.empty())
      throw wrong_input(fmt::format("{} has no file of translations", option),
                        fmt::format("name it with {}", target_option));
  }

  int list() const {
    const std::vector<Corpus> all = all_corpora();
    if (json_) {
      Json list = Json::array();
      for (const Corpus& corpus : all) list.push_back(corpus_json(corpus));
      print_json(Json{{"corpora", list}});
      return 0;
    }
    using Align = TextTable::Align;
    TextTable table({{"corpus"},
                     {"contents"},
                     {"train", Align::right},
                     {"validation", Align::right},
                     {"test", Align::right},
                     {"", Align::left, true}});
    for (const Corpus& corpus : all)
      table.row({corpus.name, contents(corpus), std::to_string(corpus.count(Split::train)),
                 std::to_string(corpus.count(Split::validation)), std::to_string(corpus.count(Split::test)),
                 printable(corpus.summary)});
    fmt::print("{}", table.text(Terminal::of(STDOUT_FILENO)));
    return 0;
  }

  static std::string contents(const Corpus& corpus) {
    if (corpus.trace) return "accesses";
    if (corpus.tagged) return "tagged words";
    return corpus.paired ? "pairs" : fmt::format("{} classes", corpus.classes.size());
  }

  int remove() const {
    remove_corpus(name_);
    fmt::print("Removed '{}'.\n", name_);
    return 0;
  }

  int show() const {
    const Corpus corpus = find_corpus(name_);
    if (corpus.trace) return show_trace(corpus);
    const CorpusSummary summary = summarise(corpus);
    if (json_) print_json(summary_json(corpus, summary));
    else print_summary(corpus, summary);
    return 0;
  }

  int show_trace(const Corpus& corpus) const {
    const TraceSummary summary = summarise_trace(corpus);
    if (json_) print_json(trace_json(corpus, summary));
    else print_trace(corpus, summary);
    return 0;
  }

  static Json summary_json(const Corpus& corpus, const CorpusSummary& summary) {
    Json json = corpus_json(corpus);
    json["sides"] = Json::array();
    for (const CorpusSummary::Side& side : summary.sides) {
      Json commonest = Json::array();
      for (const auto& [word, count] : side.commonest) commonest.push_back({word, count});
      json["sides"].push_back({{"words", side.words},
                               {"distinct", side.distinct},
                               {"shortest", side.shortest},
                               {"median", side.median},
                               {"longest", side.longest},
                               {"commonest", commonest}});
    }
    for (std::size_t c = 0; c < corpus.classes.size(); ++c)
      json["class_counts"][corpus.classes[c]] = summary.class_counts[c];
    for (const CorpusSummary::Sample& sample : summary.samples)
      json["samples"].push_back(corpus.paired ? Json{{"text", sample.text}, {"target", sample.target}}
                                              : Json{{"text", sample.text}, {"label", sample.label}});
    return json;
  }

  static void print_summary(const Corpus& corpus, const CorpusSummary& summary) {
    constexpr std::size_t most_classes = 20, sample_bytes = 300;
    const Terminal terminal = Terminal::of(STDOUT_FILENO);
    const auto heading = [&](const std::string& text) { fmt::print("\n{}\n", toned(text, Tone::strong, terminal)); };
    fmt::print("{}\n{}\n", toned(corpus.name, Tone::strong, terminal), printable(corpus.summary));
    heading("Examples");
    using Align = TextTable::Align;
    TextTable sizes({{""}, {"train", Align::right}, {"validation", Align::right}, {"test", Align::right}});
    const auto row = [&sizes](const std::string& head, const std::array<std::int64_t, 3>& counts) {
      sizes.row({head, std::to_string(counts[0]), std::to_string(counts[1]), std::to_string(counts[2])});
    };
    row("all", corpus.examples);
    for (std::size_t c = 0; c < std::min(most_classes, corpus.classes.size()); ++c)
      row(clipped(corpus.classes[c], 40), summary.class_counts[c]);
    fmt::print("{}", sizes.text(terminal));
    if (corpus.classes.size() > most_classes)
      fmt::print("… and {} more classes\n", corpus.classes.size() - most_classes);
    for (const CorpusSummary::Side& side : summary.sides) {
      const std::string of = !corpus.paired                    ? ""
                             : &side == &summary.sides.front() ? " of the source"
                                                               : " of the target";
      heading(corpus.tagged && &side != &summary.sides.front() ? "Tags"
                                                               : fmt::format("Words{}", corpus.tagged ? "" : of));
      fmt::print("{} in training, {} distinct. A text has {} to {} words, with the median {}.\n", side.words,
                 side.distinct, side.shortest, side.longest, side.median);
      const std::vector<double> bars(side.bars.begin(), side.bars.end());
      fmt::print("{}  texts by length, {} word{} per bar, from 0 to {} words\n", sparkline(bars, 40), side.bin,
                 side.bin == 1 ? "" : "s", side.longest);
      std::string words;
      for (const auto& [word, count] : side.commonest)
        words += fmt::format("{}{} {}", words.empty() ? "" : ", ", word, count);
      fmt::print("Commonest: {}\n", words);
    }
    heading("Sample of the training texts");
    for (const CorpusSummary::Sample& sample : summary.samples) {
      if (corpus.paired)
        fmt::print("  {}\n  → {}\n", clipped(sample.text, sample_bytes), clipped(sample.target, sample_bytes));
      else fmt::print("  {}: {}\n", clipped(sample.label, 40), clipped(sample.text, sample_bytes));
    }
  }

  CLI::App *list_ = nullptr, *show_ = nullptr, *add_ = nullptr, *get_ = nullptr, *remove_ = nullptr;
  DataGet getting_;
  std::string name_, trace_, train_, dev_, test_, train_target_, dev_target_, test_target_, label_, target_, format_,
      header_;
  std::vector<std::string> text_, conll_;
  Fractions fractions_;
  std::uint64_t seed_ = 0;
  bool skip_ = false, replace_ = false, quiet_ = false, json_ = false;
};

const Register<Command> data_command("data", "corpora: list them, get public ones, add your texts",
                                     [] { return std::make_unique<Data>(); });

}  // namespace

}  // namespace fovea::cli
