// Probe `audit`: the five assumptions of the two-stage account, each as numbers over training (room probe). The
// Evaluator (lab/train) calls it at each evaluation; `fovea audit` adds it to a run. docs/reference/audit.md
// explains each number. It measures the same examples every time, so their attention can be followed.
#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <optional>
#include <vector>

#include "fovea/base/functions/functions.h"
#include "fovea/math/logistic.h"
#include "fovea/probe/audit_names.h"
#include "fovea/probe/locality.h"
#include "fovea/probe/position_rows.h"

namespace fovea {

namespace {

constexpr double left_uniform = 0.95;  // normalised entropy below which attention is no longer called uniform
constexpr double least_rise = 0.1;     // of attention, for its share before knowledge to mean anything
constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

class Audit : public Probe {
 public:
  void prepare(const TaskShape& shape, bool model_attends, std::uint64_t) override {
    need_attention(model_attends, "audit");
    kind_ = shape.kind;
    if (kind_ != Kind::labelled_tokens && kind_ != Kind::token_pairs)
      throw wrong_input("probe 'audit' is for models that read words, and the task gives " + kind_name(kind_),
                        "remove the probe");
  }

  bool wants_beta() const override { return true; }
  bool needs_beta() const override { return true; }
  bool wants_states() const override { return true; }
  Examples examples() const override { return Examples::same; }

  void measure(const Evaluation& evaluation, Readings& readings) override {
    if (evaluation.first) course_.clear();
    measure_states(evaluation, readings);
    measure_freedom(evaluation, readings);
    measure_stages(evaluation, readings);
    if (evaluation.last) conclude(readings);
  }

  // What later looks need of the earlier ones: lengths first, so that it can be taken apart again.
  std::vector<double> memory() const override {
    std::vector<double> memory{static_cast<double>(course_.size()), static_cast<double>(attention_.size()), moved_,
                               followed_};
    for (const Stage& stage : course_)
      memory.insert(memory.end(), {static_cast<double>(stage.step), stage.entropy, stage.knowledge, stage.attention});
    memory.insert(memory.end(), attention_.begin(), attention_.end());
    memory.insert(memory.end(), free_.begin(), free_.end());
    return memory;
  }
  bool remember(std::span<const double> memory) override {
    if (memory.size() < 4) return false;
    const auto looks = static_cast<std::size_t>(memory[0]), weights = static_cast<std::size_t>(memory[1]);
    if (memory.size() != 4 + 4 * looks + 2 * weights) return false;
    moved_ = memory[2];
    followed_ = memory[3];
    course_.clear();
    const double* at = memory.data() + 4;
    for (std::size_t k = 0; k < looks; ++k, at += 4)
      course_.push_back({static_cast<std::int64_t>(at[0]), at[1], at[2], at[3]});
    attention_.assign(at, at + weights);
    free_.assign(at + weights, at + 2 * weights);
    return true;
  }

 private:
  struct Stage {
    std::int64_t step;
    double entropy, knowledge, attention;  // the last two unknown without a truth, or without β
  };

  // 1 and 5: hidden states reflect local words, and their mean those words' embeddings.
  static void measure_states(const Evaluation& evaluation, Readings& readings) {
    if (evaluation.states.empty()) return;
    const Locality locality = measure_locality(evaluation.states, evaluation.batch.source);
    const auto put = [&](const char* name, const std::optional<double>& value) {
      if (value) readings.number(name, *value);
    };
    put("audit_state_explained_by_word", locality.word_share);
    put("audit_word_decoded", locality.here);
    put("audit_neighbour_decoded", locality.next);
    put("audit_second_neighbour_decoded", locality.second);
    if (locality.here) readings.number("audit_word_decoded_chance", locality.chance);
    for (const ParameterView& parameter : evaluation.parameters) {
      if (parameter.name != "embedding.weight" || parameter.shape.size() != 2) continue;
      const Matrix<const float> table(parameter.values.data(), parameter.shape[0], parameter.shape[1]);
      const MeanState mean = measure_mean_state(evaluation.states, evaluation.batch.source, table);
      put("audit_mean_state_explained", mean.told);
      put("audit_mean_state_explained_shuffled", mean.shuffled);
    }
  }

  // 2: attention weights are free parameters. A logit of its own for every position would move by α_s (β_s - Σ α β),
  // times how wrong the answer is; its softmax moves by α_s (da_s - Σ α da).
  void measure_freedom(const Evaluation& evaluation, Readings& readings) {
    std::vector<double> attention, free, da;
    each_row(kind_, evaluation, evaluation.outcome.attention, [&](const PositionRow& row) {
      const Index rows = evaluation.outcome.attention.size(1);
      const double wrong = wrongness(evaluation, static_cast<std::size_t>(row.example * rows + row.row));
      const auto beta = [&](std::size_t s) {
        return static_cast<double>(evaluation.beta(Index{row.example}, Index{row.row}, static_cast<Index>(s)));
      };
      double mean = 0, moved = 0;
      for (std::size_t s = 0; s < row.values.size(); ++s) mean += static_cast<double>(row.values[s]) * beta(s);
      da.clear();
      for (std::size_t s = 0; s < row.values.size(); ++s) {
        const auto weight = static_cast<double>(row.values[s]);
        da.push_back(wrong * weight * (beta(s) - mean));
        moved += weight * da.back();
      }
      for (std::size_t s = 0; s < row.values.size(); ++s) {
        const auto weight = static_cast<double>(row.values[s]);
        attention.push_back(weight);
        free.push_back(weight * (da[s] - moved));
      }
    });
    if (!evaluation.first && attention.size() == attention_.size()) {
      double together = 0, actual = 0, expected = 0;
      for (std::size_t i = 0; i < attention.size(); ++i) {
        const double change = attention[i] - attention_[i];
        const double wanted = free[i] + free_[i];  // from the slopes at both ends of the interval
        if (std::isnan(wanted)) continue;          // a row whose β was not measured at both
        together += change * wanted;
        actual += change * change;
        expected += wanted * wanted;
      }
      if (actual > 0 && expected > 0) {
        const double cosine = together / std::sqrt(actual * expected);
        readings.number(audit_names::free, cosine);
        moved_ += std::sqrt(actual);
        followed_ += std::sqrt(actual) * cosine;
      }
    }
    attention_ = std::move(attention);
    free_ = std::move(free);
  }

  // How far the answer of a row is from right, where the loss says it in one number: two classes with one logit.
  double wrongness(const Evaluation& evaluation, std::size_t row) const {
    if (kind_ != Kind::labelled_tokens || evaluation.outcome.scores.size(1) != 1) return 1;
    const auto score = static_cast<double>(evaluation.outcome.scores(static_cast<Index>(row), Index{0}));
    return logistic(evaluation.outcome.answers[row] == 1 ? -score : score);
  }

  // 3 and 4: the two learning curves, and how uniform attention is.
  void measure_stages(const Evaluation& evaluation, Readings& readings) {
    double entropy = 0, on_truth = 0, top = 0;
    std::int64_t rows = 0, true_rows = 0;
    each_row(kind_, evaluation, evaluation.outcome.attention, [&](const PositionRow& row) {
      if (row.values.size() > 1) {
        double sum = 0;
        for (const float weight : row.values)
          if (weight > 0) sum -= static_cast<double>(weight) * math::log(static_cast<double>(weight));
        entropy += sum / math::log(static_cast<double>(row.values.size()));
        ++rows;
      }
      const auto is_true = [&](std::size_t s) {
        return row.marked.empty() ? static_cast<int>(s) == row.aligned : row.marked[s] != 0;
      };
      float largest = 0;
      double truths = 0, tops = 0, both = 0, weight = 0;
      if (std::isnan(evaluation.beta(Index{row.example}, Index{row.row}, Index{0}))) return;  // not measured
      for (std::size_t s = 0; s < row.values.size(); ++s) {
        const float beta = evaluation.beta(Index{row.example}, Index{row.row}, static_cast<Index>(s));
        if (s == 0 || beta > largest) {
          largest = beta;
          tops = both = 0;
        }
        truths += is_true(s);
        tops += beta == largest;
        both += beta == largest && is_true(s);
        weight += is_true(s) ? static_cast<double>(row.values[s]) : 0;
      }
      if (truths == 0) return;
      top += both / tops;
      on_truth += weight;
      ++true_rows;
    });
    Stage stage{evaluation.step, rows > 0 ? entropy / static_cast<double>(rows) : 1, unknown, unknown};
    if (rows > 0) readings.number("audit_entropy", stage.entropy);
    if (true_rows > 0) {
      stage.knowledge = top / static_cast<double>(true_rows);
      stage.attention = on_truth / static_cast<double>(true_rows);
      readings.number("audit_knowledge", stage.knowledge);
      readings.number("audit_attention", stage.attention);
    }
    if (!course_.empty() && course_.back().step == evaluation.step) course_.pop_back();  // a last look made once more
    course_.push_back(stage);
  }

  // What attention had risen by, of all it rose, when knowledge had risen by half.
  std::optional<double> overlap() const {
    std::vector<Stage> course;
    std::copy_if(course_.begin(), course_.end(), std::back_inserter(course),
                 [](const Stage& one) { return !std::isnan(one.knowledge); });
    if (course.empty()) return std::nullopt;
    const double knew = course.front().knowledge, attended = course.front().attention;
    const double half = (knew + course.back().knowledge) / 2, rise = course.back().attention - attended;
    if (course.back().knowledge - knew < least_rise || rise < least_rise) return std::nullopt;
    for (std::size_t k = 1; k < course.size(); ++k) {
      const Stage &before = course[k - 1], &after = course[k];
      if (after.knowledge < half) continue;
      const double share = (half - before.knowledge) / (after.knowledge - before.knowledge);
      return std::clamp((before.attention + share * (after.attention - before.attention) - attended) / rise, 0.0, 1.0);
    }
    return std::nullopt;
  }

  void conclude(Readings& readings) const {
    if (moved_ > 0) readings.number(audit_names::free_overall, followed_ / moved_);
    if (const std::optional<double> early = overlap()) readings.number(audit_names::overlap, *early);
    for (const Stage& stage : course_) {
      if (stage.entropy >= left_uniform) continue;
      readings.number(audit_names::leaves_uniform, static_cast<double>(stage.step));
      break;
    }
  }

  Kind kind_ = Kind::labelled_tokens;
  std::vector<double> attention_, free_;  // at the look before, row after row
  double moved_ = 0, followed_ = 0;       // Σ |Δα|, and Σ |Δα| cosine
  std::vector<Stage> course_;
};

const Register<Probe> audit("audit", "the five assumptions of the two-stage account, measured",
                            [] { return std::make_unique<Audit>(); });

}  // namespace

}  // namespace fovea
