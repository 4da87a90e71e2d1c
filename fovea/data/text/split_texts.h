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

// The split of each example, by its class: each class gives the same share to each split, as nearly as whole examples
// allow, and keeps one to train on whatever the shares. Where two are too few for all three splits, validation has the
// other. Which ones depends on the seed alone. Texts without classes
// have class 0 all. Throws wrong_input for fractions that leave nothing to train on.
std::vector<Split> split_by_fraction(std::span<const int> classes, Fractions fractions, std::uint64_t seed);

}  // namespace fovea
