#include "fovea/data/corpus/corpus.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "fovea/base/error/names.h"
#include "fovea/base/file.h"
#include "fovea/data/corpus/corpus_files.h"
#include "fovea/data/corpus/trace_corpus.h"
#include "fovea/data/draw.h"
#include "fovea/io/digest.h"
#include "fovea/io/toml_reader.h"

namespace fovea {

namespace {

constexpr std::size_t most_manifest_bytes = 1 << 24;

const MadeCorpus* made_named(const std::string& name) {
  const auto& all = made_corpora();
  const auto found = std::find_if(all.begin(), all.end(), [&](const MadeCorpus& made) { return made.name == name; });
  return found == all.end() ? nullptr : &*found;
}

const std::vector<Corpus>& all_made() {
  static const std::vector<Corpus> all = [] {
    std::vector<Corpus> corpora;
    for (const MadeCorpus& made : made_corpora()) {
      Digest digest;
      TraceCounter counter;
      for (const Split split : all_splits)
        made.each(split, [&](const TextExample& example) {
          add_to(digest, split, example);
          if (made.trace) counter.add(parse_access(example.text, example.location));
        });
      corpora.push_back({made.name, made.summary, {}, made.paired, made.classes, made.examples, digest.hex(), {}, {}});
      if (made.trace) corpora.back().trace = counter.size();
      corpora.back().tagged = made.tagged;
    }
    return corpora;
  }();
  return all;
}

ValueTable parse_manifest(const std::string& text, const Location& location) {
  try {
    return parse_table(text, location.file);
  } catch (const Error& error) {
    throw wrong_input(fmt::format("is damaged: {}", error.problem().text()), "add the corpus again", location);
  }
}

// Nothing if the key is missing, or if its value is of another kind.
template <class T>
std::optional<T> value_at(const ValueTable& table, const std::string& key) {
  const auto found = table.find(key);
  const T* const value = found == table.end() ? nullptr : found->second.as<T>();
  return value ? std::optional<T>(*value) : std::nullopt;
}

Corpus read_manifest(const std::filesystem::path& folder) {
  const std::filesystem::path file = folder / manifest_name;
  const Location location{file.string()};
  const ValueTable table = parse_manifest(read_file(file, most_manifest_bytes), location);
  const auto wanted = [&](auto found, const char* key) {
    if (!found) throw wrong_input(fmt::format("lacks '{}'", key), "add the corpus again", location);
    return *found;
  };
  Corpus corpus;
  corpus.name = folder.filename();
  corpus.folder = folder;
  corpus.summary = value_at<std::string>(table, "summary").value_or("");
  if (const auto trace = value_at<ValueTable>(table, "trace")) {
    const auto count = [&](const char* key) { return wanted(value_at<std::int64_t>(*trace, key), key); };
    corpus.trace = {count("counters"), count("pages")};
  } else {
    corpus.paired = wanted(value_at<bool>(table, "paired"), "paired");
    corpus.tagged = value_at<bool>(table, "tagged").value_or(false);
  }
  corpus.digest = wanted(value_at<std::string>(table, "digest"), "digest");
  const ValueTable examples = value_at<ValueTable>(table, "examples").value_or(ValueTable());
  const ValueTable digests = value_at<ValueTable>(table, "digests").value_or(ValueTable());
  for (const Split split : all_splits) {
    const std::string name(split_name(split));
    const auto count = wanted(value_at<std::int64_t>(examples, name), "examples");
    if (count < 0) throw wrong_input("has a negative number of examples", "add the corpus again", location);
    corpus.examples[static_cast<std::size_t>(split)] = count;
    corpus.digests[static_cast<std::size_t>(split)] = value_at<std::string>(digests, name).value_or("");
  }
  for (const Value& name : value_at<ValueList>(table, "classes").value_or(ValueList())) {
    const std::string* const text = name.as<std::string>();
    corpus.classes.push_back(text ? *text : std::string());
  }
  return corpus;
}

std::vector<std::string> kept_names() {
  std::vector<std::string> names;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(corpora_folder(), ignored)) {
    const std::string name = entry.path().filename();  // a dot begins what is not whole yet
    if (!name.starts_with('.') && std::filesystem::exists(entry.path() / manifest_name, ignored)) names.push_back(name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace

std::filesystem::path corpora_folder() { return home_folder() / "data"; }

void add_to(Digest& digest, Split split, const TextExample& example) {
  const char mark = static_cast<char>('0' + static_cast<int>(split));
  digest.add({&mark, 1});
  for (const std::string_view part : {example.text, example.label, example.target}) {
    digest.add(part);
    digest.add(std::string_view("\0", 1));
  }
}

Corpus find_corpus(const std::string& name) {
  if (name.empty()) throw wrong_input("no corpus is named", Remedy::choose_corpus());
  for (const Corpus& corpus : all_made())
    if (corpus.name == name) return corpus;
  const std::vector<std::string> kept = kept_names();
  if (std::find(kept.begin(), kept.end(), name) != kept.end()) return read_manifest(corpora_folder() / name);
  std::vector<std::string> known = kept;
  for (const Corpus& corpus : all_made()) known.push_back(corpus.name);
  throw wrong_input(fmt::format("there is no corpus '{}'", name), suggest_name(Remedy::Code::find_corpus, name, known));
}

Corpus pinned_corpus(const std::string& name, const std::string& digest) {
  Corpus corpus = find_corpus(name);
  if (!digest.empty() && digest != corpus.digest)
    throw wrong_input(fmt::format("the corpus '{}' has changed since this run was made: its digest is {}, not {}", name,
                                  corpus.digest, digest),
                      "name the original corpus, or leave task.digest empty to use this one");
  return corpus;
}

std::vector<Corpus> all_corpora() {
  std::vector<Corpus> all = all_made();
  for (const std::string& name : kept_names()) {
    try {
      all.push_back(read_manifest(corpora_folder() / name));
    } catch (const Error& error) {
      all.emplace_back();
      all.back().name = name;
      all.back().summary = error.what();
    }
  }
  return all;
}

void remove_corpus(const std::string& name) {
  if (made_named(name))
    throw wrong_input(fmt::format("the corpus '{}' is a part of the program, and cannot be removed", name), {});
  check_corpus_name(name);  // no path to elsewhere
  const std::filesystem::path folder = corpora_folder() / name;
  std::error_code code;
  if (!std::filesystem::exists(std::filesystem::symlink_status(folder, code)))  // also what is no corpus, as pictures
    throw wrong_input(fmt::format("there is no corpus '{}' that can be removed", name),
                      suggest_name(name, kept_names(), Remedy::removable_corpora()));
  std::filesystem::remove_all(folder, code);
  if (code)
    throw failure(fmt::format("cannot be removed: {}", code.message()), "check that you may write there",
                  {folder.string()});
}

void each_example(const Corpus& corpus, Split split, const std::function<void(const TextExample&)>& take) {
  if (corpus.trace)
    throw wrong_input(fmt::format("the corpus '{}' has memory accesses, not texts", corpus.name),
                      "use task 'address-trace', or another corpus");
  if (const MadeCorpus* made = corpus.folder.empty() ? made_named(corpus.name) : nullptr) {
    made->each(split, take);
    return;
  }
  if (corpus.count(split) == 0) return;
  const Location location{split_file(corpus.folder, split).string()};
  const std::string again = fmt::format("add the corpus '{}' again", corpus.name);
  const auto kept = [&](const auto& read) {  // what is wrong with a file that was kept is not mended in it
    try {
      return read();
    } catch (const Error& error) {
      if (error.kind() != Error::Kind::wrong_input) throw;
      throw wrong_input(error.problem(), again, error.location());
    }
  };
  TextReader reader = kept([&] { return TextReader(kept_split(corpus.folder, split, corpus.paired)); });
  const std::string& digest = corpus.digests[static_cast<std::size_t>(split)];
  std::int64_t count = 0;
  Digest read;
  for (TextExample example; kept([&] { return reader.next(example); }); ++count) {
    if (!digest.empty()) add_to(read, split, example);
    take(example);
  }
  if (count != corpus.count(split))
    throw wrong_input(fmt::format("has {} examples, but {} were added", count, corpus.count(split)), again, location);
  if (!digest.empty() && digest != read.hex()) throw wrong_input("has other texts than were added", again, location);
}

}  // namespace fovea
