#include "fovea/theory/streams/context_table.h"

#include <algorithm>
#include <bit>

namespace fovea {

ContextTable::ContextTable(std::int64_t wanted, std::int64_t most) {
  const auto sets = static_cast<std::uint64_t>(std::max<std::int64_t>(std::min(wanted, most) / 4, 1));
  sets_.resize(static_cast<std::size_t>(wanted < most ? std::bit_ceil(sets) : std::bit_floor(sets)));
}

const ContextTable::Entry* ContextTable::find(std::uint64_t key) const {
  const Set& set = sets_[set_of(key)];
  const auto found = std::ranges::find(set, tag_of(key), &Entry::tag);
  return found == set.end() ? nullptr : &*found;
}

ContextTable::Entry& ContextTable::at(std::uint64_t key) {
  Set& set = sets_[set_of(key)];
  const auto worth = [](const Entry& entry) { return entry.tag == 0 ? -1 : entry.page.votes + entry.offset.votes; };
  Entry* least = &set[key >> 30 & 3];  // of those worth the same, any
  for (Entry& entry : set) {
    if (entry.tag == tag_of(key)) return entry;
    if (worth(entry) < worth(*least)) least = &entry;
  }
  // A set of which all are worth something ages, or what came first would stay for good.
  for (Entry& entry : set)
    if (worth(*least) > 1) {
      entry.page.votes = static_cast<std::uint8_t>(entry.page.votes - (entry.page.votes > 1));
      entry.offset.votes = static_cast<std::uint8_t>(entry.offset.votes - (entry.offset.votes > 1));
    }
  *least = {tag_of(key), {}, {}};
  return *least;
}

}  // namespace fovea
