#include "fovea/lab/experiment/stages.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>
#include <set>
#include <utility>

#include "fovea/base/error/names.h"
#include "fovea/base/random.h"
#include "fovea/base/settings.h"
#include "fovea/lab/query/expression.h"

namespace fovea {

namespace {

constexpr std::int64_t most_draws = 100000;
constexpr const char* any_kind = "any";
constexpr const char* other_kind = "other";  // of none that is named

// A value of the setting, and all that was seen of it.
struct Candidate {
  Value value;
  std::vector<const RunRecord*> runs;
  std::string kind;
};

// As remedies show them.
Value example_kind() { return {ValueTable{{"name", {"good", {}}}, {"when", {"least(accuracy) >= 0.95", {}}}}, {}}; }
Value example_group() {
  return {ValueTable{{"name", {"8 bad", {}}}, {"take", {ValueTable{{"bad", {8, {}}}}, {}}}}, {}};
}

const ValueList& list_in(const ValueTable& table, const std::string& key, const Location& location) {
  const auto found = table.find(key);
  const ValueList* const list = found == table.end() ? nullptr : found->second.as<ValueList>();
  if (!list || list->empty())
    throw wrong_input(
        fmt::format("a stage needs a list of {}", key),
        message("write {}", Message::Entry{key, {ValueList{key == "kinds" ? example_kind() : example_group()}, {}}}),
        found == table.end() ? location : found->second.location);
  return *list;
}

const ValueTable& table_of(const Value& value, const std::string& what) {
  const auto* const table = value.as<ValueTable>();
  if (!table)
    throw wrong_input(message("{} must be {}, not {} ({})", what, ValueKind::table, value.kind(), value),
                      message("write it in braces, as {}", Value{ValueTable{{"name", {"…", {}}}}, {}}), value.location);
  return *table;
}

void require(const std::string& text, const std::string& what, const Location& location) {
  if (text.empty()) throw wrong_input(what, "add it", location);
}

Stage::Kind read_kind(const Value& value) {
  const ValueTable& table = table_of(value, "a kind");
  Stage::Kind kind;
  kind.location = value.location;
  Fields fields;
  fields.text("name", kind.name, "names by which groups take it");
  fields.text("when", kind.when, "a condition over all the runs of one value");
  fields.read(table, "a kind");
  require(kind.name, "a kind has no name", value.location);
  require(kind.when, fmt::format("kind '{}' has no condition", kind.name), value.location);
  if (kind.name == any_kind || kind.name == other_kind)
    throw wrong_input(fmt::format("a kind cannot have the name '{}'", kind.name),
                      "groups take values of every kind by 'any', and values of no kind by 'other'", value.location);
  Expression::parse(kind.when, table.at("when").location).require_condition();
  return kind;
}

Stage::Group read_group(const Value& value, const std::vector<Stage::Kind>& kinds) {
  const ValueTable& table = table_of(value, "a group");
  Stage::Group group;
  Fields fields;
  fields.text("name", group.name, "the name of its runs in claims and figures");
  fields.read(table, "a group", {"take"});
  require(group.name, "a group has no name", value.location);
  const auto take = table.find("take");
  if (take == table.end() || table_of(take->second, "take").empty())
    throw wrong_input(
        fmt::format("group '{}' takes nothing", group.name),
        message("write {}", Message::Entry{"take", {ValueTable{{"bad", {7, {}}}, {"good", {1, {}}}}, {}}}),
        value.location);
  std::vector<std::string> known{any_kind, other_kind};
  for (const Stage::Kind& kind : kinds) known.push_back(kind.name);
  for (const auto& [kind, count] : *take->second.as<ValueTable>()) {
    if (std::find(known.begin(), known.end(), kind) == known.end())
      throw wrong_input(fmt::format("group '{}' names the unknown kind '{}'", group.name, kind),
                        suggest_name(kind, known), count.location);
    const auto* const number = count.as<std::int64_t>();
    if (!number || *number < 1 || *number > 1000)
      throw wrong_input(fmt::format("group '{}' cannot take {} of kind '{}'", group.name, count.text(), kind),
                        "a whole number, 1 to 1000", count.location);
    group.take[kind] = *number;
  }
  if (group.take.contains(any_kind) && group.take.size() > 1)
    throw wrong_input(fmt::format("group '{}' takes 'any' and other kinds", group.name),
                      "use 'any' alone, because it is of every kind", take->second.location);
  return group;
}

template <class Named>
void refuse_twice(const std::vector<Named>& named, const std::string& what, const Location& location) {
  std::set<std::string> names;
  for (const Named& one : named)
    if (!names.insert(one.name).second)
      throw wrong_input(fmt::format("two {}s of the stage have the name '{}'", what, one.name), "rename one", location);
}

// `seed`: of its runs alone.
std::vector<Candidate> candidates_of(const Stage& stage, const std::vector<RunRecord>& runs,
                                     std::optional<std::uint64_t> seed) {
  std::vector<Candidate> all;
  for (const RunRecord& run : runs) {
    if (seed && run.spec.seed != *seed) continue;
    const std::optional<Value> value = run.spec.setting(stage.combine);
    if (!value) continue;
    auto same = std::find_if(all.begin(), all.end(), [&value](const Candidate& c) { return c.value == *value; });
    if (same == all.end()) same = all.insert(all.end(), {*value, {}, {}});
    same->runs.push_back(&run);
  }
  for (Candidate& candidate : all) {
    const auto kind = std::ranges::find_if(stage.kinds, [&candidate](const Stage::Kind& one) {
      return Expression::parse(one.when, one.location).number(candidate.runs) == 1;
    });
    candidate.kind = kind == stage.kinds.end() ? other_kind : kind->name;
  }
  return all;
}

// "of 12 values of model.heads 2 are good, 3 are bad"
std::string tally(const Stage& stage, const std::vector<Candidate>& candidates) {
  std::string text = fmt::format("of {} values of {}", candidates.size(), stage.combine);
  for (const Stage::Kind& kind : stage.kinds) {
    const auto count = std::ranges::count(candidates, kind.name, &Candidate::kind);
    text += fmt::format("{}{} {} {}", &kind == &stage.kinds.front() ? " " : ", ", count, count == 1 ? "is" : "are",
                        kind.name);
  }
  return text;
}

using Pick = std::vector<std::size_t>;  // locations of candidates, rising

struct Pool {
  std::vector<std::size_t> indices;
  std::size_t take = 0;
};

std::vector<Pool> pools_of(const Stage::Group& group, const std::vector<Candidate>& candidates) {
  std::vector<Pool> pools;
  for (const auto& [kind, count] : group.take) {
    Pool pool{{}, static_cast<std::size_t>(count)};
    for (std::size_t i = 0; i < candidates.size(); ++i)
      if (kind == any_kind || candidates[i].kind == kind) pool.indices.push_back(i);
    pools.push_back(std::move(pool));
  }
  return pools;
}

double combinations(const std::vector<Pool>& pools) {
  double count = 1;
  for (const Pool& pool : pools) {
    if (pool.indices.size() < pool.take) return 0;
    for (std::size_t i = 0; i < pool.take; ++i)
      count *= static_cast<double>(pool.indices.size() - i) / static_cast<double>(i + 1);
  }
  return std::round(count);
}

Pick draw(const std::vector<Pool>& pools, RandomStream stream) {
  Pick pick;
  for (const Pool& pool : pools) {
    std::vector<int> chosen(pool.take), scratch(pool.indices.size());
    stream.distinct(chosen, scratch);
    for (const int i : chosen) pick.push_back(pool.indices[static_cast<std::size_t>(i)]);
  }
  std::sort(pick.begin(), pick.end());
  return pick;
}

// As many different ones as are wanted, or as there are.
std::vector<Pick> draw_all(const std::vector<Pool>& pools, const Stage& stage, const std::string& group) {
  const double wanted = std::min(static_cast<double>(stage.draws), combinations(pools));
  std::vector<Pick> picks;
  std::set<Pick> seen;
  for (std::uint64_t attempt = 0; static_cast<double>(picks.size()) < wanted; ++attempt) {
    Pick pick =
        draw(pools, RandomStream(static_cast<std::uint64_t>(stage.draw_seed), "stage", purpose_id(group), attempt));
    if (seen.insert(pick).second) picks.push_back(std::move(pick));
  }
  return picks;
}

std::string shortage(const Stage& stage, const Stage::Group& group, const std::vector<Candidate>& candidates,
                     std::size_t drawn) {
  if (drawn > 0)
    return fmt::format("group '{}' has only {} different combination{} instead of {}: {}", group.name, drawn,
                       drawn == 1 ? "" : "s", stage.draws, tally(stage, candidates));
  std::string wanted;
  for (const auto& [kind, count] : group.take)
    wanted += fmt::format("{}{} {}", wanted.empty() ? "" : " and ", count, kind);
  return fmt::format("group '{}' could not be drawn. It takes {}: {}", group.name, wanted, tally(stage, candidates));
}

Value joined(const std::vector<Candidate>& candidates, const Pick& pick) {
  ValueList list;
  for (const std::size_t index : pick) {
    const Value& value = candidates[index].value;
    if (const auto* const several = value.as<ValueList>()) list.insert(list.end(), several->begin(), several->end());
    else list.push_back(value);
  }
  return {std::move(list), {}};
}

// What is run in one stage.
struct Plan {
  std::vector<ResolvedRun> runs;
  std::vector<std::string> groups;  // of each
};

struct Asked {  // of resolve_sweep()
  const Experiment& experiment;
  Preset preset;
  const std::vector<Override>& overrides;
  const std::vector<Axis>& axes;
};

// Adds the groups that these candidates make. `seed`: of all, or each draw has one of its own.
void plan_groups(const Stage& stage, const Asked& asked, const std::vector<Candidate>& candidates,
                 std::optional<std::uint64_t> seed, Plan& plan, std::vector<std::string>& notes) {
  for (const Stage::Group& group : stage.groups) {
    const std::vector<Pick> picks = draw_all(pools_of(group, candidates), stage, group.name);
    if (std::ssize(picks) < stage.draws)
      notes.push_back((seed ? fmt::format("with seed {} ", *seed) : std::string()) +
                      shortage(stage, group, candidates, picks.size()));
    for (std::size_t i = 0; i < picks.size(); ++i) {
      const std::int64_t trained =
          seed ? static_cast<std::int64_t>(*seed) : stage.first_seed + static_cast<std::int64_t>(i);
      std::vector<Axis> axes = asked.axes;
      std::erase_if(axes, [&](const Axis& axis) { return axis.key == stage.combine || axis.key == "seed"; });
      axes.push_back({stage.combine, {joined(candidates, picks[i])}});
      axes.push_back({"seed", {{trained, {}}}});
      for (ResolvedRun& run : resolve_sweep(asked.experiment, asked.preset, asked.overrides, axes)) {
        run.drop_model();  // those of hundreds of draws need not be in memory
        plan.runs.push_back(std::move(run));
      }
      plan.groups.resize(plan.runs.size(), group.name);
    }
  }
}

// The stage after these runs, which learn their kinds.
Plan plan_next(const Stage& stage, const Asked& asked, std::vector<RunRecord>& runs, std::vector<std::string>& notes) {
  std::set<std::uint64_t> seeds;
  for (const RunRecord& run : runs) seeds.insert(run.spec.seed);
  std::vector<std::optional<std::uint64_t>> asked_of{std::nullopt};
  if (stage.same_seed) asked_of.clear();
  for (const std::uint64_t seed : seeds)
    if (stage.same_seed) asked_of.emplace_back(seed);
  Plan plan;
  for (const std::optional<std::uint64_t> seed : asked_of) {
    const std::vector<Candidate> candidates = candidates_of(stage, runs, seed);
    for (const Candidate& candidate : candidates)
      for (const RunRecord* const run : candidate.runs)
        runs[static_cast<std::size_t>(run - runs.data())].role["kind"].data = candidate.kind;
    plan_groups(stage, asked, candidates, seed, plan, notes);
  }
  return plan;
}

bool any_in(const std::vector<RunRecord>& runs, RunState state) {
  return std::ranges::find(runs, state, &RunRecord::state) != runs.end();
}

}  // namespace

Stage read_stage(const Value& value, Preset preset) {
  ValueTable table = table_of(value, "a stage");
  if (const auto quick = table.find("quick"); quick != table.end()) {
    const ValueTable changes = table_of(quick->second, "quick");
    table.erase(quick);
    if (preset == Preset::quick)
      for (const auto& [key, changed] : changes) table[key] = changed;
  }
  Stage stage;
  stage.location = value.location;
  Fields fields;
  fields.text("combine", stage.combine, "the setting whose values are put together");
  fields.integer("draws", stage.draws, 1, most_draws, "combinations of each group");
  fields.integer("draw_seed", stage.draw_seed, 0, Fields::no_limit, "the source of the combinations");
  fields.integer("first_seed", stage.first_seed, 0, Fields::no_limit - most_draws, "of the first draw's training");
  fields.flag("same_seed", stage.same_seed, "whether values are judged, and groups drawn and trained, seed by seed");
  fields.read(table, "a stage", {"kinds", "groups"});
  require(stage.combine, "a stage has no setting to combine ('combine')", value.location);
  if (stage.draws == 0)
    throw wrong_input("a stage has no number of draws", message("add {}", Message::Entry{"draws", {50, {}}}),
                      value.location);
  for (const Value& kind : list_in(table, "kinds", value.location)) stage.kinds.push_back(read_kind(kind));
  refuse_twice(stage.kinds, "kind", value.location);
  for (const Value& group : list_in(table, "groups", value.location))
    stage.groups.push_back(read_group(group, stage.kinds));
  refuse_twice(stage.groups, "group", value.location);
  return stage;
}

StagedRuns run_stages(const Experiment& experiment, Preset preset, const std::vector<Override>& overrides,
                      const std::vector<Axis>& axes, std::vector<ResolvedRun> first, const MakeRuns& make) {
  const std::vector<Stage>& stages = experiment.stages_of(preset);
  StagedRuns all;
  Plan plan{std::move(first), {}};
  plan.groups.resize(plan.runs.size());
  for (std::size_t number = 1;; ++number) {
    std::vector<RunRecord> runs = make(std::move(plan.runs), number);
    all.whole = runs.size() == plan.groups.size() && !any_in(runs, RunState::stopped);
    if (all.whole && !stages.empty())
      for (std::size_t i = 0; i < runs.size(); ++i)
        runs[i].role = {{"stage", {static_cast<std::int64_t>(number), {}}},
                        {"group", {plan.groups[i], {}}},
                        {"kind", {std::string(), {}}}};
    const bool goes_on = all.whole && number <= stages.size() && !any_in(runs, RunState::failed);
    if (goes_on) plan = plan_next(stages[number - 1], {experiment, preset, overrides, axes}, runs, all.notes);
    std::ranges::move(runs, std::back_inserter(all.runs));
    if (!goes_on) return all;
  }
}

}  // namespace fovea
