#include "fovea/data/tasks/addresses/made_traces.h"

#include <cassert>
#include <utility>

#include "fovea/base/random.h"

namespace fovea {

namespace {

constexpr int entries_per_line = 16;  // of B: numbers of four bytes

std::size_t at(int i) { return static_cast<std::size_t>(i); }
int below(RandomStream& stream, int count) {
  return static_cast<int>(stream.integer(static_cast<std::uint64_t>(count)));
}

std::vector<int> draw_distinct(RandomStream& stream, int count, int universe) {
  std::vector<int> drawn(at(count)), scratch(at(universe));
  stream.distinct(drawn, scratch);
  return drawn;
}

// `accesses` over and over, to `length` of them.
std::vector<Access> repeated(const std::vector<Access>& accesses, int length) {
  std::vector<Access> all(at(length));
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = accesses[i % accesses.size()];
  return all;
}

std::vector<Access> strides(const TraceShape& shape, RandomStream& stream) {
  const int lines = shape.pages / shape.streams * lines_per_page;
  std::vector<std::pair<int, int>> walks(at(shape.streams));  // where each is in its pages, and its stride
  for (auto& [position, stride] : walks) position = below(stream, lines), stride = 1 + 2 * below(stream, 4);
  std::vector<Access> all;
  for (int i = 0; i < shape.length; ++i) {
    const int j = i % shape.streams;
    auto& [position, stride] = walks[at(j)];
    all.push_back({j, j * lines + position});
    position = (position + stride) % lines;
  }
  return all;
}

std::vector<Access> matrix(const TraceShape& shape) {
  std::vector<Access> walk;
  for (int line = 0; line < shape.pages * lines_per_page; ++line) walk.push_back({0, line});
  for (int column = 0; column < lines_per_page; ++column)
    for (int row = 0; row < shape.pages; ++row) walk.push_back({1, row * lines_per_page + column});
  return repeated(walk, shape.length);
}

std::vector<Access> list(const TraceShape& shape, RandomStream& stream) {
  std::vector<Access> walk;
  for (const int line : draw_distinct(stream, shape.nodes, shape.pages * lines_per_page)) walk.push_back({0, line});
  return repeated(walk, shape.length);
}

std::vector<Access> page_by_page(const TraceShape& shape, RandomStream& stream) {
  const std::vector<int> offsets = draw_distinct(stream, shape.nodes, lines_per_page);
  std::vector<Access> walk;
  for (const int page : draw_distinct(stream, shape.pages, shape.pages))
    for (const int i : draw_distinct(stream, shape.nodes, shape.nodes))
      walk.push_back({0, page * lines_per_page + offsets[at(i)]});
  return repeated(walk, shape.length);
}

std::vector<Access> gather(const TraceShape& shape, RandomStream& stream) {
  const int lines_of_b = (shape.nodes + entries_per_line - 1) / entries_per_line;
  const std::vector<int> b = draw_distinct(stream, shape.nodes, shape.pages * lines_per_page - lines_of_b);
  std::vector<Access> walk;
  for (int i = 0; i < shape.nodes; ++i) {
    walk.push_back({0, i / entries_per_line});
    walk.push_back({1, lines_of_b + b[at(i)]});
  }
  return repeated(walk, shape.length);
}

std::vector<Access> cycles(const TraceShape& shape, RandomStream& stream) {
  std::vector<Access> all;
  while (static_cast<int>(all.size()) < shape.length) {
    const std::vector<int> lines = draw_distinct(stream, shape.nodes, shape.pages * lines_per_page);
    for (int i = 0; i < shape.episode; ++i) all.push_back({0, lines[at(i % shape.nodes)]});
  }
  all.resize(at(shape.length / shape.episode * shape.episode));
  return all;
}

std::vector<Access> random_lines(const TraceShape& shape, RandomStream& stream) {
  std::vector<Access> all;
  for (int i = 0; i < shape.length; ++i) all.push_back({0, below(stream, shape.pages * lines_per_page)});
  return all;
}

std::vector<Access> accesses_of(const TraceShape& shape, RandomStream& stream) {
  switch (shape.pattern) {
    case TracePattern::strides:
      return strides(shape, stream);
    case TracePattern::matrix:
      return matrix(shape);
    case TracePattern::list:
      return list(shape, stream);
    case TracePattern::pages:
      return page_by_page(shape, stream);
    case TracePattern::gather:
      return gather(shape, stream);
    case TracePattern::cycle:
      return cycles(shape, stream);
    case TracePattern::random:
      return random_lines(shape, stream);
  }
  return {};
}

}  // namespace

int most_nodes(TracePattern pattern, int pages) {
  const int lines = pages * lines_per_page;
  if (pattern == TracePattern::pages) return lines_per_page;
  if (pattern == TracePattern::gather) return lines * entries_per_line / (entries_per_line + 1) - 1;  // B beside A
  return lines;
}

AccessTrace make_trace(const TraceShape& shape, std::uint64_t seed) {
  assert(shape.nodes <= most_nodes(shape.pattern, shape.pages));
  RandomStream stream(seed, "addresses.trace");
  AccessTrace trace;
  trace.accesses = accesses_of(shape, stream);
  trace.pages = shape.pages;
  trace.counters = 1;
  if (shape.pattern == TracePattern::strides) trace.counters = shape.streams;
  if (shape.pattern == TracePattern::matrix || shape.pattern == TracePattern::gather) trace.counters = 2;
  trace.episode = shape.pattern == TracePattern::cycle ? shape.episode : std::ssize(trace.accesses);
  return trace;
}

}  // namespace fovea
