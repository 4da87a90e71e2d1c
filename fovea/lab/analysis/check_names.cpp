#include "fovea/lab/analysis/check_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <string>
#include <vector>

#include "fovea/base/error/names.h"
#include "fovea/base/flatten.h"
#include "fovea/lab/intervention/intervention.h"
#include "fovea/lab/query/compared_names.h"
#include "fovea/lab/query/expression.h"
#include "fovea/lab/record/record.h"
#include "fovea/lab/train/trainer.h"
#include "fovea/probe/audit_names.h"

namespace fovea {

namespace {

RunRecord untrained(ResolvedRun& run) {
  RunSpec spec = run.spec();
  spec.train["steps"] = {std::int64_t{0}, {}};
  spec.train["stop_when"] = {std::string(), {}};
  // Held from the start, so that what is measured under a hold has its names too.
  spec.interventions.clear();
  for (const auto& one : run.interventions().all)
    if (one->acts_on_attention() && spec.interventions.empty()) {
      ValueTable always = one->write();
      always.erase("from");
      always.erase("until");
      spec.interventions.push_back({std::move(always), one->location});
    }
  RunRecord record = train(spec);
  record.series["train_loss"] = {{0}, {0}};  // what the first update says
  if (record.series.contains("audit_entropy"))
    for (const char* const name : audit_names::later) record.series[name] = {{0}, {0}};
  return record;
}

// Each once, although runs of several models share most of them.
std::vector<std::string> names_of(const std::vector<RunRecord>& runs) {
  std::set<std::string> names{"seed"};
  for (const RunRecord& run : runs) {
    for (const auto& series : run.series) names.insert(series.first);
    for (const auto& [section, table] : {std::pair("task.", &run.spec.task), std::pair("model.", &run.spec.model),
                                         std::pair("train.", &run.spec.train)})
      for (const auto& setting : *table) names.insert(section + setting.first);
  }
  return {names.begin(), names.end()};
}

class NameReader {
 public:
  // Of `planned` the settings are read; `untrained` stand for all of them.
  NameReader(std::vector<RunRecord> untrained, const std::vector<ResolvedRun*>& planned, const Definitions& definitions)
      : runs_(std::move(untrained)), planned_(planned), known_(names_of(runs_)) {
    for (const auto& [name, one] : definitions.all()) known_.push_back(name);
    std::set<std::string> texts;
    for (const ResolvedRun* const run : planned_)
      for (const ValueTable* const table : {&run->spec().task, &run->spec().model, &run->spec().train})
        for (const auto& [key, value] : flatten(*table))
          if (const auto* const text = value->as<std::string>()) texts.insert(*text);
    std::ranges::copy_if(texts, std::back_inserter(texts_),
                         [this](const std::string& text) { return std::ranges::find(known_, text) == known_.end(); });
  }

  // `own`: a name that stands for something else there.
  void read(const std::string& text, const std::string& reader, const Location& location,
            std::string_view own = {}) const {
    if (text.empty()) return;
    const Expression expression = Expression::parse(text, location);
    if (!expression.is_name())
      for (const std::string& name : expression.bare_conditions()) refuse_number(name, reader, location);
    if (const std::string words = text_without_quotes(expression, texts_); !words.empty())
      throw wrong_input(fmt::format("{} names '{}', a text without quotes", reader, words),
                        fmt::format("put it in quotes: '{}'", words), location);
    for (const std::string& name : expression.names()) {
      if (name == own || std::ranges::any_of(runs_, [&](const RunRecord& run) { return run_has(run, name); })) continue;
      const auto sets = [&](const ResolvedRun* run) { return run->spec().setting(name).has_value(); };
      if (std::ranges::any_of(planned_, sets)) continue;
      throw wrong_input(fmt::format("{} names '{}', but the runs will have no such metric or setting", reader, name),
                        suggest_name(name, known_), location);
    }
  }

 private:
  // share(loss): a number is neither true nor false.
  void refuse_number(const std::string& name, const std::string& reader, const Location& location) const {
    const auto is_number = [&name](const RunRecord& run) {
      const std::optional<Value> setting = run.spec.setting(name);
      return run.series.contains(name) || (setting && !setting->as<bool>());
    };
    if (std::ranges::any_of(runs_, is_number))
      throw wrong_input(fmt::format("{} uses '{}' as a condition", reader, name),
                        fmt::format("compare it with a number, as in '{} < 0.1'", name), location);
  }

  std::vector<RunRecord> runs_;
  const std::vector<ResolvedRun*>& planned_;
  std::vector<std::string> known_;
  std::vector<std::string> texts_;  // values of settings that are no names: someone who writes one means a text
};

// Over several runs, a metric outside of a function over runs has no value. Which runs a condition leaves is not known
// before.
void refuse_single_run(const Claim& claim, std::size_t runs) {
  const Expression metric = Expression::parse(claim.metric, claim.location);
  if (runs < 2 || !claim.where.empty() || !metric.reads_outside_aggregates()) return;
  throw wrong_input(fmt::format("the claim \"{}\" needs one run, but there will be {} runs", claim.shown(), runs),
                    metric.has_aggregate()
                        ? "put each metric into a function over runs, as in median(p)"
                        : fmt::format("use a function over runs: metric = \"median({})\"", claim.text.formula),
                    claim.location);
}

// The settings of a figure that name metrics and settings. What a stage says of its runs is not known before.
std::vector<const char*> names_read_by(const std::string& kind, bool stages) {
  std::vector<const char*> keys{"y"};
  if (stages) return keys;
  keys.push_back("where");
  if (kind == "lines" || kind == "scatter" || kind == "curve" || kind == "bars")
    keys.insert(keys.end(), {"x", "rules", "by", "panels"});
  return keys;
}

}  // namespace

void refuse_misspelt_names(const Experiment& experiment, Preset preset, const std::vector<ResolvedRun*>& runs) {
  // Of many models a few from one end of the sweep to the other: what a start below a threshold never says, one above
  // it may.
  constexpr std::size_t most_models = 8;
  std::set<std::string> known;
  std::vector<ResolvedRun*> models;
  for (ResolvedRun* const run : runs) {
    const bool held = run->interventions().act_on_attention();
    if (known.insert(Value{run->spec().model, {}}.text() + (held ? " held" : "")).second) models.push_back(run);
  }
  const std::size_t taken = std::min(models.size(), most_models);
  std::vector<RunRecord> records;
  for (std::size_t i = 0; i < taken; ++i) {
    records.push_back(untrained(*models[i * (models.size() - 1) / std::max<std::size_t>(taken - 1, 1)]));
    if (records.back().state != RunState::done) return;  // the training will say why
  }
  const NameReader reader(std::move(records), runs, experiment.definitions);
  for (const Claim& claim : experiment.claims) {
    if (!claim.is_of(preset)) continue;
    for (const auto& [name, text] : claim.text.define) {
      const Definition& one = experiment.definitions.all().at(name);
      reader.read(one.whole, fmt::format("the definition of '{}'", name), one.location);
    }
    reader.read(claim.metric, fmt::format("the claim \"{}\"", claim.shown()), claim.location);
    refuse_single_run(claim, runs.size());
    reader.read(claim.where, fmt::format("the claim \"{}\"", claim.shown()), claim.location);
  }
  for (const FigureSpec& figure : experiment.figures)
    for (const char* const key : names_read_by(figure.kind, !experiment.stages_of(preset).empty())) {
      const auto found = figure.settings.find(key);
      if (found == figure.settings.end()) continue;
      const std::string_view name = key;
      const std::string_view own = name == "panels" ? "y" : name == "by" || name == "where" ? "" : "step";
      const auto read_shown = [&](const Value& value) {
        if (const auto* const text = value.as<std::string>()) reader.read(*text, "a figure", value.location, own);
      };
      read_shown(found->second);
      if (const auto* const list = found->second.as<ValueList>()) std::ranges::for_each(*list, read_shown);
    }
}

}  // namespace fovea
