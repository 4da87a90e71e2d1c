// Probe `heads`: what each head of self-attention attends to (room probe). The Evaluator (lab/train) calls it at each
// evaluation; it changes nothing. Of each head, its mean over the asked positions (i, of those before which there is
// a position) has the name NAME_lL_hH, layers and heads from 1. NAME has the largest of all heads. Shares are of the
// weight |A_ij| of a row, 0 if it has none:
//
//   weight_on_previous   that of i - 1
//   weight_on_first      that of the first position
//   weight_on_first_unneeded  the same where no position is needed: the sink, of tasks that know where one is
//   rows_without_weight  of the same rows, how many have less weight than 1 % of a softmax's: possible without one
//   induction        that of the positions j whose predecessor has the token of i: j >= 1, x_(j-1) = x_i, j <= i
//   weight_on_needed     that of the positions that a right answer needs, if the task knows them
//
// and what uniform attention would score: weight_on_previous_chance, induction_chance, weight_on_needed_chance.
#include <fmt/format.h>

#include <cmath>

#include "fovea/model/right_positions.h"
#include "fovea/probe/head_names.h"
#include "fovea/probe/position_rows.h"

namespace fovea {

namespace {

struct Mean {
  double sum = 0;
  std::int64_t rows = 0;

  void add(double value) {
    sum += value;
    ++rows;
  }
};

class Heads final : public Probe {
 public:
  void prepare(const TaskShape& shape, bool model_attends, std::uint64_t) override {
    need_attention(model_attends, "heads");
    need_kind(shape.kind, Kind::token_streams, "heads");
  }

  void measure(const Evaluation& evaluation, Readings& readings) override {
    best_ = {};
    const Outcome<float>& outcome = evaluation.outcome;
    if (outcome.further.empty()) {
      measure_map(evaluation, outcome.attention, "", readings);
    } else {
      for (const AttentionMap<float>& map : outcome.further) {
        measure_map(evaluation, map.weights, head_suffix(map.name), readings);
      }
      for (const auto& [name, value] : best_) readings.number(name, value);
    }
    if (evaluation.first) measure_chance(evaluation, readings);
  }

 private:
  // visit(position, asked row, weight of `share` under uniform attention) for what is asked.
  template <class Visit>
  static void each_asked(const Evaluation& evaluation, Visit visit) {
    const Batch& batch = evaluation.batch;
    for (int b = 0; b < batch.size; ++b)
      for (int i = 1; i < batch.source.lengths[static_cast<std::size_t>(b)]; ++i)
        if (batch.target.at(b, i) >= 0) visit(b, i);
  }

  // The sum of weight(j) over what an induction head looks at from position i; whether there is any such position.
  template <class Weight>
  static bool induced(const Tokens& source, int b, int i, Weight weight, double& sum) {
    bool any = false;
    sum = 0;
    for (int j = 1; j <= i; ++j) {
      if (source.at(b, j - 1) != source.at(b, i)) continue;
      any = true;
      sum += weight(j);
    }
    return any;
  }

  void measure_map(const Evaluation& evaluation, Cube<const float> map, const std::string& suffix, Readings& readings) {
    Mean previous, first, elsewhere, silent, induction, right;
    const RightPositions needed = right_positions(evaluation.batch);
    each_asked(evaluation, [&](int b, int i) {
      const float* const row = map[b][i].data();
      double all = 0;
      for (int j = 0; j <= i; ++j) all += std::abs(static_cast<double>(row[j]));
      const auto share = [&](int j) { return all > 0 ? std::abs(static_cast<double>(row[j])) / all : 0; };
      previous.add(share(i - 1));
      first.add(share(0));
      double sum = 0;
      if (induced(evaluation.batch.source, b, i, share, sum)) induction.add(sum);
      const std::span<const int> positions = needed.of(Index{b} * evaluation.batch.source.columns + i);
      if (positions.empty()) {
        elsewhere.add(share(0));
        silent.add(all < 0.01 ? 1 : 0);
        return;
      }
      double there = 0;
      for (const int position : positions) there += share(position);
      right.add(there);
    });
    write_mean("weight_on_previous", suffix, previous, readings);
    write_mean("weight_on_first", suffix, first, readings);
    if (right.rows > 0) {
      write_mean("weight_on_first_unneeded", suffix, elsewhere, readings);
      write_mean("rows_without_weight", suffix, silent, readings);
    }
    write_mean("induction", suffix, induction, readings);
    write_mean("weight_on_needed", suffix, right, readings);
  }

  void measure_chance(const Evaluation& evaluation, Readings& readings) const {
    Mean previous, induction, right;
    const RightPositions needed = right_positions(evaluation.batch);
    each_asked(evaluation, [&](int b, int i) {
      const double share = 1.0 / (i + 1);
      previous.add(share);
      double sum = 0;
      if (induced(evaluation.batch.source, b, i, [share](int) { return share; }, sum)) induction.add(sum);
      const auto positions = needed.of(Index{b} * evaluation.batch.source.columns + i).size();
      if (positions > 0) right.add(share * static_cast<double>(positions));
    });
    for (const auto& [name, mean] : {std::pair("weight_on_previous", previous), std::pair("induction", induction),
                                     std::pair("weight_on_needed", right)})
      if (mean.rows > 0) readings.number(fmt::format("{}_chance", name), mean.sum / static_cast<double>(mean.rows));
  }

  void write_mean(const std::string& name, const std::string& suffix, const Mean& mean, Readings& readings) {
    if (mean.rows == 0) return;
    const double value = mean.sum / static_cast<double>(mean.rows);
    readings.number(name + suffix, value);
    if (suffix.empty()) return;
    const auto [best, first] = best_.emplace(name, value);
    best->second = std::max(best->second, value);
  }

  std::map<std::string, double> best_;
};

const Register<Probe> heads(
    "heads",
    "weights of each head of self-attention: on the previous token, the first token, induction, needed positions",
    [] { return std::make_unique<Heads>(); });

}  // namespace

}  // namespace fovea
