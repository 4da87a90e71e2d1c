// AccessTrace: a trace of memory accesses (room data/tasks/addresses). made_traces.h makes it; access_windows.h and
// tables.h read it. An address is a line of 64 bytes, and 64 lines are a page: line = 64 page + offset.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace fovea {

inline constexpr int lines_per_page = 64;

struct Access {
  int counter = 0;  // which instruction asks: a number of its program counter, from 0
  std::int64_t line = 0;

  std::int64_t page() const { return line / lines_per_page; }
  int offset() const { return static_cast<int>(line % lines_per_page); }
};

struct AccessTrace {
  std::vector<Access> accesses;
  std::int64_t episode = 0;  // accesses of each episode; episodes have nothing to do with each other
  int counters = 0;
  int pages = 0;  // that a network tells apart, numbered from 0
  // The numbers of pages, where they are not the pages themselves. All others share the last number, and are no answer.
  std::unordered_map<std::int64_t, int> numbers;

  // -1 where it has no number of its own.
  int number_of(std::int64_t page) const {
    if (numbers.empty()) return static_cast<int>(page);
    const auto found = numbers.find(page);
    return found == numbers.end() ? -1 : found->second;
  }
};

}  // namespace fovea
