// Intervention `embeddings`: { embeddings = "vectors.txt" }, rows of a table of embeddings start as the vectors of a
// file of word vectors (room lab/intervention). The InterventionSet (lab/train) calls it before the first update. It
// writes these rows, which stay so if they are frozen. The spec has the file's digest from when it was made.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <mutex>
#include <string>
#include <string_view>

#include "fovea/base/error/names.h"
#include "fovea/data/text/word_counts.h"
#include "fovea/data/text/word_vectors.h"
#include "fovea/io/digest.h"
#include "fovea/io/mapped_file.h"
#include "fovea/lab/intervention/intervention.h"

namespace fovea {

namespace {

namespace fs = std::filesystem;

std::string digest_of(const MappedFile& file) {
  Digest digest;
  digest.add(file.bytes());
  return digest.hex();
}

// Gigabytes take seconds, and a sweep asks for each of its runs: a file that has neither moved nor changed is not
// read again.
std::string digest_of(const fs::path& path) {
  const MappedFile file(path);
  static std::mutex mutex;
  static std::map<std::string, std::string> known;
  const std::string key = fmt::format("{} {} {}", path.string(), file.bytes().size(),
                                      static_cast<std::int64_t>(fs::last_write_time(path).time_since_epoch().count()));
  const std::lock_guard lock(mutex);
  std::string& digest = known[key];
  if (digest.empty()) digest = digest_of(file);
  return digest;
}

class Embeddings final : public Intervention {
 public:
  void settings(Fields& fields) override {
    fields.text("embeddings", file_, "a text file of word vectors, as word2vec and GloVe write them");
    fields.text("digest", digest_, "digest that the file must have (default: its current digest)");
    fields.text("to", to_, "table of embeddings that receives the vectors");
    fields.flag("frozen", frozen_, "words with a vector keep it during training");
  }
  void finish(const ValueTable&) override {
    if (file_.empty()) throw wrong_input(fmt::format("{} names no file", name()), "name one", location);
  }
  // Has the file named from the root of the file system and by what it holds.
  void pin() override {
    file_ = fs::absolute(file_).lexically_normal();
    if (digest_.empty()) digest_ = digest_of(fs::path(file_));
  }
  int rank() const override { return 6; }
  void check_beside(const Intervention& earlier) const override {
    if (const auto* const other = dynamic_cast<const Embeddings*>(&earlier); other && other->to_ == to_)
      throw wrong_input(fmt::format("two sets of embeddings for '{}'", to_), "remove one of the two", location);
  }
  bool needs_preparation() const override { return true; }

  // Throws wrong_input where the file is not the one that was pinned, is malformed or of another width, or knows no
  // word of the task; where the model has no such table.
  void prepare(const Preparation& preparation) override {
    preparation.parameters.visit([&](auto& set) { put_vectors_in(preparation.task, set); });
  }
  // An update moves every row; those that are frozen are put back.
  void after_update(std::int64_t, ParameterAccess parameters) override {
    parameters.visit([&]<class T>(ParameterSet<T>& set) {
      const Param<T>& table = set.all()[table_];
      const auto width = static_cast<std::size_t>(table.shape[1]);
      auto value = values_.begin();
      for (const std::size_t row : rows_)
        for (T& number : table.values().subspan(row * width, width)) number = static_cast<T>(*value++);
    });
  }
  void report(Shares& shares) const override {
    auto& [found, words] = shares["embeddings_found"];
    found += found_;
    words += words_;
  }

 private:
  // The table's number among the parameters. Throws wrong_input where the model has no such table.
  template <class T>
  std::size_t table_in(const ParameterSet<T>& parameters) const {
    constexpr std::string_view ending = ".weight";
    std::vector<std::string> names;
    for (std::size_t i = 0; i < parameters.all().size(); ++i) {
      const Param<T>& parameter = parameters.all()[i];
      if (parameter.shape.size() != 2 || !parameter.name.ends_with("embedding.weight")) continue;
      names.push_back(parameter.name.substr(0, parameter.name.size() - ending.size()));
      if (names.back() == to_ || parameter.name == to_) return i;
    }
    throw wrong_input(fmt::format("this model has no table of embeddings '{}'", to_), suggest_name(to_, names),
                      location);
  }

  template <class T>
  void put_vectors_in(const Task& task, const ParameterSet<T>& parameters);

  std::string file_, digest_;
  std::string to_ = "embedding";  // the table's name
  bool frozen_ = false;
  std::size_t table_ = 0;
  std::vector<std::size_t> rows_;  // those that are frozen, and one after the other what they hold
  std::vector<double> values_;
  std::int64_t found_ = 0, words_ = 0;
};

template <class T>
void Embeddings::put_vectors_in(const Task& task, const ParameterSet<T>& parameters) {
  table_ = table_in(parameters);
  rows_.clear();
  values_.clear();
  found_ = 0;
  const Param<T>& table = parameters.all()[table_];
  const bool of_target = to_.starts_with("target_");
  const int vocab = of_target ? task.shape().target_vocab : task.shape().vocab;
  if (table.shape[0] != vocab)
    throw wrong_input(fmt::format("'{}' has {} rows, and the task has {} words", to_, table.shape[0], vocab),
                      "name the table with one row per word", location);
  if (!digest_.empty() && digest_of(fs::path(file_)) != digest_)
    throw wrong_input("has changed since this run was made",
                      "restore the original file, or remove the digest to use this file", {file_});
  TextMap<int> rows;
  for (int word = 0; word < vocab; ++word) rows.emplace(of_target ? task.target_word(word) : task.word(word), word);
  const MappedFile file(file_);
  const auto width = static_cast<std::size_t>(table.shape[1]);
  const std::span<T> values = table.values();
  read_word_vectors(
      file.bytes(), file.location(), static_cast<int>(width),
      [&](std::string_view word) {
        const auto row = rows.find(word);
        return row == rows.end() ? -1 : row->second;
      },
      [&](int number, std::span<const double> vector) {
        const auto row = static_cast<std::size_t>(number);
        std::ranges::transform(vector, values.subspan(row * width, width).begin(),
                               [](double x) { return static_cast<T>(x); });
        ++found_;
        if (!frozen_) return;
        rows_.push_back(row);
        values_.insert(values_.end(), vector.begin(), vector.end());
      });
  if (found_ == 0)
    throw wrong_input(fmt::format("has a vector for none of the {} words of the task", vocab),
                      "check that file and task have the same language, and the same use of capital letters", {file_});
  words_ = vocab;
}

const Register<Intervention> embeddings("embeddings", "the embeddings of words start from vectors in a file",
                                        [] { return std::make_unique<Embeddings>(); });

}  // namespace

}  // namespace fovea
