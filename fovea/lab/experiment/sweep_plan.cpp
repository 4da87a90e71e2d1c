#include "fovea/lab/experiment/sweep_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "fovea/lab/experiment/unresolved_spec.h"
#include "fovea/lab/spec/assembly.h"

namespace fovea {

namespace {

constexpr std::size_t most_runs = std::size_t{1} << (sizeof(std::size_t) == 8 ? 40 : 20);
constexpr std::size_t few_points = 200;  // so many are all checked before anything is run

// What is set for every run, or varies by an axis of its own, is no part of a case. Cases that are alike then count
// once.
void drop_from_cases(std::vector<Axis>& axes, const std::function<bool(const std::string& key)>& drops) {
  const auto cases = std::ranges::find(axes, cases_key, &Axis::key);
  if (cases == axes.end()) return;
  std::vector<Value> left;
  for (const Value& value : cases->values) {
    ValueTable settings;
    for (const Override& one : settings_of(cases->key, value))
      if (!drops(one.key)) settings[one.key] = one.value;
    Value reduced{settings, value.location};
    if (std::ranges::find(left, reduced) == left.end()) left.push_back(std::move(reduced));
  }
  cases->values = std::move(left);
}

std::vector<Axis> axes_of(const Experiment& experiment, Preset preset, const std::vector<Override>& overrides,
                          const std::vector<Axis>& own) {
  std::vector<Axis> axes = experiment.axes(preset);
  const OtherModel other(experiment.model, overrides);
  std::erase_if(axes, [&](const Axis& axis) {
    return other.lacks(axis.key) || std::ranges::find(overrides, axis.key, &Override::key) != overrides.end();
  });
  for (const Axis& axis : own) {
    const auto same = std::ranges::find(axes, axis.key, &Axis::key);
    if (same != axes.end()) *same = axis;
    else axes.push_back(axis);
  }
  drop_from_cases(axes, [&](const std::string& key) {
    return other.lacks(key) || std::ranges::find(overrides, key, &Override::key) != overrides.end() ||
           std::ranges::find(axes, key, &Axis::key) != axes.end();
  });
  std::stable_partition(axes.begin(), axes.end(), [](const Axis& axis) { return axis.key != "seed"; });
  return axes;
}

std::string value_text(const Value& value) {
  const auto* const words = value.as<std::string>();
  return words ? *words : value.text();
}

// Whether the part that a setting is of ("model" of "model.score") is chosen anew.
bool chosen_anew(const std::string& key, const std::vector<Override>& overrides) {
  const std::string part = key.substr(0, key.find('.'));
  return std::ranges::any_of(overrides,
                             [&](const Override& one) { return one.key == part || one.key == part + ".name"; });
}

// Runs that differ only in their seed and in how they are trained fit alike: one of them is checked.
class Fitting {
 public:
  void check(ResolvedRun& run) {
    RunSpec core = run.spec();
    core.seed = 0;
    core.train.clear();
    if (known_.insert(core.text()).second) check_fit(run);
  }

 private:
  std::set<std::string> known_;
};

}  // namespace

void set_axis(Experiment& experiment, const Axis& axis) {
  experiment.quick.erase(axis.key);
  experiment.quick.erase("sweep." + axis.key);
  const auto same = std::ranges::find(experiment.sweep, axis.key, &Axis::key);
  if (same != experiment.sweep.end()) *same = axis;
  else experiment.sweep.push_back(axis);
}

std::vector<Override> first_values(const Experiment& experiment, Preset preset,
                                   const std::vector<Override>& overrides) {
  std::vector<Override> first;
  for (const Axis& axis : axes_of(experiment, preset, overrides, {}))
    if (axis.key != "seed" && !axis.draw && !axis.values.empty())
      for (Override& one : settings_of(axis.key, axis.values.front()))
        if (!chosen_anew(one.key, overrides)) first.push_back(std::move(one));
  return first;
}

SweepPlan::SweepPlan(const Experiment& experiment, Preset preset, const std::vector<Override>& overrides,
                     const std::vector<Axis>& axes)
    : base_(unresolved_spec(experiment, preset, overrides, experiment.seed)),
      draw_seed_(static_cast<std::uint64_t>(experiment.draw_seed)) {
  for (Axis& axis : axes_of(experiment, preset, overrides, axes)) {
    if (axis.draw) drawn_.push_back({axis.key, *axis.draw});
    else dimensions_.push_back({std::move(axis), 0});
  }
  const std::int64_t count = experiment.draw_count(preset);
  if (!drawn_.empty()) set_up_draws(count);
  for (Dimension& dimension : dimensions_) {
    dimension.size = dimension.axis ? dimension.axis->values.size() : static_cast<std::size_t>(count);
    if (__builtin_mul_overflow(size_, dimension.size, &size_) || size_ > most_runs)
      throw wrong_input(fmt::format("the sweep has more than {} runs", most_runs), "shorten its axes",
                        experiment.location);
  }
}

void SweepPlan::set_up_draws(std::int64_t count) {
  const Drawn& first = drawn_.front();
  if (count <= 0)
    throw wrong_input(fmt::format("'{}' is drawn at random, but the number of draws is missing", first.key),
                      Remedy::set_draws(20), first.draw.location);
  UnresolvedSpec draft = base_;
  for (const Dimension& dimension : dimensions_)
    for (const Override& one : settings_of(dimension.axis->key, dimension.axis->values.front()))
      apply(draft, one.key, one.value);
  const RunSpec one = complete(draft).spec();
  for (Drawn& drawn : drawn_) {
    if (drawn.key == "seed")
      throw wrong_input("seeds are not drawn at random", Remedy::list_seeds(), drawn.draw.location);
    const std::optional<Value> setting = one.setting(drawn.key);
    drawn.whole = setting && setting->as<std::int64_t>();
    if (drawn.whole && drawn.draw.kind != RandomAxis::Kind::one_of &&
        std::ceil(drawn.draw.low) > std::floor(drawn.draw.high))
      throw wrong_input(fmt::format("'{}' needs whole numbers, and its range has none", drawn.key), "widen the range",
                        drawn.draw.location);
  }
  const bool seeds = !dimensions_.empty() && dimensions_.back().axis->key == "seed";  // they stay the last
  dimensions_.insert(dimensions_.end() - (seeds ? 1 : 0), Dimension{});
}

std::vector<std::size_t> SweepPlan::coordinates(std::size_t point) const {
  std::vector<std::size_t> at(dimensions_.size());
  for (std::size_t i = dimensions_.size(); i-- > 0; point /= dimensions_[i].size) at[i] = point % dimensions_[i].size;
  return at;
}

std::vector<Override> SweepPlan::settings_at(const std::vector<std::size_t>& coordinates) const {
  std::vector<Override> settings;
  for (std::size_t i = 0; i < dimensions_.size(); ++i) {
    if (const auto& axis = dimensions_[i].axis) {
      for (Override& one : settings_of(axis->key, axis->values[coordinates[i]])) settings.push_back(std::move(one));
      continue;
    }
    for (const Drawn& drawn : drawn_)
      settings.push_back({drawn.key, fovea::drawn(drawn.draw, drawn.key, draw_seed_, coordinates[i], drawn.whole)});
  }
  return settings;
}

ResolvedRun SweepPlan::at_point(std::size_t point) const {
  UnresolvedSpec draft = base_;
  for (const Override& setting : settings_at(coordinates(point))) apply(draft, setting.key, setting.value);
  return complete(draft);
}

ResolvedRun SweepPlan::at(std::size_t index) const { return at_point(point_of(index)); }

std::string SweepPlan::label(std::size_t index) const {
  std::string text;
  bool seeded = false;
  for (const Override& setting : settings_at(coordinates(point_of(index)))) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", setting.key, value_text(setting.value));
    seeded |= setting.key == "seed";
  }
  return seeded ? text : fmt::format("{}{}seed {}", text, text.empty() ? "" : ", ", base_.seed);
}

std::string SweepPlan::shape() const {
  std::string text;
  for (const Dimension& dimension : dimensions_)
    text += fmt::format("{}{} {}", text.empty() ? "" : " × ", dimension.size,
                        !dimension.axis                 ? "draws"
                        : dimension.axis->key == "seed" ? "seeds"
                                                        : "values of " + dimension.axis->key);
  return text;
}

// Every value of every axis once, and the first run of every point if points are few.
std::vector<std::size_t> SweepPlan::points_to_check() const {
  std::vector<std::size_t> points;
  const auto add = [&points](std::size_t point) {
    if (std::ranges::find(points, point) == points.end()) points.push_back(point);
  };
  add(0);
  std::size_t step = 1;  // from one value of an axis to the next
  for (const Dimension& dimension : dimensions_) step *= dimension.size;
  for (const Dimension& dimension : dimensions_) {
    step /= dimension.size;
    for (std::size_t value = 1; value < std::min(dimension.size, few_points); ++value) add(value * step);
  }
  const bool seeds = !dimensions_.empty() && dimensions_.back().axis && dimensions_.back().axis->key == "seed";
  const std::size_t each = seeds ? dimensions_.back().size : 1, count = size_ * stride_ / each;
  for (std::size_t index = 0; count <= few_points && index < size_; index += each) add(point_of(index));
  return points;
}

void SweepPlan::check() const {
  Fitting fitting;
  for (const std::size_t point : points_to_check()) {
    ResolvedRun run = at_point(point);
    fitting.check(run);
  }
}

std::vector<ResolvedRun> SweepPlan::all() const {
  constexpr std::size_t most_models = 4;
  Fitting fitting;
  std::map<std::size_t, ResolvedRun> checked;
  for (const std::size_t point : points_to_check()) {
    ResolvedRun& run = checked.emplace(point, at_point(point)).first->second;
    fitting.check(run);
    if (checked.size() > most_models) run.drop_model();
  }
  std::vector<ResolvedRun> runs;
  for (std::size_t index = 0; index < size_; ++index) {
    auto known = checked.extract(point_of(index));
    runs.push_back(known ? std::move(known.mapped()) : at(index));
  }
  return runs;
}

void SweepPlan::keep_shard(std::int64_t shard, std::int64_t of) {
  first_ = static_cast<std::size_t>(shard - 1);
  stride_ = static_cast<std::size_t>(of);
  size_ = size_ > first_ ? (size_ - first_ + stride_ - 1) / stride_ : 0;
}

}  // namespace fovea
