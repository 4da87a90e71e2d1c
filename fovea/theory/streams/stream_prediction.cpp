#include "fovea/theory/streams/stream_prediction.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "fovea/base/error/error.h"
#include "fovea/base/functions/functions.h"
#include "fovea/data/ladder.h"

namespace fovea {

namespace {

constexpr int most_causal = 128;  // positions of a flow that is a matter of seconds

std::int64_t sequences_of(const TaskShape& shape) {
  constexpr std::int64_t most = 20'000, positions = 2'000'000;
  return std::clamp<std::int64_t>(positions / std::max(1, shape.longest), 1, most);
}

// The loss of one rung and how much is asked, of each example.
struct Loss {
  double sum = 0;
  std::int64_t asked = 0;
};

RungHeight height_of(const std::string& name, const std::vector<Loss>& losses) {
  RungHeight height{name, 0, std::numeric_limits<double>::quiet_NaN()};
  double asked = 0, squares = 0;
  for (const Loss& loss : losses) {
    height.nats += loss.sum;
    asked += static_cast<double>(loss.asked);
  }
  height.nats /= asked;
  const auto examples = static_cast<double>(losses.size());
  for (const Loss& loss : losses) {
    const double distance = loss.sum - height.nats * static_cast<double>(loss.asked);
    squares += distance * distance;
  }
  if (losses.size() > 1) height.error = std::sqrt(examples / (examples - 1) * squares) / asked;
  return height;
}

std::vector<RungHeight> heights(const Task& task, const StreamOptions& options, std::int64_t& examples) {
  const Ladder* ladder = task.ladder();
  if (!ladder) return {};
  const std::vector<std::string> names = ladder->rungs();
  const bool distributions = ladder->answers_are_distributions();
  std::vector<std::vector<Loss>> losses(names.size());
  const auto vocab = static_cast<std::size_t>(task.shape().target_vocab);
  std::vector<float> memory;
  Batch batch;
  for (int step = 0; step < options.batches; ++step) {
    task.batch(Split::validation, static_cast<std::uint64_t>(step), options.batch, batch);
    if (batch.size == 0) break;
    const std::size_t positions = static_cast<std::size_t>(batch.size) * static_cast<std::size_t>(batch.target.columns);
    memory.assign(positions * vocab, 0.0f);
    for (std::size_t rung = 0; rung < names.size(); ++rung) {
      std::fill(memory.begin(), memory.end(), 0.0f);
      ladder->predict(batch, static_cast<int>(rung), Matrix<float>(memory.data(), positions, vocab));
      for (int row = 0; row < batch.size; ++row) {
        Loss loss;
        for (int t = 0; t < batch.target.columns; ++t) {
          const int answer = batch.target.at(row, t);
          if (answer < 0) continue;
          if (options.last) loss = {};
          const std::size_t place = static_cast<std::size_t>(row) * static_cast<std::size_t>(batch.target.columns) +
                                    static_cast<std::size_t>(t);
          const auto log_of = [&](std::size_t j) { return math::log(static_cast<double>(memory[place * vocab + j])); };
          if (!distributions) loss.sum -= log_of(static_cast<std::size_t>(answer));
          for (std::size_t j = 0; distributions && j < vocab; ++j)
            if (const float y = batch.truth[place * vocab + j]; y > 0) loss.sum -= static_cast<double>(y) * log_of(j);
          ++loss.asked;
        }
        if (loss.asked > 0) losses[rung].push_back(loss);
      }
    }
    examples += batch.size;
  }
  std::vector<RungHeight> found;
  for (std::size_t rung = 0; rung < names.size(); ++rung)
    if (!losses[rung].empty()) found.push_back(height_of(names[rung], losses[rung]));
  return found;
}

InductionTimes times_of(const InductionContext& context) {
  InductionTimes times;
  times.shared = induction_time(context);
  times.context = context;
  times.context.memory = InductionContext::Memory::own;
  times.time = induction_time(times.context);
  times.with_previous = induction_time(times.context, {.previous = true});
  times.with_match = induction_time(times.context, {.previous = true, .match = true});
  return times;
}

// Of sequences that ask once, at one position, of different tokens: how many stand before it.
std::optional<int> positions_before_query(const StreamSample& sample) {
  std::optional<int> positions;
  std::vector<int> seen(static_cast<std::size_t>(sample.vocab()), -1);
  for (std::int64_t n = 0; n < sample.size(); ++n) {
    const std::span<const int> source = sample.source(n), target = sample.target(n);
    const auto asks = std::ranges::find_if(target, [](int answer) { return answer >= 0; });
    const auto position = static_cast<int>(asks - target.begin());
    if (asks == target.end() || position < 2 || (positions && *positions != position)) return {};
    if (std::any_of(asks + 1, target.end(), [](int answer) { return answer >= 0; })) return {};
    for (const int token : source.first(static_cast<std::size_t>(position))) {
      int& last = seen[static_cast<std::size_t>(token)];
      if (last == static_cast<int>(n)) return {};
      last = static_cast<int>(n);
    }
    positions = position;
  }
  return positions;
}

CausalTimes causal_times(int positions, int vocabulary, const StreamOptions& options) {
  constexpr double until = 1e6;
  constexpr FlowOptions precision{.tolerance = 1e-8};
  const auto time = [&](int T, InductionContext::FirstLayer layer) {
    InductionContext context{static_cast<double>(T), vocabulary};
    context.level = induction_event(context, options.given);
    context.first_layer = layer;
    return induction_time(context, options.given, until, precision);
  };
  using FirstLayer = InductionContext::FirstLayer;
  CausalTimes times;
  times.context = {static_cast<double>(positions), vocabulary};
  times.context.first_layer = FirstLayer::causal;
  times.context.level = induction_event(times.context, options.given);
  times.time = time(positions, FirstLayer::causal);
  times.everywhere = time(positions, FirstLayer::everywhere);
  times.longer =
      2 * positions < vocabulary ? time(2 * positions, FirstLayer::causal) : std::numeric_limits<double>::quiet_NaN();
  times.rate = options.rate;
  return times;
}

}  // namespace

double induction_event(const InductionContext& context, const InductionClamps& given) {
  return given.copy ? induction_halfway(context, given.start_copy) : math::log(context.positions) / 2;
}

std::optional<InductionContext> induction_context(const StreamSample& sample) {
  double logs = 0;  // sum of log t / c
  std::vector<bool> asks(static_cast<std::size_t>(sample.vocab()), false);
  for (std::int64_t n = 0; n < sample.size(); ++n) {
    const std::span<const int> source = sample.source(n), target = sample.target(n), alignment = sample.alignment(n);
    for (std::size_t t = 0; t < target.size(); ++t) {
      if (target[t] < 0) continue;
      if (alignment[t] < 1 || alignment[t] > static_cast<int>(t)) return {};
      const auto answer = static_cast<std::size_t>(alignment[t]);
      if (source[answer] != target[t] || source[answer - 1] != source[t]) return {};
      const auto copies = std::count(source.begin(), source.begin() + static_cast<std::ptrdiff_t>(t), source[t]);
      logs += math::log(static_cast<double>(t + 1) / static_cast<double>(copies));
      asks[static_cast<std::size_t>(source[t])] = true;
    }
  }
  if (sample.asked() == 0) return {};
  InductionContext context{math::exp(logs / static_cast<double>(sample.asked())), sample.target_vocab()};
  context.asking = static_cast<int>(std::ranges::count(asks, true));
  if (context.positions < 2 || context.vocabulary < context.positions) return {};
  return context;
}

StreamPrediction predict_stream(const Task& task, const StreamOptions& options) {
  const StreamSample sample(task, options.sequences != 0 ? options.sequences : sequences_of(task.shape()));
  if (sample.asked() == 0)
    throw wrong_input("the sequences of the task have no answers", "use longer sequences, or draw more");
  StreamPrediction prediction;
  prediction.sequences = sample.size();
  prediction.asked = sample.asked();
  prediction.lags = measure_lags(sample, options.lags);
  prediction.rungs = heights(task, options, prediction.examples);
  prediction.last = options.last;
  if (const std::optional<InductionContext> context = induction_context(sample))
    prediction.induction = times_of(*context);
  if (const std::optional<int> positions = positions_before_query(sample);
      prediction.induction && positions && *positions <= most_causal && *positions <= sample.vocab())
    prediction.causal = causal_times(*positions, sample.vocab(), options);
  return prediction;
}

}  // namespace fovea
