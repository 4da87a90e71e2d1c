#include "fovea/data/corpus/corpus_summary.h"

#include <algorithm>
#include <numeric>

#include "fovea/data/text/vocabulary.h"
#include "fovea/data/words/words.h"
#include "fovea/io/whitespace.h"

namespace fovea {

namespace {

constexpr int most_bars = 40;

class SideCounter {
 public:
  explicit SideCounter(bool at_spaces) : at_spaces_(at_spaces) {}

  void add(std::string_view text) {
    int length = 0;
    const auto count = [&](std::string_view word) { counter_.add(word), ++length; };
    if (at_spaces_) each_word(text, count);
    else std::ranges::for_each(splitter_.split(text), count);
    lengths_.push_back(length);
  }

  CorpusSummary::Side finish(int commonest) {
    CorpusSummary::Side side;
    if (lengths_.empty()) return side;
    side.words = std::accumulate(lengths_.begin(), lengths_.end(), std::int64_t{0});
    side.distinct = counter_.size();
    std::sort(lengths_.begin(), lengths_.end());
    side.shortest = lengths_.front();
    side.median = lengths_[lengths_.size() / 2];
    side.longest = lengths_.back();
    for (int lead = 1, power = 1; side.longest / side.bin >= most_bars; side.bin = lead * power) {  // 1, 2, 5, 10, …
      lead = lead == 1 ? 2 : lead == 2 ? 5 : 1;
      if (lead == 1) power *= 10;
    }
    side.bars.assign(static_cast<std::size_t>(side.longest / side.bin) + 1, 0);
    for (const int length : lengths_) ++side.bars[static_cast<std::size_t>(length / side.bin)];
    const Vocabulary vocabulary(counter_, 1, commonest);
    TextMap<std::int64_t> counts;
    for (int i = 0; i < counter_.size(); ++i)
      if (vocabulary.number(counter_.word(i)) != Vocabulary::unknown) counts[counter_.word(i)] = counter_.count(i);
    for (int i = 1; i < vocabulary.size(); ++i)
      side.commonest.emplace_back(vocabulary.word(i), counts[vocabulary.word(i)]);
    return side;
  }

 private:
  bool at_spaces_;  // words with tags are cut already
  WordSplitter splitter_;
  WordCounter counter_;
  std::vector<int> lengths_;
};

}  // namespace

CorpusSummary summarise(const Corpus& corpus, int commonest, int samples) {
  CorpusSummary summary;
  summary.class_counts.resize(corpus.classes.size());
  std::vector<SideCounter> sides(corpus.paired ? 2 : 1, SideCounter(corpus.tagged));
  const std::int64_t apart = std::max<std::int64_t>(corpus.count(Split::train) / samples, 1);
  for (const Split split : {Split::train, Split::validation, Split::test}) {
    std::int64_t i = 0;
    each_example(corpus, split, [&](const TextExample& example) {
      if (!corpus.paired) {
        const auto at = std::lower_bound(corpus.classes.begin(), corpus.classes.end(), example.label);
        if (at != corpus.classes.end())
          ++summary
                .class_counts[static_cast<std::size_t>(at - corpus.classes.begin())][static_cast<std::size_t>(split)];
      }
      if (split != Split::train) return;
      sides[0].add(example.text);
      if (corpus.paired) sides[1].add(example.target);
      if (i++ % apart == 0 && static_cast<int>(summary.samples.size()) < samples)
        summary.samples.push_back({std::string(example.text), std::string(example.label), std::string(example.target)});
    });
  }
  for (SideCounter& side : sides) summary.sides.push_back(side.finish(commonest));
  return summary;
}

}  // namespace fovea
