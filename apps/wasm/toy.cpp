// The toy gate's course from one start, by closed form, flow and descent.
#include <algorithm>
#include <cmath>
#include <vector>

#include "apps/wasm/question.h"
#include "fovea/base/error.h"
#include "fovea/theory/toy_gate.h"

namespace fovea::page {

namespace {

// Infinity and NaN are null.
Json number(double x) { return std::isfinite(x) ? Json(x) : Json(nullptr); }

ToyVariant variant_of(const Json& ask) {
  ToyVariant variant;
  if (ask.value("bounded", false)) variant.gate = ToyVariant::Gate::bounded;
  if (ask.value("logistic", false)) variant.loss = ToyVariant::Loss::logistic;
  return variant;
}

Json points(const std::vector<ToyPoint>& path, ToyVariant variant) {
  Json all = Json::array();
  for (const ToyPoint& point : path)
    all.push_back({number_json(point.difference()), number_json(point.gate), number_json(toy_attention(variant, point)),
                   number_json(toy_loss(variant, point))});
  return all;
}

// A start's fate in three ways: closed form (where there is one), flow by integration, and gradient descent. Each is
// given up where it has left the picture.
Json toy(const Json& ask) {
  const ToyVariant variant = variant_of(ask);
  const double d = ask.at("D").get<double>(), gate = ask.at("gate").get<double>(), sum = ask.value("sum", 0.0);
  const ToyPoint start{(sum - d) / 2, (sum + d) / 2, gate};
  const double until = ask.value("until", 3.0), rate = ask.value("rate", 0.0625), bound = ask.value("bound", 50.0);
  const int looks = ask.value("looks", 120);
  if (!(until > 0) || !(rate > 0) || looks < 2 || looks > 100'000 || until / rate > 1e6)
    throw wrong_input("the toy gate's time and step size make no course", "both are above 0, and 1e6 steps the most");
  const auto inside = [&](const ToyPoint& p) {
    return std::abs(p.difference()) < bound && std::abs(p.gate) < bound && std::isfinite(p.difference());
  };
  std::vector<double> times;
  for (int i = 0; i < looks; ++i) times.push_back(until * i / (looks - 1));
  Json json;
  if (variant == ToyVariant()) {
    std::vector<ToyPoint> path;
    for (const double time : times) {
      path.push_back(toy_closed_form(start, time));
      if (!inside(path.back())) break;
    }
    json["closed"] = points(path, variant);
    json["reaches"] = number(toy_closed_form_time(start, 1));
    json["above"] = number(toy_above_separatrix(start));
  }
  std::vector<ToyPoint> flow = toy_flow(variant, start, times);
  const auto left = std::find_if_not(flow.begin(), flow.end(), inside);
  if (left != flow.end()) flow.erase(left + 1, flow.end());
  json["flow"] = points(flow, variant);
  std::vector<ToyPoint> descent{start};
  for (std::int64_t step = 1; static_cast<double>(step) * rate <= until * (1 + 1e-12) && inside(descent.back()); ++step)
    descent.push_back(toy_descent(variant, descent.back(), rate, 1));
  json["descent"] = points(descent, variant);
  json["times"] = times;
  return json;
}

const Question toy_question("toy", toy);

}  // namespace

}  // namespace fovea::page
