#include "fovea/data/kept_bags.h"

#include <algorithm>

#include "fovea/data/epochs.h"

namespace fovea {

KeptBags::KeptBags(const BagSource& source, Team& team)
    : source_(source), words_(static_cast<std::size_t>(source.size())), labels_(words_.size()) {
  source.each(team, [&](int, const BagPair& pair) {
    const auto at = static_cast<std::size_t>(pair.number);
    words_[at].assign(pair.input.begin(), pair.input.end());
    labels_[at] = pair.output.front();
  });
}

std::vector<int> KeptBags::folds(int count, std::uint64_t repeat) const {
  std::vector<std::vector<std::size_t>> of_class(static_cast<std::size_t>(source_.outputs()));
  for (std::size_t i = 0; i < size(); ++i) of_class[static_cast<std::size_t>(labels_[i])].push_back(i);
  std::vector<int> folds(size());
  std::int64_t dealt = 0;  // one class goes on where the one before it ended
  for (const std::vector<std::size_t>& examples : of_class) {
    const auto all = std::ssize(examples);
    for (std::int64_t i = 0; i < all; ++i)
      folds[examples[static_cast<std::size_t>(shuffled(repeat, "folds", 0, i, all))]] =
          static_cast<int>(dealt++ % count);
  }
  return folds;
}

void PartOfBags::each(Team& team, const Visit& visit, const Progress& progress) const {
  team.each(team.threads(), [&](int worker) {
    for (auto i = static_cast<std::size_t>(worker); i < taken_.size(); i += static_cast<std::size_t>(team.threads())) {
      const int label = bags_.label(taken_[i]);
      visit(worker, {static_cast<std::int64_t>(i), bags_.words(taken_[i]), std::span(&label, 1)});
    }
  });
  if (progress) progress(size(), size());
}

}  // namespace fovea
