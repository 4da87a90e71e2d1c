// Probe `ladder`: the position of a model among the rungs of its task (data/ladder.h) (room probe). The Evaluator
// (lab/train) calls it at each evaluation; it changes nothing. Each rung is a prediction r made from the data alone.
// With q = softmax(scores), means over the rows that have an answer y:
//
//   rung_NAME   mean of -log r(y): the predicted plateau of the loss on these examples; of answers that are
//               distributions, mean of -sum_j y_j log r_j
//   from_NAME   mean of KL(r || q) = sum_j r_j (log r_j - log q_j)
//   rung        the rung that q is nearest to: the index, from 0, of the least from_NAME
//   level       the rung whose loss is nearest to the loss on the same rows, its index. In KL, an unsure model is far
//               from a rung that is sure of its answers, whatever its loss
//   kl_from_truth  from_truth, if the task knows the truth, which is then its last rung
//
// In names of metrics '-' is '_'.
#include "fovea/data/ladder.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "fovea/base/functions/functions.h"
#include "fovea/probe/position_rows.h"

namespace fovea {

namespace {

class LadderProbe final : public Probe {
 public:
  void settings(Fields& fields) override {
    fields.choice("place", position_, {{"all", Answers::all}, {"last", Answers::last}},
                  "all answers, or only the last of each example");
  }

  void prepare(const TaskShape& shape, bool, std::uint64_t) override {
    if (has_target(shape.kind)) return;
    throw wrong_input("probe 'ladder' measures " + kind_name(Kind::token_streams) + " and " +
                          kind_name(Kind::token_pairs) + ", and the task gives " + kind_name(shape.kind),
                      "remove the probe");
  }

  void measure(const Evaluation& evaluation, Readings& readings) override {
    const Ladder* const ladder = evaluation.task.ladder();
    if (ladder == nullptr) {
      throw wrong_input("probe 'ladder' needs predictions from the data alone, which the task does not have",
                        "use a task with such predictions, such as 'markov-icl' or 'mws', or remove the probe");
    }
    if (!choose_rows(evaluation)) return;
    truth_ = {};
    if (ladder->answers_are_distributions()) truth_ = evaluation.batch.truth;
    const Index vocab = evaluation.task.shape().target_vocab;
    const std::size_t rows = evaluation.outcome.answers.size(), width = static_cast<std::size_t>(vocab);
    find_log_model(evaluation.outcome.scores, width);
    said_.resize(rows * width);
    const std::vector<std::string> rungs = ladder->rungs();
    const double loss = model_loss(evaluation.outcome.answers, width);
    double nearest = std::numeric_limits<double>::infinity(), nearest_level = nearest;
    std::size_t stage = 0, level = 0;
    for (std::size_t rung = 0; rung < rungs.size(); ++rung) {
      ladder->predict(evaluation.batch, static_cast<int>(rung),
                      Matrix<float>(said_.data(), static_cast<Index>(rows), vocab));
      std::string name = rungs[rung];
      std::replace(name.begin(), name.end(), '-', '_');
      const double height = this->height(evaluation.outcome.answers, width);
      readings.number("rung_" + name, height);
      if (std::abs(loss - height) < nearest_level) nearest_level = std::abs(loss - height), level = rung;
      const double distance = distance_to_model(width);
      readings.number("from_" + name, distance);
      if (distance < nearest) nearest = distance, stage = rung;
      if (rung + 1 == rungs.size() && name == "truth") readings.number("kl_from_truth", distance);
    }
    readings.number("rung", static_cast<double>(stage));
    readings.number("level", static_cast<double>(level));
  }

 private:
  enum class Answers { all, last };

  // The rows that are looked at; false if there are none.
  bool choose_rows(const Evaluation& evaluation) {
    const std::span<const int> answers = evaluation.outcome.answers;
    const auto columns = static_cast<std::size_t>(evaluation.batch.target.columns);
    chosen_.clear();
    for (std::size_t begin = 0; begin < answers.size(); begin += columns) {
      const std::size_t kept = chosen_.size();
      for (std::size_t row = begin; row < begin + columns; ++row) {
        if (answers[row] < 0) continue;
        if (position_ == Answers::last) chosen_.resize(kept);
        chosen_.push_back(row);
      }
    }
    return !chosen_.empty();
  }

  // log q of the chosen rows, one after the other. A single column is the logit of token 1 of two.
  void find_log_model(const Matrix<float>& scores, std::size_t width) {
    const bool logit = scores.size(1) == 1 && width == 2;
    log_model_.resize(chosen_.size() * width);
    for (std::size_t i = 0; i < chosen_.size(); ++i) {
      const std::span<const float> row = scores[static_cast<Index>(chosen_[i])].flat();
      const std::span<double> log_q = std::span(log_model_).subspan(i * width, width);
      log_q[0] = 0;
      std::copy(row.begin(), row.end(), logit ? log_q.begin() + 1 : log_q.begin());
      const double most = *std::max_element(log_q.begin(), log_q.end());
      double sum = 0;
      for (const double score : log_q) sum += math::exp(score - most);
      for (double& score : log_q) score -= most + math::log(sum);
    }
  }

  double height(std::span<const int> answers, std::size_t width) const {
    double sum = 0;
    for (const std::size_t row : chosen_) {
      const auto log_of = [&](std::size_t j) {
        return math::log(static_cast<double>(std::max(said_[row * width + j], std::numeric_limits<float>::min())));
      };
      if (truth_.empty()) sum -= log_of(static_cast<std::size_t>(answers[row]));
      else
        for (std::size_t j = 0; j < width; ++j) sum -= static_cast<double>(truth_[row * width + j]) * log_of(j);
    }
    return sum / static_cast<double>(chosen_.size());
  }

  double model_loss(std::span<const int> answers, std::size_t width) const {
    double sum = 0;
    for (std::size_t i = 0; i < chosen_.size(); ++i) {
      const double* const log_q = log_model_.data() + i * width;
      if (truth_.empty()) sum -= log_q[answers[chosen_[i]]];
      else
        for (std::size_t j = 0; j < width; ++j) sum -= static_cast<double>(truth_[chosen_[i] * width + j]) * log_q[j];
    }
    return sum / static_cast<double>(chosen_.size());
  }

  double distance_to_model(std::size_t width) const {
    double sum = 0;
    for (std::size_t i = 0; i < chosen_.size(); ++i) {
      for (std::size_t j = 0; j < width; ++j) {
        const auto p = static_cast<double>(said_[chosen_[i] * width + j]);
        if (p > 0) sum += p * (math::log(p) - log_model_[i * width + j]);
      }
    }
    return sum / static_cast<double>(chosen_.size());
  }

  Answers position_ = Answers::all;
  std::span<const float> truth_;  // (rows, tokens); empty where an answer is one token
  std::vector<std::size_t> chosen_;
  std::vector<double> log_model_;  // (chosen rows, tokens)
  std::vector<float> said_;        // (rows, tokens)
};

const Register<Probe> ladder_probe("ladder",
                                   "distance of the model from predictions with less, and with all, information",
                                   [] { return std::make_unique<LadderProbe>(); });

}  // namespace

}  // namespace fovea
