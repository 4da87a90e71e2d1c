// Probe `offsets`: attention relative to the row (room probe/systems). The Evaluator (lab/train) calls it at each
// evaluation; it changes nothing. The offset of a row is the position of its largest weight minus the row's number.
// With c_t = Σ_s s α_ts the centroid of row t:
//
//   offset_share           array: share of the rows with each offset; array `offset`: the offsets, 1 - P … P - 1
//   band_share             share of the rows in the `band` neighbouring offsets that have most of them
//   band_share_chance      the same if each position present is equally likely to have the largest weight
//   band_offset            the middle of that band
//   centroid_correlation   of c_t with t, within examples, over the rows for which all positions of the band exist:
//                          Σ (c_t - mean c)(t - mean t), over the root of both sums of squares; 0 where attention is
//                          the same in all rows
//   diagonal_weight        the largest of the mean weights at offsets -1, 0 and 1 from the true position
//
// A row that attends to the same position as all others has a centroid_correlation of 0 and a band_share near chance.
#include <cmath>
#include <map>

#include "fovea/probe/position_rows.h"

namespace fovea {

namespace {

// Counts of offsets from 1 - positions to positions - 1.
struct OffsetCounts {
  explicit OffsetCounts(Index positions) : zero(positions - 1), counts(static_cast<std::size_t>(2 * positions - 1)) {}

  double& at(Index offset) { return counts[static_cast<std::size_t>(offset + zero)]; }

  // The most in `width` neighbouring offsets, and the first of these.
  std::pair<double, Index> band(Index width) const {
    const auto last = static_cast<Index>(counts.size()) - std::min<Index>(width, std::ssize(counts));
    std::pair<double, Index> best{-1, 0};
    for (Index first = 0; first <= last; ++first) {
      double sum = 0;
      for (Index i = first; i < first + width && i < std::ssize(counts); ++i)
        sum += counts[static_cast<std::size_t>(i)];
      if (sum > best.first) best = {sum, first - zero};
    }
    return best;
  }

  Index zero;
  std::vector<double> counts;
};

// Sums over the rows of one example.
struct Moments {
  double rows = 0, x = 0, y = 0, xx = 0, yy = 0, xy = 0;

  void add(double a, double b) {
    ++rows;
    x += a;
    y += b;
    xx += a * a;
    yy += b * b;
    xy += a * b;
  }
};

struct Centroid {
  int example = 0;
  Index row = 0, present = 0;
  double at = 0;
};

// Over the rows for which the offsets from `first` to `last` are positions.
double correlation_within(std::span<const Centroid> centroids, Index first, Index last) {
  std::map<int, Moments> examples;
  for (const Centroid& centroid : centroids)
    if (centroid.row + first >= 0 && centroid.row + last < centroid.present)
      examples[centroid.example].add(centroid.at, static_cast<double>(centroid.row));
  double rows = 0, of_centroids = 0, of_rows = 0, together = 0;
  for (const auto& [example, sums] : examples) {
    rows += sums.rows;
    of_centroids += sums.xx - sums.x * sums.x / sums.rows;
    of_rows += sums.yy - sums.y * sums.y / sums.rows;
    together += sums.xy - sums.x * sums.y / sums.rows;
  }
  // Rows that are alike but for rounding do not move.
  return of_centroids > 1e-9 * rows && of_rows > 0 ? together / std::sqrt(of_centroids * of_rows) : 0;
}

class Offsets : public Probe {
 public:
  void settings(Fields& fields) override {
    fields.integer("band", band_, 1, 1 << 14, "number of neighbouring offsets in one band");
  }
  void prepare(const TaskShape& shape, bool model_attends, std::uint64_t) override {
    need_attention(model_attends, "offsets");
    kind_ = shape.kind;
    need_kind(kind_, Kind::token_pairs, "offsets");
  }

  void measure(const Evaluation& evaluation, Readings& readings) override {
    const Cube<const float> attention = evaluation.outcome.attention;
    OffsetCounts largest(attention.size(2)), chance(attention.size(2));
    double weight[3] = {0, 0, 0}, weighed[3] = {0, 0, 0};
    std::vector<Centroid> centroids;
    each_row(kind_, evaluation, attention, [&](const PositionRow& row) {
      largest.at(argmax(row.values) - row.row) += 1;
      centroids.push_back({row.example, row.row, std::ssize(row.values), 0});
      Centroid& centroid = centroids.back();
      const auto present = static_cast<double>(row.values.size());
      for (std::size_t s = 0; s < row.values.size(); ++s) {
        centroid.at += static_cast<double>(s) * static_cast<double>(row.values[s]);
        chance.at(static_cast<Index>(s) - row.row) += 1 / present;
      }
      for (int k = 0; k < 3 && row.aligned >= 0; ++k) {
        const int position = row.aligned + k - 1;
        if (position < 0 || position >= std::ssize(row.values)) continue;
        weight[k] += static_cast<double>(row.values[static_cast<std::size_t>(position)]);
        ++weighed[k];
      }
    });
    if (centroids.empty()) return;
    const auto rows = static_cast<double>(centroids.size());
    const auto [inside, first] = largest.band(band_);
    readings.number("band_share", inside / rows);
    readings.number("band_share_chance", chance.band(band_).first / rows);
    readings.number("band_offset", static_cast<double>(first) + (band_ - 1) / 2.0);
    readings.number("centroid_correlation", correlation_within(centroids, first, first + band_ - 1));
    double most = -1;
    for (int k = 0; k < 3; ++k)
      if (weighed[k] > 0) most = std::max(most, weight[k] / weighed[k]);
    if (most >= 0) readings.number("diagonal_weight", most);
    give_profile(largest, rows, readings);
  }

 private:
  static void give_profile(const OffsetCounts& largest, double rows, Readings& readings) {
    std::vector<float> share, offset;
    for (std::size_t i = 0; i < largest.counts.size(); ++i) {
      share.push_back(static_cast<float>(largest.counts[i] / rows));
      offset.push_back(static_cast<float>(static_cast<Index>(i) - largest.zero));
    }
    readings.array("offset_share", {std::ssize(share)}, share);
    readings.array("offset", {std::ssize(offset)}, offset);
  }

  int band_ = 5;
  Kind kind_ = Kind::token_pairs;
};

const Register<Probe> offsets("offsets", "offset of the largest weight and of the centroid of attention from the row",
                              [] { return std::make_unique<Offsets>(); });

}  // namespace

}  // namespace fovea
