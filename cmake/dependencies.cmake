# Every outside library Fovea uses, in one place; but for MPI, which the program alone can use (CMakeLists.txt). All of them are
# Debian packages (scripts: ./run installs them).
find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)
find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(Boost REQUIRED)
find_package(SQLite3 REQUIRED)
find_package(ZLIB REQUIRED)
pkg_check_modules(HWY REQUIRED IMPORTED_TARGET libhwy)
pkg_check_modules(TOMLPLUSPLUS REQUIRED IMPORTED_TARGET tomlplusplus)
pkg_check_modules(ZSTD REQUIRED IMPORTED_TARGET libzstd)
pkg_check_modules(UTF8PROC REQUIRED IMPORTED_TARGET libutf8proc)
pkg_check_modules(SENTENCEPIECE REQUIRED IMPORTED_TARGET sentencepiece)
# What view/picture draws with, and first_program does without.
set(cairo_is REQUIRED)
if(FOVEA_FINDINGS_ALONE)
  set(cairo_is)
endif()
pkg_check_modules(CAIRO ${cairo_is} IMPORTED_TARGET cairo)
# What `fovea data get` fetches and unpacks with; all else does without.
pkg_check_modules(LIBCURL IMPORTED_TARGET libcurl)
pkg_check_modules(LIBARCHIVE IMPORTED_TARGET libarchive)
include(${CMAKE_CURRENT_LIST_DIR}/portable.cmake)

function(fovea_link_dependencies target)
  target_link_libraries(${target} PUBLIC fmt::fmt PRIVATE Threads::Threads nlohmann_json::nlohmann_json Boost::headers
    SQLite::SQLite3 ZLIB::ZLIB ${CMAKE_DL_LIBS} PkgConfig::ZSTD PkgConfig::UTF8PROC PkgConfig::SENTENCEPIECE PkgConfig::HWY PkgConfig::TOMLPLUSPLUS)
  foreach(optional LIBCURL LIBARCHIVE)
    if(${optional}_FOUND)
      target_link_libraries(${target} PRIVATE PkgConfig::${optional})
    endif()
  endforeach()
endfunction()
