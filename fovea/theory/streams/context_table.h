// ContextTable: what followed contexts, in a table of bounded size (room theory/streams). access_prediction.cpp of
// this room alone uses it. The table has sets of four. In each, a new entry replaces the one that has predicted
// least.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace fovea {

// A value that followed a context.
template <class V>
struct Followed {
  static constexpr int most_votes = 15, most_asked = 255;
  V value{};
  std::uint8_t votes = 0;             // how often lately; 0: there is none
  std::uint8_t asked = 0, right = 0;  // how often it had been there when something followed, and was that

  // What is there again gains a vote; else it loses one, and with the last its place.
  void count(V next) {
    const bool same = value == next;
    if (votes > 0) {
      if (asked == most_asked) asked /= 2, right /= 2;
      ++asked;
      right = static_cast<std::uint8_t>(right + same);
    }
    if (votes > 0 && same) votes = static_cast<std::uint8_t>(votes < most_votes ? votes + 1 : votes);
    else if (votes > 1) --votes;
    else value = next, votes = 1;
  }
};

class ContextTable {
 public:
  struct Entry {
    std::uint32_t tag = 0;  // 0: the entry is empty
    Followed<std::int32_t> page;
    Followed<std::uint8_t> offset;
  };

  // With room for `wanted` entries, but at most for about `most`.
  ContextTable(std::int64_t wanted, std::int64_t most);

  const Entry* find(std::uint64_t key) const;
  Entry& at(std::uint64_t key);  // an empty one where it has none

 private:
  using Set = std::array<Entry, 4>;

  static std::uint32_t tag_of(std::uint64_t key) { return static_cast<std::uint32_t>(key) | 1u; }
  std::size_t set_of(std::uint64_t key) const { return static_cast<std::size_t>(key >> 32) & (sets_.size() - 1); }

  std::vector<Set> sets_;
};

}  // namespace fovea
