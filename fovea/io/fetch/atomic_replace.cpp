#include "fovea/io/fetch/atomic_replace.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <system_error>

#include "fovea/base/error/error.h"

namespace fovea {

namespace fs = std::filesystem;

namespace {

constexpr int most_attempts = 100;  // others may put something there, or take it away, between a look and a move

bool is_taken(const fs::path& place) {
  std::error_code ignored;
  return fs::exists(fs::symlink_status(place, ignored));  // a link that leads nowhere is in the way, too
}

Error can_not(const fs::path& place, const std::error_code& code) {
  return failure(fmt::format("cannot be put in place: {}", code.message()), "check that you may write there",
                 {place.string()});
}

}  // namespace

bool atomic_replace(const fs::path& draft, const fs::path& place, bool replace) {
  for (int attempt = 1;; ++attempt) {
    const bool exchange = is_taken(place);
    if (exchange && !replace) return false;
    const unsigned how = exchange ? RENAME_EXCHANGE : RENAME_NOREPLACE;
    if (::renameat2(AT_FDCWD, draft.c_str(), AT_FDCWD, place.c_str(), how) == 0) {
      std::error_code ignored;
      if (exchange) fs::remove_all(draft, ignored);
      return true;
    }
    const int error = errno;
    if (error == EINVAL || error == ENOSYS || error == ENOTSUP) return replace_by_moving(draft, place, replace);
    const bool changed = error == (exchange ? ENOENT : EEXIST);
    if (!changed || attempt == most_attempts) throw can_not(place, {error, std::generic_category()});
  }
}

bool replace_by_moving(const fs::path& draft, const fs::path& place, bool replace) {
  // Of a name that nobody clears away: a process that is killed in between has lost nothing.
  const fs::path aside = place.parent_path() / ("." + place.filename().string() + ".replaced");
  std::error_code code;
  if (is_taken(place)) {
    if (!replace) return false;
    fs::remove_all(aside, code);
    fs::rename(place, aside, code);
    if (code) throw can_not(place, code);
  }
  fs::rename(draft, place, code);
  std::error_code ignored;
  if (code) {
    fs::rename(aside, place, ignored);
    throw can_not(place, code);
  }
  fs::remove_all(aside, ignored);
  return true;
}

}  // namespace fovea
