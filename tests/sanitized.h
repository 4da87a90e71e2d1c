// Whether a sanitizer watches, which makes everything many times slower: timings then mean nothing, and what takes a
// second otherwise is made smaller.
#pragma once

#if !defined(__has_feature)  // clang's way to ask; g++ defines what a sanitizer is called
#define __has_feature(feature) 0
#endif

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || __has_feature(address_sanitizer) || \
    __has_feature(thread_sanitizer)
#define FOVEA_SANITIZED 1
#else
#define FOVEA_SANITIZED 0
#endif

namespace fovea {

inline constexpr bool sanitized = FOVEA_SANITIZED;

}  // namespace fovea
