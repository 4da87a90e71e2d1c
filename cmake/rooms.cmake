# The rooms of the library (fovea/rooms.txt), each a target of its own that compiles its folder's files.

# fovea_read_rooms(LIST): their names, lowest first, without those that only tests link.
function(fovea_read_rooms list)
  set(file ${PROJECT_SOURCE_DIR}/fovea/rooms.txt)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
  file(STRINGS ${file} lines REGEX "^[a-z]")
  list(FILTER lines EXCLUDE REGEX "\\(tests\\)$")
  list(TRANSFORM lines REPLACE " .*" "")
  set(${list} ${lines} PARENT_SCOPE)
endfunction()

# Rooms in which trainings spend their time. The others compute the same bits at -O1, and compile in two thirds of the time.
set(FOVEA_HOT_ROOMS "^(base|math|nn|model|theory)(/|$)")
# Rooms whose loops a sanitizer makes so slow that they are compiled at -O1. All others are compiled at -O0, in half of the time.
set(FOVEA_COMPUTING_ROOMS "^(base|math|nn)(/|$)")
# Rooms that parse nothing of a user's: a fuzzer needs not know which of their branches were taken, and they compile sooner.
set(FOVEA_UNFUZZED_ROOMS "^(nn|data/tasks/(streams|exact|addresses)|model|theory|probe|lab/(ranks|train|engine|sweep|export|bench)|view)(/|$)")

# The headers that all rooms parse, parsed for all of them: a target with nothing else in it.
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/headers.cpp CONTENT "")
add_library(fovea_headers OBJECT ${PROJECT_BINARY_DIR}/headers.cpp)
fovea_link_dependencies(fovea_headers)
target_link_libraries(fovea_headers PRIVATE fovea_habits)
fovea_parse_once(fovea_headers)

# fovea_room(LIBRARY ROOM): the target fovea_room_ROOM, a part of the library.
function(fovea_room library room)
  string(REPLACE "/" "_" name ${room})
  set(target fovea_room_${name})
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/fovea/${room}/*.cpp)
  add_library(${target} OBJECT ${sources})
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR})
  if(room STREQUAL "base")
    target_compile_definitions(${target} PRIVATE FOVEA_VERSION="${FOVEA_VERSION}")
  endif()
  fovea_link_dependencies(${target})
  target_link_libraries(${target} PRIVATE fovea_habits)
  target_sources(${library} PRIVATE $<TARGET_OBJECTS:${target}>)
  # Kernels include themselves once for each instruction set.
  foreach(source IN LISTS sources)
    file(STRINGS ${source} kernels REGEX "foreach_target" LIMIT_COUNT 1)
    if(kernels)
      set_source_files_properties(${source} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
      if(FOVEA_SANITIZE AND CMAKE_CXX_COMPILER_ID MATCHES "Clang")
        # Of thousands of small functions clang checks each pointer for minutes a file. What is read or written past an end the
        # address sanitizer sees all the same.
        set_source_files_properties(${source} PROPERTIES COMPILE_OPTIONS
          "-fno-sanitize=null,alignment,object-size,pointer-overflow,vptr,fuzzer-no-link")
      endif()
    endif()
  endforeach()
  if(FOVEA_UNITY)
    fovea_folder_as_one(${target})
  endif()
  fovea_parse_as(${target} fovea_headers)
  if(FOVEA_SANITIZE)
    if(room MATCHES ${FOVEA_COMPUTING_ROOMS})
      target_compile_options(${target} PRIVATE -O1)
    endif()
  elseif(NOT room MATCHES ${FOVEA_HOT_ROOMS})
    fovea_thin(${target})
  endif()
  if(FOVEA_FUZZ AND room MATCHES ${FOVEA_UNFUZZED_ROOMS})
    target_compile_options(${target} PRIVATE -fno-sanitize=fuzzer-no-link)
  endif()
endfunction()
