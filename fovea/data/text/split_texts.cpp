#include "fovea/data/text/split_texts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "fovea/base/error/error.h"
#include "fovea/data/epochs.h"

namespace fovea {

std::vector<Split> split_by_fraction(std::span<const int> classes, Fractions fractions, std::uint64_t seed) {
  const bool possible = fractions.validation >= 0 && fractions.test >= 0 && fractions.validation + fractions.test < 1;
  if (!possible)
    throw wrong_input(
        fmt::format("cannot split off {} for validation and {} for test", fractions.validation, fractions.test),
        "give shares of 0 or more with a sum below 1");
  const int most = classes.empty() ? -1 : *std::max_element(classes.begin(), classes.end());
  std::vector<std::int64_t> count(static_cast<std::size_t>(most + 1)), seen(count.size());
  for (const int c : classes) ++count[static_cast<std::size_t>(c)];
  std::vector<Split> splits;
  splits.reserve(classes.size());
  for (const int c : classes) {
    const std::int64_t n = count[static_cast<std::size_t>(c)];
    const auto share = [n](double fraction) { return std::llround(static_cast<double>(n) * fraction); };
    const std::int64_t position =
        shuffled(seed, "split", static_cast<std::uint64_t>(c), seen[static_cast<std::size_t>(c)]++, n);
    std::int64_t validation = share(fractions.validation), test = share(fractions.test);
    while (validation + test >= n) --(validation > test ? validation : test);
    splits.push_back(position < validation          ? Split::validation
                     : position < validation + test ? Split::test
                                                    : Split::train);
  }
  return splits;
}

}  // namespace fovea
