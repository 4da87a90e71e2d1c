// A quantity against a setting: a dot a run, and a line through the medians (or through an aggregate over the runs of a
// point).
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "fovea/view/figure_kind.h"

namespace fovea {

namespace {

class Curve : public FigureKind {
 public:
  void settings(Fields& fields) override {
    fields.text("x", x_, "a setting or an expression over a run, such as task.vocab");
    fields.texts("y", y_, "quantities of a run, such as step_of(accuracy >= 0.9), or aggregates over runs");
    fields.texts("names", names_, "what to call each y");
    fields.texts("by", by_, "settings that get a colour each");
    fields.texts("panels", panels_, "settings that get a panel each; y gives each quantity one");
    fields.flag("dots", dots_, "draw each run's value");
  }

  Figure draw(const Runs& runs, const FetchArrays&) const override {
    Figure figure;
    const Quantity x(x_, place);
    const std::vector<Quantity> ys = quantities(y_, place);
    const PanelPlans plans = plan_panels(runs, panels_, ys, names_);
    const std::vector<RunGroup> groups = group_runs(runs, by_);
    const bool split_y = std::find(panels_.begin(), panels_.end(), "y") != panels_.end();
    const std::size_t series = split_y ? 1 : ys.size();
    figure.columns = plans.columns;
    std::size_t never = 0;
    for (const PanelPlan& plan : plans.panels) {
      Panel panel = framed_panel(plan.title, plan.runs);
      if (panel.x.label.empty()) panel.x.label = x.label();
      if (panel.y.label.empty() && plan.quantities.size() == 1 && !split_y)
        panel.y.label = quantity_name(ys, names_, plan.quantities[0]);
      bool any = false;
      std::string message = x.missing_in(plan.runs);
      for (std::size_t g = 0; g < groups.size(); ++g) {
        for (const std::size_t i : plan.quantities) {
          if (message.empty()) message = ys[i].missing_in(plan.runs);
          std::map<double, Runs> at;
          for (const RunRecord* run : groups[g].runs) {
            const double place_x = x.of_run(*run);
            if (std::isfinite(place_x) && std::find(plan.runs.begin(), plan.runs.end(), run) != plan.runs.end())
              at[place_x].push_back(run);
          }
          any = add_curve(panel, ys[i], at, g * series + (split_y ? 0 : i), never) || any;
        }
      }
      if (!any) panel.message = message.empty() ? "no values to show yet" : message;
      figure.panels.push_back(std::move(panel));
    }
    for (std::size_t g = 0; g < groups.size() && groups.size() * series > 1; ++g)
      for (std::size_t i = 0; i < series; ++i) {
        std::string label = series > 1 ? quantity_name(ys, names_, i) : "";
        if (groups.size() > 1) label += (label.empty() ? "" : ", ") + groups[g].label;
        const std::size_t index = g * series + i;
        figure.legend.push_back({label, category_color(index), 2, category_dash(index), category_marker(index), false});
      }
    if (never)
      figure.note = fmt::format("{} {} did not get there and {} no dot.", never, never == 1 ? "run" : "runs",
                                never == 1 ? "has" : "have");
    figure.description =
        fmt::format("{} over {}, {} runs: a line through the medians.", y_.empty() ? "" : y_[0], x_, runs.size());
    return figure;
  }

 private:
  bool add_curve(Panel& panel, const Quantity& y, const std::map<double, Runs>& at, std::size_t index,
                 std::size_t& never) const {
    const Color color = category_color(index);
    CurveMark line{{}, color, 2, category_dash(index), category_marker(index), 3.4};
    CurveMark dots{{}, color.faded(0.4), 0, {}, Marker::circle, 2.2};
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

  std::string x_ = "seed";
  std::vector<std::string> y_ = {"accuracy"}, names_, by_, panels_;
  bool dots_ = true;
};

const Register<FigureKind> curve("curve", "a quantity against a setting, a dot a run and a line through the medians",
                                 [] { return std::make_unique<Curve>(); });

}  // namespace

}  // namespace fovea
