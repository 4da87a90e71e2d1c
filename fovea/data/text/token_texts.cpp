#include "fovea/data/text/token_texts.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "fovea/data/epochs.h"

namespace fovea {

namespace {

constexpr int most_pooled = 32;  // batches that are sorted together

// Labels change from text to text less than half as often as in a random order.
bool stand_in_runs(const std::vector<int>& labels) {
  const auto n = static_cast<double>(labels.size());
  if (n < 2) return false;
  std::vector<double> of_class(static_cast<std::size_t>(*std::max_element(labels.begin(), labels.end())) + 1);
  double changes = 0;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    ++of_class[static_cast<std::size_t>(labels[i])];
    changes += i > 0 && labels[i] != labels[i - 1];
  }
  double same = 0;  // the share of pairs of texts that are of one class
  for (const double count : of_class) same += count * (count - 1) / (n * (n - 1));
  return 2 * changes < (n - 1) * (1 - same);
}

}  // namespace

void batch_examples(const BatchOrder& order, const TokenTexts& texts, std::uint64_t step, int size,
                    std::vector<int>& examples) {
  const int count = texts.count();
  const auto draw = [&](std::uint64_t pool, int pooled) {
    examples.resize(static_cast<std::size_t>(pooled));
    for (int i = 0; i < pooled; ++i)
      examples[static_cast<std::size_t>(i)] =
          static_cast<int>(epoch_example(order.seed, order.purpose, pool, pooled, i, count));
  };
  // Pools are a small part of the epoch: one that reached into the next could hold an example twice.
  const int batches = order.alike ? std::clamp(count / size / 4, 1, most_pooled) : 1;
  if (batches == 1) {
    draw(step, size);
    return;
  }
  const std::uint64_t pool = step / static_cast<std::uint64_t>(batches);
  draw(pool, batches * size);
  std::sort(examples.begin(), examples.end(), [&](int a, int b) {
    const std::size_t length_a = texts[a].size(), length_b = texts[b].size();
    return length_a != length_b ? length_a < length_b : a < b;
  });
  const std::int64_t position =
      shuffled(order.seed, order.purpose + ".pool", pool,
               static_cast<std::int64_t>(step % static_cast<std::uint64_t>(batches)), batches);
  std::copy_n(examples.begin() + static_cast<std::ptrdiff_t>(position) * size, size, examples.begin());
  examples.resize(static_cast<std::size_t>(size));
}

void split_examples(const BatchOrder& order, const TokenTexts& texts, Split split, std::uint64_t step, int size,
                    std::vector<int>& examples) {
  if (split == Split::train) return batch_examples(order, texts, step, size, examples);
  const Slice slice = slice_of(texts.count(), step, size);
  examples.resize(static_cast<std::size_t>(slice.size));
  std::iota(examples.begin(), examples.end(), static_cast<int>(slice.begin));
}

void fill_tokens(const TokenTexts& texts, std::span<const int> examples, Tokens& tokens) {
  std::size_t longest = 0;
  for (const int i : examples) longest = std::max(longest, texts[i].size());
  tokens.resize(static_cast<int>(examples.size()), static_cast<int>(longest));
  for (int row = 0; row < tokens.rows; ++row) {
    const std::span<const int> text = texts[examples[static_cast<std::size_t>(row)]];
    tokens.lengths[static_cast<std::size_t>(row)] = static_cast<int>(text.size());
    std::copy(text.begin(), text.end(), &tokens.at(row, 0));
  }
}

void mix_if_sorted(LabelledTexts& texts) {
  if (!stand_in_runs(texts.labels)) return;
  LabelledTexts mixed;
  for (int i = 0; i < texts.tokens.count(); ++i) {
    const auto from = static_cast<int>(shuffled(0, "mixed", 0, i, texts.tokens.count()));
    mixed.tokens.begin();
    for (const int id : texts.tokens[from]) mixed.tokens.token(id);
    mixed.labels.push_back(texts.labels[static_cast<std::size_t>(from)]);
  }
  mixed.tokens.shrink();
  texts = std::move(mixed);
}

void fill_labelled(const LabelledTexts& texts, const BatchOrder& order, Split split, std::uint64_t step, int size,
                   Batch& batch) {
  std::vector<int>& chosen = batch.scratch;
  split_examples(order, texts.tokens, split, step, size, chosen);
  batch.size = static_cast<int>(chosen.size());
  fill_tokens(texts.tokens, chosen, batch.source);
  batch.labels.resize(chosen.size());
  std::transform(chosen.begin(), chosen.end(), batch.labels.begin(),
                 [&](int i) { return texts.labels[static_cast<std::size_t>(i)]; });
  batch.marked.clear();
}

}  // namespace fovea
