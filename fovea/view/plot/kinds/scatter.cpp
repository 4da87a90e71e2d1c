// Figure kind "scatter": one quantity of each run against another, a point a run (room view/plot/kinds).
// make_figure() makes it by name for reports. It only reads runs.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "fovea/view/plot/quantity_figure.h"

namespace fovea {

namespace {

class Scatter : public QuantityFigure {
 public:
  void settings(Fields& fields) override {
    common_settings(fields, "a metric, a setting or an expression over a run", "the same, one or several");
    fields.flag("identity", identity_, "draw the line y = x");
  }

  Figure draw(const Runs& runs, const FetchArrays&) const override {
    Figure figure;
    const Quantity x(x_, location);
    const Cut all = cut(runs);
    figure.columns = all.plans.columns;
    std::size_t left_out = 0;
    for (const PanelPlan& plan : all.plans.panels) {
      Panel panel = labelled_panel(all, plan, x.label());
      std::size_t points = 0;
      double low = HUGE_VAL, high = -HUGE_VAL;
      for (const std::size_t i : plan.quantities) {
        for (std::size_t g = 0; g < all.groups.size(); ++g) {
          const std::size_t color = all.color(g, i);
          CurveMark dots{
              {}, category_color(color).faded(0.85), 0, {}, category_marker(color), 3.2, true, mark_name(all, g, i)};
          for (const RunRecord* run : members(all.groups[g], plan)) {
            const Point p{x.of_run(*run), all.ys[i].of_run(*run)};
            if (!std::isfinite(p.x) || !std::isfinite(p.y)) {
              ++left_out;
              continue;
            }
            low = std::min({low, p.x, p.y});
            high = std::max({high, p.x, p.y});
            dots.points.push_back(p);
          }
          points += dots.points.size();
          panel.marks.emplace_back(std::move(dots));
        }
      }
      if (identity_ && points)
        panel.marks.emplace_back(CurveMark{{{low, low}, {high, high}}, Color::muted(), 1, {4, 3}});
      if (!points) panel.message = reason(x, all.ys, plan);
      figure.panels.push_back(std::move(panel));
    }
    add_legend(figure, all, Sample::marker);
    if (left_out) figure.note = fmt::format("Not shown: {} of the runs' values, which are not finite.", left_out);
    figure.description =
        fmt::format("Points of {} over {}, one for each of {} runs.", y_.empty() ? "" : y_[0], x_, runs.size());
    return figure;
  }

 private:
  static std::string reason(const Quantity& x, const std::vector<Quantity>& ys, const PanelPlan& plan) {
    if (std::string missing = x.missing_in(plan.runs); !missing.empty()) return missing;
    for (const std::size_t i : plan.quantities)
      if (std::string missing = ys[i].missing_in(plan.runs); !missing.empty()) return missing;
    return "no run has both values";
  }

  bool identity_ = false;
};

const Register<FigureKind> scatter("scatter", "a point a run, one quantity against another",
                                   [] { return std::make_unique<Scatter>(); });

}  // namespace

}  // namespace fovea
