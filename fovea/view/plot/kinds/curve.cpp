// Figure kind "curve": a quantity against a setting, with a dot for each run (room view/plot/kinds). make_figure()
// makes it by name for reports. It only reads runs. A line connects the medians (or an aggregate over the runs of a
// point).
#include <fmt/format.h>

#include <cmath>
#include <map>

#include "fovea/view/plot/quantity_figure.h"

namespace fovea {

namespace {

class Curve : public QuantityFigure {
 public:
  void settings(Fields& fields) override {
    common_settings(fields, "a setting or an expression over a run, such as task.vocab",
                    "quantities of a run, such as step_of(accuracy >= 0.9), or aggregates over runs");
    fields.flag("dots", dots_, "draw each run's value");
  }

  Figure draw(const Runs& runs, const FetchArrays&) const override {
    Figure figure;
    const Quantity x(x_, location);
    const Cut all = cut(runs);
    figure.columns = all.plans.columns;
    std::size_t never = 0;
    for (const PanelPlan& plan : all.plans.panels) {
      Panel panel = labelled_panel(all, plan, x.label());
      bool any = false;
      std::string message = x.missing_in(plan.runs);
      for (std::size_t g = 0; g < all.groups.size(); ++g) {
        std::map<double, Runs> at;
        for (const RunRecord* run : members(all.groups[g], plan))
          if (const double place_x = x.of_run(*run); std::isfinite(place_x)) at[place_x].push_back(run);
        for (const std::size_t i : plan.quantities) {
          if (message.empty()) message = all.ys[i].missing_in(plan.runs);
          any = add_curve(panel, all.ys[i], at, all.color(g, i), mark_name(all, g, i), never) || any;
        }
      }
      if (!any) panel.message = message.empty() ? "no values to show yet" : message;
      figure.panels.push_back(std::move(panel));
    }
    add_legend(figure, all, Sample::line_and_marker);
    if (never)
      figure.note = fmt::format("{} {} never reached the value and {} no dot.", never, never == 1 ? "run" : "runs",
                                never == 1 ? "has" : "have");
    figure.description =
        fmt::format("{} over {}, {} runs: a line through the medians.", y_.empty() ? "" : y_[0], x_, runs.size());
    return figure;
  }

 private:
  bool add_curve(Panel& panel, const Quantity& y, const std::map<double, Runs>& at, std::size_t index,
                 const std::string& name, std::size_t& never) const {
    const Color color = category_color(index);
    CurveMark line{{}, color, 2, category_dash(index), category_marker(index), 3.4};
    line.name = name + (y.aggregate() ? "" : ", median");
    CurveMark dots{{}, color.faded(0.4), 0, {}, Marker::circle, 2.2, true, name + ", each run"};
    bool any = false;
    for (const auto& [x, runs] : at) {
      line.points.push_back({x, y.of_runs(runs)});
      any = any || std::isfinite(line.points.back().y);
      if (y.aggregate() || !dots_ || runs.size() < 2) continue;
      for (const RunRecord* run : runs) {
        const double value = y.of_run(*run);
        if (std::isinf(value)) ++never;
        if (!std::isfinite(value)) continue;
        dots.points.push_back({x, value});
        any = true;
      }
    }
    if (any) {
      panel.marks.emplace_back(std::move(dots));
      panel.marks.emplace_back(std::move(line));
    }
    return any;
  }

  bool dots_ = true;
};

const Register<FigureKind> curve("curve", "a quantity against a setting, a dot a run and a line through the medians",
                                 [] { return std::make_unique<Curve>(); });

}  // namespace

}  // namespace fovea
