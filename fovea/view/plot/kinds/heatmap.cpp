// Figure kind "heatmap": an array of runs as a map of cells, at one step or at several side by side (room
// view/plot/kinds). make_figure() makes it by name for reports. It only reads runs.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "fovea/base/number_text.h"
#include "fovea/view/plot/figure_kind.h"

namespace fovea {

namespace {

class HeatMap : public FigureKind {
 public:
  void settings(Fields& fields) override {
    fields.text("array", array_, "the array to show: (rows, columns), or (examples, rows, columns)");
    fields.integers("steps", steps_, 0, Fields::no_limit, "the steps to show; empty: the last");
    fields.integers("examples", examples_, 0, Fields::no_limit, "which examples, if the array has several");
    fields.texts("panels", panels_, "settings with one panel per value, which shows the first run");
    fields.choice<ColorScale>("colors", scale_,
                              {{"sequential", ColorScale::sequential}, {"diverging", ColorScale::diverging}},
                              "sequential for amounts, diverging for differences from zero");
    fields.numbers("range", range_, "values at both ends of the colours (default: from the data)");
    fields.flag("square", square_, "square cells");
  }

  Figure draw(const Runs& runs, const FetchArrays& arrays) const override {
    Figure figure;
    figure.least_panel_width = 136;
    figure.columns = steps_.size() > 1 ? static_cast<int>(std::min<std::size_t>(steps_.size(), 4)) : 0;
    double low = HUGE_VAL, high = -HUGE_VAL;
    if (runs.empty()) figure.panels.push_back(message_panel("", "no runs yet"));
    for (const RunGroup& group : group_runs(runs, panels_)) {
      const RunRecord& run = *group.runs.front();
      const std::vector<ArrayRecord> found = arrays_of(run, array_, arrays);
      if (found.empty()) {
        figure.panels.push_back(message_panel(group.label, fmt::format("run {} kept no array '{}'", run.id, array_)));
        continue;
      }
      const std::vector<int> steps = steps_.empty() ? std::vector<int>{-1} : steps_;
      for (const int step : steps)
        for (const int example : examples_) add_panel(figure, group.label, *array_at(found, step), example, low, high);
    }
    if (range_.size() == 2) {
      low = range_[0];
      high = range_[1];
    } else if (scale_ == ColorScale::diverging) {
      high = std::max(std::abs(low), std::abs(high));
      low = -high;
    } else if (low > 0 && low < 0.2 * high) {
      low = 0;
    }
    if (!(low <= high) || !std::isfinite(low) || !std::isfinite(high)) return figure;
    for (Panel& panel : figure.panels)
      for (Mark& mark : panel.marks)
        if (auto* cells = std::get_if<CellsMark>(&mark)) {
          cells->low = low;
          cells->high = high;
        }
    figure.color_bar = ColorBar{scale_, low, high, without_underscores(array_)};
    figure.description = fmt::format("Map of {}, values from {} to {}.{}", without_underscores(array_),
                                     number_text(low), number_text(high), figure.description);
    return figure;
  }

 private:
  void add_panel(Figure& figure, const std::string& group, const ArrayRecord& array, int example, double& low,
                 double& high) const {
    std::string title = group;
    const auto append = [&](const std::string& words) { title += (title.empty() ? "" : " · ") + words; };
    append(fmt::format("step {}", array.step));
    if (examples_.size() > 1) append(fmt::format("example {}", example));
    const std::size_t rank = array.shape.size();
    if (rank != 2 && rank != 3) {
      figure.panels.push_back(message_panel(title, fmt::format("'{}' has {} dimensions; a map has two", array_, rank)));
      return;
    }
    const Index rows = array.shape[rank - 2], columns = array.shape[rank - 1];
    if (rank == 3 && example >= array.shape[0]) {
      figure.panels.push_back(message_panel(title, fmt::format("'{}' holds {} examples", array_, array.shape[0])));
      return;
    }
    CellsMark cells{static_cast<int>(rows), static_cast<int>(columns), {}, 0, 1, scale_, without_underscores(array_)};
    const float* const from = array.values.data() + (rank == 3 ? example * rows * columns : 0);
    for (Index i = 0; i < rows * columns; ++i) {
      const double value = static_cast<double>(from[i]);
      cells.values.push_back(std::isfinite(value) ? value : NAN);
      if (!std::isfinite(value)) continue;
      low = std::min(low, value);
      high = std::max(high, value);
    }
    Panel panel = framed_panel(title, {});
    panel.marks.clear();
    panel.square = square_;
    panel.marks.emplace_back(std::move(cells));
    figure.panels.push_back(std::move(panel));
    if (figure.description.size() < 800) figure.description += " " + title + ".";
  }

  std::string array_ = "attention";
  std::vector<int> steps_, examples_ = {0};
  std::vector<std::string> panels_;
  ColorScale scale_ = ColorScale::sequential;
  std::vector<double> range_;
  bool square_ = true;
};

const Register<FigureKind> heatmap("heatmap", "an array as a map of cells", [] { return std::make_unique<HeatMap>(); });

}  // namespace

}  // namespace fovea
