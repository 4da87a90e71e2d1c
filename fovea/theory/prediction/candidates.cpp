#include "fovea/theory/prediction/candidates.h"

#include <algorithm>
#include <mutex>
#include <span>

#include "fovea/base/functions/functions.h"

namespace fovea {

namespace {

std::size_t size_of(int i) { return static_cast<std::size_t>(i); }

Presence presence_of(const BagSource& source, Team& team, const Cooccurrence& c, const Sample& sample) {
  const std::size_t classes = size_of(source.outputs()), vocab = c.class_counts.size() / classes;
  Presence found{std::vector<std::int64_t>(c.class_counts.size()), std::vector<std::int64_t>(c.class_counts.size())};
  std::mutex lock;
  source.each(team, [&](int, const BagPair& pair) {
    if (!sample.takes(pair.number)) return;
    std::vector<int> words(pair.input.begin(), pair.input.end());
    std::sort(words.begin(), words.end());
    const std::lock_guard<std::mutex> hold(lock);
    for (auto word = words.begin(); word != words.end();) {
      const auto next = std::upper_bound(word, words.end(), *word);
      const std::size_t at = size_of(*word) * classes + size_of(pair.output.front());
      if (size_of(*word) < vocab) {
        ++found.examples[at];
        found.squares[at] += (next - word) * (next - word);
      }
      word = next;
    }
  });
  return found;
}

// How far a word's count in a class is above chance, in standard deviations, if n examples contain it and the class has
// this share of all.
double above_chance_by(double here, double n, double share) {
  return share > 0 && share < 1 ? (here - n * share) / std::sqrt(n * share * (1 - share)) : 0;
}

// z compares a word with two baselines: the class's share of all words, and its share of all examples. The nearer one
// to the count decides, so that a class of longer texts is no evidence, and neither is a word in every text. z of a
// word in n examples is taken for a normal number of variance 1 around the effect, and effects for normal ones of
// of variance n tau^2; tau^2 is what all z by words have more than chance, which of a word in one example is nothing.
void rank_candidates(std::span<const std::int64_t> present, std::size_t classes, std::int64_t examples,
                     std::vector<OutputPrediction>& outputs) {
  const std::size_t vocab = present.size() / classes;
  std::vector<double> of_word(vocab), of_class(classes), z(present.size());
  double all = 0, above_chance = 0, pairs = 0;
  for (std::size_t i = 0; i < present.size(); ++i) {
    const auto n = static_cast<double>(present[i]);
    of_word[i / classes] += n;
    of_class[i % classes] += n;
    all += n;
  }
  std::vector<double> share_of_texts(classes);
  for (const OutputPrediction& output : outputs) share_of_texts[size_of(output.output)] = output.mean;
  for (std::size_t i = 0; i < present.size(); ++i) {
    const double n = of_word[i / classes], share = all > 0 ? of_class[i % classes] / all : 0;
    if (n == 0 || share <= 0 || share >= 1) continue;
    const auto here = static_cast<double>(present[i]);
    const double by_words = above_chance_by(here, n, share),
                 by_texts = above_chance_by(here, n, share_of_texts[i % classes]);
    z[i] = by_words * by_texts <= 0 ? 0 : std::abs(by_words) < std::abs(by_texts) ? by_words : by_texts;
    above_chance += by_words * by_words - 1;
    pairs += n - 1;
  }
  const double spread = pairs > 0 ? std::max(0.0, above_chance) / pairs : 0;
  const double settled = sure(present.size());
  for (OutputPrediction& output : outputs) {
    for (std::size_t i = 0; i < vocab; ++i) {
      const double surely = z[i * classes + size_of(output.output)];
      if (surely <= 0) continue;
      const double effect = of_word[i] * spread;
      const double likely = math::erfc(-surely * std::sqrt(effect / (1 + effect)) / std::sqrt(2.0)) / 2;
      const double times = settled / surely;
      const std::int64_t here = present[i * classes + size_of(output.output)];
      const EvidenceLevel evidence = surely >= settled    ? EvidenceLevel::strong
                                     : likely >= probable ? EvidenceLevel::probable
                                     : likely >= possible ? EvidenceLevel::possible
                                                          : EvidenceLevel::weak;
      output.candidates.push_back({static_cast<int>(i), here, static_cast<std::int64_t>(of_word[i]) - here, surely,
                                   likely, static_cast<double>(examples) * times * times, evidence});
    }
    const auto before = [](const Candidate& a, const Candidate& b) {
      if (a.likely != b.likely) return a.likely > b.likely;
      return a.surely != b.surely ? a.surely > b.surely : a.input < b.input;
    };
    std::sort(output.candidates.begin(), output.candidates.end(), before);
  }
}

}  // namespace

std::vector<WordLink> words_of_class(const Cooccurrence& c, std::size_t classes, std::size_t label,
                                     const Presence& presence, double times, const std::vector<bool>& unattended) {
  const std::size_t vocab = c.class_counts.size() / classes;
  double in_class = 0, all = 0;
  for (std::size_t i = 0; i < c.class_counts.size(); ++i) {
    all += static_cast<double>(c.class_counts[i]);
    if (i % classes == label) in_class += static_cast<double>(c.class_counts[i]);
  }
  const double share = all > 0 ? in_class / all : 0;
  std::vector<WordLink> links;
  const double least = sure(c.class_counts.size());
  if (share <= 0 || share >= 1) return links;
  for (std::size_t i = 0; i < vocab; ++i) {
    double n = 0, by_example = 0;
    for (std::size_t k = 0; k < classes; ++k) {
      n += static_cast<double>(c.class_counts[i * classes + k]);
      const double off = k == label ? 1 - share : share;
      by_example += off * off * times * static_cast<double>(presence.squares[i * classes + k]);
    }
    if (n == 0) continue;
    const double here = static_cast<double>(c.class_counts[i * classes + label]);
    const double surely = (here - n * share) / std::sqrt(std::max(n * share * (1 - share), by_example));
    if (surely >= least && !unattended[i]) links.push_back({static_cast<int>(i), surely});
  }
  std::sort(links.begin(), links.end(), [](const WordLink& a, const WordLink& b) {
    return a.surely != b.surely ? a.surely > b.surely : a.input < b.input;
  });
  return links;
}

Presence find_candidates(const BagSource& source, Team& team, const Cooccurrence& c, const Sample& counted,
                         Prediction& prediction) {
  Presence presence = presence_of(source, team, c, counted);
  rank_candidates(presence.examples, size_of(source.outputs()), c.examples / counted.stride(), prediction.outputs);
  return presence;
}

}  // namespace fovea
