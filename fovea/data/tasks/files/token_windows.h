// TokenWindows: windows over sequences of tokens, `length` positions and what follows each (room data/tasks/files).
// The task `language` draws its batches from them. With n_i the tokens of sequence i, it has n_i - length windows to
// draw from (one, if it is shorter than that but has two tokens: the whole of it), and (n_i - 1) / length, rounded
// down (at least one), that follow one another.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "fovea/data/text/token_texts.h"

namespace fovea {

class TokenWindows {
 public:
  TokenWindows() = default;
  TokenWindows(const TokenTexts& texts, int length);

  std::int64_t starts() const { return starts_.empty() ? 0 : starts_.back(); }
  std::int64_t in_turn() const { return in_turn_.empty() ? 0 : in_turn_.back(); }

  // The positions and, behind them, what follows the last: length + 1 tokens, less where the sequence is shorter.
  std::span<const int> start(const TokenTexts& texts, std::int64_t i) const;    // i below starts()
  std::span<const int> of_turn(const TokenTexts& texts, std::int64_t i) const;  // i below in_turn()

 private:
  std::size_t length_ = 1;
  std::vector<std::int64_t> starts_, in_turn_;  // sums over the sequences up to each
};

}  // namespace fovea
