#include "fovea/data/like_lengths.h"

#include <algorithm>
#include <vector>

#include "fovea/data/longest_first.h"

namespace fovea {

namespace {

struct Example {
  const Batch* batch;
  int row, index;

  int length(const Tokens Batch::*tokens) const { return length_of(batch->*tokens, row); }
};

void take_tokens(std::span<const Example> examples, Tokens Batch::*tokens, Batch& to) {
  int longest = 0;
  for (const Example& example : examples) longest = std::max(longest, example.length(tokens));
  const bool there = (examples[0].batch->*tokens).rows > 0;
  (to.*tokens).resize(there ? static_cast<int>(examples.size()) : 0, longest);
  for (int row = 0; row < (to.*tokens).rows; ++row) {
    const Example& from = examples[static_cast<std::size_t>(row)];
    const int length = from.length(tokens);
    (to.*tokens).lengths[static_cast<std::size_t>(row)] = length;
    for (int i = 0; i < length; ++i) (to.*tokens).at(row, i) = (from.batch->*tokens).at(from.row, i);
  }
}

// What there is one of at each token.
template <class T>
void take_of_tokens(std::span<const Example> examples, const Tokens Batch::*tokens, std::vector<T> Batch::*values,
                    T padding, Batch& to) {
  (to.*values).clear();
  if ((examples[0].batch->*values).empty()) return;
  for (const Example& from : examples) {
    const int length = from.length(tokens);
    const auto begin = (from.batch->*values).begin() + std::ptrdiff_t{from.row} * (from.batch->*tokens).columns;
    (to.*values).insert((to.*values).end(), begin, begin + length);
    (to.*values).resize((to.*values).size() + static_cast<std::size_t>((to.*tokens).columns - length), padding);
  }
}

void take(std::span<const Example> examples, Batch& to, std::vector<int>& indices) {
  to.size = static_cast<int>(examples.size());
  take_tokens(examples, &Batch::source, to);
  take_tokens(examples, &Batch::target, to);
  take_of_tokens<std::uint8_t>(examples, &Batch::source, &Batch::marked, 0, to);
  take_of_tokens(examples, &Batch::target, &Batch::alignment, -1, to);
  to.labels.clear();
  indices.clear();
  for (const Example& from : examples) {
    if (!from.batch->labels.empty()) to.labels.push_back(from.batch->labels[static_cast<std::size_t>(from.row)]);
    indices.push_back(from.index);
  }
}

}  // namespace

void show_like_lengths(std::span<const Batch> batches, int size, const ShowBatch& show) {
  std::vector<Example> examples;
  for (const Batch& batch : batches)
    for (int row = 0; row < batch.size; ++row) examples.push_back({&batch, row, static_cast<int>(examples.size())});
  std::ranges::stable_sort(
      examples, [](const Example& a, const Example& b) { return is_longer(*a.batch, a.row, *b.batch, b.row); });
  Batch batch;
  std::vector<int> indices;
  for (std::span<const Example> rest(examples); !rest.empty();) {
    const std::size_t count = std::min(rest.size(), static_cast<std::size_t>(size));
    take(rest.first(count), batch, indices);
    rest = rest.subspan(count);
    show(batch, indices);
  }
}

}  // namespace fovea
