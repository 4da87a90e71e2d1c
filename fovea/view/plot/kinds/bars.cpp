// Figure kind "bars": a quantity for each setting or experiment, a bar to the median with a dot for each run (room
// view/plot/kinds). make_figure() makes it by name for reports. It only reads runs. Bars are horizontal, so that long
// names can be read.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "fovea/base/number_text.h"
#include "fovea/view/plot/figure_kind.h"

namespace fovea {

namespace {

class Bars : public FigureKind {
 public:
  void settings(Fields& fields) override {
    fields.texts("by", by_, "settings with one bar per value");
    fields.texts("y", y_, "quantities of a run, or aggregates over runs");
    fields.texts("names", names_, "name of each y");
    fields.texts("panels", panels_, "settings with one panel per value; y: one panel per quantity");
    fields.flag("dots", dots_, "draw each run's value");
  }

  Figure draw(const Runs& runs, const FetchArrays&) const override {
    Figure figure;
    const std::vector<Quantity> ys = quantities(y_, location);
    const PanelPlans plans = plan_panels(runs, panels_, ys, names_);
    const std::vector<RunGroup> groups = group_runs(runs, by_);
    const bool split_y = std::find(panels_.begin(), panels_.end(), "y") != panels_.end();
    figure.columns = plans.columns;
    figure.share_x = !split_y;
    for (const PanelPlan& plan : plans.panels) {
      Panel panel = framed_panel(plan.title, {});
      panel.marks.clear();
      if (panel.x.label.empty() && plan.quantities.size() == 1 && !split_y)
        panel.x.label = quantity_name(ys, names_, plan.quantities[0]);
      for (const RunGroup& group : groups) panel.y.categories.push_back(group.label.empty() ? "all runs" : group.label);
      panel.y.log = false;
      const double lanes = static_cast<double>(plan.quantities.size());
      bool any = false;
      for (std::size_t g = 0; g < groups.size(); ++g) {
        const Runs shown = members(groups[g], plan);
        for (std::size_t k = 0; k < plan.quantities.size() && !shown.empty(); ++k) {
          const double at = static_cast<double>(g) + (static_cast<double>(k) + 0.5) / lanes * 0.8 - 0.4;
          any = add_bar(figure, panel, ys[plan.quantities[k]], shown, at, 0.34 / lanes, split_y ? 0 : k,
                        quantity_name(ys, names_, plan.quantities[k]), groups[g].label) ||
                any;
        }
      }
      if (!any) {
        panel.y.categories.clear();
        for (const std::size_t i : plan.quantities)
          if (panel.message.empty()) panel.message = ys[i].missing_in(plan.runs);
        if (panel.message.empty()) panel.message = "no values to show yet";
      }
      figure.panels.push_back(std::move(panel));
    }
    for (std::size_t k = 0; k < ys.size() && ys.size() > 1 && !split_y; ++k)
      figure.legend.push_back({quantity_name(ys, names_, k), category_color(k), 0, {}, Marker::none, true});
    figure.description =
        fmt::format("Bars of {} for {} groups of runs.{}", y_.empty() ? "" : y_[0], groups.size(), figure.description);
    return figure;
  }

 private:
  bool add_bar(Figure& figure, Panel& panel, const Quantity& y, const Runs& runs, double at, double half,
               std::size_t index, const std::string& name, const std::string& group) const {
    const Color color = category_color(index);
    const double value = y.of_runs(runs);
    if (std::isfinite(value)) {
      panel.marks.emplace_back(BarMark{at, half, 0, value, color, name});
      if (figure.description.size() < 900)
        figure.description += fmt::format(" {}: {}.", group.empty() ? "All" : group, number_text(value));
    }
    bool any = std::isfinite(value);
    if (!y.aggregate() && dots_ && runs.size() > 1) {
      CurveMark dots{{}, color, 0, {}, category_marker(index), 2.2, true, name + ", each run"};
      for (std::size_t r = 0; r < runs.size(); ++r) {
        // Spread over the bar's height in a fixed order, so that equal values stay apart.
        const double lane =
            (static_cast<double>((r * 7) % runs.size()) + 0.5) / static_cast<double>(runs.size()) * 2 - 1;
        const double x = y.of_run(*runs[r]);
        any = any || std::isfinite(x);
        dots.points.push_back({x, at + 0.7 * half * lane});
      }
      panel.marks.emplace_back(std::move(dots));
    }
    return any;
  }

  std::vector<std::string> by_ = {"experiment"}, y_ = {"accuracy"}, names_, panels_;
  bool dots_ = true;
};

const Register<FigureKind> bars("bars", "a quantity by setting or experiment, a bar to the median and a dot a run",
                                [] { return std::make_unique<Bars>(); });

}  // namespace

}  // namespace fovea
