# Kernels are compiled once for each instruction set of Highway's, and a program takes the best one that its processor has. A release
# has them all. A build for this machine has its best one, and the oldest, which every processor has: half of the time.
option(FOVEA_ALL_INSTRUCTION_SETS "compile kernels for every processor, as a release does" OFF)

# Newer releases of Highway have several sets above AVX-512 (AVX3), none of which our kernels gain from; SSSE3 without SSE4 has only a
# netbook of before 2013.
set(FOVEA_DISABLED_SETS "(HWY_AVX3-1)|HWY_SSSE3")
if(NOT FOVEA_ALL_INSTRUCTION_SETS AND NOT CMAKE_CROSSCOMPILING AND NOT DEFINED FOVEA_BEST_SET)
  file(WRITE ${PROJECT_BINARY_DIR}/best_set.cpp "#include <hwy/targets.h>
#include <cstdio>
int main() {
  const auto sets = hwy::SupportedTargets() & ~std::int64_t{${FOVEA_DISABLED_SETS}};
  std::puts(hwy::TargetName(sets & -sets));
}
")
  try_run(ran compiled ${PROJECT_BINARY_DIR}/best_set ${PROJECT_BINARY_DIR}/best_set.cpp
    LINK_LIBRARIES PkgConfig::HWY RUN_OUTPUT_VARIABLE best)
  string(STRIP "${best}" best)
  if(ran EQUAL 0)
    set(FOVEA_BEST_SET ${best} CACHE INTERNAL "the best instruction set of this machine, by Highway's name")
  endif()
endif()
if(FOVEA_BEST_SET AND NOT FOVEA_ALL_INSTRUCTION_SETS AND CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64)$")
  string(APPEND FOVEA_DISABLED_SETS "|~(HWY_${FOVEA_BEST_SET}|HWY_BASELINE_TARGETS)")
endif()
target_compile_definitions(fovea_habits INTERFACE "HWY_DISABLED_TARGETS=(${FOVEA_DISABLED_SETS})")
