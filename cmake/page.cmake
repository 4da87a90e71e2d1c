# The page (web/), built by npm into one HTML file that becomes a part of the library: fovea/view/page.h has it as
# shipped_page(). Without npm, or with FOVEA_PAGE off, the library has an empty one, and `fovea serve` answers its API alone.
# Without Emscripten the page lacks its engine, and the views that compute in the browser.
option(FOVEA_PAGE "build the page into the program (needs nodejs and npm)" ON)

option(FOVEA_ENGINE "build the engine into the page (needs emscripten)" ON)

set(FOVEA_PAGE_SOURCE ${PROJECT_BINARY_DIR}/shipped_page.cpp)
find_program(FOVEA_NPM npm)
if(FOVEA_PAGE AND FOVEA_NPM)
  set(web ${PROJECT_SOURCE_DIR}/web)
  set(page ${PROJECT_BINARY_DIR}/page/index.html)
  file(GLOB_RECURSE page_parts CONFIGURE_DEPENDS ${web}/src/*)
  # The engine (apps/wasm), by Emscripten as Debian has it: optimised links want acorn where Node finds it.
  set(emscripten /usr/share/emscripten/cmake/Modules/Platform/Emscripten.cmake)
  set(engine)
  if(FOVEA_ENGINE AND EXISTS ${emscripten} AND EXISTS /usr/share/nodejs/acorn)
    set(FOVEA_PAGE_HAS_ENGINE ON)
    set(engine_folder ${PROJECT_BINARY_DIR}/engine)
    set(engine ${engine_folder}/engine.wasm)
    file(GLOB_RECURSE engine_parts CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/apps/wasm/*)
    foreach(part base/error base/value lab/json theory/flow theory/toy_gate)
      list(APPEND engine_parts ${PROJECT_SOURCE_DIR}/fovea/${part}.cpp ${PROJECT_SOURCE_DIR}/fovea/${part}.h)
    endforeach()
    set(with_acorn ${CMAKE_COMMAND} -E env NODE_PATH=/usr/share/nodejs)
    add_custom_command(OUTPUT ${engine} ${engine_folder}/engine.js
      COMMAND ${with_acorn} ${CMAKE_COMMAND} -G ${CMAKE_GENERATOR} -S ${PROJECT_SOURCE_DIR}/apps/wasm -B ${engine_folder}
        -DCMAKE_TOOLCHAIN_FILE=${emscripten}
      COMMAND ${with_acorn} ${CMAKE_COMMAND} --build ${engine_folder}
      DEPENDS ${engine_parts}
      COMMENT "Building the engine" VERBATIM)
  endif()
  add_custom_command(OUTPUT ${web}/node_modules/.package-lock.json
    COMMAND ${FOVEA_NPM} ci --no-progress --loglevel=error
    WORKING_DIRECTORY ${web} DEPENDS ${web}/package-lock.json
    COMMENT "Fetching what the page is built with" VERBATIM)
  add_custom_command(OUTPUT ${page}
    COMMAND ${CMAKE_COMMAND} -E env FOVEA_ENGINE=${engine_folder} ${FOVEA_NPM} run --silent build -- --outDir ${PROJECT_BINARY_DIR}/page --emptyOutDir --logLevel warn
    WORKING_DIRECTORY ${web}
    DEPENDS ${web}/node_modules/.package-lock.json ${page_parts} ${web}/index.html ${web}/vite.config.ts ${web}/tsconfig.json
      ${engine}
    COMMENT "Building the page" VERBATIM)
  file(CONFIGURE OUTPUT ${FOVEA_PAGE_SOURCE} CONTENT [[// The bytes of a file, put in by the assembler.
#include "fovea/view/page.h"

__asm__(".pushsection .rodata\n"
        ".global fovea_page_begin\n.global fovea_page_end\n"
        "fovea_page_begin:\n.incbin \"@page@\"\nfovea_page_end:\n"
        ".byte 0\n.popsection\n");
extern "C" {
extern const char fovea_page_begin[];
extern const char fovea_page_end[];
}

namespace fovea {

std::string_view shipped_page() { return {fovea_page_begin, fovea_page_end}; }

}  // namespace fovea
]] @ONLY)
  set_source_files_properties(${FOVEA_PAGE_SOURCE} PROPERTIES OBJECT_DEPENDS ${page})
else()
  file(CONFIGURE OUTPUT ${FOVEA_PAGE_SOURCE} CONTENT [[#include "fovea/view/page.h"

namespace fovea {

std::string_view shipped_page() { return {}; }

}  // namespace fovea
]] @ONLY)
endif()
