// One quantity of each run against another: a point a run.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "fovea/view/figure_kind.h"

namespace fovea {

namespace {

class Scatter : public FigureKind {
 public:
  void settings(Fields& fields) override {
    fields.text("x", x_, "a metric, a setting or an expression over a run");
    fields.texts("y", y_, "the same, one or several");
    fields.texts("names", names_, "what to call each y");
    fields.texts("by", by_, "settings that get a colour and marker each");
    fields.texts("panels", panels_, "settings that get a panel each; y gives each quantity one");
    fields.flag("identity", identity_, "draw the line y = x");
  }

  Figure draw(const Runs& runs, const FetchArrays&) const override {
    Figure figure;
    const Quantity x(x_, place);
    const std::vector<Quantity> ys = quantities(y_, place);
    const PanelPlans plans = plan_panels(runs, panels_, ys, names_);
    const std::vector<RunGroup> groups = group_runs(runs, by_);
    figure.columns = plans.columns;
    std::size_t left_out = 0, series = 1;
    for (const PanelPlan& plan : plans.panels) {
      Panel panel = framed_panel(plan.title, plan.runs);
      if (panel.x.label.empty()) panel.x.label = x.label();
      if (panel.y.label.empty() && plan.quantities.size() == 1)
        panel.y.label = quantity_name(ys, names_, plan.quantities[0]);
      series = std::max(series, plan.quantities.size());
      std::size_t points = 0;
      double low = HUGE_VAL, high = -HUGE_VAL;
      for (std::size_t k = 0; k < plan.quantities.size(); ++k) {
        for (std::size_t g = 0; g < groups.size(); ++g) {
          const std::size_t index = g * plan.quantities.size() + k;
          CurveMark dots{{}, category_color(index).faded(0.85), 0, {}, category_marker(index), 3.2};
          for (const RunRecord* run : groups[g].runs) {
            if (std::find(plan.runs.begin(), plan.runs.end(), run) == plan.runs.end()) continue;
            const Point p{x.of_run(*run), ys[plan.quantities[k]].of_run(*run)};
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
      if (!points) panel.message = reason(x, ys, plan);
      figure.panels.push_back(std::move(panel));
    }
    for (std::size_t g = 0; g < groups.size() && groups.size() * series > 1; ++g)
      for (std::size_t k = 0; k < series; ++k) {
        std::string label = series > 1 ? quantity_name(ys, names_, k) : "";
        if (groups.size() > 1) label += (label.empty() ? "" : ", ") + groups[g].label;
        const std::size_t index = g * series + k;
        figure.legend.push_back({label, category_color(index), 0, {}, category_marker(index), false});
      }
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

  std::string x_ = "seed";
  std::vector<std::string> y_ = {"accuracy"}, names_, by_, panels_;
  bool identity_ = false;
};

const Register<FigureKind> scatter("scatter", "a point a run, one quantity against another",
                                   [] { return std::make_unique<Scatter>(); });

}  // namespace

}  // namespace fovea
