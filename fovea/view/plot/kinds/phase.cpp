// Figure kind "phase": one series of each run against another (room view/plot/kinds). make_figure() makes it by name
// for reports. It only reads runs. Behind them are the directions of a linear system d(x, y)/dτ = M (x, y), with its
// separatrix.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "fovea/view/plot/figure_kind.h"

namespace fovea {

namespace {

class Phase : public FigureKind {
 public:
  void settings(Fields& fields) override {
    fields.text("x", x_, "the series along the horizontal axis");
    fields.text("y", y_, "the series along the vertical axis");
    fields.number("separatrix", separatrix_, -HUGE_VAL, HUGE_VAL, "slope of the separatrix, a line through the origin");
    fields.text("above", above_, "name of starts above the separatrix");
    fields.text("below", below_, "name of starts below the separatrix");
  }

  std::vector<std::string> other_keys() const override { return {"field"}; }

  void read_others(const ValueTable& settings) override {
    has_separatrix_ = settings.count("separatrix") > 0;
    const auto found = settings.find("field");
    if (found == settings.end()) return;
    const auto wrong = [&] {
      const auto row = [](std::int64_t a, std::int64_t b) { return Value{ValueList{{a, {}}, {b, {}}}, {}}; };
      const Value example{ValueList{row(0, 2), row(1, 0)}, {}};
      return wrong_input("field of figure 'phase' must be two rows of two numbers",
                         message("write {}", Message::Entry{"field", example}), found->second.location);
    };
    const auto* rows = found->second.as<ValueList>();
    if (!rows || rows->size() != 2) throw wrong();
    std::array<double, 4> matrix{};
    for (std::size_t row = 0; row < 2; ++row) {
      const auto* entries = (*rows)[row].as<ValueList>();
      if (!entries || entries->size() != 2) throw wrong();
      for (std::size_t column = 0; column < 2; ++column) {
        const Value& entry = (*entries)[column];
        double& to = matrix[2 * row + column];
        if (const auto* real = entry.as<double>(); real && std::isfinite(*real)) to = *real;
        else if (const auto* whole = entry.as<std::int64_t>()) to = static_cast<double>(*whole);
        else throw wrong();
      }
    }
    field_ = matrix;
  }

  Figure draw(const Runs& runs, const FetchArrays&) const override {
    Figure figure;
    figure.share_x = false;
    Panel panel = framed_panel("", runs);
    if (panel.x.label.empty()) panel.x.label = without_underscores(x_);
    if (panel.y.label.empty()) panel.y.label = without_underscores(y_);
    panel.square = true;
    const Quantity x(x_, location), y(y_, location);

    std::vector<Mark> paths;
    double low_x = HUGE_VAL, high_x = -HUGE_VAL, low_y = HUGE_VAL, high_y = -HUGE_VAL;
    std::size_t up = 0, down = 0;
    for (const RunRecord* run : runs) {
      const Series along = x.over_steps(*run), across = y.over_steps(*run);
      CurveMark path;
      for (std::size_t i = 0; i < along.steps.size() && i < across.steps.size(); ++i) {
        if (!std::isfinite(along.values[i]) || !std::isfinite(across.values[i])) break;
        path.points.push_back({along.values[i], across.values[i]});
        low_x = std::min(low_x, along.values[i]);
        high_x = std::max(high_x, along.values[i]);
        low_y = std::min(low_y, across.values[i]);
        high_y = std::max(high_y, across.values[i]);
      }
      if (path.points.empty()) continue;
      const Point start = path.points.front();
      const bool above = !has_separatrix_ || start.y > separatrix_ * start.x;
      ++(above ? up : down);
      path.color = category_color(above ? 0 : 1);
      path.width = 1.3;
      path.name = run_name(*run);
      path.dash = above ? std::vector<double>{} : std::vector<double>{5, 2};
      CurveMark dot{{start}, path.color, 0, {}, above ? Marker::circle : Marker::square, 3};
      paths.emplace_back(std::move(path));
      paths.emplace_back(std::move(dot));
    }
    if (paths.empty()) {
      const std::string missing = x.missing_in(runs).empty() ? y.missing_in(runs) : x.missing_in(runs);
      figure.panels.push_back(message_panel("", missing.empty() ? "no values to show yet" : missing));
      return figure;
    }
    bound(panel.x, low_x, high_x);
    bound(panel.y, low_y, high_y);
    if (field_) panel.marks.emplace_back(arrows(*panel.x.least, *panel.x.most, *panel.y.least, *panel.y.most));
    panel.marks.insert(panel.marks.end(), paths.begin(), paths.end());
    if (has_separatrix_) {
      CurveMark line{{{*panel.x.least, separatrix_ * *panel.x.least}, {*panel.x.most, separatrix_ * *panel.x.most}},
                     Color::ink(),
                     1.6,
                     {7, 4}};
      line.in_range = false;
      line.name = "separatrix";
      panel.marks.emplace_back(std::move(line));
      figure.legend.push_back({"separatrix", Color::ink(), 1.6, {7, 4}, Marker::none, false});
      if (up) figure.legend.push_back({above_, category_color(0), 1.5, {}, Marker::circle, false});
      if (down) figure.legend.push_back({below_, category_color(1), 1.5, {5, 2}, Marker::square, false});
    }
    figure.panels.push_back(std::move(panel));
    figure.note = "Markers show the starts.";
    figure.description = fmt::format("Phase portrait of {} against {}: {} courses", y_, x_, up + down);
    figure.description +=
        has_separatrix_ ? fmt::format(", {} from above the separatrix and {} from below it.", up, down) : ".";
    return figure;
  }

 private:
  static void bound(PlotAxis& axis, double low, double high) {
    const double air = high > low ? 0.06 * (high - low) : 0.5;
    if (!axis.least) axis.least = low - air;
    if (!axis.most) axis.most = std::max(high + air, *axis.least + 1e-9);
  }

  ArrowsMark arrows(double low_x, double high_x, double low_y, double high_y) const {
    constexpr int across = 17;
    ArrowsMark mark;
    const double scale = 1e-3;  // only the direction is drawn
    for (int i = 0; i < across; ++i)
      for (int k = 0; k < across; ++k) {
        const double x = low_x + (high_x - low_x) * (i + 0.5) / across,
                     y = low_y + (high_y - low_y) * (k + 0.5) / across;
        const auto& m = *field_;
        mark.from.push_back({x, y});
        mark.along.push_back({scale * (m[0] * x + m[1] * y), scale * (m[2] * x + m[3] * y)});
      }
    return mark;
  }

  std::string x_ = "D", y_ = "p", above_ = "starts above it", below_ = "starts below it";
  bool has_separatrix_ = false;
  double separatrix_ = 0;
  std::optional<std::array<double, 4>> field_;
};

const Register<FigureKind> phase("phase", "courses of two series against each other, with field and separatrix",
                                 [] { return std::make_unique<Phase>(); });

}  // namespace

}  // namespace fovea
