#include "fovea/base/version.h"

namespace fovea {

const char* version() { return FOVEA_VERSION; }

}  // namespace fovea
