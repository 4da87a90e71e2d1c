#include "fovea/math/simd.h"

#include <hwy/highway.h>
#include <hwy/targets.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <string>

#include "fovea/base/error.h"
#include "fovea/math/vector_math.h"

namespace fovea {
namespace {

// Highway numbers targets so that a better one has a lower bit.
constexpr int kHighestBit = 62;

std::string lower(std::string s) {
  std::transform(s.begin(), s.end(), s.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return s;
}

bool cap_targets() {
  const char* const wish = std::getenv("FOVEA_SIMD");
  if (wish == nullptr || *wish == '\0') return true;
  std::string names;
  for (int bit = 0; bit <= kHighestBit; ++bit) {
    const std::int64_t target = std::int64_t{1} << bit;
    if ((HWY_TARGETS & target) == 0) continue;
    const std::string name = lower(hwy::TargetName(target));
    if (name == lower(wish)) {
      hwy::DisableTargets(target - 1);
      return true;
    }
    names += (names.empty() ? "" : ", ") + name;
  }
  throw wrong_input("FOVEA_SIMD is '" + std::string(wish) + "', which is no instruction set of this build",
                    "choose one of " + names);
}

}  // namespace

void choose_simd() {
  static const bool done = cap_targets();
  static_cast<void>(done);
}

const char* simd_target() {
  choose_simd();
  const std::int64_t usable = hwy::SupportedTargets() & HWY_TARGETS;
  return hwy::TargetName(usable & -usable);
}

}  // namespace fovea
