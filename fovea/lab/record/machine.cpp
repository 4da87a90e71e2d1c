#include "fovea/lab/record/machine.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sched.h>
#include <sys/utsname.h>

#include <algorithm>
#include <ctime>
#include <fstream>
#include <string_view>
#include <thread>

#include "fovea/math/tile_unit.h"
#include "fovea/math/vector_math.h"

namespace fovea {

namespace {

std::string processor_model() {
#ifdef __EMSCRIPTEN__
  return "a browser";
#endif
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    constexpr std::string_view key = "model name";
    if (!line.starts_with(key)) continue;
    const std::size_t start = line.find_first_not_of(" \t:", key.size());
    if (start != std::string::npos) return line.substr(start);
  }
  utsname system{};  // processors that do not give a name there
  return ::uname(&system) == 0 ? system.machine : "unknown processor";
}

}  // namespace

#ifdef __EMSCRIPTEN__
int core_count() { return 1; }
#else
int core_count() {
  cpu_set_t allowed;
  if (::sched_getaffinity(0, sizeof allowed, &allowed) == 0) return std::max(1, CPU_COUNT(&allowed));
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}
#endif

std::string machine_line() {
  static const std::string processor = processor_model();  // asked for by each run of a sweep
  const int cores = core_count();
  return fmt::format("{}, {} {}, {}", processor, cores, cores == 1 ? "core" : "cores", simd_target());
}

std::string tile_unit_line() {
  using bf16x3::Why;
  switch (bf16x3::tile_choice().why) {
    case Why::best:
      return "AMX";
    case Why::absent:
      break;
    case Why::not_permitted:
      return "software (AMX not permitted by the system)";
    case Why::capped:
      return "software (AMX excluded by FOVEA_SIMD)";
    case Why::differs:
      return "software (AMX excluded: its results differ from its manual)";
  }
  return "software (no AMX)";
}

std::string utc_now() { return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr))); }

}  // namespace fovea
