#include "fovea/data/corpus/public_corpora.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "fovea/base/error/names.h"
#include "fovea/base/file.h"
#include "fovea/base/settings.h"
#include "fovea/io/shipped.h"
#include "fovea/io/toml_reader.h"

namespace fovea {

namespace {

constexpr std::size_t largest_file = 1 << 20;

// A table of the file that is there once, or not at all.
const ValueTable* table_at(const ValueTable& whole, const std::string& key) {
  const auto found = whole.find(key);
  if (found == whole.end()) return nullptr;
  if (const auto* table = found->second.as<ValueTable>()) return table;
  throw wrong_input(message("{} must be {}, not {}", key, ValueKind::table, found->second.kind()),
                    fmt::format("write it as [{}]", key), found->second.location);
}

// Files are named within the folder that they are got into.
void check_path(const std::string& path, const Location& location) {
  const std::filesystem::path name(path);
  if (path.empty() || name.is_absolute() || std::find(name.begin(), name.end(), "..") != name.end())
    throw wrong_input(fmt::format("'{}' cannot be the name of a downloaded file", path),
                      "give the path after downloading and unpacking", location);
}

PublicCorpus::File read_file_table(const Value& value) {
  const auto* table = value.as<ValueTable>();
  if (!table)
    throw wrong_input(message("file must be {}", ValueKind::tables),
                      message("write each as {}", Message::Tables{"file"}), value.location);
  PublicCorpus::File file;
  Fields fields;
  fields.text("name", file.name, "name of the file here and at a mirror");
  fields.texts("address", file.addresses, "addresses of the file; the first that works is used");
  fields.integer("bytes", file.bytes, 0, Fields::no_limit, "size in bytes; 0: unknown");
  fields.text("sha256", file.sha256, "its checksum");
  fields.texts("members", file.members, "the files to unpack from an archive; folders end in '/'");
  fields.read(*table, "file");
  const auto wrong = [&](const std::string& what, const std::string& remedy) {
    return wrong_input(fmt::format("the file '{}' {}", file.name, what), remedy, value.location);
  };
  check_path(file.name, value.location);
  if (file.name.find('/') != file.name.npos || file.name.starts_with('.') || file.name == "unpacked" ||
      file.name == "kept" || file.name == "ORIGIN")
    throw wrong("cannot have this name", "use the last part of its address");
  if (file.addresses.empty()) throw wrong("has no address", "add address = [\"https://…\"]");
  const bool digits = std::all_of(file.sha256.begin(), file.sha256.end(),
                                  [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
  if (file.sha256.empty())
    throw wrong("has no checksum", "add sha256 = \"…\", 64 lower-case hexadecimal digits, as sha256sum prints them");
  if (file.sha256.size() != 64 || !digits)
    throw wrong(fmt::format("has the checksum '{}', and a checksum has 64 lower-case hexadecimal digits", file.sha256),
                "write the digits that sha256sum prints");
  for (const std::string& member : file.members) check_path(member, value.location);
  return file;
}

TextSource read_source(const ValueTable& table, const std::string& key, const Location& location) {
  std::string file, target_file;
  TextSource source;
  Fields fields;
  fields.text("file", file, "the texts");
  fields.text("target_file", target_file, "their translations, line by line");
  fields.choice("format", source.format,
                {{"automatic", TextFormat::automatic},
                 {"tsv", TextFormat::tsv},
                 {"csv", TextFormat::csv},
                 {"jsonl", TextFormat::jsonl},
                 {"lines", TextFormat::lines},
                 {"folder", TextFormat::folder}},
                "format of the texts");
  fields.choice("header", source.header, {{"automatic", Header::automatic}, {"yes", Header::yes}, {"no", Header::no}},
                "names of columns");
  fields.texts("text", source.text, "columns of the text");
  fields.text("label", source.label, "column of the class");
  fields.text("target", source.target, "column of the translation");
  fields.read(table, key);
  check_path(file, location);
  if (!target_file.empty()) check_path(target_file, location);
  const bool maybe_folder = source.format == TextFormat::folder ||
                            (source.format == TextFormat::automatic && !std::filesystem::path(file).has_extension());
  if (!maybe_folder && source.label.empty() && source.target.empty() && target_file.empty())
    throw wrong_input(fmt::format("[{}] names neither a class nor a translation", key),
                      "name a column (label or target), or a file of translations (target_file)", location);
  source.file = file;
  source.target_file = target_file;
  // The bytes are always the same, so what is passed over is, too; and it is told.
  source.bad = BadLine::skip;
  return source;
}

}  // namespace

PublicCorpus parse_public_corpus(const std::string& toml, const std::string& name, const std::string& file_name) {
  const ValueTable whole = parse_table(toml, file_name);
  const Location location{file_name};
  PublicCorpus corpus;
  corpus.name = name;
  Fields fields;
  fields.text("title", corpus.title, "a description");
  fields.text("terms", corpus.terms, "the terms of its publishers");
  fields.text("home", corpus.home, "page that describes the corpus");
  fields.flag("latin1", corpus.latin1, "texts that are unpacked are in ISO 8859-1");
  const auto files = whole.find("file");
  const ValueList* list = files == whole.end() ? nullptr : files->second.as<ValueList>();
  if (!list || list->empty())
    throw wrong_input("names no file to download",
                      "add the file, as in: file = [{ name = \"a.csv\", address = [\"https://…/a.csv\"], sha256 = "
                      "\"…\" }]",
                      location);
  fields.read(whole, "a corpus to get", {"file", "train", "validation", "test"});
  std::set<std::string> names;
  for (const Value& value : *list) {
    corpus.files.push_back(read_file_table(value));
    if (!names.insert(corpus.files.back().name).second)
      throw wrong_input(fmt::format("two files have the name '{}'", corpus.files.back().name),
                        "give each file its own name", value.location);
  }
  const auto source = [&](const std::string& key) -> std::optional<TextSource> {
    const ValueTable* table = table_at(whole, key);
    if (!table) return {};
    return read_source(*table, key, whole.at(key).location);
  };
  if (const auto train = source("train")) corpus.sources.train = *train;
  corpus.sources.validation = source("validation");
  corpus.sources.test = source("test");
  for (const char* const other : {"validation", "test"})
    if (whole.contains(other) && !whole.contains("train"))
      throw wrong_input(fmt::format("has [{}] and no [train]", other),
                        "give the path of the training texts, or leave both out to keep the files as they are",
                        location);
  return corpus;
}

std::vector<PublicCorpus> public_corpora() {
  std::vector<PublicCorpus> all;
  for (const ShippedExperiment& shipped : shipped_corpora())
    all.push_back(parse_public_corpus(std::string(shipped.toml), std::string(shipped.name),
                                      fmt::format("corpora/{}.toml", shipped.name)));
  return all;
}

PublicCorpus find_public_corpus(const std::string& name_or_path) {
  if (name_or_path.find('/') != std::string::npos || name_or_path.ends_with(".toml")) {
    const std::filesystem::path path(name_or_path);
    return parse_public_corpus(read_file(path, largest_file), path.stem(), path.string());
  }
  std::string name = name_or_path;
  std::transform(name.begin(), name.end(), name.begin(),
                 [](char c) { return static_cast<char>(c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c); });
  std::vector<std::string> names;
  for (PublicCorpus& corpus : public_corpora()) {
    if (corpus.name == name) return std::move(corpus);
    names.push_back(corpus.name);
  }
  throw wrong_input(fmt::format("'{}' is not one of the public corpora", name_or_path),
                    suggest_name(Remedy::Code::find_public_corpus, name, names));
}

}  // namespace fovea
