#include "fovea/data/distinct_bags.h"

#include <algorithm>
#include <utility>

namespace fovea {

namespace {

// FNV-1a, a number at a time. Two examples in a billion times a billion have the same by chance.
std::uint64_t name_of(const BagPair& pair) {
  std::uint64_t name = 0xcbf29ce484222325u;
  const auto add = [&name](int id) { name = (name ^ static_cast<std::uint32_t>(id)) * 0x100000001b3u; };
  for (const int id : pair.input) add(id);
  add(-1);  // no word
  for (const int id : pair.output) add(id);
  return name;
}

}  // namespace

DistinctBags::DistinctBags(const BagSource& source, Team& team, const Progress& progress) : source_(source) {
  std::vector<std::pair<std::uint64_t, std::int64_t>> named(static_cast<std::size_t>(source.size()));
  source.each(
      team,
      [&named](int, const BagPair& pair) {
        named[static_cast<std::size_t>(pair.number)] = {name_of(pair), pair.number};
      },
      progress);
  std::sort(named.begin(), named.end());
  numbers_.assign(static_cast<std::size_t>(source.size()), -1);
  for (std::size_t i = 0; i < named.size(); ++i) {
    if (i > 0 && named[i].first == named[i - 1].first) continue;
    numbers_[static_cast<std::size_t>(named[i].second)] = std::ssize(first_);
    first_.push_back(named[i].second);
  }
}

void DistinctBags::each(Team& team, const Visit& visit, const Progress& progress) const {
  source_.each(
      team,
      [&](int worker, const BagPair& pair) {
        const std::int64_t number = numbers_[static_cast<std::size_t>(pair.number)];
        if (number >= 0) visit(worker, {number, pair.input, pair.output});
      },
      progress);
}

}  // namespace fovea
