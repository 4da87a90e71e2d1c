// Task `second-largest`: a bag of images of different digits; the label is the second-largest digit (room
// data/tasks/files). lab/spec makes it by name for a run. It reads its settings, seed and files only. The image of
// this digit is marked.
//
// The marked item depends on the other items. Weights that follow a score of each item alone are a mean of orders of
// the digits (a softmax is a mean of orders that are drawn with Gumbel noise on the scores). The best order has the
// second of three first in 0.583 of the bags. So the mean weight on the marked item is at most 0.583.
#include <algorithm>

#include "fovea/base/random.h"
#include "fovea/base/registry.h"
#include "fovea/data/tasks/files/digit_bags.h"

namespace fovea {

namespace {

class SecondLargest final : public DigitBags {
 public:
  SecondLargest() : DigitBags("second-largest", {.least = 2, .most = 10, .all_different = true}, 3) {}

 private:
  int fill(RandomStream& stream, const Images& images, std::span<int> chosen,
           std::span<std::uint8_t> marked) const override {
    std::size_t first = 0, second = 0;
    for (std::size_t t = 0; t < chosen.size(); ++t) {
      const auto there = [&](int image) {
        return std::any_of(chosen.begin(), chosen.begin() + static_cast<std::ptrdiff_t>(t),
                           [&](int other) { return images.digit(other) == images.digit(image); });
      };
      do chosen[t] = images.any(stream);
      while (there(chosen[t]));
      if (t == 0) continue;
      const int digit = images.digit(chosen[t]);
      if (digit > images.digit(chosen[first])) {
        second = first;
        first = t;
      } else if (second == first || digit > images.digit(chosen[second])) {
        second = t;
      }
    }
    marked[second] = 1;
    return images.digit(chosen[second]);
  }
};

const Register<Task> second_largest_task("second-largest", "the second-largest digit in a bag of images",
                                         [] { return std::make_unique<SecondLargest>(); });

}  // namespace

}  // namespace fovea
