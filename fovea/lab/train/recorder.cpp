#include "fovea/lab/train/recorder.h"

#include <fmt/format.h>

#include <algorithm>

namespace fovea {

namespace {

constexpr std::int64_t most_at_once = 1 << 16;  // numbers of one array
constexpr std::int64_t most_in_all = 1 << 21;   // numbers of all of a run's attention

// The first `examples` of (B, ...) with `each` numbers an example.
template <class Number>
void record_part(const std::string& name, const std::vector<Number>& values, std::vector<Index> shape,
                 Readings& readings) {
  Index count = 1;
  for (const Index size : shape) count *= size;
  if (values.empty() || count == 0 || count > most_at_once) return;
  const std::vector<float> part(values.begin(), values.begin() + count);
  readings.array(name, shape, part);
}

}  // namespace

void RunReadings::start_evaluation(std::int64_t step) {
  step_ = step;
  source_.clear();
  of_numbers_.clear();
  of_arrays_.clear();
  std::erase_if(record_.arrays, [step](const ArrayRecord& array) { return array.step == step; });
}

void RunReadings::claim(Sources& sources, const std::string& name) const {
  const auto [at, first] = sources.try_emplace(name, source_);
  if (first || at->second == source_) return;
  const std::string other = at->second.empty() ? "the training itself" : fmt::format("the probe '{}'", at->second);
  const std::string problem =
      fmt::format("the probe '{}' and {} both measure '{}' at step {}", source_, other, name, step_);
  const char* const remedy = "give one of the two another name, or remove one";
  throw step_ == 0 ? wrong_input(problem, remedy) : failure(problem, remedy);
}

void RunReadings::number(const std::string& name, double value) {
  claim(of_numbers_, name);
  Series& series = record_.series[name];
  if (!series.steps.empty() && series.steps.back() == step_) {
    series.values.back() = value;
    return;
  }
  series.steps.push_back(step_);
  series.values.push_back(value);
}

void RunReadings::array(const std::string& name, const std::vector<Index>& shape, std::span<const float> values) {
  claim(of_arrays_, name);
  record_.arrays.push_back({name, step_, shape, {values.begin(), values.end()}});
}

AttentionRecorder::AttentionRecorder(const ProbeSettings& probe, std::int64_t steps)
    : keep_(probe.keep), evaluations_(steps / probe.every + static_cast<std::int64_t>(probe.at.size()) + 2) {}

void AttentionRecorder::record(const Batch& batch, const Tokens& rows, const Outcome<float>& outcome, bool first,
                               bool last, Readings& readings) {
  const Cube<const float> attention = outcome.attention;
  const Index each = attention.size(1) * attention.size(2);
  const std::int64_t there = std::min<std::int64_t>(keep_, attention.size(0));
  if (each == 0 || there == 0) return;
  if (first) {
    keep_ = std::min(there, std::max<std::int64_t>(1, most_at_once / each));
    if (each > most_at_once) keep_ = 0;  // one example alone is too large to keep
    else every_ = std::max<std::int64_t>(1, evaluations_ * keep_ * each / most_in_all);
    if (keep_ == 0) return;
    const auto first_ones = static_cast<Index>(keep_);
    record_part("attention_source", batch.source.ids, {first_ones, batch.source.columns}, readings);
    record_part("attention_target", rows.ids, {first_ones, rows.columns}, readings);
    record_part("attention_items", batch.items.first(static_cast<int>(keep_)),
                {first_ones, batch.items.columns, batch.items.width}, readings);
    record_part("attention_labels", batch.labels, {first_ones}, readings);
  }
  record_attention("attention", attention, readings);
  record_answers(batch, outcome, readings);
  // Of many heads not every evaluation is kept.
  const auto heads = static_cast<std::int64_t>(outcome.further.size());
  const std::int64_t stride = std::max<std::int64_t>(1, evaluations_ * keep_ * each * heads / (most_in_all * every_));
  if (!first && !last && evaluation_ / every_ % stride != 0) return;
  for (const AttentionMap<float>& map : outcome.further)
    record_attention("attention." + std::string(map.name), map.weights, readings);
}

void AttentionRecorder::record_held(const Cube<const float>& attention, Readings& readings) const {
  record_attention(held_name("attention"), attention, readings);
}

// The class that is said of each example in the last of its rows of scores.
void AttentionRecorder::record_answers(const Batch& batch, const Outcome<float>& outcome, Readings& readings) const {
  if (batch.labels.empty() || outcome.scores.empty() || batch.size == 0) return;
  const Index rows = outcome.scores.size(0) / batch.size;
  std::vector<float> answers;
  for (Index example = 0; example < std::min<Index>(keep_, batch.size); ++example) {
    const std::span<const float> scores = outcome.scores[(example + 1) * rows - 1].flat();
    const bool one_logit = scores.size() == 1;
    const auto best = std::max_element(scores.begin(), scores.end());
    answers.push_back(one_logit ? scores[0] > 0 : static_cast<float>(best - scores.begin()));
  }
  readings.array("attention_answers", {static_cast<Index>(answers.size())}, answers);
}

void AttentionRecorder::record_attention(const std::string& name, const Cube<const float>& attention,
                                         Readings& readings) const {
  const auto kept = static_cast<Index>(std::min<std::int64_t>(keep_, attention.size(0)));
  const Index each = attention.size(1) * attention.size(2);
  if (each == 0 || kept == 0) return;
  readings.array(name, {kept, attention.size(1), attention.size(2)},
                 {attention.data(), static_cast<std::size_t>(kept * each)});
}

}  // namespace fovea
