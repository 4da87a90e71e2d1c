#include "fovea/data/tasks/files/token_windows.h"

#include <algorithm>

namespace fovea {

namespace {

// Which sequence the i-th of all is of, and which it is there.
std::pair<std::size_t, std::size_t> position_of(const std::vector<std::int64_t>& sums, std::int64_t i) {
  const auto found = std::upper_bound(sums.begin(), sums.end(), i);
  const std::int64_t before = found == sums.begin() ? 0 : *(found - 1);
  return {static_cast<std::size_t>(found - sums.begin()), static_cast<std::size_t>(i - before)};
}

std::span<const int> window(std::span<const int> text, std::size_t begin, std::size_t length) {
  return text.subspan(begin, std::min(length + 1, text.size() - begin));
}

}  // namespace

TokenWindows::TokenWindows(const TokenTexts& texts, int length) : length_(static_cast<std::size_t>(length)) {
  std::int64_t starts = 0, in_turn = 0;
  for (int i = 0; i < texts.count(); ++i) {
    const auto n = static_cast<std::int64_t>(texts[i].size());
    if (n >= 2) {
      starts += std::max<std::int64_t>(1, n - length);
      in_turn += std::max<std::int64_t>(1, (n - 1) / length);
    }
    starts_.push_back(starts);
    in_turn_.push_back(in_turn);
  }
}

std::span<const int> TokenWindows::start(const TokenTexts& texts, std::int64_t i) const {
  const auto [text, at] = position_of(starts_, i);
  return window(texts[static_cast<int>(text)], at, length_);
}

std::span<const int> TokenWindows::of_turn(const TokenTexts& texts, std::int64_t i) const {
  const auto [text, at] = position_of(in_turn_, i);
  return window(texts[static_cast<int>(text)], at * length_, length_);
}

}  // namespace fovea
