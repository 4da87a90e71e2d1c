#include "fovea/theory/exact/causal_tree.h"

#include <algorithm>
#include <array>

#include "fovea/base/error/error.h"

namespace fovea {

namespace {

// The position that asks in all of the streams.
std::size_t asking_position(const StreamSample& sample) {
  const auto asks = [](int answer) { return answer >= 0; };
  const auto first = std::ranges::find_if(sample.target(0), asks) - sample.target(0).begin();
  for (std::int64_t n = 0; n < sample.size(); ++n) {
    const std::span<const int> answers = sample.target(n);
    if (std::ranges::count_if(answers, asks) != 1 || std::ranges::find_if(answers, asks) - answers.begin() != first)
      throw wrong_input("parents need streams with one question, at the same position",
                        "use a task such as 'causal-tree'");
  }
  return static_cast<std::size_t>(first);
}

}  // namespace

std::vector<ParentGuess> guess_parents(const StreamSample& sample) {
  const std::size_t asking = asking_position(sample);
  std::vector<std::array<std::int64_t, 2>> both(asking * asking);  // of (i, j): how often x_j = x_q, and x_i = y too
  std::vector<std::int64_t> says(asking);                          // how often x_i = y
  for (std::int64_t n = 0; n < sample.size(); ++n) {
    const std::span<const int> x = sample.source(n);
    const int answer = sample.target(n)[asking];
    for (std::size_t i = 0; i < asking; ++i) {
      const bool right = x[i] == answer;
      says[i] += right;
      for (std::size_t j = 0; j < i; ++j) {
        if (x[j] != x[asking]) continue;
        ++both[i * asking + j][0];
        both[i * asking + j][1] += right;
      }
    }
  }
  std::vector<ParentGuess> guesses(asking);
  const auto all = static_cast<double>(sample.size());
  for (std::size_t i = 0; i < asking; ++i)
    for (std::size_t j = 0; j < i; ++j) {
      const auto [asks, joint] = both[i * asking + j];
      const auto p = static_cast<double>(asks) / all, q = static_cast<double>(says[i]) / all;
      const double more = static_cast<double>(joint) / all - p * q, spread = p * (1 - p) * q * (1 - q);
      const double share = more > 0 && spread > 0 ? more * more / spread : 0;
      if (share > guesses[i].share) guesses[i] = {static_cast<int>(j), share};
    }
  return guesses;
}

}  // namespace fovea
