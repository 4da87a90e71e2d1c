// Figure kind "glimpses": the path of the glimpses over images, during training, one example a row (room
// view/plot/kinds). make_figure() makes it by name for reports. It only reads runs.
#include <fmt/format.h>

#include <algorithm>

#include "fovea/view/plot/figure_kind.h"
#include "fovea/view/plot/glimpse_path.h"

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
        "Diamond: the first glimpse; line: the path; dot: the last glimpse. Each mark is in the middle of the sharp "
        "part.";
    if (runs.empty()) {
      figure.panels.push_back(message_panel("", "no runs yet"));
      return figure;
    }
    const RunRecord& run = *runs.front();
    const std::vector<ArrayRecord> maps = arrays_of(run, "attention", arrays);
    const std::vector<ArrayRecord> images = arrays_of(run, "attention_items", arrays);
    if (maps.empty() || images.empty() || !glimpse_path(maps.front(), images.front(), 0)) {
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
        if (const auto path = glimpse_path(*map, images.front(), example))
          figure.panels.push_back(panel_of(*path, map->step, example));
    figure.description = fmt::format("The path of {} glimpses over each of {} images, at {} steps of training.",
                                     maps.front().shape[1], examples_.size(), shown.size());
    return figure;
  }

 private:
  Panel panel_of(const GlimpsePath& path, std::int64_t step, int example) const {
    const int side = static_cast<int>(path.side);
    Panel panel = framed_panel(fmt::format("step {}", step), {});
    panel.marks.clear();
    panel.square = true;
    CellsMark cells{side, side, {path.image.begin(), path.image.end()}, 0, 1, ColorScale::sequential, ""};
    cells.high = std::max(0.01, *std::ranges::max_element(cells.values));
    panel.marks.emplace_back(std::move(cells));
    CurveMark way{
        path.middles, category_color(1), 1.5, {}, Marker::none, 2.6, true, fmt::format("example {}", example)};
    panel.marks.emplace_back(std::move(way));
    panel.marks.emplace_back(CurveMark{{path.middles.front()}, category_color(1), 0, {}, Marker::diamond, 4});
    panel.marks.emplace_back(CurveMark{{path.middles.back()}, category_color(1), 0, {}, Marker::circle, 4});
    return panel;
  }

  std::vector<int> examples_ = {0, 1, 2};
  int looks_ = 5;
};

const Register<FigureKind> glimpses("glimpses", "the path of glimpses over images, during training",
                                    [] { return std::make_unique<Glimpses>(); });

}  // namespace

}  // namespace fovea
