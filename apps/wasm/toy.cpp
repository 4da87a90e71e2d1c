// Question `toy` of the page's engine: the course of the toy gate from one start, by closed form, flow and descent
// (folder apps/wasm). engine.cpp calls it by name, and theory/toy_gate.h computes it.
#include <algorithm>
#include <cmath>
#include <vector>

#include "apps/wasm/question.h"
#include "fovea/base/error/error.h"
#include "fovea/theory/toy_gate.h"

namespace fovea::page {

namespace {

constexpr int looks = 120;         // at the course, evenly over its time
constexpr int arrows = 9;          // of the field, to a side
constexpr double patience = 1000;  // how long attention is waited for where no formula says when it comes

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

// What pulls on a start at each place of the plane, where beta0 + beta1 is `sum`: [D, gate, dD / dtau, dgate / dtau].
Json field(ToyVariant variant, double sum, double wide, double high) {
  Json all = Json::array();
  const auto place = [](int i, double most) { return most * (2 * i + 1 - arrows) / arrows; };  // 0 in the middle
  for (int i = 0; i < arrows; ++i)
    for (int j = 0; j < arrows; ++j) {
      const double d = place(i, wide), gate = place(j, high);
      const ToyPoint slope = toy_slope(variant, {(sum - d) / 2, (sum + d) / 2, gate});
      all.push_back({d, gate, number_json(slope.difference()), number_json(slope.gate)});
    }
  return all;
}

// When attention on the key comes to `level`, by the flow: null where that is later than one waits for it. Nothing is
// said where the flow is too stiff to be followed so far.
void add_arrival(Json& json, ToyVariant variant, const ToyPoint& start, double level) {
  constexpr FlowOptions roughly{.tolerance = 1e-10, .most_steps = 200'000};
  try {
    json["reaches"] = number_json(toy_flow_time(variant, start, level, patience, roughly));
    json["patience"] = patience;
  } catch (const Error&) {
  }
}

// A start's fate in three ways: closed form (where there is one), flow by integration, and gradient descent. Each is
// given up where it has left the picture.
Json toy(const Json& ask) {
  const ToyVariant variant = variant_of(ask);
  const double d = ask.at("D").get<double>(), gate = ask.at("gate").get<double>(), sum = ask.value("sum", 0.0);
  const ToyPoint start{(sum - d) / 2, (sum + d) / 2, gate};
  const double until = ask.value("until", 3.0), rate = ask.value("rate", 0.0625), bound = ask.value("bound", 50.0);
  if (!(until > 0) || !(rate > 0) || until / rate > 1e6)
    throw wrong_input("the toy gate's time and step size make no course", "both are above 0, and 1e6 steps the most");
  const auto inside = [&](const ToyPoint& p) {
    return std::abs(p.difference()) < bound && std::abs(p.gate) < bound && std::isfinite(p.difference());
  };
  std::vector<double> times;
  for (int i = 0; i < looks; ++i) times.push_back(until * i / (looks - 1));
  // The bounded gate never comes to 1.
  const double level = variant.gate == ToyVariant::Gate::bounded ? 0.9 : 1;
  Json json;
  json["level"] = level;
  if (variant == ToyVariant()) {
    std::vector<ToyPoint> path;
    for (const double time : times) {
      path.push_back(toy_closed_form(start, time));
      if (!inside(path.back())) break;
    }
    json["closed"] = points(path, variant);
    json["reaches"] = number_json(toy_closed_form_time(start, level));
    json["above"] = number_json(toy_above_separatrix(start));
  } else {
    add_arrival(json, variant, start, level);
  }
  if (const auto frame = ask.find("frame"); frame != ask.end())
    json["field"] = field(variant, sum, frame->at("D").get<double>(), frame->at("gate").get<double>());
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
