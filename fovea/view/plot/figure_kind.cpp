#include "fovea/view/plot/figure_kind.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iterator>
#include <optional>

namespace fovea {

void FigureFrame::settings(Fields& fields) {
  fields.text("title", title, "title of the figure");
  fields.text("description", description, "description for readers who cannot see the figure (default: generated)");
  fields.text("note", note, "a line under the figure");
  fields.text("where", where, "only runs for which this expression is true");
  fields.text("x_label", x_label, "label of the horizontal axis");
  fields.text("y_label", y_label, "label of the vertical axis");
  fields.flag("x_log", x_log, "a logarithmic horizontal axis");
  fields.flag("y_log", y_log, "a logarithmic vertical axis");
  fields.numbers("x_range", x_range, "both ends of the horizontal axis");
  fields.numbers("y_range", y_range, "both ends of the vertical axis");
  fields.numbers("levels", levels, "dashed horizontal lines at these values");
  fields.texts("marks", marks, "dashed vertical lines: numbers or expressions, such as step_of(accuracy >= 0.9)");
  fields.texts("mark_labels", mark_labels, "texts above the marks");
}

Panel FigureKind::framed_panel(const std::string& title, const Runs& runs) const {
  Panel panel;
  panel.title = title;
  panel.x = {frame.x_label, frame.x_log, {}, {}, {}};
  panel.y = {frame.y_label, frame.y_log, {}, {}, {}};
  const auto bound = [](PlotAxis& axis, const std::vector<double>& range) {
    if (range.size() != 2) return;
    axis.least = range[0];
    axis.most = range[1];
  };
  bound(panel.x, frame.x_range);
  bound(panel.y, frame.y_range);
  for (const double level : frame.levels) panel.marks.emplace_back(RuleMark{false, level, "", Color::muted()});
  for (std::size_t i = 0; i < frame.marks.size(); ++i) {
    const double at = Quantity(frame.marks[i], location).of_runs(runs);
    if (!std::isfinite(at)) continue;
    const std::string label = i < frame.mark_labels.size() ? frame.mark_labels[i] : without_underscores(frame.marks[i]);
    panel.marks.emplace_back(RuleMark{true, at, label, Color::muted()});
  }
  return panel;
}

namespace {

void check_range(const std::vector<double>& range, const char* name, bool log, const ValueTable& settings) {
  if (range.empty()) return;
  const auto found = settings.find(name);
  const Location location = found == settings.end() ? Location{} : found->second.location;
  if (range.size() != 2 || !(range[0] < range[1]))
    throw wrong_input(fmt::format("{} must be two numbers, the lower first", name),
                      message("write {}", Message::Entry{name, {ValueList{{0, {}}, {1, {}}}, {}}}), location);
  if (log && range[0] <= 0)
    throw wrong_input(fmt::format("{} must be above 0 on a logarithmic axis", name), "raise its lower end", location);
}

// One text (or number) will do where a list is wanted.
ValueTable with_lists(ValueTable settings, const Fields& fields) {
  for (const Field& field : fields.all()) {
    const auto found = settings.find(field.name);
    const std::optional<Value> usual = field.get();
    if (found == settings.end() || !usual || !usual->as<ValueList>() || found->second.as<ValueList>()) continue;
    found->second = Value{ValueList{found->second}, found->second.location};
  }
  return settings;
}

}  // namespace

Figure make_figure(const FigureSpec& spec, std::span<const RunRecord> runs, const FetchArrays& arrays) {
  const auto kind = Registry<FigureKind>::instance().make(spec.kind, "figure kind", spec.location);
  kind->location = spec.location;
  Fields fields;
  kind->frame.settings(fields);
  kind->settings(fields);
  std::vector<std::string> reserved = kind->other_keys();
  reserved.emplace_back("kind");
  const ValueTable settings = with_lists(spec.settings, fields);
  fields.read(settings, "figure '" + spec.kind + "'", reserved);
  kind->read_others(settings);
  check_range(kind->frame.x_range, "x_range", kind->frame.x_log, settings);
  check_range(kind->frame.y_range, "y_range", kind->frame.y_log, settings);

  Runs shown;
  const std::optional<Expression> where =
      kind->frame.where.empty() ? std::nullopt : std::optional(Expression::parse(kind->frame.where, spec.location));
  for (const RunRecord& run : runs)
    if (!where || where->is_true(run)) shown.push_back(&run);

  Figure figure = kind->draw(shown, arrays);
  figure.title = kind->frame.title;
  if (!kind->frame.description.empty()) figure.description = kind->frame.description;
  if (!kind->frame.note.empty()) figure.note = kind->frame.note + (figure.note.empty() ? "" : " " + figure.note);
  if (figure.panels.empty()) figure.panels.push_back(message_panel("", "nothing to show yet"));
  return figure;
}

std::string quantity_name(const std::vector<Quantity>& quantities, const std::vector<std::string>& names,
                          std::size_t i) {
  return i < names.size() ? names[i] : quantities[i].label();
}

Runs members(const RunGroup& group, const PanelPlan& plan) {
  Runs both;
  std::ranges::copy_if(group.runs, std::back_inserter(both),
                       [&plan](const RunRecord* run) { return std::ranges::find(plan.runs, run) != plan.runs.end(); });
  return both;
}

PanelPlans plan_panels(const Runs& runs, const std::vector<std::string>& keys, const std::vector<Quantity>& quantities,
                       const std::vector<std::string>& names) {
  PanelPlans plans;
  std::vector<std::size_t> all(quantities.size());
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
  plans.panels.push_back({"", runs, all});
  for (const std::string& key : keys) {
    std::vector<PanelPlan> split;
    std::size_t most = 0;
    for (const PanelPlan& plan : plans.panels) {
      const std::size_t before = split.size();
      const std::string start = plan.title.empty() ? "" : plan.title + " · ";
      if (key == "y") {
        for (const std::size_t i : plan.quantities)
          split.push_back({start + quantity_name(quantities, names, i), plan.runs, {i}});
      } else {
        for (RunGroup& group : group_runs(plan.runs, {key}))
          split.push_back({start + group.label, std::move(group.runs), plan.quantities});
      }
      most = std::max(most, split.size() - before);
    }
    if (split.empty()) continue;
    plans.panels = std::move(split);
    if (keys.size() > 1) plans.columns = static_cast<int>(std::min<std::size_t>(most, 4));
  }
  return plans;
}

Panel message_panel(const std::string& title, const std::string& message) {
  Panel panel;
  panel.title = title;
  panel.message = message;
  return panel;
}

const ArrayRecord* array_at(const std::vector<ArrayRecord>& arrays, std::int64_t step) {
  const ArrayRecord* best = nullptr;
  for (const ArrayRecord& array : arrays) {
    if (!best || (step < 0 ? array.step >= best->step : std::abs(array.step - step) < std::abs(best->step - step)))
      best = &array;
  }
  return best;
}

std::vector<ArrayRecord> arrays_of(const RunRecord& run, const std::string& name, const FetchArrays& fetch) {
  std::vector<ArrayRecord> found;
  for (const ArrayRecord& array : run.arrays)
    if (array.name == name) found.push_back(array);
  if (found.empty() && fetch && run.id != 0) found = fetch(run.id, name);
  std::erase_if(found, [](const ArrayRecord& array) {
    Index size = 1;
    for (const Index extent : array.shape) size *= extent;
    return static_cast<std::size_t>(size) != array.values.size() || array.values.empty();
  });
  return found;
}

}  // namespace fovea
