// Probe `evidence`: the arrays from which measures across runs are made (lab/analysis/measurement.h) (room probe).
// The Evaluator (lab/train) calls it at each evaluation; it changes nothing. Of the first examples of the split, the
// same every time: loss and accuracy (of `counted` examples, if that is more), and row by row, one after another,
//
//   evidence.alpha    attention, if the model attends; evidence.alpha.NAME that of each further map, if there are
//                     some (evidence.maps has their number)
//   evidence.beta     how much each position alone indicates the right answer
//   evidence.delta    Δ, the influence of each position, at the last evaluation
//   evidence.answers  the model's tag of each row, if rows are words with tags
//
// At the first evaluation it describes the rows: evidence.lengths (positions of each row), evidence.rows (rows of
// each example), evidence.source, evidence.target (tokens), evidence.labels.
#include <algorithm>
#include <numeric>
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

// Values of examples that come in any order; taken, those of one example stand behind those of the one before.
template <class T>
class ByExample {
 public:
  // Where the values of an example go: behind what is there.
  std::vector<T>& begin(int example) {
    begins_.push_back({example, values_.size()});
    return values_;
  }
  std::vector<T> take() {
    std::vector<std::size_t> order(begins_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::sort(order, {}, [this](std::size_t i) { return begins_[i].example; });
    std::vector<T> all;
    all.reserve(values_.size());
    for (const std::size_t i : order) {
      const std::size_t end = i + 1 < begins_.size() ? begins_[i + 1].at : values_.size();
      all.insert(all.end(), values_.begin() + static_cast<std::ptrdiff_t>(begins_[i].at),
                 values_.begin() + static_cast<std::ptrdiff_t>(end));
    }
    begins_.clear();
    values_.clear();
    return all;
  }

 private:
  struct Begin {
    int example;
    std::size_t at;
  };
  std::vector<Begin> begins_;
  std::vector<T> values_;
};

class Evidence : public SurveyProbe {
 public:
  void settings(Fields& fields) override {
    fields.integer("examples", examples_, 1, 1'000'000,
                   "number of examples that are stored, the same ones at every evaluation");
    fields.integer("counted", counted_examples_, 0, 1'000'000'000,
                   "number of examples for loss and accuracy, if larger");
    fields.flag("influence", influence_, "measure the influence of each position at the last evaluation");
  }

  void prepare(const TaskShape& shape, bool, std::uint64_t) override {
    if (!has_source(shape.kind))
      throw wrong_input("probe 'evidence' measures " + kind_name(Kind::labelled_tokens) + ", " +
                            kind_name(Kind::token_pairs) + ", " + kind_name(Kind::tagged_tokens) + " and " +
                            kind_name(Kind::token_streams) + ", and the task gives " + kind_name(shape.kind),
                        "remove the probe");
    kind_ = shape.kind;
    // A stream has as many rows as positions: of long ones a few.
    if (kind_ == Kind::token_streams)
      examples_ = std::min(examples_, std::max(1, most_weights / (shape.longest * shape.longest)));
  }

  bool wants_beta() const override { return true; }
  int count() const override { return std::max(examples_, counted_examples_); }
  int count_closely() const override { return examples_; }

  void survey(const SurveyBatch& at, Readings&) override {
    const Evaluation& evaluation = at.evaluation;
    first_ = evaluation.first;
    further_.resize(evaluation.outcome.further.size());
    for (std::size_t i = 0; i < further_.size(); ++i) further_[i].first = evaluation.outcome.further[i].name;
    Cube<const float> influence;
    if (evaluation.last && influence_ && at.influence &&
        *std::min_element(at.indices.begin(), at.indices.end()) < examples_)
      influence = at.influence();
    for (int b = 0; b < evaluation.batch.size; ++b) {
      const int example = at.indices[static_cast<std::size_t>(b)];
      if (example < count()) count_right(evaluation, b, example);
      if (example >= examples_) continue;
      add(evaluation, Cube<const float>(evaluation.outcome.attention), b, alpha_.begin(example));
      for (std::size_t i = 0; i < further_.size(); ++i)
        add(evaluation, Cube<const float>(evaluation.outcome.further[i].weights), b, further_[i].second.begin(example));
      add(evaluation, evaluation.beta, b, beta_.begin(example));
      add(evaluation, influence, b, delta_.begin(example));
      if (kind_ == Kind::tagged_tokens) add_answers(evaluation, b, answers_.begin(example));
      if (first_) add_example(evaluation, b, example);
    }
  }

  void conclude(Readings& readings) override {
    const std::vector<double> losses = losses_.take();
    const auto counted = static_cast<double>(losses.size());
    if (!losses.empty()) {
      readings.number("evidence_loss", std::accumulate(losses.begin(), losses.end(), 0.0) / counted);
      readings.number("evidence_accuracy", static_cast<double>(right_) / counted);
    }
    const auto write_array = [&readings](const std::string& name, const std::vector<float>& values) {
      if (!values.empty()) readings.array("evidence." + name, {std::ssize(values)}, values);
    };
    write_array("alpha", alpha_.take());
    for (auto& [name, values] : further_) write_array("alpha." + name, values.take());
    write_array("beta", beta_.take());
    write_array("delta", delta_.take());
    write_array("answers", answers_.take());
    if (first_) {
      write_array("lengths", lengths_.take());
      write_array("rows", rows_.take());
      write_array("source", source_.take());
      write_array("target", target_.take());
      write_array("labels", labels_.take());
      if (!further_.empty()) write_array("maps", {static_cast<float>(further_.size())});
    }
    right_ = 0;
  }

 private:
  int rows_of(const Batch& batch, int b) const {
    return has_target(kind_) ? batch.target.lengths[static_cast<std::size_t>(b)] : 1;
  }

  void add(const Evaluation& evaluation, Cube<const float> cube, int b, std::vector<float>& values) const {
    if (cube.empty()) return;
    for (Index row = 0; row < rows_of(evaluation.batch, b); ++row) {
      const float* const begin = cube.data() + (b * cube.size(1) + row) * cube.size(2);
      values.insert(values.end(), begin, begin + evaluation.batch.source.lengths[static_cast<std::size_t>(b)]);
    }
  }

  void add_answers(const Evaluation& evaluation, int b, std::vector<float>& answers) const {
    const Matrix<float>& scores = evaluation.outcome.scores;
    const Index first = b * Index{evaluation.batch.target.columns};
    for (Index row = first; row < first + rows_of(evaluation.batch, b); ++row)
      answers.push_back(static_cast<float>(argmax(scores[row].flat())));
  }

  void add_example(const Evaluation& evaluation, int b, int example) {
    const auto add_tokens = [&](const Tokens& from, std::vector<float>& to) {
      for (int i = 0; i < from.lengths[static_cast<std::size_t>(b)]; ++i)
        to.push_back(static_cast<float>(from.at(b, i)));
    };
    const Batch& batch = evaluation.batch;
    const int rows = rows_of(batch, b);
    rows_.begin(example).push_back(static_cast<float>(rows));
    std::vector<float>& lengths = lengths_.begin(example);
    lengths.insert(lengths.end(), static_cast<std::size_t>(rows),
                   static_cast<float>(batch.source.lengths[static_cast<std::size_t>(b)]));
    add_tokens(batch.source, source_.begin(example));
    if (kind_ == Kind::token_streams) add_tokens(batch.source, target_.begin(example));  // a row is a place
    else if (has_target(kind_)) add_tokens(batch.target, target_.begin(example));
    else labels_.begin(example).push_back(static_cast<float>(batch.labels[static_cast<std::size_t>(b)]));
  }

  void count_right(const Evaluation& evaluation, int b, int example) {
    const Matrix<float>& scores = evaluation.outcome.scores;
    const Index rows = scores.size(0) / evaluation.batch.size;
    std::vector<double>& losses = losses_.begin(example);
    for (Index row = b * rows; row < (b + 1) * rows; ++row) {
      const int answer = evaluation.outcome.answers[static_cast<std::size_t>(row)];
      if (answer < 0) continue;
      const int said = scores.size(1) == 1 ? (scores(row, 0) > 0 ? 1 : 0) : argmax(scores[row].flat());
      right_ += said == answer;
      losses.push_back(surprise(scores[row].flat(), answer));
    }
  }

  int examples_ = 500, counted_examples_ = 0;
  bool influence_ = true;
  Kind kind_ = Kind::labelled_tokens;

  // Of the survey at hand.
  bool first_ = false;
  std::int64_t right_ = 0;
  ByExample<double> losses_;
  std::vector<std::pair<std::string, ByExample<float>>> further_;  // α of each further map
  ByExample<float> alpha_, beta_, delta_, answers_, lengths_, rows_, source_, target_, labels_;
};

const Register<Probe> evidence("evidence", "attention, β and influence of fixed examples, for measures",
                               [] { return std::make_unique<Evidence>(); });

}  // namespace

}  // namespace fovea
