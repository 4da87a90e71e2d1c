#include "fovea/data/put_in_place.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "fovea/base/error.h"

namespace fovea {

bool put_in_place(const std::filesystem::path& draft, const std::filesystem::path& place, bool replace) {
  std::error_code ignored;
  const bool exchange = replace && std::filesystem::exists(place, ignored);
  const unsigned how = exchange ? RENAME_EXCHANGE : RENAME_NOREPLACE;
  if (::renameat2(AT_FDCWD, draft.c_str(), AT_FDCWD, place.c_str(), how) == 0) {
    if (exchange) std::filesystem::remove_all(draft, ignored);
    return true;
  }
  if (errno == EEXIST && !replace) return false;
  throw failure(fmt::format("can not be put in place: {}", std::strerror(errno)), {}, {place.string()});
}

}  // namespace fovea
