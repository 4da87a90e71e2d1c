// QuantityFigure: base class of the figure kinds of quantities (lines, curve, scatter) (room view/plot). It chooses
// the quantities on the axes, the settings that get a colour or a panel, and the legend.
#pragma once

#include <string>
#include <vector>

#include "fovea/view/plot/figure_kind.h"

namespace fovea {

class QuantityFigure : public FigureKind {
 protected:
  // Runs and quantities, cut as the settings say.
  struct Cut {
    std::vector<Quantity> ys;
    PanelPlans plans;
    std::vector<RunGroup> groups;
    bool split_y = false;     // each quantity has panels of its own
    std::size_t at_once = 1;  // quantities that share a panel

    std::size_t color(std::size_t group, std::size_t quantity) const {
      return group * at_once + (split_y ? 0 : quantity);
    }
  };
  enum class Sample { line, line_and_marker, marker };  // what stands beside a label of the legend

  void common_settings(Fields& fields, const std::string& x_help, const std::string& y_help);
  Cut cut(const Runs& runs) const;
  Panel labelled_panel(const Cut& cut, const PanelPlan& plan, const std::string& x_label) const;
  // Of a group's quantity, what tells it from the others that stand at once; "" where there are no others.
  std::string label(const Cut& cut, std::size_t group, std::size_t quantity) const;
  // What its marks are called: the label, else the quantity.
  std::string mark_name(const Cut& cut, std::size_t group, std::size_t quantity) const;
  void add_legend(Figure& figure, const Cut& cut, Sample sample) const;  // where there is more than one colour

  std::string x_ = "seed";
  std::vector<std::string> y_ = {"accuracy"}, names_, by_, panels_;
};

}  // namespace fovea
