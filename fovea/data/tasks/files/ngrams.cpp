#include "fovea/data/tasks/files/ngrams.h"

#include <algorithm>

namespace fovea {

Ngrams::Ngrams(const TokenTexts& texts, int vocab) : vocab_(static_cast<std::uint64_t>(vocab)) {
  std::vector<std::int64_t> counts(static_cast<std::size_t>(vocab));
  std::vector<std::uint64_t> pairs, triples;
  std::int64_t all = 0;
  for (int i = 0; i < texts.count(); ++i) {
    const std::span<const int> text = texts[i];
    const auto at = [&](std::size_t t) { return static_cast<std::uint64_t>(text[t]); };
    for (std::size_t t = 0; t < text.size(); ++t) {
      ++counts[at(t)];
      if (t >= 1) pairs.push_back(at(t - 1) * vocab_ + at(t));
      if (t >= 2) triples.push_back((at(t - 2) * vocab_ + at(t - 1)) * vocab_ + at(t));
    }
    all += static_cast<std::int64_t>(text.size());
  }
  for (const std::int64_t n : counts)
    unigram_.push_back(static_cast<float>(static_cast<double>(n + 1) / static_cast<double>(all + vocab)));
  bigrams_ = count(pairs, vocab_);
  trigrams_ = count(triples, vocab_);
}

Ngrams::Followers Ngrams::count(std::vector<std::uint64_t>& grams, std::uint64_t vocab) {
  std::sort(grams.begin(), grams.end());
  Followers followers;
  for (std::size_t i = 0; i < grams.size();) {
    const std::size_t begin = i;
    while (i < grams.size() && grams[i] == grams[begin]) ++i;
    const std::uint64_t context = grams[begin] / vocab;
    if (followers.contexts.empty() || followers.contexts.back() != context) {
      followers.contexts.push_back(context);
      followers.begins.push_back(followers.counts.size());
    }
    followers.counts.push_back({static_cast<int>(grams[begin] % vocab), static_cast<std::int64_t>(i - begin)});
  }
  followers.begins.push_back(followers.counts.size());
  return followers;
}

// From what the shorter context says to what this one does.
void Ngrams::back_off(const Followers& followers, std::uint64_t context, std::span<float> said) {
  const auto found = std::lower_bound(followers.contexts.begin(), followers.contexts.end(), context);
  if (found == followers.contexts.end() || *found != context) return;
  const auto at = static_cast<std::size_t>(found - followers.contexts.begin());
  const std::span counts(followers.counts.data() + followers.begins[at],
                         followers.begins[at + 1] - followers.begins[at]);
  std::int64_t all = 0;
  for (const Followers::Count& of : counts) all += of.count;
  const auto different = static_cast<double>(counts.size()), sum = static_cast<double>(all) + different;
  for (float& p : said) p *= static_cast<float>(different / sum);
  for (const Followers::Count& of : counts)
    said[static_cast<std::size_t>(of.token)] += static_cast<float>(static_cast<double>(of.count) / sum);
}

void Ngrams::unigram(std::span<float> said) const { std::copy(unigram_.begin(), unigram_.end(), said.begin()); }

void Ngrams::bigram(int b, std::span<float> said) const {
  unigram(said);
  back_off(bigrams_, static_cast<std::uint64_t>(b), said);
}

void Ngrams::trigram(int a, int b, std::span<float> said) const {
  bigram(b, said);
  back_off(trigrams_, static_cast<std::uint64_t>(a) * vocab_ + static_cast<std::uint64_t>(b), said);
}

}  // namespace fovea
