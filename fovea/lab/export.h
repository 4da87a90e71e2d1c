// Runs as files that other programs read.
//
//   csv    one line a point: run,experiment,seed,metric,step,value; texts quoted as RFC 4180 says
//   jsonl  one object a line, one line a run: the run's row, its spec, its last metrics and its series as [[step,
//   value]…]
//
// Numbers are written in the shortest form that reads back as the same bits. Where they are not finite, csv has nan,
// inf and -inf, and jsonl the texts "nan", "inf" and "-inf", which JSON has no numbers for.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "fovea/lab/store.h"

namespace fovea {

std::string csv_header();  // with its line end
void append_csv(std::string& out, const RunRecord& run);
void append_jsonl(std::string& out, const RunRecord& run);

std::vector<std::string> export_formats();

// Writes the runs of these ids, in this order; the file is whole or as it was. Throws wrong_input for an unknown format
// or run.
void export_runs(const Store& store, std::span<const std::int64_t> ids, const std::string& format,
                 const std::filesystem::path& file);

}  // namespace fovea
