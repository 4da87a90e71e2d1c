// Whatever bytes a safetensors file holds, reading it ends in tensors that are written and read back the same, or in
// wrong_input.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>

#include "fovea/base/error/error.h"
#include "fovea/io/safetensors.h"

namespace {

using namespace fovea;

void read_and_write(const std::string& bytes) {
  try {
    const TensorFile file = TensorFile::parse(bytes, "fuzz");
    const TensorFile again = TensorFile::parse(safetensors(file.tensors(), file.metadata()), "fuzz");
    if (again.metadata() != file.metadata() || again.tensors().size() != file.tensors().size()) std::abort();
    for (const Tensor& tensor : file.tensors()) {
      const Tensor* const same = again.find(tensor.name);
      if (!same || same->type != tensor.type || same->shape != tensor.shape ||
          !std::ranges::equal(same->bytes, tensor.bytes))
        std::abort();
      const bool floating = tensor.type[0] == 'F' || tensor.type == "BF16";
      try {
        if (file.floats(tensor.name).size() > tensor.bytes.size() || !floating) std::abort();
      } catch (const Error&) {
        if (floating) std::abort();
      }
    }
  } catch (const Error& error) {
    if (error.kind() != Error::Kind::wrong_input || error.location().file != "fuzz") std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  read_and_write(bytes);
  // As a header of its own length up to the first zero, and data after it: the length is hard to guess.
  const std::uint64_t header = std::min(bytes.find('\0'), size);
  std::string file(sizeof header, '\0');
  std::memcpy(file.data(), &header, sizeof header);
  file += bytes;
  if (header < size) file.erase(sizeof header + header, 1);
  read_and_write(file);
  return 0;
}
