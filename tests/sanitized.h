// Whether a sanitizer watches, which makes everything many times slower: timings then mean nothing, and what takes a
// second otherwise is made smaller.
#pragma once

namespace fovea {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool sanitized = true;
#else
inline constexpr bool sanitized = false;
#endif

}  // namespace fovea
