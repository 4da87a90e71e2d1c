// Task `odd-one-out`: all images of a bag show one digit, except one (room data/tasks/files). lab/spec makes it by
// name for a run. It reads its settings, seed and files only. The label is the other digit, and its image is marked.
//
// No digit is odd by itself. For every bag with one a among b's, a bag with one b among a's is equally likely.
// Weights that follow a score of each item alone give the odd ones of both together at most 1, so 0.5 each in the
// mean.
#include "fovea/base/random.h"
#include "fovea/base/registry.h"
#include "fovea/data/tasks/files/digit_bags.h"

namespace fovea {

namespace {

class OddOneOut final : public DigitBags {
 public:
  OddOneOut() : DigitBags("odd-one-out", {.least = 3, .digits = 2}, 3) {}

 private:
  int fill(RandomStream& stream, const Images& images, std::span<int> chosen,
           std::span<std::uint8_t> marked) const override {
    const std::size_t odd = stream.integer(chosen.size());
    const int other = images.digit(chosen[odd] = images.any(stream));
    int common = other;
    while (common == other) common = images.digit(images.any(stream));
    for (std::size_t t = 0; t < chosen.size(); ++t)
      if (t != odd) chosen[t] = images.of_digit(stream, common);
    marked[odd] = 1;
    return other;
  }
};

const Register<Task> odd_one_out_task("odd-one-out", "which digit of a bag of images differs from the others",
                                      [] { return std::make_unique<OddOneOut>(); });

}  // namespace

}  // namespace fovea
