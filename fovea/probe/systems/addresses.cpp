// Probe `addresses`: the prediction of memory accesses, and attention over experts (room probe/systems). The
// Evaluator (lab/train) calls it at each evaluation of a task of memory accesses. Shares of the windows:
//
//   page_accuracy, offset_accuracy, address_accuracy    page, offset, or both are right
//   confident_share        p(page) p(offset) of the prediction is `threshold` or more: it would be fetched
//   confident_accuracy     of these, both are right
//   expert_explained_by_page
//                          how much attention depends on the page: the mean of KL(α_i || ᾱ_{o_i}) over accesses i,
//                          divided by log n; ᾱ_o is the mean α of the accesses with offset o. It is 0 if attention
//                          is uniform or the same on every page
//
// and at the first evaluation the predictions of tables on the whole validation split (data/prefetchers.h):
// NAME_accuracy, both right.

#include "fovea/base/functions/functions.h"
#include "fovea/data/prefetchers.h"
#include "fovea/probe/position_rows.h"

namespace fovea {

namespace {

class AddressesProbe final : public Probe {
 public:
  void settings(Fields& fields) override {
    fields.number("threshold", threshold_, 0, 1, "least probability of an address that would be fetched");
  }
  void prepare(const TaskShape& shape, bool, std::uint64_t) override {
    need_kind(shape.kind, Kind::accesses, "addresses");
  }

  void measure(const Evaluation& evaluation, Readings& readings) override {
    measure_answers(evaluation, readings);
    measure_experts(evaluation, readings);
    const Prefetchers* const tables = evaluation.task.prefetchers();
    if (!evaluation.first || !tables) return;
    for (const TableScore& score : tables->table_scores(Split::validation))
      readings.number(score.name + "_accuracy", score.both);
  }

 private:
  // What is said, and its probability.
  static std::pair<int, double> said(std::span<const float> scores) {
    const int best = argmax(scores);
    double sum = 0;
    for (const float score : scores)
      sum += math::exp(static_cast<double>(score) - static_cast<double>(scores[static_cast<std::size_t>(best)]));
    return {best, 1 / sum};
  }

  void measure_answers(const Evaluation& evaluation, Readings& readings) const {
    const Matrix<float>& scores = evaluation.outcome.scores;
    double page = 0, offset = 0, both = 0, covered = 0, covered_right = 0;
    const Index windows = evaluation.batch.size;
    for (Index b = 0; b < windows; ++b) {
      const auto [said_page, p] = said(scores[2 * b].flat());
      const auto [said_offset, q] = said(scores[2 * b + 1].flat());
      const bool page_right = said_page == evaluation.batch.target.at(static_cast<int>(b), 0);
      const bool offset_right = said_offset == evaluation.batch.target.at(static_cast<int>(b), 1);
      page += page_right;
      offset += offset_right;
      both += page_right && offset_right;
      if (p * q < threshold_) continue;
      ++covered;
      covered_right += page_right && offset_right;
    }
    if (windows == 0) return;
    const auto share = [&](double count) { return count / static_cast<double>(windows); };
    readings.number("page_accuracy", share(page));
    readings.number("offset_accuracy", share(offset));
    readings.number("address_accuracy", share(both));
    readings.number("confident_share", share(covered));
    if (covered > 0) readings.number("confident_accuracy", covered_right / covered);
  }

  static void measure_experts(const Evaluation& evaluation, Readings& readings) {
    const Cube<const float> attention = evaluation.outcome.attention;
    const Index experts = attention.size(2), steps = attention.size(1);
    if (attention.empty() || experts < 2) return;
    const auto width = static_cast<std::size_t>(experts);
    const auto offsets = static_cast<std::size_t>(evaluation.task.shape().offsets);
    std::vector<double> means(offsets * width), counts(offsets);
    const auto offset_of = [&](Index i) {
      return static_cast<std::size_t>(
          evaluation.batch.source.at(static_cast<int>(i / steps), static_cast<int>(3 * (i % steps) + 2)));
    };
    const Index accesses = attention.size(0) * steps;
    for (Index i = 0; i < accesses; ++i) {
      const std::size_t offset = offset_of(i);
      ++counts[offset];
      for (std::size_t k = 0; k < width; ++k)
        means[offset * width + k] += static_cast<double>(attention.data()[i * experts + static_cast<Index>(k)]);
    }
    double information = 0;
    for (Index i = 0; i < accesses; ++i) {
      const std::size_t offset = offset_of(i);
      for (std::size_t k = 0; k < width; ++k) {
        const auto weight = static_cast<double>(attention.data()[i * experts + static_cast<Index>(k)]);
        const double mean = means[offset * width + k] / counts[offset];
        if (weight > 0) information += weight * math::log(weight / mean);
      }
    }
    readings.number("expert_explained_by_page",
                    information / static_cast<double>(accesses) / math::log(static_cast<double>(experts)));
  }

  double threshold_ = 0.5;
};

const Register<Probe> addresses_probe("addresses", "how well memory accesses are predicted, and attention over experts",
                                      [] { return std::make_unique<AddressesProbe>(); });

}  // namespace

}  // namespace fovea
