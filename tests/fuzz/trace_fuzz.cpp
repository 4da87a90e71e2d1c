// Whatever bytes a trace of memory accesses holds, reading it ends in accesses or in an error that names the file.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "fovea/data/corpus/trace_reader.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  for (const fovea::BadLine bad : {fovea::BadLine::stop, fovea::BadLine::skip}) {
    try {
      fovea::TraceReader reader(fovea::ByteReader(bytes, {"fuzz"}), bad);
      for (fovea::TracedAccess access; reader.next(access);)
        if (reader.report().read > static_cast<std::int64_t>(1) << 40) std::abort();
      if (reader.report().read == 0) std::abort();
    } catch (const fovea::Error& error) {
      if (error.location().file != "fuzz") std::abort();
    }
  }
  return 0;
}
