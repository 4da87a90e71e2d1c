// Divides examples without given splits into training, validation and test (room data/text). Corpora
// (data/corpus/corpus.h) and the task `given-texts` call it. Pure functions of the seed.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "fovea/data/task.h"

namespace fovea {

struct Fractions {
  double validation = 0.1;
  double test = 0.1;
};

// The split of each example. Each class gives the same share to each split, as nearly as whole examples allow. Each
// class keeps one example to train on. A class of two gives the other to validation. The seed alone chooses them.
// Texts without classes all have class 0. Throws wrong_input for fractions that leave nothing to train on.
std::vector<Split> split_by_fraction(std::span<const int> classes, Fractions fractions, std::uint64_t seed);

}  // namespace fovea
