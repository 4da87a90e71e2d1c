// Checkpoints: the files from which an interrupted run continues, bit for bit (room lab/train). CheckpointKeeper
// writes them. The store, sweeps and `fovea watch` read or remove them.
//
// A checkpoint is a safetensors file (io/safetensors.h), so programs for that format can read weights in training.
// lab/train/train_state.h lists its content. Its metadata has a CRC-32 over the whole file, taken with the eight
// digits of the checksum itself as zeros.
//
// A run has checkpoints/HASH.safetensors, written whole or not at all, and the one before it,
// HASH.before.safetensors, in case the newest cannot be read. Only the holder of the run's lock
// (lab/store/run_lock.h) changes them.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "fovea/io/safetensors.h"

namespace fovea {

constexpr std::size_t largest_checkpoint = std::size_t{64} << 30;  // in bytes

class Checkpoints {
 public:
  Checkpoints(std::filesystem::path folder, std::string hash);

  // Throws failure (disk full, no permission) with the checkpoints there were as they were.
  void write(std::span<const Tensor> tensors, const std::map<std::string, std::string>& metadata) const;

  std::vector<std::filesystem::path> files() const;  // those that are there, the newest first
  void remove() const;                               // all of them; what cannot be removed stays

  // Throws wrong_input where the file is not sound: cut short, changed, no checkpoint.
  static TensorFile read(const std::filesystem::path& file);

 private:
  std::filesystem::path newest_, before_, next_;
};

// Who watches runs in training wants to see them as they are now: for ten seconds from this on they write checkpoints
// about as often as a person can look, as long as that is cheap. Does nothing where the folder cannot be written.
void ask_for_checkpoints(const std::filesystem::path& folder);
bool checkpoints_asked_for(const std::filesystem::path& folder);
void ask_no_more(const std::filesystem::path& folder);

// The runs, by hash, that have a checkpoint in the folder. Removes what a kill left of files that were being written,
// but for those of runs that `in_training` says are being written now.
std::vector<std::string> runs_with_checkpoints(const std::filesystem::path& folder,
                                               const std::function<bool(const std::string&)>& in_training);

}  // namespace fovea
