// DigitImages: images of digits, split by split (room data/tasks/files). digit_bags.h and placed_digit.cpp of this
// room use them. They are drawn by the program, or read from MNIST files: training from its training set, validation
// from the first half of its test set and the test from the second. The images of the three splits are disjoint.
#pragma once

#include <array>
#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

#include "fovea/data/task.h"
#include "fovea/data/tasks/files/mnist.h"

namespace fovea {

class RandomStream;

class DigitImages {
 public:
  // Of one split.
  struct Images {
    DigitSet set;
    std::array<std::vector<int>, 10> by_digit;  // numbers of the images of each
    int any(RandomStream& stream) const;
    int of_digit(RandomStream& stream, int digit) const;
    int digit(int image) const { return set.labels[static_cast<std::size_t>(image)]; }
    const std::uint8_t* pixels(int image) const;  // 28 x 28
  };

  void settings(Fields& fields);

  // Of task `name`, which needs images of so many digits; throws wrong_input where files have fewer.
  void prepare(std::string name, std::uint64_t seed, int least_digits);

  // Drawn when first asked for: who only checks a spec needs few of them.
  const Images& of(Split split) const;
  std::int64_t count(Split split) const;  // of images; draws none

 private:
  struct Part {
    std::once_flag drawn;
    Images images;
  };
  void take(Split split, DigitSet set) const;

  std::string source_ = "drawn";
  int digits_ = 10'000;

  std::string name_;
  std::uint64_t seed_ = 0;
  int least_digits_ = 1;
  mutable std::array<Part, 3> parts_;  // by split
};

}  // namespace fovea
