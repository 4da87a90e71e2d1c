// FigureKind: a kind of figure, by its name in an experiment file (room view/plot). view/plot/kinds implements the
// kinds. The report, its files and the story of the page call make_figure():
//
//   [[figure]]
//   kind = "lines"
//   y = ["accuracy", "attention_points_right"]
//   panels = "experiment"
//
// A kind reads its settings like a task or a model, and makes a Figure of the experiment's runs. It changes nothing.
// A single text is accepted for a list of texts. Missing data never throw: the panel names what is missing.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "fovea/base/registry.h"
#include "fovea/base/settings.h"
#include "fovea/lab/experiment/experiment.h"
#include "fovea/view/plot/figure.h"
#include "fovea/view/plot/run_data.h"

namespace fovea {

// What every kind takes.
struct FigureFrame {
  std::string title, description, note, where;
  std::string x_label, y_label;
  bool x_log = false, y_log = false;
  std::vector<double> x_range, y_range;
  std::vector<double> levels;            // horizontal lines
  std::vector<std::string> marks;        // vertical lines, at expressions over the panel's runs
  std::vector<std::string> mark_labels;  // what stands above them

  void settings(Fields& fields);
};

class FigureKind {
 public:
  virtual ~FigureKind() = default;
  virtual void settings(Fields&) {}
  // Settings that Fields has no form for: their keys, and how they are read.
  virtual std::vector<std::string> other_keys() const { return {}; }
  virtual void read_others(const ValueTable&) {}
  virtual Figure draw(const Runs& runs, const FetchArrays& arrays) const = 0;

  FigureFrame frame;
  Location location;

 protected:
  Panel framed_panel(const std::string& title, const Runs& runs) const;  // axes, levels and marks as the frame has them
};

// Reads the settings and draws. Throws wrong_input for settings that are wrong (unknown kind or key, wrong type, broken
// expression).
Figure make_figure(const FigureSpec& spec, std::span<const RunRecord> runs, const FetchArrays& arrays);

// What each panel of a figure shows. `keys` are settings that split the runs; "y" gives each quantity a panel of its
// own.
struct PanelPlan {
  std::string title;
  Runs runs;
  std::vector<std::size_t> quantities;  // places in the list
};
struct PanelPlans {
  std::vector<PanelPlan> panels;
  int columns = 0;  // of the last key
};
Runs members(const RunGroup& group, const PanelPlan& plan);  // the runs of both
PanelPlans plan_panels(const Runs& runs, const std::vector<std::string>& keys, const std::vector<Quantity>& quantities,
                       const std::vector<std::string>& names);

// names[i] where given, else the quantity's own label.
std::string quantity_name(const std::vector<Quantity>& quantities, const std::vector<std::string>& names,
                          std::size_t i);

Panel message_panel(const std::string& title, const std::string& message);

// The record nearest to `step` (the last one for step < 0); nullptr if the run has none.
const ArrayRecord* array_at(const std::vector<ArrayRecord>& arrays, std::int64_t step);
// From the record itself where it still holds its arrays, else fetched.
std::vector<ArrayRecord> arrays_of(const RunRecord& run, const std::string& name, const FetchArrays& fetch);

}  // namespace fovea
