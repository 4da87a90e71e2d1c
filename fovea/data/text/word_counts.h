// WordCounts: counts the words of a text that may be larger than memory (room data/text). Vocabularies, bags of texts
// and the intervention `embeddings` use it. If there are too many words, rare words are removed.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace fovea {

struct TextHash {
  using is_transparent = void;
  std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>{}(text); }
};
template <class T>
using TextMap = std::unordered_map<std::string, T, TextHash, std::equal_to<>>;

class WordCounts {
 public:
  // Never more than `most` words are kept between two calls of add().
  explicit WordCounts(std::size_t most) : most_(most) {}

  // Then drops the rarest words, where there are too many: those seen once so far, twice so far, …
  void add(const std::unordered_map<std::string_view, std::int64_t>& counts);

  bool pruned() const { return floor_ > 0; }
  std::int64_t floor() const { return floor_; }  // words that were seen this often or less may be missing

  // Words by falling frequency, equal ones by their letters: a word's id is its index.
  std::vector<std::string> words() const;

 private:
  std::size_t most_;
  std::int64_t floor_ = 0;
  TextMap<std::int64_t> counts_;
};

}  // namespace fovea
