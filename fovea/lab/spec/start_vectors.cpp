#include "fovea/lab/spec/start_vectors.h"

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

namespace fovea {

namespace {

namespace fs = std::filesystem;

std::string digest_of(const MappedFile& file) {
  Digest digest;
  digest.add(file.bytes());
  return digest.hex();
}

// Gigabytes take seconds, and a sweep asks for each of its runs: a file that has neither moved nor changed is not read
// again.
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

// The table of that name. Throws wrong_input where the model has none.
template <class T>
const Param<T>& table_of(const Embed& embed, const ParameterSet<T>& parameters) {
  constexpr std::string_view ending = ".weight";
  std::vector<std::string> names;
  for (const Param<T>& parameter : parameters.all()) {
    if (parameter.shape.size() != 2 || !parameter.name.ends_with("embedding.weight")) continue;
    names.push_back(parameter.name.substr(0, parameter.name.size() - ending.size()));
    if (names.back() == embed.to || parameter.name == embed.to) return parameter;
  }
  throw wrong_input(fmt::format("this model has no table of embeddings '{}'", embed.to), suggest_name(embed.to, names),
                    embed.place);
}

}  // namespace

void pin_embeddings(Interventions& interventions) {
  for (Embed& embed : interventions.embeds) {
    embed.file = fs::absolute(embed.file).lexically_normal();
    if (embed.digest.empty()) embed.digest = digest_of(fs::path(embed.file));
  }
}

template <class T>
Embeddings<T>::Embeddings(const std::vector<Embed>& asked, const Task& task, ParameterSet<T>& parameters) {
  for (const Embed& embed : asked) put_in(embed, task, parameters);
}

template <class T>
void Embeddings<T>::put_in(const Embed& embed, const Task& task, ParameterSet<T>& parameters) {
  const Param<T>& table = table_of(embed, parameters);
  const bool of_target = embed.to.starts_with("target_");
  const int vocab = of_target ? task.shape().target_vocab : task.shape().vocab;
  if (table.shape[0] != vocab)
    throw wrong_input(fmt::format("'{}' has {} rows, and the task knows {} words", embed.to, table.shape[0], vocab),
                      "name the table that has a row a word", embed.place);
  if (!embed.digest.empty() && digest_of(fs::path(embed.file)) != embed.digest)
    throw wrong_input("is not the file that this run was made with: its bytes are others",
                      "bring that one back, or leave its digest out to take this one", {embed.file});
  TextMap<int> rows;
  for (int word = 0; word < vocab; ++word) rows.emplace(of_target ? task.target_word(word) : task.word(word), word);
  const MappedFile file(embed.file);
  const auto width = static_cast<std::size_t>(table.shape[1]);
  const std::span<T> values = table.values();
  std::int64_t found = 0;
  read_word_vectors(
      file.bytes(), file.place(), static_cast<int>(width),
      [&](std::string_view word) {
        const auto row = rows.find(word);
        return row == rows.end() ? -1 : row->second;
      },
      [&](int row, std::span<const double> numbers) {
        const std::span<T> here = values.subspan(static_cast<std::size_t>(row) * width, width);
        std::transform(numbers.begin(), numbers.end(), here.begin(), [](double x) { return static_cast<T>(x); });
        ++found;
        if (!embed.frozen) return;
        frozen_.push_back(here);
        values_.insert(values_.end(), here.begin(), here.end());
      });
  if (found == 0)
    throw wrong_input(fmt::format("has a vector for none of the {} words of the task", vocab),
                      "is it of the same language, and are the task's words in small letters where its are?",
                      {embed.file});
  found_ += found;
  words_ += vocab;
}

template <class T>
void Embeddings<T>::keep_frozen() const {
  auto value = values_.begin();
  for (const std::span<T> row : frozen_) {
    const auto end = value + static_cast<std::ptrdiff_t>(row.size());
    std::copy(value, end, row.begin());
    value = end;
  }
}

template class Embeddings<float>;
template class Embeddings<double>;

}  // namespace fovea
