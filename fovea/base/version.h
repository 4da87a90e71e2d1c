// The version of this library and program.
#pragma once

namespace fovea {

const char* version();

}  // namespace fovea
