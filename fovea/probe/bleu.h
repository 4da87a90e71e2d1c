// Probe `bleu` and its corpus score: BLEU as sacreBLEU has it by default (room probe). The Evaluator (lab/train)
// calls the probe at each evaluation. Words are cut by the rules of mteval 13a, with n-grams up to 4, one reference,
// and exponential smoothing of orders without a match.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace fovea {

// What the score is made from: sums over a corpus, so that they can be gathered sentence by sentence.
struct BleuCounts {
  static constexpr std::size_t orders = 4;
  std::array<std::int64_t, orders> matches{}, all{};  // n-grams that are in the reference, too; and all that were said
  std::int64_t said = 0, wanted = 0;                  // words
  void add(std::string_view said_text, std::string_view reference);
  double score() const;  // 0 to 100
};

std::vector<std::string> bleu_words(std::string_view text);

}  // namespace fovea
