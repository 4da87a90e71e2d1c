// LabelledFile: the options that name a file of labelled texts and its columns (folder apps/cli). `fovea
// check-attention` and `fovea predict` have them.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "apps/cli/word_options.h"
#include "fovea/data/text/labelled_source.h"

namespace fovea::cli {

struct LabelledFile {
  std::string file, label, format;
  std::vector<std::string> text;
  std::vector<CLI::Option*> columns;  // the options of add_columns

  void add_columns(CLI::App& app) {
    columns = {
        app.add_option("--label", label, "the column of the label, by its name or its number (default: 1)")
            ->type_name("COL"),
        app.add_option("--text", text, "the column of the text (default: 2); several, separated by commas, are joined")
            ->delimiter(',')
            ->type_name("COL"),
        app.add_option("--format", format, "tsv, csv, jsonl, lines or folder (default: by the file's name)")
            ->type_name("FORMAT")};
  }

  TextSource source() const { return labelled_source(file, label, text, text_format(format)); }
};

}  // namespace fovea::cli
