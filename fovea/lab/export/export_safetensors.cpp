// The export format safetensors: weights at the end of training, as PyTorch, JAX and NumPy users read them (room
// lab/export). export.cpp opens it through run_export.h.
#include <fmt/format.h>

#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "fovea/base/file.h"
#include "fovea/io/safetensors.h"
#include "fovea/lab/export/run_export.h"

namespace fovea {

namespace {

class Weights : public RunExport {
 public:
  Weights(std::filesystem::path file, bool several) : file_(std::move(file)), several_(several) {}

  void add(const RunRecord& run, const Store& store) override {
    std::optional<TensorFile> kept = store.weights(run);
    if (!kept)
      throw wrong_input(fmt::format("the weights of run {} were not kept", run.id),
                        Remedy::train_again_with("train.keep_weights", "always"));
    files_.push_back(std::move(*kept));
    const std::string front = several_ ? fmt::format("{}/", run.id) : "";
    for (const Tensor& tensor : files_.back().tensors())
      tensors_.push_back({front + tensor.name, tensor.type, tensor.shape, tensor.bytes});
    for (const auto& [key, text] : files_.back().metadata()) metadata_[key == "format" ? key : front + key] = text;
    metadata_[front + "run"] = std::to_string(run.id);
  }

  void finish() override { write_whole(file_, safetensors(tensors_, metadata_)); }

 private:
  std::filesystem::path file_;
  bool several_;
  std::deque<TensorFile> files_;  // the tensors' bytes are theirs
  std::vector<Tensor> tensors_;
  std::map<std::string, std::string> metadata_;
};

}  // namespace

std::unique_ptr<RunExport> export_safetensors(const std::filesystem::path& file, bool several) {
  return std::make_unique<Weights>(file, several);
}

}  // namespace fovea
