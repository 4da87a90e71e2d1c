#include "fovea/data/corpus/unfinished_corpus.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/file.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <charconv>
#include <nlohmann/json.hpp>

#include "fovea/data/corpus/corpus_files.h"
#include "fovea/io/fetch/atomic_replace.h"

namespace fovea {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t flush_at = 1 << 20;  // bytes of text packed at a time
constexpr int packing_level = 6;

[[noreturn]] void refuse_taken(const std::string& name) {
  throw wrong_input(fmt::format("a corpus with the name '{}' exists", name), Remedy::add_as_other());
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
  // seen from here, though the machine has the same name: it holds its folder.
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

ZSTD_CCtx* new_context() {
  ZSTD_CCtx* const context = ZSTD_createCCtx();
  ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, packing_level);
  ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
  return context;
}

}  // namespace

AddedCorpus keep_whole(const std::string& name, bool replace, const std::function<AddedCorpus(const fs::path&)>& fill) {
  check_corpus_name(name);
  const fs::path folder = corpora_folder() / name;
  std::error_code ignored;
  if (!replace && fs::exists(folder, ignored)) refuse_taken(name);
  UnfinishedCorpus unfinished(name);
  AddedCorpus added = fill(unfinished.path());
  if (!unfinished.become(folder, replace)) refuse_taken(name);
  added.corpus.folder = folder;
  return added;
}

PackedWriter::PackedWriter(const fs::path& file)
    : location_{file.string()},
      out_(file, std::ios::binary),
      context_(new_context()),
      packed_(ZSTD_CStreamOutSize(), '\0') {}

void PackedWriter::line(std::string_view text) {
  waiting_ += text;
  waiting_ += '\n';
  if (waiting_.size() >= flush_at) pack(ZSTD_e_continue);
}

void PackedWriter::close() {
  pack(ZSTD_e_end);
  out_.close();
  if (!out_) throw failure("cannot be written", "is the disk full?", location_);
}

void PackedWriter::pack(ZSTD_EndDirective how) {
  ZSTD_inBuffer in{waiting_.data(), waiting_.size(), 0};
  for (std::size_t left = 1; left != 0;) {
    ZSTD_outBuffer out{packed_.data(), packed_.size(), 0};
    left = ZSTD_compressStream2(context_, &out, &in, how);
    if (ZSTD_isError(left)) throw failure("cannot be packed", {}, location_);
    out_.write(packed_.data(), static_cast<std::streamsize>(out.pos));
    if (!out_) throw failure("cannot be written", "is the disk full?", location_);
    if (how == ZSTD_e_continue && in.pos == in.size) break;
  }
  waiting_.clear();
}

// JSON's escapes are TOML's, but that TOML wants DEL to be one, too. A file's name may be no UTF-8.
std::string toml_text(const std::string& text) {
  std::string written = nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  for (std::size_t at; (at = written.find('\x7f')) != written.npos;) written.replace(at, 1, "\\u007f");
  return written;
}

}  // namespace fovea
