# The rooms of the library (fovea/rooms.txt). The rooms of one floor are one target, which compiles their files.

# fovea_read_rooms(LIST): their names, lowest first, without those that only tests link.
function(fovea_read_rooms list)
  set(file ${PROJECT_SOURCE_DIR}/fovea/rooms.txt)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
  file(STRINGS ${file} lines REGEX "^[a-z]")
  list(FILTER lines EXCLUDE REGEX "\\(tests\\)$")
  list(TRANSFORM lines REPLACE " .*" "")
  set(${list} ${lines} PARENT_SCOPE)
endfunction()

# Rooms with the long loops. Those between them and the thin ones compute the same bits at -O1, as fast, and compile in two thirds of
# the time; at -Og small models take 7 to 17 % longer.
set(FOVEA_HOT_ROOMS "^(base|math|nn|theory)(/|$)")
set(FOVEA_THIN_ROOMS "^(lab|view|serve)(/|$)")
# Rooms whose loops a sanitizer makes so slow that they are compiled at -O1. All others are compiled at -O0, in a third of the time.
set(FOVEA_COMPUTING_ROOMS "^(base|math|nn|model|theory)(/|$)|^data(/tasks(/streams|/exact|/addresses)?)?$")
if(FOVEA_SANITIZE STREQUAL "thread")
  set(FOVEA_COMPUTING_ROOMS "^(base|math|nn)(/|$)")  # few tests run there
endif()
# Rooms that parse what a user gives. A fuzzer counts the branches that are taken there, and of each member that they read clang
# asks whether its address is null, aligned and of that class. The others compile in two thirds of the time: what they read outside of
# an object the address sanitizer sees all the same.
set(FOVEA_PARSING_ROOMS "^(base(/error)?|math|io(/.*)?|data/(text|words|corpus|tasks/files)|lab/(query|spec|experiment)|serve)$")
# How the others are compiled, the program and the tests. It is linked after fovea_habits: of two options clang takes the later.
add_library(fovea_unfuzzed INTERFACE)
set(FOVEA_UNFUZZED)
if(FOVEA_FUZZ)
  set(FOVEA_UNFUZZED -fno-sanitize=null,alignment,object-size,pointer-overflow,vptr,fuzzer-no-link)
  target_compile_options(fovea_unfuzzed INTERFACE ${FOVEA_UNFUZZED})
endif()

# The headers that all rooms parse, parsed for all of them: a target with nothing else in it. With coverage they are parsed apart.
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/headers.cpp CONTENT "")
foreach(headers fovea_headers fovea_headers_fuzzed)
  add_library(${headers} OBJECT EXCLUDE_FROM_ALL ${PROJECT_BINARY_DIR}/headers.cpp)
  fovea_link_dependencies(${headers})
  target_link_libraries(${headers} PRIVATE fovea_habits)
  fovea_parse_once(${headers})
endforeach()
target_link_libraries(fovea_headers PRIVATE fovea_unfuzzed)

# fovea_room(LIBRARY ROOM): the target fovea_room_FLOOR, a part of the library, of which ROOM becomes a part. The floor lab has three
# targets, since one would take a compiler's memory and minutes. Under sanitizers the rooms that parse have targets of their own.
function(fovea_room library room)
  set(part ${room})
  set(fuzzed OFF)
  if(library STREQUAL "fovea_library")
    string(REGEX REPLACE "/.*" "" part ${room})
    if(room MATCHES "^lab/(ranks|train|engine|store|sweep)$")
      set(part lab_training)
    elseif(room MATCHES "^lab/(analysis|export|bench)$")
      set(part lab_results)
    endif()
    if(FOVEA_SANITIZE AND room MATCHES ${FOVEA_PARSING_ROOMS})
      string(APPEND part _parsing)
      set(fuzzed ${FOVEA_FUZZ})
    endif()
  endif()
  string(REPLACE "/" "_" target fovea_room_${part})
  if(NOT TARGET ${target})
    add_library(${target} OBJECT)
    target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR})
    if(room MATCHES "^base")
      target_compile_definitions(${target} PRIVATE FOVEA_VERSION="${FOVEA_VERSION}")
    endif()
    fovea_link_dependencies(${target})
    target_link_libraries(${target} PRIVATE fovea_habits)
    target_sources(${library} PRIVATE $<TARGET_OBJECTS:${target}>)
    if(NOT fuzzed)
      target_link_libraries(${target} PRIVATE fovea_unfuzzed)
    endif()
    if(FOVEA_SANITIZE AND room MATCHES ${FOVEA_COMPUTING_ROOMS})
      target_compile_options(${target} PRIVATE -O1)  # clang takes no headers here that were parsed at -O0
    elseif(fuzzed)
      fovea_parse_as(${target} fovea_headers_fuzzed)
    else()
      fovea_parse_as(${target} fovea_headers)
    endif()
    if(NOT FOVEA_SANITIZE AND room MATCHES ${FOVEA_THIN_ROOMS})
      fovea_thin(${target})
    elseif(NOT FOVEA_SANITIZE AND NOT room MATCHES ${FOVEA_HOT_ROOMS})
      target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>)
    endif()
  endif()
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/fovea/${room}/*.cpp)
  target_sources(${target} PRIVATE ${sources})
  # Kernels include themselves once for each instruction set.
  foreach(source IN LISTS sources)
    file(STRINGS ${source} kernels REGEX "foreach_target" LIMIT_COUNT 1)
    if(kernels)
      set_source_files_properties(${source} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON COMPILE_OPTIONS "${FOVEA_UNFUZZED}")
    endif()
  endforeach()
  if(FOVEA_UNITY)
    fovea_as_one(${target})
  endif()
endfunction()
