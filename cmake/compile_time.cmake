# What makes the compiler finish sooner, and changes nothing of what is computed.

# g++ frees its own unused memory while it compiles. That takes a sixth of the time of a large unit, and saves a quarter of its memory. It
# is switched off if there are 1.5 GB for each compiler that ninja may start. The objects are the same.
cmake_host_system_information(RESULT memory QUERY TOTAL_PHYSICAL_MEMORY)  # in MiB
cmake_host_system_information(RESULT cores QUERY NUMBER_OF_LOGICAL_CORES)
math(EXPR memory_of_compiler "${memory} / (${cores} + 2)")
set(FOVEA_KEEPS_MEMORY)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND memory_of_compiler GREATER 1500)
  set(FOVEA_KEEPS_MEMORY --param=ggc-min-expand=1000 --param=ggc-min-heapsize=2000000)
endif()

# Where little time is spent when the program runs, little is spent on optimising it: the command line, the laboratory around a
# training, figures, the server, and tests. At -Og g++ warns of alternatives of a variant that are not there. fovea_thin(TARGET…)
set(FOVEA_THIN $<$<CONFIG:Release>:-Og> $<$<AND:$<CONFIG:Release>,$<CXX_COMPILER_ID:GNU>>:-Wno-maybe-uninitialized>)
if(FOVEA_SANITIZE)
  set(FOVEA_THIN -O0)
endif()
function(fovea_thin)
  foreach(target IN LISTS ARGN)
    target_compile_options(${target} PRIVATE ${FOVEA_THIN})
  endforeach()
endfunction()

# Parsing headers and instantiating the same templates is most of the work of small files: compiled floor by floor, all takes
# less than a third of the time. Tests are compiled folder by folder, since a change of one is tried often, and with sanitizers floor by
# floor. What files of one floor name for themselves must differ, then, but for tests of kernels. With --preset debug each file is
# compiled by itself, which suits somebody who changes one and tries it. g++ refuses kernels at -O0. What a debugger reads stays beside
# the objects, and the library names them in place of holding them: linking a test then takes a second, and not ten.
set(FOVEA_UNITY ON)
if(CMAKE_BUILD_TYPE STREQUAL "Debug")
  set(FOVEA_UNITY OFF)
  set(CMAKE_CXX_FLAGS_DEBUG "-Og -g -gsplit-dwarf")
  set(CMAKE_CXX_ARCHIVE_CREATE "<CMAKE_AR> qcT <TARGET> <LINK_FLAGS> <OBJECTS>")
  find_program(FOVEA_GOLD ld.gold)  # twice as quick, where there is one
  if(FOVEA_GOLD)
    add_link_options(-fuse-ld=gold)
  endif()
endif()
# fovea_as_one(TARGET)
function(fovea_as_one target)
  get_target_property(sources ${target} SOURCES)
  foreach(source IN LISTS sources)
    set(group ${target})
    if(source MATCHES "/tests/nn/" OR (source MATCHES "/tests/" AND NOT FOVEA_SANITIZE))
      get_filename_component(folder ${source} DIRECTORY)
      file(RELATIVE_PATH folder ${PROJECT_SOURCE_DIR} ${folder})
      string(REPLACE "/" "_" group "${folder}")
    endif()
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP "${group}")
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  # To g++ a file that another one includes is a header, whose types with parts of no name may differ from file to file.
  target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
endfunction()

# Headers that most files want, parsed once, by g++ and by the sanitizers' clang. A file names what it uses all the same: the
# browser's compiler and clang-tidy get none of them, and would miss what is not named.
set(FOVEA_COMMON_HEADERS <algorithm> <array> <cmath> <cstdint> <filesystem> <functional> <limits> <map> <memory> <numeric>
  <optional> <set> <span> <string> <string_view> <utility> <vector> <fmt/format.h>)
# To g++ a header parsed beforehand is none of the system's, so it tells of sizes that it believes possible within them: what it
# keeps silent of elsewhere.
set(FOVEA_PARSED_BEFORE -Wno-array-bounds -Wno-stringop-overflow)
set(FOVEA_PARSES_ONCE OFF)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" OR FOVEA_SANITIZE)
  set(FOVEA_PARSES_ONCE ON)
endif()
# fovea_parse_once(TARGET [HEADER…]): those, and the target's own.
function(fovea_parse_once target)
  if(FOVEA_PARSES_ONCE)
    target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:${FOVEA_PARSED_BEFORE}>)
    target_precompile_headers(${target} PRIVATE ${FOVEA_COMMON_HEADERS} ${ARGN})
  endif()
endfunction()
# fovea_parse_as(TARGET OTHER): those that OTHER has parsed; both are compiled with the same options.
function(fovea_parse_as target other)
  if(FOVEA_PARSES_ONCE)
    target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:${FOVEA_PARSED_BEFORE}>)
    target_precompile_headers(${target} REUSE_FROM ${other})
  endif()
endfunction()
