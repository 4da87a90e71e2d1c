// A trace of memory accesses. An address is a line of 64 bytes, and 64 lines are a page: line = 64 page + offset.
#pragma once

#include <cstdint>
#include <vector>

namespace fovea {

inline constexpr int lines_per_page = 64;

struct Access {
  int counter = 0;  // which instruction asks: its program counter, from 0
  int line = 0;

  int page() const { return line / lines_per_page; }
  int offset() const { return line % lines_per_page; }
  bool operator==(const Access&) const = default;
};

struct AccessTrace {
  std::vector<Access> accesses;
  std::int64_t episode = 0;  // accesses of each episode; episodes have nothing to do with each other
  int counters = 0, pages = 0;
};

}  // namespace fovea
