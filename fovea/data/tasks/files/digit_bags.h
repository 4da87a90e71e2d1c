// DigitBags: base class of the tasks on bags of digit images (room data/tasks/files). largest_digit.cpp,
// odd_one_out.cpp and second_largest.cpp of this room derive from it. It has the images, the splits and the sizes of
// bags. Each task chooses the content of a bag and the question.
//
// A finite set: `bags` bags for training, visited in shuffled epochs, and `held_out` for validation and for the test.
// The images of the three splits are disjoint (digit_images.h).
#pragma once

#include <span>
#include <string>
#include <vector>

#include "fovea/data/task.h"
#include "fovea/data/tasks/files/digit_images.h"

namespace fovea {

class RandomStream;

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

  using Images = DigitImages::Images;

  // Chooses the images of one bag, marks the items that decide, and gives the answer, a digit. `marked` is 0 before.
  virtual int fill(RandomStream& stream, const Images& images, std::span<int> chosen,
                   std::span<std::uint8_t> marked) const = 0;

 private:
  std::string name_;
  Limits limits_;
  int bag_;
  int smallest_ = 0;
  std::int64_t bags_ = 60'000;
  std::int64_t held_out_ = 10'000;
  DigitImages images_;

  std::uint64_t seed_ = 0;
};

}  // namespace fovea
