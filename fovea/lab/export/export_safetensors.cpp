// The export formats safetensors and checkpoints: weights as PyTorch, JAX and NumPy users read them (room lab/export).
// export.cpp opens them through run_export.h.
#include <fmt/format.h>

#include <deque>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "fovea/base/file.h"
#include "fovea/io/safetensors.h"
#include "fovea/lab/export/run_export.h"
#include "fovea/lab/train/weights_file.h"

namespace fovea {

namespace {

using Metadata = std::map<std::string, std::string>;

class Weights : public RunExport {
 public:
  Weights(std::filesystem::path file, bool several) : file_(std::move(file)), several_(several) {}

  void add(const RunRecord& run, const Store& store) override {
    std::optional<TensorFile> kept = store.weights(run);
    if (!kept)
      throw wrong_input(
          fmt::format("the weights of run {} were not kept", run.id),
          Remedy(Remedy::Code::train_again_with, {{"train.keep_weights", {}}, {"always", {}}, {run.id, {}}}));
    files_.push_back(std::move(*kept));
    const std::string front = several_ ? fmt::format("{}/", run.id) : "";
    for (const Tensor& tensor : files_.back().tensors())
      if (!is_of_checkpoint(tensor.name))
        tensors_.push_back({front + tensor.name, tensor.type, tensor.shape, tensor.bytes});
    for (const auto& [key, text] : files_.back().metadata())
      if (!is_digest(key)) metadata_[key == "format" ? key : front + key] = text;
    metadata_[front + "run"] = std::to_string(run.id);
  }

  void finish() override { write_whole(file_, safetensors(tensors_, metadata_)); }

 private:
  std::filesystem::path file_;
  bool several_;
  std::deque<TensorFile> files_;  // the tensors' bytes are theirs
  std::vector<Tensor> tensors_;
  Metadata metadata_;
};

// A folder for each run, with a file for each step. Nothing is written before all runs are known to have checkpoints.
class Checkpointed : public RunExport {
 public:
  explicit Checkpointed(std::filesystem::path folder) : folder_(std::move(folder)) {}

  void add(const RunRecord& run, const Store& store) override {
    std::optional<TensorFile> kept = store.weights(run);
    if (!kept || checkpoints_in(*kept).empty())
      throw wrong_input(fmt::format("run {} kept the weights of no step", run.id),
                        Remedy(Remedy::Code::train_again_with,
                               {{"train.checkpoints", {}}, {fmt::format("[0, {}]", run.steps), {}}, {run.id, {}}}));
    runs_.push_back({run.id, run_folder(folder_, run), std::move(*kept)});
  }

  void finish() override {
    make_folder(folder_, Remedy::name_folder());
    for (const Run& run : runs_) {
      make_folder(run.folder, Remedy::name_folder());
      const std::vector<KeptCheckpoint> checkpoints = checkpoints_in(run.kept);
      Metadata metadata;
      for (const auto& [key, text] : run.kept.metadata())
        if (!is_digest(key)) metadata[key] = text;
      metadata["run"] = std::to_string(run.id);
      const std::size_t digits = std::to_string(checkpoints.back().step).size();  // so that names sort as steps do
      for (const KeptCheckpoint& checkpoint : checkpoints) {
        metadata["step"] = std::to_string(checkpoint.step);
        metadata["sha256"] = checkpoint.sha256;
        write_whole(run.folder / fmt::format("step-{:0{}}.safetensors", checkpoint.step, digits),
                    safetensors(checkpoint.weights, metadata));
      }
    }
  }

 private:
  struct Run {
    std::int64_t id;
    std::filesystem::path folder;
    TensorFile kept;
  };
  std::filesystem::path folder_;
  std::vector<Run> runs_;
};

}  // namespace

std::unique_ptr<RunExport> export_safetensors(const std::filesystem::path& file, bool several) {
  return std::make_unique<Weights>(file, several);
}

std::unique_ptr<RunExport> export_checkpoints(const std::filesystem::path& folder, bool) {
  return std::make_unique<Checkpointed>(folder);
}

}  // namespace fovea
