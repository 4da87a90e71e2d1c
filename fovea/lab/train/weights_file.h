// Makes the bytes of a safetensors file (io/safetensors.h) of a run's weights, and reads the weights of its checkpoints
// (room lab/train). weight_files.cpp of this room, the page's engine and lab/export call it. The metadata has the run's
// experiment, seed and spec and the program's version.
//
// The final weights have the names of the parameters. Those of the steps of train.checkpoints have the names STEP/NAME,
// and the metadata "sha256 STEP" their digest: the SHA-256 of their bytes, one parameter after the other in the order
// of their names.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "fovea/io/safetensors.h"
#include "fovea/lab/record/record.h"

namespace fovea {

std::string weights_file(const RunRecord& run, const std::string& hash);

std::string checkpoint_name(std::int64_t step, const std::string& name);  // "16/embedding.weight"
bool is_of_checkpoint(const std::string& name);
bool is_digest(const std::string& key);  // of the metadata

struct KeptCheckpoint {
  std::int64_t step = 0;
  std::string sha256;
  std::vector<Tensor> weights;  // by the names of the parameters; their bytes are the file's
};

// In the order of their steps. Throws failure where weights do not have their digest.
std::vector<KeptCheckpoint> checkpoints_in(const TensorFile& file);

}  // namespace fovea
