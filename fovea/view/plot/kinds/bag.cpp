// Figure kind "bag": bags of images with the attention weight under each (room view/plot/kinds). make_figure() makes
// it by name for reports. It only reads runs. Reads the arrays of the probe `bag_view`.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "fovea/view/plot/figure_kind.h"

namespace fovea {

namespace {

class Bag : public FigureKind {
 public:
  void settings(Fields& fields) override {
    fields.text("images", images_, "array (bags, items, height, width), or (bags, items, pixels) of square images");
    fields.text("weights", weights_, "array (bags, items); NaN if an item is absent");
    fields.text("labels", labels_, "array (bags) of labels; empty: none");
    fields.text("answers", answers_, "array (bags) of the model's answers; empty: none");
    fields.integer("count", count_, 1, 64, "how many bags");
    fields.integer("step", step_, -1, Fields::no_limit, "which step; -1 is the last");
    fields.texts("panels", panels_, "settings with one panel per value, which shows the first run");
  }

  Figure draw(const Runs& runs, const FetchArrays& arrays) const override {
    Figure figure;
    figure.least_panel_width = 200;
    if (runs.empty()) figure.panels.push_back(message_panel("", "no runs yet"));
    for (const RunGroup& group : runs.empty() ? std::vector<RunGroup>{} : group_runs(runs, panels_)) {
      Panel panel = panel_of(group, arrays);
      if (panels_.empty()) spread(figure, std::move(panel));
      else figure.panels.push_back(std::move(panel));
    }
    figure.note = "Under each image the attention weight on it; framed: the largest.";
    std::size_t bags = 0;
    for (const Panel& panel : figure.panels) bags += panel.strips.size();
    figure.description = fmt::format("{} bags of images with the attention weight on each image.", bags);
    return figure;
  }

 private:
  Panel panel_of(const RunGroup& group, const FetchArrays& fetch) const {
    const RunRecord& run = *group.runs.front();
    const auto all_images = arrays_of(run, images_, fetch), all_weights = arrays_of(run, weights_, fetch);
    const ArrayRecord* const images = array_at(all_images, step_);
    const ArrayRecord* const weights = array_at(all_weights, step_);
    if (!images) return message_panel(group.label, fmt::format("run {} kept no array '{}'", run.id, images_));
    if (!weights) return message_panel(group.label, fmt::format("run {} kept no array '{}'", run.id, weights_));
    const auto& shape = images->shape;
    if ((shape.size() != 3 && shape.size() != 4) || weights->shape.size() != 2 || weights->shape[0] != shape[0] ||
        weights->shape[1] != shape[1])
      return message_panel(group.label, fmt::format("the shapes of '{}' and '{}' do not fit", images_, weights_));
    const Index side =
        shape.size() == 3 ? static_cast<Index>(std::lround(std::sqrt(static_cast<double>(shape[2])))) : 0;
    const Index high = shape.size() == 4 ? shape[2] : side, wide = shape.size() == 4 ? shape[3] : side;
    if (shape.size() == 3 && side * side != shape[2])
      return message_panel(group.label, fmt::format("'{}' has images that are not square", images_));

    const auto all_labels = labels_.empty() ? std::vector<ArrayRecord>{} : arrays_of(run, labels_, fetch);
    const auto all_answers = answers_.empty() ? std::vector<ArrayRecord>{} : arrays_of(run, answers_, fetch);
    const ArrayRecord* const labels = array_at(all_labels, step_);
    const ArrayRecord* const answers = array_at(all_answers, step_);
    Panel panel;
    panel.title = group.label;
    const auto [low, high_value] = std::minmax_element(images->values.begin(), images->values.end());
    for (Index bag = 0; bag < std::min<Index>(shape[0], count_); ++bag) {
      Strip strip;
      const auto b = static_cast<std::size_t>(bag);
      if (labels && b < labels->values.size())
        strip.label = fmt::format("label {:g}", static_cast<double>(labels->values[b]));
      if (answers && b < answers->values.size())
        strip.label +=
            fmt::format("{}said {:g}", strip.label.empty() ? "" : ", ", static_cast<double>(answers->values[b]));
      for (Index item = 0; item < shape[1]; ++item) {
        const double weight = static_cast<double>(weights->values[static_cast<std::size_t>(bag * shape[1] + item)]);
        if (std::isnan(weight)) continue;
        const float* const pixels = images->values.data() + (bag * shape[1] + item) * high * wide;
        strip.items.push_back(
            {picture(pixels, static_cast<int>(wide), static_cast<int>(high), *low, *high_value), weight});
      }
      panel.strips.push_back(std::move(strip));
    }
    return panel;
  }

  // Small bags stand two by two, in rows read from left to right.
  static void spread(Figure& figure, Panel all) {
    std::size_t most = 1;
    for (const Strip& strip : all.strips) most = std::max(most, strip.items.size());
    const std::size_t across = most > 4 || all.strips.size() < 2 ? 1 : 2;
    figure.columns = static_cast<int>(across);
    std::vector<Panel> columns(across);
    columns[0].message = all.message;
    for (std::size_t i = 0; i < all.strips.size(); ++i) columns[i % across].strips.push_back(std::move(all.strips[i]));
    for (Panel& column : columns) figure.panels.push_back(std::move(column));
  }

  // Dark ink on white, as on paper.
  static Image picture(const float* pixels, int wide, int high, float low, float top) {
    Image image{wide, high, {}};
    for (int i = 0; i < wide * high; ++i) {
      const float t = top > low ? (pixels[i] - low) / (top - low) : 0;
      const auto grey = static_cast<std::uint8_t>(255 - std::lround(255 * std::clamp(t, 0.0f, 1.0f)));
      image.rgb.insert(image.rgb.end(), {grey, grey, grey});
    }
    return image;
  }

  std::string images_ = "images", weights_ = "attention", labels_ = "labels", answers_ = "answers";
  int count_ = 4;
  std::int64_t step_ = -1;
  std::vector<std::string> panels_;
};

const Register<FigureKind> bag("bag", "bags of images with the attention weight under each",
                               [] { return std::make_unique<Bag>(); });

}  // namespace

}  // namespace fovea
