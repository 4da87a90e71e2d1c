// Summarises a corpus: sizes, commonest words, sample texts (room data/corpus). `fovea data show` (apps/cli/data.cpp)
// prints it. Reads the corpus; changes nothing.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "fovea/data/corpus/corpus.h"

namespace fovea {

struct CorpusSummary {
  struct Sample {
    std::string text, label, target;
  };
  // Words of the texts of one side, in training.
  struct Side {
    std::int64_t words = 0;  // in all
    std::int64_t distinct = 0;
    int shortest = 0, median = 0, longest = 0;  // words of a text
    int bin = 1;                                // bars[i] counts texts of i * bin to (i + 1) * bin - 1 words
    std::vector<std::int64_t> bars;             // up to the longest
    std::vector<std::pair<std::string, std::int64_t>> commonest;
  };

  std::vector<std::array<std::int64_t, 3>> class_counts;  // by class, by split
  std::vector<Side> sides;                                // one; two of pairs: source and target
  std::vector<Sample> samples;                            // from all over the training data
};

CorpusSummary summarise(const Corpus& corpus, int commonest = 20, int samples = 3);

}  // namespace fovea
