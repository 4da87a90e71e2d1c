// Task `largest-digit`: the label of a bag of digit images is the largest digit in it (room data/tasks/files).
// lab/spec makes it by name for a run. It reads its settings, seed and files only. Every image of this digit is
// marked.
#include <algorithm>

#include "fovea/base/random.h"
#include "fovea/base/registry.h"
#include "fovea/data/tasks/files/digit_bags.h"

namespace fovea {

namespace {

class LargestDigit final : public DigitBags {
 public:
  LargestDigit() : DigitBags("largest-digit", {}, 3) {}

 private:
  int fill(RandomStream& stream, const Images& images, std::span<int> chosen,
           std::span<std::uint8_t> marked) const override {
    int largest = 0;
    for (int& image : chosen) {
      image = images.any(stream);
      largest = std::max(largest, images.digit(image));
    }
    for (std::size_t t = 0; t < chosen.size(); ++t) marked[t] = images.digit(chosen[t]) == largest;
    return largest;
  }
};

const Register<Task> largest_digit_task("largest-digit", "the largest digit in a bag of images",
                                        [] { return std::make_unique<LargestDigit>(); });

}  // namespace

}  // namespace fovea
