// `evidence`: what the measures across runs are made from (lab/analysis/measurement.h). Of the first
// examples of the split, the same at every look: loss and accuracy (of more of them, where `counted` says so), and row
// by row, one behind the other,
//
//   evidence.alpha    attention, where the model attends; evidence.alpha.NAME that of each further map, if there are
//                     some (evidence.maps says how many)
//   evidence.beta     how much each position alone speaks for the right answer
//   evidence.delta    Δ, the influence of each position, at the last look
//
// and what the rows are, at the first look: evidence.lengths (positions of each row), evidence.rows (rows of each
// example), evidence.source, evidence.target (tokens), evidence.labels.
#include <algorithm>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "fovea/math/logistic.h"
#include "fovea/nn/loss.h"
#include "fovea/probe/position_rows.h"
#include "fovea/probe/survey.h"

namespace fovea {

namespace {

// −log of the probability that the scores give to the answer: of one score, it is that of class 1 against class 0.
double surprise(std::span<const float> scores, int answer) {
  if (scores.size() == 1) return softplus(-double{beta_of(scores, answer)});
  return -double{beta_of(scores, answer)};
}

constexpr int most_weights = 1 << 15;  // of one map of a stream, at a look

class Evidence : public SurveyProbe {
 public:
  void settings(Fields& fields) override {
    fields.integer("examples", examples_, 1, 1'000'000, "how many examples are kept, the same at every evaluation");
    fields.integer("counted", counted_examples_, 0, 1'000'000'000, "how many loss and accuracy are of, if more");
    fields.flag("influence", influence_, "whether the influence of each position is measured at the last evaluation");
  }

  void prepare(const TaskShape& shape, bool, std::uint64_t) override {
    if (!has_source(shape.kind))
      throw wrong_input("probe 'evidence' measures " + kind_name(Kind::labelled_tokens) + ", " +
                            kind_name(Kind::token_pairs) + " and " + kind_name(Kind::token_streams) +
                            ", and the task gives " + kind_name(shape.kind),
                        "leave the probe out");
    kind_ = shape.kind;
    // A stream has as many rows as places: of long ones a few.
    if (kind_ == Kind::token_streams)
      examples_ = std::min(examples_, std::max(1, most_weights / (shape.longest * shape.longest)));
  }

  bool wants_beta() const override { return true; }
  int count() const override { return std::max(examples_, counted_examples_); }

  void survey(const SurveyBatch& at, Readings&) override {
    const Evaluation& evaluation = at.evaluation;
    const int size = std::clamp(examples_ - seen_, 0, evaluation.batch.size);
    first_ = evaluation.first;
    count_right(evaluation, std::min(evaluation.batch.size, count() - seen_));
    seen_ += evaluation.batch.size;
    if (size == 0) return;
    add(evaluation, Cube<const float>(evaluation.outcome.attention), size, alpha_);
    further_.resize(evaluation.outcome.further.size());
    for (std::size_t i = 0; i < further_.size(); ++i) {
      const AttentionMap<float>& map = evaluation.outcome.further[i];
      further_[i].first = map.name;
      add(evaluation, Cube<const float>(map.weights), size, further_[i].second);
    }
    add(evaluation, evaluation.beta, size, beta_);
    if (evaluation.first) add_examples(evaluation, size);
    if (evaluation.last && influence_ && at.influence) add(evaluation, at.influence(), size, delta_);
  }

  void conclude(Readings& readings) override {
    if (counted_ > 0) {
      readings.number("evidence_loss", loss_ / static_cast<double>(counted_));
      readings.number("evidence_accuracy", static_cast<double>(right_) / static_cast<double>(counted_));
    }
    const auto say = [&readings](const std::string& name, std::vector<float>& values) {
      if (!values.empty()) readings.array("evidence." + name, {std::ssize(values)}, values);
      values.clear();
    };
    say("alpha", alpha_);
    std::vector<float> maps;
    if (first_ && !further_.empty()) maps = {static_cast<float>(further_.size())};
    for (auto& [name, values] : further_) say("alpha." + name, values);
    say("beta", beta_);
    say("delta", delta_);
    if (first_) {
      say("lengths", lengths_);
      say("rows", rows_);
      say("source", source_);
      say("target", target_);
      say("labels", labels_);
      say("maps", maps);
    }
    seen_ = 0;
    right_ = counted_ = 0;
    loss_ = 0;
  }

 private:
  int rows_of(const Batch& batch, int b) const {
    return has_target(kind_) ? batch.target.lengths[static_cast<std::size_t>(b)] : 1;
  }

  void add(const Evaluation& evaluation, Cube<const float> cube, int size, std::vector<float>& values) const {
    if (cube.empty()) return;
    for (int b = 0; b < size; ++b)
      for (Index row = 0; row < rows_of(evaluation.batch, b); ++row) {
        const float* const begin = cube.data() + (b * cube.size(1) + row) * cube.size(2);
        values.insert(values.end(), begin, begin + evaluation.batch.source.lengths[static_cast<std::size_t>(b)]);
      }
  }

  void add_examples(const Evaluation& evaluation, int size) {
    const auto tokens = [](const Tokens& from, int b, std::vector<float>& to) {
      for (int i = 0; i < from.lengths[static_cast<std::size_t>(b)]; ++i)
        to.push_back(static_cast<float>(from.at(b, i)));
    };
    for (int b = 0; b < size; ++b) {
      const int rows = rows_of(evaluation.batch, b);
      rows_.push_back(static_cast<float>(rows));
      lengths_.insert(lengths_.end(), static_cast<std::size_t>(rows),
                      static_cast<float>(evaluation.batch.source.lengths[static_cast<std::size_t>(b)]));
      tokens(evaluation.batch.source, b, source_);
      if (kind_ == Kind::token_streams) tokens(evaluation.batch.source, b, target_);  // a row is a place
      else if (kind_ == Kind::token_pairs) tokens(evaluation.batch.target, b, target_);
      else labels_.push_back(static_cast<float>(evaluation.batch.labels[static_cast<std::size_t>(b)]));
    }
  }

  void count_right(const Evaluation& evaluation, int size) {
    const Matrix<float>& scores = evaluation.outcome.scores;
    const Index rows = scores.size(0) / std::max(1, evaluation.batch.size) * size;
    for (Index row = 0; row < rows; ++row) {
      const int answer = evaluation.outcome.answers[static_cast<std::size_t>(row)];
      if (answer < 0) continue;
      const int said = scores.size(1) == 1 ? (scores(row, 0) > 0 ? 1 : 0) : argmax(scores[row].flat());
      right_ += said == answer;
      loss_ += surprise(scores[row].flat(), answer);
      ++counted_;
    }
  }

  int examples_ = 500, counted_examples_ = 0;
  bool influence_ = true;
  Kind kind_ = Kind::labelled_tokens;

  // Of the survey at hand.
  int seen_ = 0;
  bool first_ = false;
  double loss_ = 0;
  std::int64_t right_ = 0, counted_ = 0;
  std::vector<std::pair<std::string, std::vector<float>>> further_;  // α of each further map
  std::vector<float> alpha_, beta_, delta_, lengths_, rows_, source_, target_, labels_;
};

const Register<Probe> evidence("evidence", "attention, β and influence of fixed examples: what measures are made from",
                               [] { return std::make_unique<Evidence>(); });

}  // namespace

}  // namespace fovea
