// Writes the report as a file (folder apps/cli). `fovea report`, `fovea reproduce` and `fovea check-attention` call it.
// Reads the store; writes the given file.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "fovea/lab/analysis/reproduce.h"

namespace fovea::cli {

enum class ReportForm {
  page,   // the page, with these experiments in it; plain where the program was built without its page
  plain,  // a document without scripts: for printing, and for readers that run none
  data,   // what the page reads, for a page that lies elsewhere
};

// Of every shipped experiment, then of files of one's own (lab/analysis/reproduce.h). A file that can no longer be read
// as it was is left out, and stderr says so.
std::vector<Reproduction> reproduced_before(const Store& store);

// Throws wrong_input for a name that promises another kind of file, such as .pdf, and as output_file.h does. Without an
// ending any name will do.
void check_report_name(const std::string& file, const std::string& ending);

// Throws wrong_input where a file stands under this name that is no such report: nobody named it to be written over.
void check_own_report(const std::string& file);

// Their runs' arrays come from the store.
void write_report(const Store& store, std::span<const Reproduction> reproductions, const std::string& file,
                  ReportForm form = ReportForm::page);

// Throws wrong_input where a figure of the experiment is declared wrongly, before anything is trained for it.
void check_figures(const Experiment& experiment);

}  // namespace fovea::cli
