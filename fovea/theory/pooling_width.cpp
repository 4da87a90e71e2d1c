#include "fovea/theory/pooling_width.h"

#include <algorithm>
#include <boost/math/tools/minima.hpp>
#include <cmath>
#include <limits>
#include <tuple>
#include <utility>

#include "fovea/base/error/error.h"
#include "fovea/base/functions/functions.h"

namespace fovea {

namespace {

constexpr int looks = 120;
constexpr double negligible_slope = 1e-9;  // of an error: a slope that is none

// The answer at `at` from all points but `without` (none: -1).
double answer(const LinePoints& points, double at, double w, std::ptrdiff_t without) {
  const auto count = static_cast<std::ptrdiff_t>(points.x.size());
  const auto scaled = [&](std::ptrdiff_t i) { return w * (at - points.x[static_cast<std::size_t>(i)]); };
  double nearest = std::numeric_limits<double>::infinity();
  for (std::ptrdiff_t i = 0; i < count; ++i)
    if (i != without) nearest = std::min(nearest, scaled(i) * scaled(i));
  double sum = 0, weights = 0;
  for (std::ptrdiff_t i = 0; i < count; ++i) {
    if (i == without) continue;
    const double weight = math::exp((nearest - scaled(i) * scaled(i)) / 2);
    weights += weight;
    sum += weight * points.y[static_cast<std::size_t>(i)];
  }
  return sum / weights;
}

// From so wide that all points count alike to so narrow that most see but their neighbour.
std::pair<double, double> widths_worth_a_look(const LinePoints& points) {
  std::vector<double> x(points.x.begin(), points.x.end());
  std::sort(x.begin(), x.end());
  std::vector<double> gaps;
  for (std::size_t i = 1; i < x.size(); ++i)
    if (x[i] > x[i - 1]) gaps.push_back(x[i] - x[i - 1]);
  if (gaps.empty()) throw wrong_input("every point has the same x", "give points with several x");
  const auto middle = gaps.begin() + static_cast<std::ptrdiff_t>(gaps.size() / 2);
  std::nth_element(gaps.begin(), middle, gaps.end());
  return {0.1 / (x.back() - x.front()), 10 / *middle};
}

}  // namespace

double leave_one_out_error(const LinePoints& points, double w) {
  double sum = 0;
  for (std::size_t i = 0; i < points.x.size(); ++i) {
    const double off = answer(points, points.x[i], w, static_cast<std::ptrdiff_t>(i)) - points.y[i];
    sum += off * off;
  }
  return sum / static_cast<double>(points.x.size());
}

std::vector<double> pooled(const LinePoints& points, double w) {
  std::vector<double> answers;
  for (const double at : points.x) answers.push_back(answer(points, at, w, -1));
  return answers;
}

WidthForecast forecast_width(const LinePoints& points, double start) {
  auto [low, high] = widths_worth_a_look(points);
  const double from = std::abs(start);
  if (from > 0) {
    low = std::min(low, from / 2);
    high = std::max(high, from * 2);
  }
  WidthForecast forecast;
  for (int i = 0; i < looks; ++i) {
    forecast.widths.push_back(low * math::pow(high / low, i / (looks - 1.0)));
    forecast.errors.push_back(leave_one_out_error(points, forecast.widths.back()));
  }
  const auto error = [&](double log_w) { return leave_one_out_error(points, math::exp(log_w)); };
  const auto least_near = [&](std::size_t i) {
    const std::size_t left = i == 0 ? 0 : i - 1, right = std::min(i + 1, forecast.widths.size() - 1);
    const auto [at, value] = boost::math::tools::brent_find_minima(error, math::log(forecast.widths[left]),
                                                                   math::log(forecast.widths[right]), 24);
    return std::pair{math::exp(at), value};
  };
  const auto least = static_cast<std::size_t>(std::min_element(forecast.errors.begin(), forecast.errors.end()) -
                                              forecast.errors.begin());
  std::tie(forecast.best, forecast.best_error) = least_near(least);

  forecast.width = start;
  forecast.error = leave_one_out_error(points, start);
  const double right = leave_one_out_error(points, from * 1.001), left = leave_one_out_error(points, from / 1.001);
  // At w = 0 the slope is none, whatever the data.
  if (from == 0 || std::abs(right - left) <= negligible_slope * forecast.error) return forecast;
  const std::ptrdiff_t by = right < left ? 1 : -1;
  auto at = std::upper_bound(forecast.widths.begin(), forecast.widths.end(), from) - forecast.widths.begin() - (by < 0);
  const auto last = static_cast<std::ptrdiff_t>(looks) - 1;
  const auto error_at = [&](std::ptrdiff_t i) { return forecast.errors[static_cast<std::size_t>(i)]; };
  while (at + by >= 0 && at + by <= last && error_at(at + by) < error_at(at)) at += by;
  forecast.at_rest = at != 0 && at != last;
  std::tie(forecast.width, forecast.error) = least_near(static_cast<std::size_t>(at));
  forecast.width = std::copysign(forecast.width, start);
  return forecast;
}

}  // namespace fovea
