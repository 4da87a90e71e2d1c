// Adding a corpus: its texts are read once for their labels and once for themselves.
#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/file.h>
#include <unistd.h>
#include <zstd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "fovea/base/file.h"
#include "fovea/data/corpus/corpus.h"
#include "fovea/data/corpus/corpus_files.h"
#include "fovea/data/draw.h"
#include "fovea/io/fetch/atomic_replace.h"

namespace fovea {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t flush_at = 1 << 20;  // bytes of text packed at a time
constexpr int packing_level = 6;

[[noreturn]] void refuse_taken(const std::string& name) {
  throw wrong_input(fmt::format("there is something called '{}' in the store already", name), Remedy::add_as_other());
}

// A folder beside the corpora that becomes one when all is well, and goes when it is not.
class UnfinishedCorpus {
 public:
  explicit UnfinishedCorpus(const std::string& name) {
    std::error_code code;
    fs::create_directories(corpora_folder(), code);
    clear_left();
    static std::atomic<int> count = 0;  // threads of a process may add at the same time
    path_ = corpora_folder() / fmt::format(".{}{}{}-{}", name, mark(), ::getpid(), ++count);
    fs::remove_all(path_, code);
    if (!fs::create_directories(path_, code))
      throw failure(fmt::format("cannot be made: {}", code.message()), "check that you may write there",
                    {path_.string()});
    held_ = hold(path_);
  }
  UnfinishedCorpus(const UnfinishedCorpus&) = delete;
  UnfinishedCorpus& operator=(const UnfinishedCorpus&) = delete;
  ~UnfinishedCorpus() {
    std::error_code ignored;
    if (!path_.empty()) fs::remove_all(path_, ignored);
    if (held_ >= 0) ::close(held_);
  }
  const fs::path& path() const { return path_; }

  // False where a corpus is there already and is not to be replaced.
  bool become(const fs::path& corpus, bool replace) {
    if (!atomic_replace(path_, corpus, replace)) return false;
    path_.clear();
    return true;
  }

 private:
  static std::string mark() {  // of the process
    char host[256] = {};
    ::gethostname(host, sizeof host - 1);
    return fmt::format(".{}-", host);
  }

  // Of a folder that nobody else holds, else below 0. The system lets it go with the process.
  static int hold(const fs::path& folder) {
    const int fd = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd >= 0 && ::flock(fd, LOCK_EX | LOCK_NB) == 0) return fd;
    if (fd >= 0) ::close(fd);
    return -1;
  }

  // What processes of this machine that were killed have left. In another container a process may live that is not
  // seen from here, though the machine has the same name: it holds its draft.
  static void clear_left() {
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(corpora_folder(), ignored)) {
      const std::string name = entry.path().filename();
      const std::size_t at = name.rfind(mark());
      if (!name.starts_with('.') || at == 0 || at == name.npos) continue;
      int process = 0;
      const auto [end, wrong] = std::from_chars(name.data() + at + mark().size(), name.data() + name.size(), process);
      const bool is_one = wrong == std::errc() && *end == '-' && process > 0;
      if (!is_one || ::kill(process, 0) == 0 || errno != ESRCH) continue;
      const int held = hold(entry.path());
      if (held < 0) continue;
      fs::remove_all(entry.path(), ignored);
      ::close(held);
    }
  }

  fs::path path_;
  int held_ = -1;
};

// Lines, packed.
class PackedWriter {
 public:
  explicit PackedWriter(const fs::path& file) : place_{file.string()}, out_(file, std::ios::binary) {}
  PackedWriter(const PackedWriter&) = delete;
  PackedWriter& operator=(const PackedWriter&) = delete;
  ~PackedWriter() { ZSTD_freeCCtx(context_); }

  void line(std::string_view text) {
    waiting_ += text;
    waiting_ += '\n';
    if (waiting_.size() >= flush_at) pack(ZSTD_e_continue);
  }
  void close() {
    pack(ZSTD_e_end);
    out_.close();
    if (!out_) throw failure("cannot be written", "is the disk full?", place_);
  }

 private:
  void pack(ZSTD_EndDirective how) {
    ZSTD_inBuffer in{waiting_.data(), waiting_.size(), 0};
    for (std::size_t left = 1; left != 0;) {
      ZSTD_outBuffer out{packed_.data(), packed_.size(), 0};
      left = ZSTD_compressStream2(context_, &out, &in, how);
      if (ZSTD_isError(left)) throw failure("cannot be packed", {}, place_);
      out_.write(packed_.data(), static_cast<std::streamsize>(out.pos));
      if (!out_) throw failure("cannot be written", "is the disk full?", place_);
      if (how == ZSTD_e_continue && in.pos == in.size) break;
    }
    waiting_.clear();
  }

  static ZSTD_CCtx* new_context() {
    ZSTD_CCtx* const context = ZSTD_createCCtx();
    ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, packing_level);
    ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
    return context;
  }

  Place place_;
  std::ofstream out_;
  ZSTD_CCtx* context_ = new_context();
  std::string waiting_;
  std::string packed_ = std::string(ZSTD_CStreamOutSize(), '\0');
};

// JSON's escapes are TOML's, but that TOML wants DEL to be one, too. A file's name may be no UTF-8.
std::string toml_text(const std::string& text) {
  std::string written = nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  for (std::size_t at; (at = written.find('\x7f')) != written.npos;) written.replace(at, 1, "\\u007f");
  return written;
}

class Adding {
 public:
  Adding(const std::string& name, const CorpusSources& sources,
         const std::function<void(std::int64_t, std::int64_t)>& progress)
      : sources_(sources),
        progress_(progress),
        paired_(!sources.train.target.empty() || !sources.train.target_file.empty()) {
    added_.corpus.name = name;
    added_.corpus.paired = paired_;
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
      throw wrong_input("no example is left for validation", Remedy::give_validation(), {sources_.train.file.string()});
    for (const Split split : all_splits)
      corpus.digests[static_cast<std::size_t>(split)] = digests_[static_cast<std::size_t>(split)].hex();
    corpus.digest = whole_digest(corpus.digests);
    write_whole(folder / manifest_name, manifest());
    corpus.folder = folder;
    return std::move(added_);
  }

 private:
  // The classes, and which split each example of the training file belongs to.
  void read_labels() {
    for (const fs::path& file : {sources_.train.file, sources_.train.target_file}) {
      std::error_code code;
      const fs::file_status status = fs::status(file, code);
      if (fs::exists(status) && !fs::is_regular_file(status) && !fs::is_directory(status))
        throw wrong_input("can be read once only, and the training texts are read twice",
                          "write them into a file first", {file.string()});
    }
    std::map<std::string, int, std::less<>> found;
    std::vector<int> labels;
    TextReader reader(sources_.train);
    for (TextExample example; reader.next(example);) {
      if (labels.size() % told_every == 0) tell(0, 0);
      const auto at = found.emplace(example.label, static_cast<int>(found.size())).first;
      labels.push_back(at->second);
    }
    const Place place{sources_.train.file.string()};
    if (!paired_ && found.size() < 2)
      throw wrong_input(fmt::format("has one class only, '{}', in {} texts", found.begin()->first, labels.size()),
                        "a classifier needs two or more; is the label's column the right one?", place);
    if (found.size() > most_classes)
      throw wrong_input(fmt::format("has {} different labels in {} texts", found.size(), labels.size()),
                        fmt::format("at most {} are taken; is the label's column the right one?", most_classes), place);
    if (!paired_)
      for (const auto& [label, number] : found) added_.corpus.classes.push_back(label);
    Fractions fractions = sources_.fractions;
    if (sources_.validation) fractions.validation = 0;
    if (sources_.test) fractions.test = 0;
    split_ = split_by_fraction(labels, fractions, sources_.seed);
  }

  void write(Split given, const TextSource& source, bool divide) {
    TextReader reader(source);
    std::size_t i = 0;
    for (TextExample example; reader.next(example); ++i) {
      if (i % told_every == 0) divide ? tell(i, split_.size()) : tell(0, 0);
      if (divide && i >= split_.size()) throw failure("changed while it was read", {}, {source.file.string()});
      const Split split = divide ? split_[i] : given;
      if (!paired_ && !std::binary_search(added_.corpus.classes.begin(), added_.corpus.classes.end(), example.label))
        throw wrong_input(fmt::format("the label '{}' is not in the training data", example.label),
                          "correct it, or put examples of this class into the training data", example.place);
      nlohmann::json line{{"text", example.text}};
      if (paired_) line["target"] = example.target;
      else line["label"] = example.label;
      writers_[static_cast<std::size_t>(split)]->line(line.dump());
      ++added_.corpus.examples[static_cast<std::size_t>(split)];
      add_to(digests_[static_cast<std::size_t>(split)], split, example);
    }
    if (divide && i != split_.size()) throw failure("changed while it was read", {}, {source.file.string()});
    added_.reports.push_back(reader.report());
  }

  void tell(std::size_t done, std::size_t of) const {
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
        fmt::format("# A corpus of texts, which lie beside it.\nsummary = {}\npaired = {}\ndigest = \"{}\"\n",
                    toml_text(corpus.summary), corpus.paired, corpus.digest);
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
                      "take up to 64 letters, digits, '-', '_' and '.'");
  for (const MadeCorpus& made : made_corpora())
    if (made.name == name)
      throw wrong_input(fmt::format("the corpus '{}' is made by the program", name), "choose another name");
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
  check_corpus_name(name);
  const fs::path folder = corpora_folder() / name;
  std::error_code ignored;
  if (!replace && fs::exists(folder, ignored)) refuse_taken(name);
  UnfinishedCorpus draft(name);
  AddedCorpus added = Adding(name, sources, progress).into(draft.path());
  if (!draft.become(folder, replace)) refuse_taken(name);
  added.corpus.folder = folder;
  return added;
}

}  // namespace fovea
