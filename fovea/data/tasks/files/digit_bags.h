// What tasks of bags of digit images share: the images, the splits, the sizes of bags. Each task says what is in a bag
// and what is asked of it.
//
// A finite set: `bags` bags for training, gone through in shuffled epochs, and `held_out` for validation and for the
// test. The images of the three splits are disjoint. Images are drawn by the program, or read from MNIST files:
// training from its training set, validation from the first half of its test set and the test from the second.
#pragma once

#include <array>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "fovea/data/task.h"
#include "fovea/data/tasks/files/mnist.h"

namespace fovea {

class Stream;

class DigitBags : public Task {
 public:
  void settings(Fields& fields) final;
  void prepare(std::uint64_t seed) final;
  TaskShape shape() const final;
  std::int64_t examples(Split split) const final { return split == Split::train ? bags_ : held_out_; }
  void batch(Split split, std::uint64_t step, int size, Batch& batch) const final;

 protected:
  // How many items a bag of the task must have and may have, and of how many digits its images must be.
  struct Limits {
    int least = 1, most = 1000, digits = 1;
    bool all_different = false;  // of as many as a bag has items
  };
  explicit DigitBags(std::string name, Limits limits, int bag) : name_(std::move(name)), limits_(limits), bag_(bag) {}

  struct Images {
    std::once_flag drawn;
    DigitSet set;
    std::array<std::vector<int>, 10> by_digit;  // numbers of the images of each
    int any(Stream& stream) const;
    int of_digit(Stream& stream, int digit) const;
    int digit(int image) const { return set.labels[static_cast<std::size_t>(image)]; }
  };

  // Chooses the images of one bag, marks the items that decide, and gives the answer, a digit. `marked` is 0 before.
  virtual int fill(Stream& stream, const Images& images, std::span<int> chosen,
                   std::span<std::uint8_t> marked) const = 0;

 private:
  const Images& images(Split split) const;
  void take(Split split, DigitSet set) const;

  std::string name_;
  Limits limits_;
  int bag_;
  int smallest_ = 0;
  std::int64_t bags_ = 60'000;
  std::int64_t held_out_ = 10'000;
  std::string source_ = "drawn";
  int digits_ = 10'000;

  std::uint64_t seed_ = 0;
  mutable std::array<Images, 3> images_;  // by split
};

}  // namespace fovea
