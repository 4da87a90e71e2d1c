// Images, and over each the way of the glimpses at it, training step by training step: of one example a row. Read off
// the map "attention" of models whose rows are glimpses and whose columns are pixels, kept with the images it is of.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "fovea/view/plot/figure_kind.h"

namespace fovea {

namespace {

class Glimpses : public FigureKind {
 public:
  void settings(Fields& fields) override {
    fields.integers("examples", examples_, 0, 1 << 20, "which examples, by number");
    fields.integer("looks", looks_, 2, 12, "training steps shown, from the first to the last");
  }

  Figure draw(const Runs& runs, const FetchArrays& arrays) const override {
    Figure figure;
    figure.least_panel_width = 120;
    figure.note =
        "Diamond: the first glimpse; line: the way; dot: the last. Each stands in the middle of what it sees sharply.";
    if (runs.empty()) {
      figure.panels.push_back(message_panel("", "no runs yet"));
      return figure;
    }
    const RunRecord& run = *runs.front();
    const std::vector<ArrayRecord> maps = arrays_of(run, "attention", arrays);
    const std::vector<ArrayRecord> images = arrays_of(run, "attention_items", arrays);
    if (maps.empty() || images.empty() || maps.front().shape.size() != 3 || images.front().shape.size() != 3 ||
        images.front().shape[2] != maps.front().shape[2]) {
      figure.panels.push_back(message_panel("", fmt::format("run {} kept no glimpses at images", run.id)));
      return figure;
    }
    std::vector<const ArrayRecord*> shown;
    for (int i = 0; i < looks_; ++i) {
      const std::size_t at = static_cast<std::size_t>(i) * (maps.size() - 1) / static_cast<std::size_t>(looks_ - 1);
      if (shown.empty() || shown.back() != &maps[at]) shown.push_back(&maps[at]);
    }
    figure.columns = static_cast<int>(std::min<std::size_t>(shown.size(), 6));
    for (const int example : examples_)
      for (const ArrayRecord* map : shown)
        if (example < map->shape[0] && example < images.front().shape[0])
          figure.panels.push_back(panel_of(*map, images.front(), example));
    figure.description = fmt::format("The way of {} glimpses over each of {} images, at {} steps of training.",
                                     maps.front().shape[1], examples_.size(), shown.size());
    return figure;
  }

 private:
  Panel panel_of(const ArrayRecord& map, const ArrayRecord& images, int example) const {
    const Index pixels = map.shape[2];
    const auto side = static_cast<Index>(std::lround(std::sqrt(static_cast<double>(pixels))));
    Panel panel = framed_panel(fmt::format("step {}", map.step), {});
    panel.marks.clear();
    panel.square = true;
    CellsMark cells{static_cast<int>(side), static_cast<int>(side), {}, 0, 1, ColorScale::sequential, ""};
    const float* const image = images.values.data() + example * pixels;
    for (Index i = 0; i < pixels; ++i) cells.values.push_back(static_cast<double>(image[i]));
    cells.high = std::max(0.01, *std::ranges::max_element(cells.values));
    panel.marks.emplace_back(std::move(cells));
    CurveMark way{{}, category_color(1), 1.5, {}, Marker::none, 2.6, true, fmt::format("example {}", example)};
    for (Index t = 0; t < map.shape[1]; ++t)
      way.points.push_back(middle(map.values.data() + (example * map.shape[1] + t) * pixels, side));
    const Point first = way.points.front(), last = way.points.back();
    panel.marks.emplace_back(std::move(way));
    panel.marks.emplace_back(CurveMark{{first}, category_color(1), 0, {}, Marker::diamond, 4});
    panel.marks.emplace_back(CurveMark{{last}, category_color(1), 0, {}, Marker::circle, 4});
    return panel;
  }

  // In cells: the middle of cell (row, column) of cells is (column, row).
  static Point middle(const float* weights, Index side) {
    double x = 0, y = 0, sum = 0;
    for (Index i = 0; i < side * side; ++i) {
      const auto weight = static_cast<double>(weights[i]);
      x += weight * static_cast<double>(i % side);
      y += weight * static_cast<double>(i / side);
      sum += weight;
    }
    return {x / sum, y / sum};
  }

  std::vector<int> examples_ = {0, 1, 2};
  int looks_ = 5;
};

const Register<FigureKind> glimpses("glimpses", "the way of glimpses over images, over training",
                                    [] { return std::make_unique<Glimpses>(); });

}  // namespace

}  // namespace fovea
