# What makes the compiler finish sooner, and changes nothing of what is computed.

# Where no time is spent when the program runs, little is spent on optimising it: what reads the command line, and tests.
# fovea_thin(TARGET…)
set(FOVEA_THIN $<$<CONFIG:Release>:-O1>)
if(FOVEA_SANITIZE)
  set(FOVEA_THIN -O0)
endif()
function(fovea_thin)
  foreach(target IN LISTS ARGN)
    target_compile_options(${target} PRIVATE ${FOVEA_THIN})
  endforeach()
endfunction()

# Headers that most files want, parsed once. A file names what it uses all the same: clang, which compiles the library for the
# fuzzers, and the browser's compiler get none of them, and would miss what is not named.
set(FOVEA_COMMON_HEADERS <algorithm> <array> <cmath> <cstdint> <filesystem> <functional> <limits> <map> <memory> <numeric>
  <optional> <set> <span> <string> <string_view> <utility> <vector> <fmt/format.h>)
# To g++ a header parsed beforehand is none of the system's, so it tells of sizes that it believes possible within them: what it
# keeps silent of elsewhere.
set(FOVEA_PARSED_BEFORE -Wno-array-bounds -Wno-stringop-overflow)
# fovea_parse_once(TARGET [HEADER…]): those, and the target's own.
function(fovea_parse_once target)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(${target} PRIVATE ${FOVEA_PARSED_BEFORE})
    target_precompile_headers(${target} PRIVATE ${FOVEA_COMMON_HEADERS} ${ARGN})
  endif()
endfunction()
# fovea_parse_as(TARGET OTHER): those that OTHER has parsed; both are compiled with the same options.
function(fovea_parse_as target other)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(${target} PRIVATE ${FOVEA_PARSED_BEFORE})
    target_precompile_headers(${target} REUSE_FROM ${other})
  endif()
endfunction()
