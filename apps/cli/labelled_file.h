// LabelledFile: the options that name a file of labelled texts and its columns (folder apps/cli). `fovea
// check-attention` and `fovea predict` have them.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "apps/cli/bounds.h"
#include "apps/cli/notice.h"
#include "apps/cli/word_options.h"
#include "fovea/data/text/labelled_source.h"

namespace fovea::cli {

// Which columns are read, if their names in the header decided.
inline void report_columns(const TextSource& source) {
  if (source.by_header)
    notice("{}: the label is the column '{}', and the text is the column '{}'.", source.file.string(), source.label,
           source.text.front());
}

// The options of `fovea data add` for these texts.
inline std::string options_of_training(const TextSource& source) {
  const std::string file = "--train " + source.file.string();
  if (!source.target_file.empty()) return file + " --train-target " + source.target_file.string();
  if (source.label.empty()) return file;
  return file + fmt::format(" --label {} --text {}", source.label, fmt::join(source.text, ","));
}

// Calls `read`, which opens a labelled file. A file of unknown format may be of any but lines, which have no labels.
template <class Read>
auto read_labelled(Read&& read) {
  try {
    return read();
  } catch (const Error& error) {
    if (error.remedy().code != Remedy::Code::name_format) throw;
    throw Error(error.kind(), error.problem(), "give the format: --format tsv, csv or jsonl", error.location());
  }
}

struct LabelledFile {
  std::string file, label, format;
  std::vector<std::string> text;
  std::vector<CLI::Option*> columns;  // the options of add_columns

  void add_columns(CLI::App& app) {
    columns = {app.add_option("--label", label,
                              "the column of the label, by name or number (default: 1, or the column that the header "
                              "calls label, class, …)")
                   ->check(not_empty())
                   ->type_name("COL"),
               app.add_option("--text", text,
                              "the column of the text (default: 2, or the column that the header calls text, "
                              "sentence, …); several, separated by commas, are joined")
                   ->delimiter(',')
                   ->check(not_empty())
                   ->type_name("COL"),
               app.add_option("--format", format, "tsv, csv, jsonl or folder (default: by the file's name)")
                   ->check(one_of({"tsv", "csv", "jsonl", "folder"}))
                   ->type_name("FORMAT")};
  }

  TextSource source() const {
    TextSource source = labelled_source(file, label, text, text_format(format));
    report_columns(source);
    return source;
  }
};

}  // namespace fovea::cli
