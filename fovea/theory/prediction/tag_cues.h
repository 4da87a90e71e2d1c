// Words that indicate the tag of a nearby word, counted in the training sentences (room theory/prediction). n_jw is
// the number of words that have w at offset j, n_jwk the number of these with tag k, and p_k the share of tag k among
// all words:
//
//   σ_jwk = (n_jwk - n_jw p_k) / √(n_jw p_k (1 - p_k))       0 where n_jwk is below `least`
//
// The prediction: a tagger attends most to the position of largest σ for the right tag. Offset 0 is the word itself.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "fovea/data/task.h"

namespace fovea {

struct TagCue {
  std::string tag, word;
  int offset = 0;
  double sigma = 0;
  std::int64_t with_tag = 0, all = 0;  // n_jwk, n_jw
};

class TagCues {
 public:
  static constexpr std::int64_t least = 3;

  // `reach` words on each side; of a task without end, `fresh` sentences are counted.
  TagCues(const Task& task, int reach, std::int64_t fresh);

  // Of each tag but O its strongest cues, from `sigmas` on, strongest first.
  std::vector<TagCue> strongest(std::size_t of_each_tag, double sigmas) const;

  double sigma(int tag, int offset, int word) const;

  // The position that word t of a sentence is predicted to attend to, for its tag; -1 where no σ is above 0.
  int predicted(std::span<const int> words, int t, int tag) const;

 private:
  std::int64_t& with_tag(int tag, int offset, int word) {
    return counts_[(static_cast<std::size_t>(offset + reach_) * vocab_ + static_cast<std::size_t>(word)) *
                       tags_.size() +
                   static_cast<std::size_t>(tag)];
  }
  std::span<const std::int64_t> of_word(int offset, int word) const {
    return std::span(counts_).subspan(
        (static_cast<std::size_t>(offset + reach_) * vocab_ + static_cast<std::size_t>(word)) * tags_.size(),
        tags_.size());
  }

  int reach_ = 0;
  std::size_t vocab_ = 0;
  std::vector<std::string> tags_, words_;
  std::vector<std::int64_t> counts_;  // (offsets, vocab, tags)
  std::vector<double> share_;         // p_k
};

}  // namespace fovea
