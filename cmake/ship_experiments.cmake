# Writes the texts of FOLDER/*.toml and FOLDER/*.json into the C++ file OUT as the function NAME of fovea/io/shipped.h:
# cmake -DFOLDER=… -DNAME=… -DOUT=… -P this.
file(GLOB files ${FOLDER}/*.toml ${FOLDER}/*.json)
list(SORT files)
set(entries "")
foreach(file IN LISTS files)
  get_filename_component(name ${file} NAME_WE)
  file(READ ${file} text)
  string(APPEND entries "    ShippedExperiment{\"${name}\", R\"toml(${text})toml\"},\n")
endforeach()
file(RELATIVE_PATH source ${CMAKE_CURRENT_LIST_DIR}/.. ${FOLDER})
file(WRITE ${OUT} "// Made from ${source}; edit its files.
#include \"fovea/io/shipped.h\"

#include <vector>

namespace fovea {

std::span<const ShippedExperiment> ${NAME}() {
  static const std::vector<ShippedExperiment> all{
${entries}  };
  return all;
}

}  // namespace fovea
")
