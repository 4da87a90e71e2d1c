// add_corpus() of corpus.h: adds a corpus to the store (room data/corpus). `fovea data add` and get_corpus.cpp call
// it. It reads the texts once for their labels and once for themselves, and writes the corpus folder.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "fovea/base/file.h"
#include "fovea/data/corpus/corpus.h"
#include "fovea/data/corpus/corpus_files.h"
#include "fovea/data/corpus/unfinished_corpus.h"
#include "fovea/data/draw.h"
#include "fovea/data/text/labelled_source.h"

namespace fovea {

namespace {

namespace fs = std::filesystem;

class Adding {
 public:
  Adding(const std::string& name, const CorpusSources& sources,
         const std::function<void(std::int64_t, std::int64_t)>& progress)
      : sources_(sources),
        progress_(progress),
        paired_(!sources.train.target.empty() || !sources.train.target_file.empty() ||
                sources.train.format == TextFormat::conll) {
    added_.corpus.name = name;
    added_.corpus.paired = paired_;
    added_.corpus.tagged = sources.train.format == TextFormat::conll;
    added_.corpus.summary =
        sources.summary.empty() ? "from " + fs::absolute(sources.train.file).string() : sources.summary;
  }

  AddedCorpus into(const fs::path& folder) {
    read_labels();
    for (const Split split : all_splits) writers_.push_back(std::make_unique<PackedWriter>(split_file(folder, split)));
    write(Split::train, sources_.train, true);
    if (sources_.validation) write(Split::validation, *sources_.validation, false);
    if (sources_.test) write(Split::test, *sources_.test, false);
    for (const auto& writer : writers_) writer->close();
    Corpus& corpus = added_.corpus;
    if (corpus.count(Split::validation) == 0)
      throw wrong_input("no example is left for validation", more_validation(), {sources_.train.file.string()});
    for (const Split split : all_splits)
      corpus.digests[static_cast<std::size_t>(split)] = digests_[static_cast<std::size_t>(split)].hex();
    corpus.digest = whole_digest(corpus.digests);
    write_whole(folder / manifest_name, manifest());
    corpus.folder = folder;
    return std::move(added_);
  }

 private:
  // Of a class of n examples, round(n · share) are split off, and one at least is left to train on.
  Remedy more_validation() const {
    if (largest_class_ < 2)
      return added_.corpus.tagged ? "put a blank line after each sentence, or name files for validation and test"
                                  : "add more texts to each class, or give a file of texts for validation";
    return Remedy::give_validation(fmt::format("{:.2g}", std::ceil(50.0 / largest_class_) / 100.0));
  }

  // The classes, and which split each example of the training file belongs to.
  void read_labels() {
    for (const fs::path& file : {sources_.train.file, sources_.train.target_file}) {
      std::error_code code;
      const fs::file_status status = fs::status(file, code);
      if (fs::exists(status) && !fs::is_regular_file(status) && !fs::is_directory(status))
        throw wrong_input("can be read only once, and the training texts must be read twice",
                          "write them into a file first", {file.string()});
    }
    std::map<std::string, int, std::less<>> found;
    std::vector<int> labels;
    TextReader reader(sources_.train);
    for (TextExample example; reader.next(example);) {
      if (labels.size() % told_every == 0) report_progress(0, 0);
      const auto at = found.emplace(example.label, static_cast<int>(found.size())).first;
      labels.push_back(at->second);
    }
    const Location location{sources_.train.file.string()};
    if (!paired_) {
      check_classes(found.size(), found.empty() ? "" : found.begin()->first, std::ssize(labels), location);
      check_most_classes(found.size(), most_classes, std::ssize(labels), location);
      for (const auto& [label, number] : found) added_.corpus.classes.push_back(label);
    }
    Fractions fractions = sources_.fractions;
    if (sources_.validation) fractions.validation = 0;
    if (sources_.test) fractions.test = 0;
    split_ = split_by_fraction(labels, fractions, sources_.seed);
    std::map<int, int> counts;
    for (const int label : labels) largest_class_ = std::max(largest_class_, ++counts[label]);
  }

  void write(Split given, const TextSource& source, bool divide) {
    TextReader reader(source);
    std::size_t i = 0;
    for (TextExample example; reader.next(example); ++i) {
      if (i % told_every == 0) divide ? report_progress(i, split_.size()) : report_progress(0, 0);
      if (divide && i >= split_.size())
        throw failure("changed while it was read", "give the same command again when nothing writes to the file",
                      {source.file.string()});
      const Split split = divide ? split_[i] : given;
      if (!paired_ && !std::binary_search(added_.corpus.classes.begin(), added_.corpus.classes.end(), example.label))
        throw wrong_input(fmt::format("the label '{}' is not in the training data", example.label),
                          "correct it, or put examples of this class into the training data", example.location);
      nlohmann::json line{{"text", example.text}};
      if (paired_) line["target"] = example.target;
      else line["label"] = example.label;
      writers_[static_cast<std::size_t>(split)]->line(line.dump());
      ++added_.corpus.examples[static_cast<std::size_t>(split)];
      add_to(digests_[static_cast<std::size_t>(split)], split, example);
    }
    if (divide && i != split_.size())
      throw failure("changed while it was read", "give the same command again when nothing writes to the file",
                    {source.file.string()});
    added_.reports.push_back(reader.report());
  }

  void report_progress(std::size_t done, std::size_t of) const {
    if (progress_) progress_(static_cast<std::int64_t>(done), static_cast<std::int64_t>(of));
  }

  static std::string whole_digest(const std::array<std::string, 3>& parts) {
    Digest whole;
    for (const std::string& part : parts) whole.add(part);
    return whole.hex();
  }

  std::string manifest() const {
    const Corpus& corpus = added_.corpus;
    std::string text =
        fmt::format("# A corpus of the texts in this folder.\nsummary = {}\npaired = {}\ndigest = \"{}\"\n",
                    toml_text(corpus.summary), corpus.paired, corpus.digest);
    if (corpus.tagged) text += "tagged = true\n";
    text += "classes = [";
    for (std::size_t i = 0; i < corpus.classes.size(); ++i) text += (i ? ", " : "") + toml_text(corpus.classes[i]);
    text += "]\n\n[examples]\n";
    for (const Split split : all_splits) text += fmt::format("{} = {}\n", split_name(split), corpus.count(split));
    text += "\n[digests]\n";
    for (const Split split : all_splits)
      text += fmt::format("{} = \"{}\"\n", split_name(split), corpus.digests[static_cast<std::size_t>(split)]);
    return text;
  }

  static constexpr std::size_t most_classes = 10'000, told_every = 1000;

  const CorpusSources& sources_;
  const std::function<void(std::int64_t, std::int64_t)>& progress_;
  bool paired_;
  AddedCorpus added_;
  std::vector<Split> split_;
  int largest_class_ = 0;  // its examples in the training file
  std::vector<std::unique_ptr<PackedWriter>> writers_;
  std::array<Digest, 3> digests_;
};

}  // namespace

void check_corpus_name(const std::string& name) {
  const auto fits = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_' ||
           c == '.';
  };
  if (name.empty() || name.size() > 64 || name.front() == '.' || name.front() == '-' ||
      !std::all_of(name.begin(), name.end(), fits))
    throw wrong_input(fmt::format("'{}' cannot be the name of a corpus", name),
                      "use up to 64 letters, digits, '-', '_' and '.'");
  for (const MadeCorpus& made : made_corpora())
    if (made.name == name)
      throw wrong_input(fmt::format("the name '{}' is taken by a corpus of the program", name), "choose another name");
}

fs::path split_file(const fs::path& folder, Split split) {
  return folder / fmt::format("{}.jsonl.zst", split_name(split));
}

TextSource kept_split(const fs::path& folder, Split split, bool paired) {
  TextSource source;
  source.file = split_file(folder, split);
  source.format = TextFormat::jsonl;
  source.text = {"text"};
  (paired ? source.target : source.label) = paired ? "target" : "label";
  source.longest = 16 * longest_line_read;  // JSON writes some characters in six
  return source;
}

AddedCorpus add_corpus(const std::string& name, const CorpusSources& sources, bool replace,
                       const std::function<void(std::int64_t, std::int64_t)>& progress) {
  return keep_whole(name, replace,
                    [&](const fs::path& folder) { return Adding(name, sources, progress).into(folder); });
}

}  // namespace fovea
