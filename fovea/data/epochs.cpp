#include "fovea/data/epochs.h"

#include "fovea/base/random.h"

namespace fovea {

std::int64_t shuffled(std::uint64_t seed, std::string_view purpose, std::uint64_t epoch, std::int64_t i,
                      std::int64_t count) {
  // A Feistel network permutes the pairs of h-bit halves; numbers at or above count are walked through once more until
  // one falls below it, which keeps it a permutation of [0, count). The domain is less than four times count.
  int half = 1;
  while ((std::uint64_t{1} << (2 * half)) < static_cast<std::uint64_t>(count)) ++half;
  const std::uint64_t mask = (std::uint64_t{1} << half) - 1;
  const std::uint64_t name = purpose_id(purpose);
  auto x = static_cast<std::uint64_t>(i);
  do {
    std::uint64_t left = x >> half, right = x & mask;
    for (std::uint64_t round = 0; round < 6; ++round) {
      const std::uint64_t mixed = left ^ (philox4x64({right, round, epoch, 0}, {seed, name})[0] & mask);
      left = right;
      right = mixed;
    }
    x = (left << half) | right;
  } while (x >= static_cast<std::uint64_t>(count));
  return static_cast<std::int64_t>(x);
}

std::int64_t epoch_example(std::uint64_t seed, std::string_view purpose, std::uint64_t step, int size, int row,
                           std::int64_t count) {
  const std::uint64_t position = step * static_cast<std::uint64_t>(size) + static_cast<std::uint64_t>(row);
  const auto n = static_cast<std::uint64_t>(count);
  return shuffled(seed, purpose, position / n, static_cast<std::int64_t>(position % n), count);
}

Slice slice_of(std::int64_t count, std::uint64_t slice, int size) {
  const auto n = static_cast<std::uint64_t>(count);
  if (size <= 0 || slice > n / static_cast<std::uint64_t>(size)) return {count, 0};
  const std::uint64_t begin = slice * static_cast<std::uint64_t>(size);
  const std::uint64_t left = n - begin;
  return {static_cast<std::int64_t>(begin), left < static_cast<std::uint64_t>(size) ? static_cast<int>(left) : size};
}

std::int64_t spread_example(std::int64_t count, std::uint64_t slice, int size, int row) {
  const std::int64_t whole = count / size, left = count % size;  // of parts, `left` have one example more than `whole`
  const auto nth = static_cast<std::int64_t>(slice);
  const std::int64_t part = nth < whole ? row : ((row + 1) * std::int64_t{size} + left - 1) / left - 1;
  return part * whole + part * left / size + nth;
}

}  // namespace fovea
