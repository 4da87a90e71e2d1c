#include "fovea/view/plot/quantity_figure.h"

#include <algorithm>

namespace fovea {

void QuantityFigure::common_settings(Fields& fields, const std::string& x_help, const std::string& y_help) {
  fields.text("x", x_, x_help);
  fields.texts("y", y_, y_help);
  fields.texts("names", names_, "name of each y");
  fields.texts("by", by_, "settings with one colour per value");
  fields.texts("panels", panels_, "settings with one panel per value; y: one panel per quantity");
}

QuantityFigure::Cut QuantityFigure::cut(const Runs& runs) const {
  Cut cut;
  cut.ys = quantities(y_, location);
  cut.plans = plan_panels(runs, panels_, cut.ys, names_);
  cut.groups = group_runs(runs, by_);
  cut.split_y = std::find(panels_.begin(), panels_.end(), "y") != panels_.end();
  cut.at_once = cut.split_y ? 1 : cut.ys.size();
  return cut;
}

Panel QuantityFigure::labelled_panel(const Cut& cut, const PanelPlan& plan, const std::string& x_label) const {
  Panel panel = framed_panel(plan.title, plan.runs);
  if (panel.x.label.empty()) panel.x.label = x_label;
  if (panel.y.label.empty() && plan.quantities.size() == 1 && !cut.split_y)
    panel.y.label = quantity_name(cut.ys, names_, plan.quantities[0]);
  return panel;
}

std::string QuantityFigure::label(const Cut& cut, std::size_t group, std::size_t quantity) const {
  std::string label = cut.at_once > 1 ? quantity_name(cut.ys, names_, quantity) : "";
  const std::string& of_group = cut.groups[group].label;
  if (cut.groups.size() > 1) label += (label.empty() || of_group.empty() ? "" : ", ") + of_group;
  return label;
}

std::string QuantityFigure::mark_name(const Cut& cut, std::size_t group, std::size_t quantity) const {
  const std::string own = label(cut, group, quantity);
  return own.empty() ? quantity_name(cut.ys, names_, quantity) : own;
}

void QuantityFigure::add_legend(Figure& figure, const Cut& cut, Sample sample) const {
  if (cut.groups.size() * cut.at_once <= 1) return;
  for (std::size_t g = 0; g < cut.groups.size(); ++g)
    for (std::size_t i = 0; i < cut.at_once; ++i) {
      const std::size_t color = cut.color(g, i);
      LegendEntry entry{label(cut, g, i), category_color(color), 0, {}, Marker::none, false};
      if (sample != Sample::line) entry.marker = category_marker(color);
      if (sample != Sample::marker) {
        entry.width = 2;
        entry.dash = category_dash(color);
      }
      figure.legend.push_back(std::move(entry));
    }
}

}  // namespace fovea
