// The safetensors format: named arrays in one file, as PyTorch, JAX and NumPy users read and write them (room io).
// Checkpoints and weights (lab/train), the store and exports call it.
//
//   8 bytes    size N of the header, little-endian
//   N bytes    JSON: { "name": { "dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24] }, …, "__metadata__": {
//   "key": "text" } } the rest   the values, little-endian, rows contiguous; every byte belongs to exactly one tensor
//
// The reader trusts nothing: sizes, offsets, overlaps, holes, depth and duplicates are checked before a value is
// touched.
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fovea/math/view.h"

namespace fovea {

struct Tensor {
  std::string name;
  std::string type = "F32";  // as the format names it: F64, F32, F16, BF16, I64, …
  std::vector<Index> shape;
  std::span<const std::byte> bytes;  // in the file's own memory, or in whoever's memory is to be written
};

class TensorFile {
 public:
  // `name` is for messages. Throws wrong_input with what is wrong.
  static TensorFile parse(std::string bytes, const std::string& name);
  static TensorFile read(const std::filesystem::path& path);

  const std::vector<Tensor>& tensors() const { return tensors_; }  // in the order of the header
  const std::map<std::string, std::string>& metadata() const { return metadata_; }
  const Tensor* find(std::string_view name) const;  // nullptr if there is none

  // The values of a floating-point tensor (F64, F32, F16, BF16) as float. Throws wrong_input if it is missing or of
  // another type.
  std::vector<float> floats(std::string_view name) const;

 private:
  std::string name_;
  std::vector<char> bytes_;  // stays where it is when the file object moves
  std::vector<Tensor> tensors_;
  std::map<std::string, std::string> metadata_;
};

// The bytes of a file that holds these tensors. Larger element types come first, so that each tensor lies aligned to
// its type; else in the order given. Names must differ and bytes fill shapes; throws failure otherwise.
std::string safetensors(std::span<const Tensor> tensors, const std::map<std::string, std::string>& metadata = {});

}  // namespace fovea
