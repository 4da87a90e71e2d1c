#include "fovea/lab/store/vocabulary_cache.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>
#include <zstd.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "fovea/base/error/names.h"
#include "fovea/base/file.h"
#include "fovea/io/bytes.h"
#include "fovea/io/digest.h"
#include "fovea/lab/spec/assembly.h"
#include "fovea/lab/store/store.h"

namespace fovea {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_cached_bytes = std::size_t{1} << 30;
constexpr const char* cache_ending = ".json.zst";

// Only the words of corpora may change behind a run's back.
bool of_a_corpus(const RunSpec& spec) {
  const auto digest = spec.task.find("digest");
  const std::string* const text = digest == spec.task.end() ? nullptr : digest->second.as<std::string>();
  return text && !text->empty();
}

KnownWords words_of(const Task& task) {
  const TaskShape shape = task.shape();
  KnownWords words;
  for (int i = 0; i < shape.vocab; ++i) words.source.push_back(task.word(i));
  for (int i = 0; i < shape.target_vocab; ++i) words.target.push_back(task.target_word(i));
  for (int i = 0; i < shape.classes; ++i) words.classes.push_back(task.class_name(i));
  if (words.target == words.source) words.target.clear();
  return words;
}

std::string packed(const std::string& bytes) {
  std::string out(ZSTD_compressBound(bytes.size()), '\0');
  const std::size_t size = ZSTD_compress(out.data(), out.size(), bytes.data(), bytes.size(), 3);
  if (ZSTD_isError(size)) throw failure("the vocabulary of a run cannot be compressed");
  out.resize(size);
  return out;
}

}  // namespace

fs::path VocabularyCache::file_of(const RunSpec& spec) const {
  Digest digest;
  for (const auto& [name, value] : spec.task) {
    if (name == "alike") continue;  // the order of examples
    digest.add(name + " = " + value.text() + "\n");
  }
  return folder_ / (digest.hex() + cache_ending);
}

std::vector<fs::path> VocabularyCache::files() const {
  std::vector<fs::path> all;
  std::error_code error;  // without a folder there are none
  for (fs::directory_iterator at(folder_, error), end; !error && at != end; at.increment(error))
    if (at->path().filename().string().ends_with(cache_ending)) all.push_back(at->path());
  std::sort(all.begin(), all.end());
  return all;
}

VocabularyCache::Hold::Hold(const VocabularyCache& words)
    : folder_(::open(words.folder_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)),
      held_(folder_ >= 0 && ::flock(folder_, LOCK_EX) == 0) {}

VocabularyCache::Hold::~Hold() {
  if (folder_ >= 0) ::close(folder_);
}

void VocabularyCache::keep(const RunSpec& spec) const {
  if (!of_a_corpus(spec)) return;
  const fs::path file = file_of(spec);
  std::error_code error;  // a folder that cannot be made shows when the file is written
  {
    const Hold hold(*this);
    if (fs::exists(file, error)) return;
  }
  const KnownWords words = words_of(*make_task(spec));
  nlohmann::json json{{"source", words.source}, {"classes", words.classes}};
  if (!words.target.empty()) json["target"] = words.target;
  fs::create_directories(folder_, error);
  write_whole(file, packed(json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace)));
}

void VocabularyCache::take_from(const VocabularyCache& other, const RunSpec& spec) const {
  const fs::path from = other.file_of(spec), to = file_of(spec);
  std::error_code error;
  if (!of_a_corpus(spec) || !fs::exists(from, error) || fs::exists(to, error)) return;
  fs::create_directories(folder_, error);
  write_whole(to, read_file(from, most_cached_bytes));
}

std::optional<KnownWords> VocabularyCache::read(const RunSpec& spec) const {
  const fs::path file = file_of(spec);
  std::error_code error;
  if (!of_a_corpus(spec) || !fs::exists(file, error)) return std::nullopt;
  try {
    const nlohmann::json json = nlohmann::json::parse(read_unpacked(ByteReader(file), most_cached_bytes));
    KnownWords words;
    json.at("source").get_to(words.source);
    json.at("classes").get_to(words.classes);
    if (json.contains("target")) json.at("target").get_to(words.target);
    return words;
  } catch (const nlohmann::json::exception&) {
    throw wrong_input("is damaged", "remove the file; the words are then read from the corpus", {file.string()});
  }
}

int KnownWords::class_number(const std::string& name) const {
  if (classes.empty()) throw wrong_input("these texts have no classes", "do not name a class");
  const auto found = std::ranges::find(classes, name);
  if (found == classes.end())
    throw wrong_input(fmt::format("there is no class '{}'", name), suggest_name(name, classes));
  return static_cast<int>(found - classes.begin());
}

VocabularyCache vocabulary_cache(const Store& store) {
  return VocabularyCache(store.weight_files().folder().parent_path() / "words");
}

KnownWords VocabularyCache::of(const RunSpec& spec) const {
  if (auto words = read(spec)) return *words;
  return words_of(*make_task(spec));
}

}  // namespace fovea
