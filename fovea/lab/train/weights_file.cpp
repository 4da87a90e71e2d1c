#include "fovea/lab/train/weights_file.h"

#include <vector>

#include "fovea/io/safetensors.h"

namespace fovea {

std::string weights_file(const RunRecord& run, const std::string& hash) {
  std::vector<Tensor> tensors;
  for (const WeightRecord& weight : run.weights)
    tensors.push_back({weight.name, weight.type, weight.shape, weight.bytes});
  return safetensors(tensors,
                     {{"format", "pt"},  // laid out as PyTorch lays parameters out; some readers want to be told
                      {"hash", hash},
                      {"experiment", run.experiment},
                      {"seed", std::to_string(run.spec.seed)},
                      {"spec", run.spec.text()},
                      {"version", run.version},
                      {"arithmetic", std::to_string(run.arithmetic)}});
}

}  // namespace fovea
