#include "fovea/data/corpus/get_corpus.h"

#include <fmt/format.h>

#include <algorithm>

#include "fovea/base/file.h"
#include "fovea/data/corpus/corpus_files.h"
#include "fovea/io/fetch/atomic_replace.h"
#include "fovea/io/fetch/unpack.h"
#include "fovea/io/sha256.h"

namespace fovea {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view origin = "got from ";

// What a corpus in the store says of where it is from: the same for the same files only.
std::string summary_of(const PublicCorpus& wanted) {
  Sha256 all;
  for (const PublicCorpus::File& file : wanted.files) all.add(file.sha256);
  return fmt::format("{} ({}{}, {})", wanted.title, origin, wanted.home, all.hex().substr(0, 8));
}

bool is_address(const std::string& text) { return text.find("://") != text.npos; }

class Get {
 public:
  Get(const PublicCorpus& wanted, const Getting& how)
      : wanted_(wanted),
        how_(how),
        name_(how.as.empty() ? wanted.name : how.as),
        desk_(corpora_folder() / (".getting-" + wanted.name)) {}

  Got run() {
    check_corpus_name(wanted_.name);
    check_corpus_name(name_);
    const fs::path folder = corpora_folder() / name_;
    if (!how_.replace) {
      if (is_here(wanted_, name_)) return {true, {}, folder};
      std::error_code ignored;
      if (fs::exists(folder, ignored)) refuse_taken();
    }
    for (const PublicCorpus::File& file : wanted_.files)
      if (!file.members.empty()) require_unpacking(file.name);  // rather than when all of it is fetched
    for (const PublicCorpus::File& file : wanted_.files) files_.push_back(fetched(file));
    Got got{false, {}, folder};
    if (wanted_.is_corpus()) got.added = added();
    else keep(folder);
    std::error_code ignored;
    fs::remove_all(desk_, ignored);
    return got;
  }

 private:
  [[noreturn]] void refuse_taken() const {
    throw wrong_input(fmt::format("another corpus with the name '{}' exists", name_), Remedy::get_as_other());
  }

  // The file, here and checked.
  fs::path fetched(const PublicCorpus::File& file) const {
    begin("fetching " + file.name, file.bytes);
    if (!how_.from.empty() && !is_address(how_.from)) return found(file);
    const fs::path path = desk_ / file.name;
    if (fs::exists(path) && sha256_of_file(path) == file.sha256) return path;
    std::vector<std::string> addresses = file.addresses;
    if (!how_.from.empty()) addresses = {how_.from + (how_.from.ends_with('/') ? "" : "/") + file.name};
    std::string before;  // what the addresses before said
    for (std::size_t i = 0;; ++i) {
      try {
        download({addresses.at(i), path, file.bytes, file.sha256}, how_.manners);
        return path;
      } catch (const Error& error) {
        const bool stopped = how_.manners.stop && how_.manners.stop->load();
        if (stopped || addresses.size() == 1) throw;
        if (i + 1 == addresses.size())
          throw Error(error.kind(), message("{}; and before, {}", error.problem(), before), error.remedy(),
                      error.location());
        before += (i == 0 ? "" : ", ") + error.problem().text();
      }
    }
  }

  fs::path found(const PublicCorpus::File& file) const {
    const fs::path path = fs::path(how_.from) / file.name;
    if (!fs::exists(path))
      throw wrong_input("there is no such file", "name an address (https://…) or a folder that has it",
                        {path.string()});
    const std::string sum = sha256_of_file(path);
    if (sum != file.sha256)
      throw wrong_input(fmt::format("is not the expected file: its SHA-256 is {}, not {}", sum, file.sha256),
                        fmt::format("fetch it from {}", file.addresses.front()), {path.string()});
    return path;
  }

  AddedCorpus added() const {
    const fs::path unpacked = desk_ / "unpacked";
    std::error_code ignored;
    fs::remove_all(unpacked, ignored);
    for (std::size_t i = 0; i < files_.size(); ++i) {
      if (wanted_.files[i].members.empty()) continue;
      begin("unpacking " + wanted_.files[i].name, 0);
      unpack({.archive = files_[i],
              .folder = unpacked,
              .members = wanted_.files[i].members,
              .latin1 = wanted_.latin1,
              .stop = how_.manners.stop});
    }
    CorpusSources sources = wanted_.sources;
    sources.summary = summary_of(wanted_);
    const auto place = [&](TextSource& source) {
      source.file = path_of(source.file, unpacked);
      if (!source.target_file.empty()) source.target_file = path_of(source.target_file, unpacked);
    };
    place(sources.train);
    if (sources.validation) place(*sources.validation);
    if (sources.test) place(*sources.test);
    begin("adding the texts", 0);
    return add_corpus(name_, sources, how_.replace, [&](std::int64_t done, std::int64_t of) {
      if (how_.manners.stop && how_.manners.stop->load())
        throw failure("stopped while the texts were added",
                      "the files fetched so far are kept; the same command continues");
      if (how_.progress && of > 0) how_.progress(done, of);
    });
  }

  fs::path path_of(const fs::path& name, const fs::path& unpacked) const {
    for (std::size_t i = 0; i < files_.size(); ++i)
      if (wanted_.files[i].name == name) return files_[i];
    return unpacked / name;
  }

  // The files themselves, in a folder of their own: whole or not at all.
  void keep(const fs::path& folder) const {
    const fs::path draft = desk_ / "kept";
    std::error_code code;
    fs::remove_all(draft, code);
    fs::create_directories(draft, code);
    for (std::size_t i = 0; i < files_.size() && !code; ++i)
      fs::copy_file(files_[i], draft / wanted_.files[i].name, code);
    if (!code) write_whole(draft / origin_name, summary_of(wanted_) + "\n");
    if (code)
      throw failure(fmt::format("cannot be copied: {}", code.message()), "check the path and its permissions",
                    {draft.string()});
    if (!atomic_replace(draft, folder, how_.replace)) refuse_taken();
  }

  void begin(const std::string& doing, std::int64_t bytes) const {
    if (how_.begin) how_.begin(doing, bytes);
  }

  friend bool fovea::is_here(const PublicCorpus&, const std::string&);
  static constexpr const char* origin_name = "ORIGIN";

  const PublicCorpus& wanted_;
  const Getting& how_;
  std::string name_;
  fs::path desk_;  // where files wait until they are a corpus
  std::vector<fs::path> files_;
};

}  // namespace

std::int64_t PublicCorpus::bytes() const {
  std::int64_t sum = 0;
  for (const File& file : files) sum += file.bytes;
  return sum;
}

bool is_here(const PublicCorpus& wanted, const std::string& as) {
  const fs::path folder = corpora_folder() / as;
  if (!wanted.is_corpus()) {
    const fs::path file = folder / Get::origin_name;
    return fs::exists(file) && read_file(file, 1 << 16) == summary_of(wanted) + "\n";
  }
  if (!fs::exists(folder / manifest_name)) return false;
  try {
    return find_corpus(as).summary == summary_of(wanted);
  } catch (const Error&) {
    return false;  // it is damaged, and can be got anew in its place
  }
}

Got get_corpus(const PublicCorpus& wanted, const Getting& how) { return Get(wanted, how).run(); }

}  // namespace fovea
