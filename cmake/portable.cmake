# FOVEA_PORTABLE: what a wheel is linked with (scripts/wheel). Shared libraries are put into the wheel; the program takes these two
# from their archives: Cairo's shared library wants X11, which wheels leave to the system, and libarchive's brings tables of Unicode
# that are larger than Fovea. An archive gives only the objects that are called, and what those do not call is not asked for. The
# module of the Python package neither draws nor downloads, and is linked without them (python/CMakeLists.txt).
option(FOVEA_PORTABLE "link from archives what a wheel cannot hold" OFF)

if(FOVEA_PORTABLE)
  add_link_options(-Wl,--as-needed)
  foreach(prefix CAIRO LIBARCHIVE LIBCURL)
    if(NOT prefix STREQUAL "LIBCURL")
      list(POP_FRONT ${prefix}_STATIC_LIBRARIES own)
      set(libraries -l:lib${own}.a)
      foreach(name IN LISTS ${prefix}_STATIC_LIBRARIES)
        unset(library)
        find_library(library NAMES ${name} NO_CACHE)
        if(library)  # what is not there belongs to parts that are not called
          list(APPEND libraries ${library})
        endif()
      endforeach()
    else()
      set(libraries ${LIBCURL_LINK_LIBRARIES})
    endif()
    set_target_properties(PkgConfig::${prefix} PROPERTIES
      INTERFACE_LINK_LIBRARIES "$<$<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>:${libraries}>")
  endforeach()
endif()
