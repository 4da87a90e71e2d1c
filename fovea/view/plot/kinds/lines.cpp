// Figure kind "lines": quantities over steps, a thin line for each run and their median in bold (room
// view/plot/kinds). make_figure() makes it by name for reports. It only reads runs. The thin lines show the spread
// over seeds.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "fovea/base/error/names.h"
#include "fovea/base/number_text.h"
#include "fovea/lab/record/series.h"
#include "fovea/view/plot/quantity_figure.h"

namespace fovea {

namespace {

std::vector<Point> quantile_line(const std::vector<Series>& all, double share) {
  const Series course = quantile_course(all, share);
  std::vector<Point> line;
  for (std::size_t i = 0; i < course.steps.size(); ++i)
    line.push_back({static_cast<double>(course.steps[i]), course.values[i]});
  return line;
}

std::size_t shown_points(const std::vector<Point>& points) {
  return static_cast<std::size_t>(std::count_if(
      points.begin(), points.end(), [](const Point& p) { return std::isfinite(p.x) && std::isfinite(p.y); }));
}

class Lines : public QuantityFigure {
 public:
  enum class Spread { seeds, quartiles, range };

  Lines() { x_ = "step"; }
  void settings(Fields& fields) override {
    common_settings(fields, "step, or another quantity", "metrics, or expressions over them");
    fields.texts("rules", rules_, "metrics or expressions, drawn as horizontal lines");
    fields.texts("rules_at", rules_at_, "draw these lines only in panels with one of these y (default: in all panels)");
    fields.flag("median", median_, "draw the median over runs in bold");
    fields.choice<Spread>("spread", spread_,
                          {{"seeds", Spread::seeds}, {"quartiles", Spread::quartiles}, {"range", Spread::range}},
                          "how the runs of a median are shown: as lines, or as a band");
  }

  void read_others(const ValueTable& settings) override {
    for (const std::string& at : rules_at_)
      if (std::ranges::find(y_, at) == y_.end())
        throw wrong_input(fmt::format("rules_at names '{}', which is not a y of this figure", at), suggest_name(at, y_),
                          settings.find("rules_at")->second.location);
  }

  Figure draw(const Runs& runs, const FetchArrays&) const override {
    Figure figure;
    const Cut all = cut(runs);
    figure.columns = all.plans.columns;
    bool several = false;
    for (const PanelPlan& plan : all.plans.panels) {
      Panel panel = labelled_panel(all, plan, without_underscores(x_));
      const std::size_t before = panel.marks.size();
      std::string message;
      std::vector<Mark> bold;  // over all thin lines
      for (const std::size_t i : plan.quantities) {
        if (const std::string missing = all.ys[i].missing_in(plan.runs); !missing.empty()) {
          message = missing;
          continue;
        }
        for (std::size_t g = 0; g < all.groups.size(); ++g) {
          const Runs shown = members(all.groups[g], plan);
          if (shown.empty()) continue;
          several = add_group(panel, bold, all.ys[i], shown, all.color(g, i), mark_name(all, g, i)) || several;
          if (!bold.empty())
            describe(figure, plan.title, quantity_name(all.ys, names_, i), all.groups[g].label, bold.back());
        }
      }
      panel.marks.insert(panel.marks.end(), bold.begin(), bold.end());
      if (panel.marks.size() > before && has_rules(plan))
        if (const std::string missing = add_rules(panel, all, plan); !missing.empty()) {
          panel.marks.erase(panel.marks.begin() + static_cast<std::ptrdiff_t>(before), panel.marks.end());
          message = missing;
        }
      if (panel.marks.size() == before) panel.message = message.empty() ? "no values to show yet" : message;
      figure.panels.push_back(std::move(panel));
    }
    add_legend(figure, all, Sample::line);
    if (several)
      figure.note =
          spread_ == Spread::seeds       ? median_ ? "Thin: one line per run; bold: their median." : "One line per run."
          : spread_ == Spread::quartiles ? "Line: median over runs; band: from the first quartile to the third."
                                         : "Line: median over runs; band: from minimum to maximum.";
    figure.description =
        fmt::format("Lines over {}, {} {}.{}", x_, runs.size(), runs.size() == 1 ? "run" : "runs", figure.description);
    return figure;
  }

 private:
  // What is missing, if anything is. Each task has levels of its own, in the colour of the group that alone has it.
  std::string add_rules(Panel& panel, const Cut& all, const PanelPlan& plan) const {
    std::vector<Runs> tasks;
    for (const RunRecord* run : plan.runs) {
      const auto same =
          std::ranges::find_if(tasks, [run](const Runs& those) { return those.front()->spec.task == run->spec.task; });
      (same == tasks.end() ? tasks.emplace_back() : *same).push_back(run);
    }
    for (const Quantity& rule : quantities(rules_, location)) {
      if (const std::string missing = rule.missing_in(plan.runs); !missing.empty()) return missing;
      for (const Runs& task : tasks)
        panel.marks.emplace_back(RuleMark{false, rule.of_runs(task), rule.label(),
                                          tasks.size() == 1 ? Color::muted() : color_of(task, all, plan)});
    }
    return "";
  }

  static Color color_of(const Runs& task, const Cut& all, const PanelPlan& plan) {
    std::set<std::size_t> groups;
    for (std::size_t g = 0; g < all.groups.size(); ++g)
      for (const RunRecord* run : task)
        if (std::ranges::find(all.groups[g].runs, run) != all.groups[g].runs.end()) groups.insert(g);
    return groups.size() == 1 ? category_color(all.color(*groups.begin(), plan.quantities[0])) : Color::muted();
  }

  bool has_rules(const PanelPlan& plan) const {
    return rules_at_.empty() || std::ranges::any_of(plan.quantities, [this](std::size_t i) {
             return std::ranges::find(rules_at_, y_[i]) != rules_at_.end();
           });
  }

  // True if several runs lie behind one median.
  bool add_group(Panel& panel, std::vector<Mark>& bold, const Quantity& y, const Runs& members, std::size_t index,
                 const std::string& name) const {
    const Color color = category_color(index);
    std::vector<Series> all;
    Runs those;  // of each
    for (const RunRecord* run : members) {
      Series series = y.over_steps(*run);
      if (series.steps.empty()) continue;
      all.push_back(std::move(series));
      those.push_back(run);
    }
    if (all.empty()) return false;
    const bool single = all.size() == 1, over_steps = x_ == "step";
    const bool bands = spread_ != Spread::seeds && !single && over_steps;
    if (bands) {
      const double low = spread_ == Spread::range ? 0 : 0.25;
      BandMark band{{}, {}, {}, color, name + (spread_ == Spread::range ? ", least to most" : ", middle half")};
      const std::vector<Point> under = quantile_line(all, low), over = quantile_line(all, 1 - low);
      for (std::size_t i = 0; i < under.size(); ++i) {
        if (!std::isfinite(under[i].y) || !std::isfinite(over[i].y)) continue;
        band.x.push_back(under[i].x);
        band.low.push_back(under[i].y);
        band.high.push_back(over[i].y);
      }
      panel.marks.emplace_back(std::move(band));
    } else if (!single || !over_steps || !median_) {
      for (std::size_t r = 0; r < all.size(); ++r) {
        CurveMark thin;
        thin.points = over_steps ? points_of(all[r]) : points_against(y, *those[r]);
        thin.color = single ? color : color.faded(all.size() > 8 ? 0.38 : 0.55);
        thin.width = single || !median_ ? 1.4 : 0.8;
        if (!median_ || !over_steps) thin.dash = category_dash(index);  // as the legend has it
        thin.name = name + ", " + run_name(*those[r]);
        panel.marks.emplace_back(std::move(thin));
      }
    }
    if (median_ && over_steps) {
      CurveMark line{quantile_line(all, 0.5), color, single ? 1.8 : 2.3, category_dash(index)};
      line.name = name + ", " + (single ? run_name(*those[0]) : "median");
      if (shown_points(line.points) <= 3) line.marker = category_marker(index);
      bold.emplace_back(std::move(line));
    }
    return !single;
  }

  static std::vector<Point> points_of(const Series& series) {
    std::vector<Point> points;
    for (std::size_t i = 0; i < series.steps.size(); ++i)
      points.push_back({static_cast<double>(series.steps[i]), series.values[i]});
    return points;
  }

  std::vector<Point> points_against(const Quantity& y, const RunRecord& run) const {
    const Series along = Quantity(x_, location).over_steps(run), up = y.over_steps(run);
    std::vector<Point> points;
    for (std::size_t i = 0; i < up.steps.size(); ++i)
      if (const double* const x = value_at(along, up.steps[i])) points.push_back({*x, up.values[i]});
    return points;
  }

  static void describe(Figure& figure, const std::string& panel, const std::string& name, const std::string& group,
                       const Mark& mark) {
    const auto& points = std::get<CurveMark>(mark).points;
    if (points.empty() || figure.description.size() > 1200) return;
    std::string what = name;
    for (const std::string& part : {group, panel})
      if (!part.empty() && part != name) what += ", " + part;
    figure.description +=
        fmt::format(" {}: median from {} to {}.", what, number_text(points.front().y), number_text(points.back().y));
  }

  std::vector<std::string> rules_, rules_at_;
  bool median_ = true;
  Spread spread_ = Spread::seeds;
};

const Register<FigureKind> lines("lines", "quantities over steps, a line per run and their median",
                                 [] { return std::make_unique<Lines>(); });

}  // namespace

}  // namespace fovea
