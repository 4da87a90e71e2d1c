#include "fovea/math/simd.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <string>

#include "fovea/base/error/error.h"
#include "fovea/math/vector_math.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "fovea/math/simd.cpp"
#include <hwy/foreach_target.h>
// after foreach_target
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace fovea {
namespace HWY_NAMESPACE {
namespace {

const char* TargetInUse() { return hwy::TargetName(HWY_TARGET); }

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace fovea
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fovea {
namespace {

HWY_EXPORT(TargetInUse);

const char* wished() {
  const char* const wish = std::getenv("FOVEA_SIMD");
  return wish != nullptr && *wish != '\0' ? wish : nullptr;
}

#ifdef HWY_COMPILE_ONLY_STATIC  // one set of instructions, chosen by the compiler
bool choose() { return true; }
#else
std::string lower(std::string s) {
  std::transform(s.begin(), s.end(), s.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return s;
}

void cap_targets(const std::string& wish) {
  constexpr int kHighestBit = 62;
  std::string names;
  for (int bit = 0; bit <= kHighestBit; ++bit) {
    const std::int64_t target = std::int64_t{1} << bit;
    const std::string name = lower(hwy::TargetName(target));
    if (name == wish && name != "unknown") {  // a bit of no set has that name
      hwy::DisableTargets(target - 1);        // better targets have lower bits
      return;
    }
    if ((HWY_TARGETS & target) != 0) names += (names.empty() ? "" : ", ") + name;
  }
  throw wrong_input("FOVEA_SIMD is '" + wish + "', which is not an instruction set of this build",
                    "choose one of " + names + ", or unset it");
}

bool choose() {
  if (const char* const wish = wished()) cap_targets(lower(wish));
  // Highway would do this at the first dispatch, but passes through the uncapped choice while it does; other threads
  // must not see that.
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
  return true;
}
#endif

}  // namespace

void choose_simd() {
  static const bool done = choose();
  static_cast<void>(done);
}

bool simd_is_capped() { return wished() != nullptr; }

const char* simd_target() {
  choose_simd();
  return HWY_DYNAMIC_DISPATCH(TargetInUse)();
}

}  // namespace fovea
#endif  // HWY_ONCE
