# The site with the page, for any host of static files: `cmake --build build --target site` leaves it in build/site. Its story is
# reproduced in a store of its own, so that building it again trains nothing anew.
set(FOVEA_SITE_EXPERIMENTS "--all" CACHE STRING "what the site's story tells: names of experiments, or --all")
set(FOVEA_SITE_FORM "--quick" CACHE STRING "in which form: --quick or --full")
if(FOVEA_PAGE AND (EXISTS ${page} OR FOVEA_NPM))
  set(FOVEA_PAGE_FILE ${page})
  set(site_store ${PROJECT_BINARY_DIR}/site-store)
  set(in_store ${CMAKE_COMMAND} -E env FOVEA_HOME=${site_store} $<TARGET_FILE:fovea_program>)
  add_custom_target(site
    COMMAND ${CMAKE_COMMAND} -E make_directory ${site_store}
    COMMAND ${in_store} reproduce ${FOVEA_SITE_EXPERIMENTS} ${FOVEA_SITE_FORM} -o ${site_store}/report.html
    COMMAND ${in_store} report --data -o ${site_store}/story.json
    COMMAND ${CMAKE_COMMAND} -E env FOVEA_PAGE_FILE=${FOVEA_PAGE_FILE} FOVEA_STORY_FILE=${site_store}/story.json
      ${PROJECT_SOURCE_DIR}/scripts/site ${PROJECT_BINARY_DIR}/site
    DEPENDS fovea_program COMMENT "Building the site" VERBATIM USES_TERMINAL)
endif()
