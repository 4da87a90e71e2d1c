#include "fovea/theory/prediction/tag_cues.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "fovea/theory/prediction/tag_rivals.h"

namespace fovea {

TagCues::TagCues(const Task& task, int reach, std::int64_t fresh)
    : reach_(reach), vocab_(static_cast<std::size_t>(task.shape().vocab)), tags_(tag_names(task)) {
  for (int word = 0; word < static_cast<int>(vocab_); ++word) words_.push_back(task.word(word));
  counts_.resize((2 * static_cast<std::size_t>(reach) + 1) * vocab_ * tags_.size());
  share_.resize(tags_.size());
  each_tagged(task, fresh, [&](std::span<const int> words, std::span<const int> tags) {
    const int length = static_cast<int>(words.size());
    for (int t = 0; t < length; ++t) {
      const int tag = tags[static_cast<std::size_t>(t)];
      share_[static_cast<std::size_t>(tag)] += 1;
      for (int s = std::max(0, t - reach); s < std::min(length, t + reach + 1); ++s)
        ++with_tag(tag, s - t, words[static_cast<std::size_t>(s)]);
    }
  });
  const double all = std::accumulate(share_.begin(), share_.end(), 0.0);
  for (double& share : share_) share /= std::max(all, 1.0);
}

double TagCues::sigma(int tag, int offset, int word) const {
  const std::span<const std::int64_t> counts = of_word(offset, word);
  const auto found = static_cast<double>(counts[static_cast<std::size_t>(tag)]);
  const double p = share_[static_cast<std::size_t>(tag)];
  if (found < static_cast<double>(least) || p >= 1) return 0;
  const auto all = static_cast<double>(std::accumulate(counts.begin(), counts.end(), std::int64_t{0}));
  return (found - all * p) / std::sqrt(all * p * (1 - p));
}

std::vector<TagCue> TagCues::strongest(std::size_t of_each_tag, double sigmas) const {
  std::vector<TagCue> cues;
  for (std::size_t tag = 0; tag < tags_.size(); ++tag) {
    if (tags_[tag] == "O") continue;
    const auto first = std::ssize(cues);
    for (int offset = -reach_; offset <= reach_; ++offset)
      for (int word = 0; word < static_cast<int>(vocab_); ++word) {
        const double z = sigma(static_cast<int>(tag), offset, word);
        if (z < sigmas || z <= 0) continue;
        const std::span<const std::int64_t> counts = of_word(offset, word);
        cues.push_back({tags_[tag], words_[static_cast<std::size_t>(word)], offset, z, counts[tag],
                        std::accumulate(counts.begin(), counts.end(), std::int64_t{0})});
      }
    std::stable_sort(cues.begin() + first, cues.end(),
                     [](const TagCue& a, const TagCue& b) { return a.sigma > b.sigma; });
    cues.resize(std::min(cues.size(), static_cast<std::size_t>(first) + of_each_tag));
  }
  return cues;
}

int TagCues::predicted(std::span<const int> words, int t, int tag) const {
  int best = -1;
  double most = 0;
  for (int s = std::max(0, t - reach_); s < std::min(static_cast<int>(words.size()), t + reach_ + 1); ++s)
    if (const double z = sigma(tag, s - t, words[static_cast<std::size_t>(s)]); z > most) {
      most = z;
      best = s;
    }
  return best;
}

}  // namespace fovea
