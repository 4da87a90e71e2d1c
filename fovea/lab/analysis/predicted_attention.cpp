#include "fovea/lab/analysis/predicted_attention.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "fovea/base/random.h"
#include "fovea/data/bag_source.h"
#include "fovea/lab/spec/assembly.h"
#include "fovea/theory/prediction/prediction.h"

namespace fovea {

namespace {

constexpr std::int64_t fresh_examples = 20'000;  // of a task that draws every example afresh

std::vector<double> word_counts(const BagSource& source, const TaskShape& shape, Team& team) {
  std::vector<double> counts(static_cast<std::size_t>(source.inputs()));
  source.each(team, [&](int, const BagPair& pair) {
    for (const int word : pair.input) ++counts[static_cast<std::size_t>(word)];
  });
  const auto set = [&](int token, double count) {
    if (token >= 0 && token < std::ssize(counts)) counts[static_cast<std::size_t>(token)] = count;
  };
  set(shape.end_token, static_cast<double>(source.size()));  // it closes every source, and bags leave it out
  set(shape.unknown_token, 0);                               // each of the words that it stands for is rare
  return counts;
}

// Rows of scores, and their ranks in order.
class ScoredRows {
 public:
  explicit ScoredRows(std::size_t words) : drawn_(words) {}

  void add(std::span<const int> words, std::span<const double> scores, PredictedAttention::Scores& to) {
    to.values.values.insert(to.values.values.end(), scores.begin(), scores.end());
    add_ranks(words, scores, to.ranks);
  }

 private:
  void add_ranks(std::span<const int> words, std::span<const double> scores, Evidence& to) {
    RandomStream stream(0, "foreseen", row_++);
    for (const int word : words) drawn_[static_cast<std::size_t>(word)] = stream.uniform();
    const auto before = [&](std::size_t a, std::size_t b) {
      return std::pair(scores[a], drawn_[static_cast<std::size_t>(words[a])]) <
             std::pair(scores[b], drawn_[static_cast<std::size_t>(words[b])]);
    };
    order_.resize(words.size());
    for (std::size_t i = 0; i < order_.size(); ++i) order_[i] = i;
    std::ranges::sort(order_, before);
    const std::size_t begin = to.values.size();
    to.values.resize(begin + words.size());
    double position = 0;
    for (std::size_t i = 0; i < order_.size(); ++i) {
      if (i > 0 && before(order_[i - 1], order_[i])) ++position;
      to.values[begin + order_[i]] = position;
    }
  }

  std::vector<double> drawn_;  // by word; of the row at hand
  std::vector<std::size_t> order_;
  std::uint64_t row_ = 0;
};

}  // namespace

PredictedAttention predict_attention(const RunSpec& spec, const EvidenceRows& rows) {
  const std::unique_ptr<Task> task = make_task(spec);
  const std::unique_ptr<BagSource> source = task_bags(*task, fresh_examples);
  Team team(1);
  const Prediction prediction = predict(*source, team);
  const std::vector<double> counts = word_counts(*source, task->shape(), team);
  const auto vocab = static_cast<std::size_t>(source->inputs());
  ScoredRows predicted(vocab), common(vocab), rare(vocab);
  PredictedAttention scores;
  if (const std::vector<double>& loud = prediction.said_by_words; !loud.empty())
    for (const double one : loud) scores.told.push_back(one >= *std::ranges::max_element(loud) / 2);
  const auto words = [](const std::vector<float>& from, std::size_t begin, std::size_t count) {
    const auto at = from.begin() + static_cast<std::ptrdiff_t>(begin);
    return std::vector<int>(at, at + static_cast<std::ptrdiff_t>(count));
  };
  for (const EvidenceRows::Example& one : rows.by_example()) {
    const std::vector<int> input = words(rows.source, one.first_word, one.length);
    const std::vector<int> output =
        rows.target.empty() ? std::vector<int>{} : words(rows.target, one.first_row, one.rows);
    std::vector<double> often(one.length), seldom(one.length);
    for (std::size_t i = 0; i < one.length; ++i) {
      often[i] = counts[static_cast<std::size_t>(input[i])];
      seldom[i] = -often[i];
    }
    for (const std::vector<double>& weights : predicted_attention(prediction, input, output)) {
      predicted.add(input, weights, scores.predicted);
      common.add(input, often, scores.common);
      rare.add(input, seldom, scores.rare);
    }
  }
  return scores;
}

}  // namespace fovea
