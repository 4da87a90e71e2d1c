// Makes traces from a seed, each of one pattern (room data/tasks/addresses). The task `addresses` calls it. With P
// pages of 64 lines each, and N nodes:
//
//   strides   `streams` counters in turn; counter j walks P / streams pages of its own, round and round, by a stride of
//             1, 3, 5 or 7 lines that is drawn
//   matrix    64 P lines are a matrix of P rows: it is walked by rows (counter 0), then by columns (1), and so on
//   list      N lines drawn from all, walked in one shuffled order again and again
//   pages     on each page the same N offsets, in a shuffled order of that page's own; then the next page, in a
//             shuffled order of pages: what an offset is followed by is another on every page
//   gather    A[B[i]] for i from 0 to N-1, again and again: counter 0 reads B, of 16 entries a line, counter 1 reads A,
//             of which B names N lines in shuffled order
//   cycle     episodes of `episode` accesses, each with N lines of its own drawn from all, walked round and round
//   random    each line drawn from all
#pragma once

#include "fovea/data/tasks/addresses/access_trace.h"

namespace fovea {

enum class TracePattern { strides, matrix, list, pages, gather, cycle, random };

struct TraceShape {
  TracePattern pattern = TracePattern::pages;
  int pages = 16;   // P
  int nodes = 16;   // N
  int streams = 4;  // of strides
  int length = 0;   // accesses
  int episode = 0;  // of cycle
};

// The most nodes that a pattern of so many pages has room for.
int most_nodes(TracePattern pattern, int pages);

AccessTrace make_trace(const TraceShape& shape, std::uint64_t seed);

}  // namespace fovea
