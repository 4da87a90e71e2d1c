// What the data predict of examples whose keyword is known.
#include "fovea/lab/analysis/predicted_attention.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "fovea/lab/experiment/experiment.h"
#include "fovea/lab/spec/assembly.h"

namespace fovea {
namespace {

RunSpec quick_spec(const std::string& experiment) { return resolve(find_experiment(experiment), Preset::quick, {}, 0); }

// What the probe keeps of the first examples of a split.
EvidenceRows rows_of(const Task& task, int examples) {
  Batch batch;
  task.batch(Split::validation, 0, examples, batch);
  const bool pairs = task.shape().kind == Kind::token_pairs;
  EvidenceRows rows;
  rows.begins.push_back(0);
  for (int b = 0; b < batch.size; ++b) {
    const auto at = static_cast<std::size_t>(b);
    const int length = batch.source.lengths[at];
    for (int i = 0; i < length; ++i) rows.source.push_back(static_cast<float>(batch.source.at(b, i)));
    for (int row = 0; row < (pairs ? batch.target.lengths[at] : 1); ++row) {
      rows.begins.push_back(rows.begins.back() + static_cast<std::size_t>(length));
      rows.examples.push_back(at);
      if (pairs) rows.target.push_back(static_cast<float>(batch.target.at(b, row)));
    }
    if (!pairs) rows.labels.push_back(static_cast<float>(batch.labels[at]));
  }
  return rows;
}

std::size_t largest(std::span<const double> row) {
  return static_cast<std::size_t>(std::ranges::max_element(row) - row.begin());
}

// In the reviews that the program makes one of 24 words tells the class, and all others stand in both.
TEST(PredictedAttention, PredictsTheWordThatTellsTheClass) {
  const RunSpec spec = quick_spec("text-classify");
  const auto task = make_task(spec);
  const EvidenceRows rows = rows_of(*task, 500);
  const PredictedAttention predicted_attention = predict_attention(spec, rows);
  std::map<float, double> often;
  for (const float word : rows.source) ++often[word];
  std::map<float, std::set<float>> classes;  // of each word that attention is predicted to come to
  double common = 0, rare = 0;
  for (std::size_t i = 0; i < rows.count(); ++i) {
    const auto word_at = [&](const Evidence& scores) {
      return rows.source[rows.begins[i] + largest(rows.row(scores, i))];
    };
    classes[word_at(predicted_attention.predicted.ranks)].insert(rows.labels[i]);
    common += often[word_at(predicted_attention.common.ranks)];
    rare += often[word_at(predicted_attention.rare.ranks)];
  }
  EXPECT_EQ(classes.size(), 24u);
  for (const auto& [word, labels] : classes) EXPECT_EQ(labels.size(), 1u) << task->word(static_cast<int>(word));
  EXPECT_GT(common, 3 * rare);
}

// Of words that are known "a" is the commonest; what is unknown is rare, though it is the commonest token by far.
TEST(PredictedAttention, TakesUnknownWordsForRare) {
  RunSpec spec = quick_spec("text-classify");
  ValueList texts, labels;
  for (int i = 0; i < 80; ++i) {
    std::string text = i % 2 ? "up" : "down";
    for (int k = 0; k < 9; ++k) text += " x" + std::to_string(9 * i + k);  // each seen once
    texts.push_back({text + " a" + (i % 4 == 0 ? " b" : ""), {}});
    labels.push_back({std::string(i % 2 ? "rises" : "falls"), {}});
  }
  spec.task = {{"name", {std::string("given-texts"), {}}},
               {"min_count", {std::int64_t{2}, {}}},
               {"texts", {texts, {}}},
               {"labels", {labels, {}}}};
  const auto task = make_task(spec);
  const EvidenceRows rows = rows_of(*task, 100);
  const PredictedAttention predicted_attention = predict_attention(spec, rows);
  ASSERT_GT(rows.count(), 5u);
  for (std::size_t i = 0; i < rows.count(); ++i) {
    const auto word_at = [&](const Evidence& ranks) {
      return task->word(static_cast<int>(rows.source[rows.begins[i] + largest(rows.row(ranks, i))]));
    };
    EXPECT_EQ(word_at(predicted_attention.predicted.ranks),
              task->class_name(static_cast<int>(rows.labels[i])) == "rises" ? "up" : "down");
    EXPECT_EQ(word_at(predicted_attention.common.ranks), "a");
    EXPECT_EQ(word_at(predicted_attention.rare.ranks), "<unknown>");
  }
}

// A row a target word: the prediction is for that word. The token that closes every source is the commonest.
TEST(PredictedAttention, OfTranslationsIsForTheTargetWord) {
  const RunSpec spec = quick_spec("text-translate");
  const auto task = make_task(spec);
  const EvidenceRows rows = rows_of(*task, 100);
  const PredictedAttention predicted_attention = predict_attention(spec, rows);
  std::map<std::string, std::set<std::string>> said;  // where attention is predicted to lie, by target word
  for (std::size_t i = 0; i < rows.count(); ++i) {
    const std::size_t own = rows.begins[i], length = rows.begins[i + 1] - own;
    const std::size_t first = rows.by_example()[rows.examples[i]].first_word;
    const auto word_at = [&](const Evidence& ranks) {
      return task->word(static_cast<int>(rows.source[first + largest(rows.row(ranks, i))]));
    };
    EXPECT_EQ(rows.row(predicted_attention.predicted.values, i).size(), length);
    EXPECT_EQ(word_at(predicted_attention.common.ranks), "<end>");
    EXPECT_NE(word_at(predicted_attention.rare.ranks), "<end>");
    said[task->target_word(static_cast<int>(rows.target[i]))].insert(word_at(predicted_attention.predicted.ranks));
  }
  EXPECT_EQ(said["dog"], std::set<std::string>{"malu"});
  EXPECT_EQ(said["old"], std::set<std::string>{"belu"});
}

// Nothing goes with the token that closes every sentence: whatever comes first comes first by chance.
TEST(PredictedAttention, SaysNothingAsChanceWould) {
  const RunSpec spec = quick_spec("text-translate");
  const auto task = make_task(spec);
  constexpr std::size_t count = 3000;
  const std::vector<float> words{10, 11, 10, 12, 13};
  EvidenceRows rows;
  rows.begins.push_back(0);
  for (std::size_t i = 0; i < count; ++i) {
    rows.begins.push_back(rows.begins.back() + words.size());
    rows.examples.push_back(i);
    rows.target.push_back(static_cast<float>(task->shape().end_token));
    rows.source.insert(rows.source.end(), words.begin(), words.end());
  }
  const PredictedAttention predicted_attention = predict_attention(spec, rows);
  std::vector<int> came_first(words.size());
  for (std::size_t i = 0; i < count; ++i) {
    const std::span<const double> row = rows.row(predicted_attention.predicted.ranks, i);
    ASSERT_EQ(row[0], row[2]) << "places of one word";
    std::vector<double> sorted{row[0], row[1], row[3], row[4]};
    std::ranges::sort(sorted);
    ASSERT_EQ(sorted, (std::vector<double>{0, 1, 2, 3}));
    ++came_first[largest(row)];
  }
  for (const std::size_t position : {0u, 1u, 3u, 4u})
    EXPECT_NEAR(came_first[position], count / 4.0, 100);  // 4 deviations
}

}  // namespace
}  // namespace fovea
