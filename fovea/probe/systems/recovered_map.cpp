// Probe `recovered_map`: the distance between attention and the true map from queries to keys, for tasks that know it
// (data/two_spaces.h) (room probe/systems). The Evaluator (lab/train) calls it at each evaluation; it changes
// nothing. It also reports the errors of rivals that know one thing each.
//
//   map_cosine_with_truth    <W A, A⁺A> / (‖W A‖ ‖A⁺A‖) at every evaluation, W the learned similarity qᵀWk: 1 if W
//                            takes each key to a multiple of its origin
//   least_error_true_map     the error of the similarity c qᵀA⁺k, which knows the map
//   least_error_one_space    the error of -c ‖q-k‖²/2 over the coordinates that both have: a Gaussian that takes
//                            queries and keys as of one space
//
// The rivals' errors are mean squared errors at the queries of the last evaluation. Each is at its best c (of 2⁻⁶,
// 2⁻⁵·⁵ … 2⁸), and so the least that the rival can have. `recovered_map`, the array, is W A at the last evaluation.
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "fovea/base/functions/functions.h"
#include "fovea/data/two_spaces.h"
#include "fovea/math/matmul.h"
#include "fovea/math/vector_math.h"
#include "fovea/probe/position_rows.h"

namespace fovea {

namespace {

constexpr int coldest = 28;  // in half octaves from the hottest
constexpr double hottest = 0x1p-6;

class RecoveredMap final : public Probe {
 public:
  void prepare(const TaskShape& shape, bool, std::uint64_t) override {
    need_kind(shape.kind, Kind::points, "recovered_map");
  }

  bool differs_under_hold() const override { return false; }
  void measure(const Evaluation& evaluation, Readings& readings) override {
    const TwoSpaces* const spaces = evaluation.task.two_spaces();
    if (!spaces)
      throw wrong_input("probe 'recovered_map' compares with a map, and the task has none",
                        "remove the probe, or use task 'two-spaces'");
    compare(evaluation, *spaces, readings);
    if (!evaluation.last) return;
    readings.number("least_error_true_map", least_error(evaluation, oracle_scores(evaluation, *spaces)));
    readings.number("least_error_one_space", least_error(evaluation, one_space_scores(evaluation, *spaces)));
  }

 private:
  using Values = std::vector<double>;

  static Matrix<const double> matrix(const Values& values, int rows, int columns) {
    return Matrix<const double>(values.data(), rows, columns);
  }
  static Values product(Matrix<const double> a, Matrix<const double> b) {
    Values c(static_cast<std::size_t>(a.size(0) * b.size(1)));
    matmul(plain(a), plain(b), Matrix<double>(c.data(), a.size(0), b.size(1)));
    return c;
  }

  static void compare(const Evaluation& evaluation, const TwoSpaces& spaces, Readings& readings) {
    const int queries = spaces.query_width, keys = spaces.key_width;
    const auto weight = std::ranges::find(evaluation.parameters, "weight", &ParameterView::name);
    if (weight == evaluation.parameters.end() || weight->shape != std::vector<Index>{queries, keys}) return;
    const Values w(weight->values.begin(), weight->values.end());
    const auto there = matrix(spaces.there, keys, queries);
    const Values found = product(matrix(w, queries, keys), there);
    const Values wanted = product(matrix(spaces.back, queries, keys), there);
    const auto along = [](const Values& a, const Values& b) {
      return dot(std::span<const double>(a), std::span<const double>(b));
    };
    const double length = std::sqrt(along(found, found) * along(wanted, wanted));
    readings.number("map_cosine_with_truth", length > 0 ? along(found, wanted) / length : 0);
    if (evaluation.last)
      readings.array("recovered_map", {queries, queries}, std::vector<float>(found.begin(), found.end()));
  }

  // Scores (m,n) at c = 1, up to a number of each query's own.
  static Values oracle_scores(const Evaluation& evaluation, const TwoSpaces& spaces) {
    const Items &q = evaluation.batch.queries, &k = evaluation.batch.items;
    const Values queries(q.values.begin(), q.values.end()), keys(k.values.begin(), k.values.end());
    const Values asked = product(matrix(queries, q.columns, q.width), matrix(spaces.back, q.width, k.width));
    Values scores(static_cast<std::size_t>(q.columns) * static_cast<std::size_t>(k.columns));
    matmul(plain(matrix(asked, q.columns, k.width)), transposed(matrix(keys, k.columns, k.width)),
           Matrix<double>(scores.data(), q.columns, k.columns));
    return scores;
  }

  static Values one_space_scores(const Evaluation& evaluation, const TwoSpaces& spaces) {
    const Items &q = evaluation.batch.queries, &k = evaluation.batch.items;
    const int both = std::min(spaces.query_width, spaces.key_width);
    Values scores;
    for (int i = 0; i < q.columns; ++i)
      for (int j = 0; j < k.columns; ++j) {
        double squares = 0;
        for (int c = 0; c < both; ++c) {
          const double off = static_cast<double>(q.item(0, i)[c]) - static_cast<double>(k.item(0, j)[c]);
          squares += off * off;
        }
        scores.push_back(-squares / 2);
      }
    return scores;
  }

  // The mean squared error of softmax(c scores) · values, at the best c.
  static double least_error(const Evaluation& evaluation, const Values& scores) {
    const Items &k = evaluation.batch.items, &v = evaluation.batch.values, &truth = evaluation.batch.answers;
    const Values values(v.values.begin(), v.values.end());
    const auto keys = static_cast<std::size_t>(k.columns), queries = scores.size() / keys;
    double least = std::numeric_limits<double>::infinity();
    Values weights(scores.size());
    for (int i = 0; i <= coldest; ++i) {
      const double c = hottest * math::exp2(i / 2.0);
      for (std::size_t row = 0; row < queries; ++row) {
        const auto from = std::span(scores).subspan(row * keys, keys);
        const auto to = std::span(weights).subspan(row * keys, keys);
        std::ranges::transform(from, to.begin(), [c](double s) { return c * s; });
        softmax(std::span<const double>(to), to);
      }
      const Values said =
          product(matrix(weights, static_cast<int>(queries), k.columns), matrix(values, k.columns, v.width));
      double sum = 0;
      for (std::size_t n = 0; n < said.size(); ++n) {
        const double off = said[n] - static_cast<double>(truth.values[n]);
        sum += off * off;
      }
      least = std::min(least, sum / static_cast<double>(said.size()));
    }
    return least;
  }
};

const Register<Probe> recovered_map("recovered_map", "distance of attention from the true map of the task, with rivals",
                                    [] { return std::make_unique<RecoveredMap>(); });

}  // namespace

}  // namespace fovea
