// RunExport: the interface of the formats of lab/export/export.h (room lab/export). export.cpp of this room calls it.
// Each format takes runs one after another and writes its file.
#pragma once

#include <filesystem>
#include <memory>

#include "fovea/lab/store/store.h"

namespace fovea {

class RunExport {
 public:
  virtual ~RunExport() = default;
  virtual void add(const RunRecord& run, const Store& store) = 0;  // the run with all of its series, without arrays
  virtual void finish() = 0;  // what was added is there, whole, once this has returned
};

std::filesystem::path run_folder(const std::filesystem::path& folder, const RunRecord& run);  // not made yet

// `several`: whether more than one run will be added.
std::unique_ptr<RunExport> export_csv(const std::filesystem::path& file, bool several);
std::unique_ptr<RunExport> export_jsonl(const std::filesystem::path& file, bool several);
std::unique_ptr<RunExport> export_npz(const std::filesystem::path& file, bool several);
std::unique_ptr<RunExport> export_safetensors(const std::filesystem::path& file, bool several);
std::unique_ptr<RunExport> export_words(const std::filesystem::path& file, bool several);
std::unique_ptr<RunExport> export_checkpoints(const std::filesystem::path& folder, bool several);
std::unique_ptr<RunExport> export_tensorboard(const std::filesystem::path& folder, bool several);

}  // namespace fovea
