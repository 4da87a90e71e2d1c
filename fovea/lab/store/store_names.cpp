// The names that runs in the store have, and the error for a name that no run has (Store, store.h) (room lab/store).
// Reads the store; changes nothing.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "fovea/base/error/names.h"
#include "fovea/base/error/setting_names.h"
#include "fovea/base/settings.h"
#include "fovea/lab/experiment/describe.h"
#include "fovea/lab/experiment/experiment.h"
#include "fovea/lab/query/compared_names.h"
#include "fovea/lab/query/expression_mistakes.h"
#include "fovea/lab/store/store_state.h"
#include "fovea/nn/attention/attention_rule.h"

namespace fovea {

namespace {

struct OfFunction {
  std::string function;
  std::size_t column = 0;
};

// The function whose argument is this name alone, and where it is written: step_of, for p of step_of(p) > 1.
OfFunction function_of(const std::string& name, const std::string& expression) {
  const std::size_t end = expression.find("(" + name + ")");
  if (end == expression.npos) return {};
  std::size_t begin = end;
  while (begin > 0 && is_letter(expression[begin - 1])) --begin;
  return {expression.substr(begin, end - begin), begin + 1};
}

std::vector<std::string> texts(SqliteStatement rows) {
  std::vector<std::string> all;
  while (rows.next()) all.emplace_back(rows.text(0));
  return all;
}

std::vector<std::string> experiments_in(Store::State& state) {
  return texts(state.db().prepare(
      "SELECT text FROM words w WHERE EXISTS (SELECT 1 FROM runs WHERE experiment = w.id AND removed IS NULL) "
      "ORDER BY text"));
}

bool any_row(Store::State& state, const char* sql, std::int64_t word) {
  SqliteStatement row = state.db().prepare(sql);
  return row.bind(1, word).next();
}

// A key without a dot is a whole section (intervene), which is no setting by itself.
bool can_be_read(const std::string& setting) { return setting.find('.') != std::string::npos; }

bool is_metric(Store::State& state, const std::string& name) {
  const auto word = state.known_word(name);
  return word && any_row(state, "SELECT 1 FROM metrics WHERE name = ? LIMIT 1", *word);
}

bool known(Store::State& state, const std::string& name) {
  if (name == "seed" || RunSpec::describes_interventions(name)) return true;
  if (std::ranges::find(run_facts(), name) != run_facts().end()) return true;
  if (is_metric(state, name)) return true;
  const auto word = state.known_word(name);
  return word && can_be_read(name) && any_row(state, "SELECT 1 FROM settings WHERE name = ? LIMIT 1", *word);
}

// Whether it is what a run may be asked to equal: someone who writes hold = none means a text.
bool stands_as_text(Store::State& state, const std::string& name) {
  for (const RunState of : {RunState::running, RunState::done, RunState::stopped, RunState::failed})
    if (name == state_name(of)) return true;
  if (name == "none") return true;  // of attention that is not held
  for (const auto& [pattern, ignored] : attention_patterns)
    if (name == pattern) return true;
  const auto word = state.known_word(name);
  if (word && any_row(state, "SELECT 1 FROM runs WHERE experiment = ? LIMIT 1", *word)) return true;
  SqliteStatement row = state.db().prepare("SELECT 1 FROM settings WHERE value = ? LIMIT 1");
  return row.bind(1, name).next();
}

// The kind of a name's values; nothing if runs differ in it.
std::optional<ValueKind> kind_of(Store::State& state, const std::string& name) {
  static constexpr std::string_view texts[] = {"experiment", "state", "started", "tags", "note", "hold", "intervene"};
  static constexpr std::string_view numbers[] = {"id", "steps", "seconds", "seed", "interventions"};
  const bool metric = is_metric(state, name);
  if (!metric && std::ranges::find(texts, name) != std::end(texts)) return ValueKind::text;
  if (metric || std::ranges::find(numbers, name) != std::end(numbers)) return ValueKind::number;
  const auto word = state.known_word(name);
  if (!word) return std::nullopt;
  SqliteStatement rows = state.db().prepare("SELECT kind, min(value) FROM settings WHERE name = ? GROUP BY kind");
  rows.bind(1, *word);
  std::optional<ValueKind> kind;
  while (rows.next()) {
    const ValueKind own = read_setting(rows, 0, 1).kind(), one = own == ValueKind::integer ? ValueKind::number : own;
    if (kind && kind != one) return std::nullopt;
    kind = one;
  }
  return kind;
}

// All that a text setting of any run can be; empty if any text can be one.
std::vector<std::string> choices_of(Store::State& state, const std::string& name) {
  if (name == "state") {
    std::vector<std::string> states;
    for (const RunState one : {RunState::running, RunState::done, RunState::stopped, RunState::failed})
      states.emplace_back(state_name(one));
    return states;
  }
  if (name == "experiment") {
    std::vector<std::string> names = experiment_names();
    std::ranges::copy(experiments_in(state), std::back_inserter(names));
    return names;
  }
  const std::size_t dot = name.find('.');
  const std::string section = name.substr(0, dot), key = dot == name.npos ? "" : name.substr(dot + 1);
  const std::vector<Description> parts = section == "task"    ? describe_tasks()
                                         : section == "model" ? describe_models()
                                                              : describe_settings();
  std::vector<std::string> choices;
  for (const Description& part : parts) {
    if (part.name != section && section != "task" && section != "model") continue;
    if (key == "name") choices.push_back(part.name);
    for (const SettingDescription& setting : part.settings) {
      if (setting.name != key) continue;
      const std::vector<std::string> words = choices_in(setting.kind);
      if (words.empty()) return {};
      std::ranges::copy(words, std::back_inserter(choices));
    }
  }
  return choices;
}

// A comparison of a known name with a text that lacks its quotes.
void refuse_without_quotes(Store::State& state, const Expression& where) {
  for (const ComparedName& one : compared_names(where)) {
    const bool is_text = one.with == ComparedName::With::name && known(state, one.name) && !known(state, one.other) &&
                         (kind_of(state, one.name) == ValueKind::text || stands_as_text(state, one.other));
    if (!is_text) continue;
    const std::vector<std::string> choices = choices_of(state, one.name);
    const std::string near = nearest_name(one.other, choices);
    throw wrong_input(
        fmt::format("'{}' is a text without quotes", one.other),
        fmt::format("write: {} {} \"{}\"", one.name, one.sign == "!=" ? "!=" : "=", near.empty() ? one.other : near),
        where.location());
  }
}

// state = "finished" is true of no run, today or later.
void refuse_impossible_text(Store::State& state, const ComparedName& one, const Location& location) {
  if (const auto word = state.known_word(one.name)) {
    SqliteStatement row = state.db().prepare("SELECT 1 FROM settings WHERE name = ? AND value = ? LIMIT 1");
    if (row.bind(1, *word).bind(2, one.other).next()) return;
  }
  std::vector<std::string> choices = choices_of(state, one.name);
  if (choices.empty() || std::ranges::find(choices, one.other) != choices.end()) return;
  std::ranges::sort(choices);
  choices.erase(std::unique(choices.begin(), choices.end()), choices.end());
  const std::string problem = fmt::format("'{}' is never \"{}\"", one.name, one.other);
  for (const auto& [name, list] :
       {std::pair("experiment", "experiments"), {"task.name", "tasks"}, {"model.name", "models"}})
    if (one.name == name)
      throw wrong_input(problem, suggest_name(one.other, choices, Remedy::list_parts(list)), location);
  throw wrong_input(problem, suggest_name(one.other, choices), location);
}

// seed = "0" is true of no run, whatever their seeds are.
void refuse_other_kinds(Store::State& state, const Expression& where) {
  using With = ComparedName::With;
  for (const ComparedName& one : compared_names(where)) {
    if (one.with == With::name) continue;
    const std::optional<ValueKind> kind = kind_of(state, one.name);
    const bool orders = one.sign.front() == '<' || one.sign.front() == '>';
    if (kind == ValueKind::text && orders)
      throw wrong_input(fmt::format("'{}' is a text, and {} compares numbers", one.name, one.sign),
                        fmt::format("compare it with a text, as in {} = \"…\"", one.name), where.location());
    if (one.with == With::computed) continue;
    if (kind == ValueKind::list)
      throw wrong_input(fmt::format("'{}' is a list, and a condition reads no list", one.name),
                        "use another setting, or name runs by their ids, as in id = 1", where.location());
    if (one.with == With::text && kind == ValueKind::truth)
      throw wrong_input(fmt::format("'{}' is true or false, and \"{}\" is a text", one.name, one.other),
                        "write true or false without quotes", where.location());
    if (one.with == With::text && kind == ValueKind::number)
      throw wrong_input(fmt::format("'{}' is a number, and \"{}\" is a text", one.name, one.other),
                        "write a number without quotes", where.location());
    if (one.with == With::number && kind == ValueKind::text)
      throw wrong_input(fmt::format("'{}' is a text, and {} is a number", one.name, one.other),
                        fmt::format("put the text in quotes: \"{}\"", one.other), where.location());
    if (one.with == With::text && one.name == "tags" && !one.other.empty())
      throw wrong_input("a run can have several tags, and '=' compares all of them at once",
                        fmt::format("write: {}tagged(\"{}\")", one.sign == "!=" ? "not " : "", one.other),
                        where.location());
    if (one.with == With::text) refuse_impossible_text(state, one, where.location());
  }
}

}  // namespace

Store::Names Store::names() const {
  const auto all = [this](const char* sql) { return texts(state_->db().prepare(sql)); };
  Names names;
  names.experiments = experiments_in(*state_);
  names.metrics = all("SELECT text FROM words w WHERE EXISTS (SELECT 1 FROM metrics WHERE name = w.id) ORDER BY text");
  names.settings =
      all("SELECT text FROM words w WHERE EXISTS (SELECT 1 FROM settings WHERE name = w.id) ORDER BY text");
  std::erase_if(names.settings, [](const std::string& name) { return !can_be_read(name); });
  names.settings.emplace_back("seed");
  return names;
}

void Store::require_known(const Expression& where) const {
  refuse_without_quotes(*state_, where);
  require_known(where.names(), where.location(), true);
  refuse_other_kinds(*state_, where);
  for (const std::string& name : where.bare_conditions()) {
    const bool fact = std::ranges::find(run_facts(), name) != run_facts().end();
    if (!fact && name != "seed" && !is_metric(*state_, name)) continue;
    if (const auto [function, column] = function_of(name, where.text()); !function.empty())
      throw wrong_input(fmt::format("in the expression '{}', column {}: {} takes a condition, and '{}' is a number",
                                    where.text(), column, function, name),
                        fmt::format("write a comparison, as in {}({} >= 1)", function, name), where.location());
    throw wrong_input(fmt::format("'{}' is not a condition", name),
                      fmt::format("write a comparison, as in '{} >= 1'", name), where.location());
  }
}

void Store::require_known(const std::set<std::string>& names, const Location& location, bool in_condition) const {
  for (const std::string& name : names) {
    if (known(*state_, name)) continue;
    if (count() == 0) return;  // nothing is known yet, and nothing can be found
    const auto unknown = fmt::format("no run has a metric or setting '{}'", name);
    if (in_condition && stands_as_text(*state_, name))
      throw wrong_input(unknown, fmt::format("put a text in quotes: \"{}\"", name), location);
    const Names all = this->names();
    std::vector<std::string> candidates(run_facts().begin(), run_facts().end());
    candidates.insert(candidates.end(), all.metrics.begin(), all.metrics.end());
    candidates.insert(candidates.end(), all.settings.begin(), all.settings.end());
    candidates.insert(candidates.end(), {"hold", "intervene", "interventions"});
    const std::string near = nearest_setting(name, candidates);
    throw wrong_input(unknown, near.empty() ? Remedy::see_metrics() : Remedy::did_you_mean(near), location);
  }
}

void Store::require_experiment(const std::string& name) const {
  const auto word = state_->known_word(name);
  if (word && any_row(*state_, "SELECT 1 FROM runs WHERE experiment = ? AND removed IS NULL LIMIT 1", *word)) return;
  std::vector<std::string> candidates = experiment_names();
  if (count() == 0 || std::ranges::find(candidates, name) != candidates.end()) return;
  const std::vector<std::string> kept = names().experiments;
  candidates.insert(candidates.end(), kept.begin(), kept.end());
  const std::string near = nearest_name(name, candidates);
  throw wrong_input(fmt::format("there is no experiment and no run with the name '{}'", name),
                    near.empty() ? Remedy::list_parts("experiments") : Remedy::did_you_mean(near));
}

}  // namespace fovea
