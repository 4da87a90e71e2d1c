#include "fovea/data/text/word_counts.h"

#include <algorithm>

namespace fovea {

void WordCounts::add(const std::unordered_map<std::string_view, std::int64_t>& counts) {
  for (const auto& [word, count] : counts) {
    const auto found = counts_.find(word);
    if (found != counts_.end()) found->second += count;
    else counts_.emplace(word, count);
  }
  while (counts_.size() > most_) {
    ++floor_;
    std::erase_if(counts_, [this](const auto& entry) { return entry.second <= floor_; });
  }
}

std::vector<std::string> WordCounts::words() const {
  std::vector<std::pair<std::int64_t, const std::string*>> sorted;
  sorted.reserve(counts_.size());
  for (const auto& [word, count] : counts_) sorted.emplace_back(count, &word);
  std::sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) {
    return a.first != b.first ? a.first > b.first : *a.second < *b.second;
  });
  std::vector<std::string> words;
  words.reserve(sorted.size());
  for (const auto& entry : sorted) words.push_back(*entry.second);
  return words;
}

}  // namespace fovea
