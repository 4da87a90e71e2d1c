// Exports runs as files that other programs read (room lab/export). `fovea export` calls it. Reads the store; writes
// the given file or folder.
//
//   csv          one line a point: run,experiment,seed,metric,step,value; texts quoted as RFC 4180 says
//   jsonl        one object a line, one line a run: the run's row, its spec, its last metrics and its series as
//                [[step, value]…]
//   npz          NumPy: `series/METRIC/steps` and `/values`, `arrays/NAME/steps` and `/values` (evaluations, …), and
//                facts of the run (`run`, `seed`, `experiment`, `spec`, …)
//   safetensors  the weights at the end of training, by the names of the parameters
//   checkpoints  a folder for each run, with a safetensors file for each step of train.checkpoints; the metadata has
//                step and sha256
//   words        the vocabulary: a word a line, in the order of their numbers, so that line 1 is row 0 of the
//                embeddings; of runs that know the same. If answers have words of their own, these are in
//                FILE.target.txt
//   tensorboard  a folder with an event file for each run; values are rounded to 32 bits, as the format has them
//
// In npz and safetensors of several runs every name begins with the run's id and a slash. Numbers of csv and jsonl
// are written in the shortest form that reads back as the same bits. If they are not finite, csv has nan, inf and
// -inf, and jsonl the texts "nan", "inf" and "-inf", for which JSON has no numbers.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "fovea/lab/store/store.h"

namespace fovea {

std::string csv_header();  // with its line end
void append_csv(std::string& out, const RunRecord& run);
void append_jsonl(std::string& out, const RunRecord& run);

struct ExportFormat {
  std::string name;
  std::string ending;  // of files that are taken to be in it; empty for a folder
};
std::vector<ExportFormat> export_formats();

// The format that a file's ending says. Throws wrong_input for others.
std::string export_format_of(const std::filesystem::path& file);

// Writes the runs of these ids, in this order; the file is whole or as it was (in folders: each file). Throws
// wrong_input for an unknown format or run, for weights that were not kept, and for words that differ.
void export_runs(const Store& store, std::span<const std::int64_t> ids, const std::string& format,
                 const std::filesystem::path& file);

}  // namespace fovea
