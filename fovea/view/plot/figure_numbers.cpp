#include "fovea/view/plot/figure_numbers.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace fovea {

namespace {

// As JSON writes it, in no more digits than 7: most were float, and a report holds many.
Json short_number(double x) {
  if (!std::isfinite(x)) return nullptr;
  if (x == std::trunc(x) && std::abs(x) < 1e15) return static_cast<std::int64_t>(x);
  char text[32];
  std::snprintf(text, sizeof text, "%.7g", x);
  return std::strtod(text, nullptr);
}

class PanelNumbers {
 public:
  PanelNumbers(const Panel& panel, Json& parts) : panel_(panel), parts_(parts) {}

  void add_all() {
    for (const Mark& mark : panel_.marks) std::visit([this](const auto& m) { add(m); }, mark);
    for (const Strip& strip : panel_.strips) {
      Json item = Json::array(), weight = Json::array();
      for (const Strip::Item& one : strip.items) {
        item.push_back(item.size() + 1);
        weight.push_back(short_number(one.weight));
      }
      add(strip.label, {{"item", std::move(item)}, {"weight", std::move(weight)}});
    }
  }

 private:
  // What stands on an axis at a place: a category where it has them.
  static Json on_axis(const PlotAxis& axis, double at) {
    if (axis.categories.empty() || !std::isfinite(at)) return short_number(at);
    const long i = std::lround(at);
    return i >= 0 && i < static_cast<long>(axis.categories.size()) ? Json(axis.categories[static_cast<std::size_t>(i)])
                                                                   : Json(nullptr);
  }
  std::string x_name() const { return panel_.x.label.empty() ? "x" : panel_.x.label; }
  // Both axes may be of one quantity.
  std::string y_name() const {
    const std::string name = !panel_.y.label.empty() ? panel_.y.label : panel_.y.categories.empty() ? "y" : "group";
    return name == x_name() ? name + " (y)" : name;
  }

  void add(const std::string& line, Json columns) {
    parts_.push_back({{"panel", panel_.title}, {"line", line}, {"columns", std::move(columns)}});
  }

  void add(const CurveMark& curve) {
    if (curve.name.empty() || curve.points.empty()) return;
    Json x = Json::array(), y = Json::array();
    for (const Point& point : curve.points) {
      x.push_back(on_axis(panel_.x, point.x));
      y.push_back(on_axis(panel_.y, point.y));
    }
    add(curve.name, {{x_name(), std::move(x)}, {y_name(), std::move(y)}});
  }
  void add(const BandMark& band) {
    if (band.name.empty() || band.x.empty()) return;
    Json x = Json::array(), low = Json::array(), high = Json::array();
    for (std::size_t i = 0; i < band.x.size(); ++i) {
      x.push_back(on_axis(panel_.x, band.x[i]));
      low.push_back(short_number(band.low[i]));
      high.push_back(short_number(band.high[i]));
    }
    add(band.name, {{x_name(), std::move(x)}, {"low", std::move(low)}, {"high", std::move(high)}});
  }
  void add(const BarMark& bar) {
    if (bar.name.empty()) return;
    add(bar.name,
        {{x_name(), Json::array({short_number(bar.to)})}, {y_name(), Json::array({on_axis(panel_.y, bar.at)})}});
  }
  void add(const CellsMark& cells) {
    if (cells.name.empty()) return;
    Json values = Json::array();
    for (const double value : cells.values) values.push_back(short_number(value));
    add(cells.name, {{"value", std::move(values)}});
    parts_.back()["rows"] = cells.rows;
  }
  void add(const ArrowsMark&) {}
  void add(const RuleMark&) {}

  const Panel& panel_;
  Json& parts_;
};

}  // namespace

Json figure_numbers(const Figure& figure) {
  Json parts = Json::array();
  for (const Panel& panel : figure.panels)
    if (panel.message.empty()) PanelNumbers(panel, parts).add_all();
  return parts;
}

}  // namespace fovea
