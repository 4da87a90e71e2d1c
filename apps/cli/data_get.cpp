#include "apps/cli/data_get.h"

#include <fmt/format.h>
#include <unistd.h>

#include <optional>

#include "apps/cli/bounds.h"
#include "apps/cli/corpus_text.h"
#include "apps/cli/interrupt.h"
#include "apps/cli/progress.h"
#include "fovea/data/corpus/public_corpora.h"
#include "fovea/view/terminal/terminal.h"

namespace fovea::cli {

namespace {

// As the web counts: 84.1 MB.
std::string size_text(std::int64_t bytes) {
  if (bytes == 0) return "?";
  if (bytes < 1'000'000) return fmt::format("{:.0f} kB", static_cast<double>(bytes) / 1e3);
  return fmt::format("{:.1f} MB", static_cast<double>(bytes) / 1e6);
}

Json public_json(const PublicCorpus& corpus) {
  Json files = Json::array();
  for (const PublicCorpus::File& file : corpus.files)
    files.push_back({{"name", file.name}, {"address", file.addresses}, {"bytes", file.bytes}, {"sha256", file.sha256}});
  return {{"name", corpus.name},
          {"title", corpus.title},
          {"terms", corpus.terms},
          {"home", corpus.home},
          {"bytes", corpus.bytes()},
          {"files", files},
          {"here", is_here(corpus, corpus.name)}};
}

// If a column is wrong, the mistake is in the file that describes the corpus.
Got got_of(const PublicCorpus& wanted, const Getting& how, const std::string& name) {
  try {
    return get_corpus(wanted, how);
  } catch (const Error& error) {
    const bool in_line = error.location().line > 0 && error.location().file != name;
    if (!name.ends_with(".toml") || !in_line) throw;
    throw Error(error.kind(), message("{}: {}", error.location().text(), error.problem()), error.remedy(), {name});
  }
}

}  // namespace

void DataGet::options(CLI::App& app) {
  app.add_option("name", name_,
                 "name of the corpus, or FILE.toml with your own description (default: list the public corpora)")
      ->type_name("NAME|FILE");
  of_one_ = {
      app.add_option("--as", as_, "name of the corpus here (default: its public name)")->type_name("NAME"),
      app.add_option("--from", from_, "fetch the files from this address, or copy them from this folder")
          ->type_name("URL|FOLDER"),
      app.add_option("--timeout", timeout_, "end a connection after this many seconds without a byte (default 60)")
          ->check(between(1.0, 86'400.0))
          ->type_name("SECONDS"),
      app.add_flag("--replace", replace_, "replace an existing corpus of this name")};
  app.add_flag("--quiet", quiet_, "show no progress");
  app.add_flag("--json", json_, "print one JSON document");
  app.footer(
      "Every file is checked by its SHA-256. If the connection breaks, the download goes on by itself. After Ctrl-C, "
      "the\n"
      "same command continues it.\n"
      "\n"
      "Your own description, in FILE.toml:\n"
      "  [[file]]\n"
      "  name = \"reviews.csv\"\n"
      "  address = [\"https://host.example/reviews.csv\"]\n"
      "  sha256 = \"…\"             64 digits, as sha256sum prints them\n"
      "  [train]\n"
      "  file = \"reviews.csv\"\n"
      "  label = \"class\"\n"
      "  text = [\"review\"]\n"
      "\n"
      "Examples:\n"
      "  fovea data get\n"
      "  fovea data get sms-spam\n"
      "  fovea data get imdb --from https://mirror.example/sets   if a mirror has them\n"
      "  fovea data get imdb --from Downloads                     if you have the files");
}

int DataGet::run() {
  if (!name_.empty()) return get(find_public_corpus(name_));
  for (const CLI::Option* option : of_one_)
    if (option->count() > 0)
      throw wrong_input(fmt::format("{} needs the name of a corpus", option->get_name()),
                        "write: fovea data get NAME …, or list the names: fovea data get");
  return list();
}

int DataGet::list() const {
  const std::vector<PublicCorpus> all = public_corpora();
  if (json_) {
    Json list = Json::array();
    for (const PublicCorpus& corpus : all) list.push_back(public_json(corpus));
    print_json(Json{{"public", list}});
    return 0;
  }
  using Align = TextTable::Align;
  TextTable table({{"to get"}, {"download", Align::right}, {""}, {"", Align::left, true}});
  for (const PublicCorpus& corpus : all)
    table.row({corpus.name, size_text(corpus.bytes()), is_here(corpus, corpus.name) ? "here" : "", corpus.title});
  fmt::print("{}\nGet one: fovea data get {}\n", table.text(Terminal::of(STDOUT_FILENO)), all.front().name);
  return 0;
}

int DataGet::get(const PublicCorpus& wanted) {
  std::optional<Progress> progress;
  double unit = 1;  // bytes, or texts
  Getting how;
  how.as = as_;
  how.from = from_;
  how.replace = replace_;
  how.manners.timeout = timeout_;
  how.manners.stop = interrupt_flag();
  const bool silent = quiet_ || json_;
  how.begin = [&](const std::string& doing, std::int64_t bytes) {
    const bool large = bytes == 0 || bytes >= 10'000'000;
    unit = large ? 1e6 : 1e3;
    progress.emplace(large ? "MB" : "kB", silent);
    if (!silent) progress->print_line(doing);
  };
  how.manners.progress = [&](std::int64_t have, std::int64_t of) {
    if (have > 0 && of > 0) progress->show(static_cast<double>(have) / unit, static_cast<double>(of) / unit);
  };
  std::optional<Progress> texts;
  how.progress = [&](std::int64_t done, std::int64_t of) {
    if (!texts) texts.emplace("texts", silent);
    texts->show(static_cast<double>(done), static_cast<double>(of));
  };
  const Got got = got_of(wanted, how, name_);
  progress.reset();
  texts.reset();
  if (json_) {
    Json json = got.added ? added_json(*got.added) : public_json(wanted);
    json["was_here"] = got.was_here;
    json["folder"] = got.folder.string();
    print_json(json);
    return 0;
  }
  const std::string name = as_.empty() ? wanted.name : as_;
  if (got.was_here) {
    fmt::print("'{}' is already installed. To download it again, use --replace.\n", name);
    return 0;
  }
  if (got.added) print_added(*got.added);
  else fmt::print("Got '{}'. The files are in {}\n", name, got.folder.string());
  if (wanted.name == "mnist" && !got.added)
    fmt::print("Train on it: fovea run digits-simple --set task.source={}\n", got.folder.string());
  if (!wanted.terms.empty()) fmt::print("Terms: {}; see {}\n", wanted.terms, wanted.home);
  return 0;
}

}  // namespace fovea::cli
