#include "fovea/data/text/vocabulary.h"

#include <algorithm>
#include <numeric>

namespace fovea {

int WordCounter::add(std::string_view word) {
  auto found = numbers_.find(word);
  if (found == numbers_.end()) {
    found = numbers_.emplace(word, size()).first;
    words_.push_back(&found->first);
    counts_.push_back(0);
  }
  ++counts_[static_cast<std::size_t>(found->second)];
  return found->second;
}

Vocabulary::Vocabulary(const WordCounter& counter, std::int64_t least, std::int64_t most,
                       const std::vector<std::string>& specials) {
  words_.push_back("<unknown>");
  words_.insert(words_.end(), specials.begin(), specials.end());
  std::vector<int> order(static_cast<std::size_t>(counter.size()));
  std::iota(order.begin(), order.end(), 0);
  std::erase_if(order, [&](int word) { return counter.count(word) < least; });
  std::sort(order.begin(), order.end(), [&](int a, int b) {
    return counter.count(a) != counter.count(b) ? counter.count(a) > counter.count(b)
                                                : counter.word(a) < counter.word(b);
  });
  if (most > 0 && order.size() > static_cast<std::size_t>(most)) order.resize(static_cast<std::size_t>(most));
  for (const int word : order) {
    numbers_.emplace(counter.word(word), size());
    words_.push_back(counter.word(word));
  }
}

int Vocabulary::number(std::string_view word) const {
  const auto found = numbers_.find(word);
  return found == numbers_.end() ? unknown : found->second;
}

}  // namespace fovea
