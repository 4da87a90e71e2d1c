// Ngrams: counts of tokens and their successors, and the predictions from these counts (room data/tasks/files). The
// task `language` makes the rungs of its ladder from them. Of V tokens in N positions, with n(c) the positions of c,
// n(b c) those of c after b, n(b .) those of any token after b, u(b .) how many different tokens follow b, and the
// same for two tokens a b before c:
//
//   unigram   p(c)       = (n(c) + 1) / (N + V)
//   bigram    p(c | b)   = (n(b c) + u(b .) p(c)) / (n(b .) + u(b .))
//   trigram   p(c | a b) = (n(a b c) + u(a b .) p(c | b)) / (n(a b .) + u(a b .))
//
// A context that was never seen predicts what the shorter one predicts, and nothing is impossible (Witten and Bell,
// 1991).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "fovea/data/text/token_texts.h"

namespace fovea {

class Ngrams {
 public:
  // Of sequences of tokens 0 .. vocab-1; none reaches from one sequence into the next. vocab is 2^20 at most.
  Ngrams(const TokenTexts& texts, int vocab);

  // Each fills `said`, (vocab).
  void unigram(std::span<float> said) const;
  void bigram(int b, std::span<float> said) const;
  void trigram(int a, int b, std::span<float> said) const;

 private:
  // What follows each context of some length, in the order of the contexts.
  struct Followers {
    struct Count {
      int token;
      std::int64_t count;
    };
    std::vector<std::uint64_t> contexts;
    std::vector<std::size_t> begins;  // of each context in `counts`, and the end
    std::vector<Count> counts;
  };

  static Followers count(std::vector<std::uint64_t>& grams, std::uint64_t vocab);
  static void back_off(const Followers& followers, std::uint64_t context, std::span<float> said);

  std::uint64_t vocab_;
  std::vector<float> unigram_;
  Followers bigrams_, trigrams_;
};

}  // namespace fovea
