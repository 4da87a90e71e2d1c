// Figure kind "xy": arrays as curves and points (room view/plot/kinds). make_figure() makes it by name for reports.
// It only reads runs. It shows predictions over a grid, the truth behind them, and the data that they were made from.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "fovea/view/plot/figure_kind.h"

namespace fovea {

namespace {

class Xy : public FigureKind {
 public:
  void settings(Fields& fields) override {
    fields.text("x", x_, "array of the x values of y and truth; empty: 0, 1, 2 …");
    fields.texts("y", y_, "arrays drawn as curves");
    fields.texts("names", names_, "name of each y");
    fields.text("truth", truth_, "array drawn as a dashed line behind the curves; empty: none");
    fields.text("points_x", points_x_, "array of the x values of points; empty: no points");
    fields.text("points_y", points_y_, "array of the y values of points");
    fields.integer("step", step_, -1, Fields::no_limit, "which step; -1 is the last");
    fields.texts("by", by_, "settings with one curve per value, which shows the first run");
    fields.texts("panels", panels_, "settings with one panel per value");
  }

  Figure draw(const Runs& runs, const FetchArrays& fetch) const override {
    Figure figure;
    const std::vector<RunGroup> groups = group_runs(runs, by_);
    bool any_truth = false, any_points = false;
    if (runs.empty()) figure.panels.push_back(message_panel("", "no runs yet"));
    for (const RunGroup& part : runs.empty() ? std::vector<RunGroup>{} : group_runs(runs, panels_)) {
      Panel panel = framed_panel(part.label, part.runs);
      std::string missing;
      std::vector<Mark> curves;
      bool behind = false;
      for (std::size_t g = 0; g < groups.size(); ++g) {
        const auto member = std::find_if(groups[g].runs.begin(), groups[g].runs.end(), [&](const RunRecord* run) {
          return std::find(part.runs.begin(), part.runs.end(), run) != part.runs.end();
        });
        if (member == groups[g].runs.end()) continue;
        const RunRecord& run = **member;
        const std::vector<double> x = values(run, x_, fetch);
        if (!behind) {  // truth and data are the same for all curves of a panel
          behind = true;
          any_points = add_points(panel, values(run, points_x_, fetch), values(run, points_y_, fetch)) || any_points;
          any_truth = add_curve(panel.marks, x, values(run, truth_, fetch), Color::ink(), 1.3, {5, 3},
                                without_underscores(truth_)) ||
                      any_truth;
        }
        for (std::size_t i = 0; i < y_.size(); ++i) {
          const std::size_t index = g * y_.size() + i;
          if (!add_curve(curves, x, values(run, y_[i], fetch), category_color(index), 2, category_dash(index),
                         label(groups, g, i)) &&
              missing.empty())
            missing = fmt::format("run {} kept no array '{}'", run.id, y_[i]);
        }
      }
      panel.marks.insert(panel.marks.end(), curves.begin(), curves.end());
      if (curves.empty()) panel.message = missing.empty() ? "no arrays to show yet" : missing;
      figure.panels.push_back(std::move(panel));
    }
    for (std::size_t g = 0; g < groups.size() && !runs.empty(); ++g)
      for (std::size_t i = 0; i < y_.size(); ++i) {
        const std::size_t index = g * y_.size() + i;
        figure.legend.push_back(
            {label(groups, g, i), category_color(index), 2, category_dash(index), Marker::none, false});
      }
    if (any_truth)
      figure.legend.push_back({without_underscores(truth_), Color::ink(), 1.3, {5, 3}, Marker::none, false});
    if (any_points) figure.legend.push_back({"data", Color::muted(), 0, {}, Marker::circle, false});
    figure.description = fmt::format("Curves of {}, {} of them in {} panels.", y_.empty() ? "" : y_[0],
                                     figure.legend.size(), figure.panels.size());
    return figure;
  }

 private:
  std::string label(const std::vector<RunGroup>& groups, std::size_t g, std::size_t i) const {
    std::string label =
        y_.size() > 1 || groups.size() == 1 ? i < names_.size() ? names_[i] : without_underscores(y_[i]) : "";
    if (groups.size() > 1) label += (label.empty() ? "" : ", ") + groups[g].label;
    return label;
  }

  std::vector<double> values(const RunRecord& run, const std::string& name, const FetchArrays& fetch) const {
    if (name.empty()) return {};
    const std::vector<ArrayRecord> found = arrays_of(run, name, fetch);
    const ArrayRecord* const array = array_at(found, step_);
    return array ? std::vector<double>(array->values.begin(), array->values.end()) : std::vector<double>{};
  }

  static bool add_curve(std::vector<Mark>& marks, const std::vector<double>& x, const std::vector<double>& y,
                        const Color& color, double width, std::vector<double> dash, const std::string& name) {
    if (y.empty()) return false;
    CurveMark curve{{}, color, width, std::move(dash)};
    curve.name = name;
    for (std::size_t i = 0; i < y.size() && (x.empty() || i < x.size()); ++i)
      curve.points.push_back({x.empty() ? static_cast<double>(i) : x[i], y[i]});
    marks.emplace_back(std::move(curve));
    return true;
  }

  static bool add_points(Panel& panel, const std::vector<double>& x, const std::vector<double>& y) {
    CurveMark dots{{}, Color::muted().faded(0.7), 0, {}, Marker::circle, 2.6, true, "data"};
    for (std::size_t i = 0; i < x.size() && i < y.size(); ++i) dots.points.push_back({x[i], y[i]});
    if (dots.points.empty()) return false;
    panel.marks.emplace_back(std::move(dots));
    return true;
  }

  std::string x_ = "x", truth_, points_x_, points_y_;
  std::vector<std::string> y_ = {"prediction"}, names_, by_, panels_;
  std::int64_t step_ = -1;
};

const Register<FigureKind> xy("xy", "arrays as curves, with truth and data points",
                              [] { return std::make_unique<Xy>(); });

}  // namespace

}  // namespace fovea
