# The page (web/), built by npm into one HTML file that becomes a part of the program: fovea/view/report/page.h has it as
# shipped_page(). Without npm, or with FOVEA_PAGE off, it has none, and `fovea serve` answers its API alone.
# Without Emscripten the page lacks its engine, and the views that compute in the browser.
# A source archive of a release has the page built already (scripts/release).
option(FOVEA_PAGE "build the page into the program (needs nodejs and npm)" ON)

option(FOVEA_ENGINE "build the engine into the page (needs emscripten)" ON)

set(FOVEA_PAGE_SOURCE ${PROJECT_BINARY_DIR}/shipped_page.cpp)
find_program(FOVEA_NPM npm)
set(page ${PROJECT_SOURCE_DIR}/web/built/index.html)
if(FOVEA_PAGE AND NOT EXISTS ${page} AND FOVEA_NPM)
  set(page ${PROJECT_BINARY_DIR}/page/index.html)
  # In a folder of its own (web/CMakeLists.txt): what a target's own folder builds, all of its objects would wait for.
  add_subdirectory(${PROJECT_SOURCE_DIR}/web)
  if(NOT CMAKE_GENERATOR MATCHES Ninja)  # make knows no files of other folders
    cmake_language(DEFER CALL add_dependencies fovea_page page)
  endif()
endif()
if(FOVEA_PAGE AND (EXISTS ${page} OR FOVEA_NPM))
  file(CONFIGURE OUTPUT ${FOVEA_PAGE_SOURCE} CONTENT [[// The bytes of a file, put in by the assembler.
#include "fovea/view/report/page.h"

__asm__(".pushsection .rodata\n"
        ".global fovea_page_begin\n.global fovea_page_end\n"
        "fovea_page_begin:\n.incbin \"@page@\"\nfovea_page_end:\n"
        ".byte 0\n.popsection\n");
extern "C" {
extern const char fovea_page_begin[];
extern const char fovea_page_end[];
}

namespace fovea {

const ShippedPage page({fovea_page_begin, fovea_page_end});

}  // namespace fovea
]] @ONLY)
  set_source_files_properties(${FOVEA_PAGE_SOURCE} PROPERTIES OBJECT_DEPENDS ${page})
else()
  file(CONFIGURE OUTPUT ${FOVEA_PAGE_SOURCE} CONTENT [[// This program was built without its page.
]] @ONLY)
endif()
