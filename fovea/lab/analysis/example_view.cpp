#include "fovea/lab/analysis/example_view.h"

#include <fmt/format.h>

#include <algorithm>

#include "fovea/base/error/error.h"
#include "fovea/base/error/names.h"
#include "fovea/lab/spec/assembly.h"

namespace fovea {

namespace {

// The last look up to the step.
const Evidence& evidence_at(const std::vector<Evidence>& looks, const RunRecord& run,
                            std::optional<std::int64_t> step) {
  if (!step) return looks.back();
  const Evidence* found = nullptr;
  for (const Evidence& look : looks)
    if (look.step <= *step) found = &look;
  if (!found)
    throw wrong_input(fmt::format("run {} has no evaluation of its examples up to step {}", run.id, *step),
                      fmt::format("choose a step from {} to {}", looks.front().step, looks.back().step));
  return *found;
}

}  // namespace

ExampleView view_example(const RunRecord& run, const FetchArrays& fetch, const VocabularyCache& kept,
                         const ExampleChoice& choice) {
  const EvidenceOf evidence(run, fetch);
  const EvidenceRows& rows = evidence.rows();
  const auto count = rows.example_count();
  if (choice.example < 1 || static_cast<std::size_t>(choice.example) > count)
    throw wrong_input(fmt::format("run {} has {} stored examples, and no example {}", run.id, count, choice.example),
                      fmt::format("choose a number from 1 to {}", count), Location::argument("example"));
  const std::vector<std::string> maps = evidence.maps();
  if (std::ranges::find(maps, choice.map) == maps.end())
    throw wrong_input(fmt::format("the attention of run {} has no map '{}'", run.id, choice.map),
                      suggest_name(choice.map, maps), Location::argument("map"));
  const KnownWords words = kept.of(run.spec);
  const std::optional<AttentionMeaning> meaning = attention_meaning(run.spec);
  const bool positions = meaning && meaning->rows == AttentionRows::position;
  ExampleView seen;
  seen.run = run.id;
  seen.example = choice.example;
  seen.map = choice.map;
  seen.tagged = kind_of_model(run.spec) == Kind::tagged_tokens;
  if (maps.size() > 1) seen.maps = maps;
  const auto at = static_cast<std::size_t>(choice.example - 1);
  EvidenceRows::Example own = rows.by_example()[at];
  for (std::size_t s = 0; s < own.length; ++s)
    seen.source.push_back(words.source.at(static_cast<std::size_t>(rows.source[own.first_word + s])));
  if (rows.target.empty()) {
    seen.label = words.classes.at(static_cast<std::size_t>(rows.labels[at]));
  } else {
    for (std::size_t t = 0; t < own.rows; ++t) {
      const auto word = static_cast<std::size_t>(rows.target[own.first_row + t]);
      seen.target.push_back(positions ? words.source.at(word) : words.target_word(word));
    }
  }
  if (const std::vector<Evidence> looks = evidence.answers(); !looks.empty()) {
    const std::vector<double>& tags = evidence_at(looks, run, choice.step).values;
    for (std::size_t t = own.first_row; t < own.first_row + own.rows; ++t)
      seen.answers.push_back(words.target_word(static_cast<std::size_t>(tags[t])));
  }
  if (choice.row) {
    const int row = *choice.row;
    if (row < 1 || static_cast<std::size_t>(row) > own.rows)
      throw wrong_input(fmt::format("the example has {} row{}, and no row {}", own.rows, own.rows == 1 ? "" : "s", row),
                        own.rows == 1 ? "choose row 1" : fmt::format("choose a number from 1 to {}", own.rows),
                        Location::argument("row"));
    const auto index = static_cast<std::size_t>(row - 1);
    seen.row = fmt::format("{} {}{}", positions ? "position" : "row", row,
                           seen.target.empty() ? "" : fmt::format(", '{}'", seen.target[index]));
    seen.target.clear();
    if (!seen.answers.empty()) seen.answers = {seen.answers[index]};
    own.first_row += index;
    own.rows = 1;
  }
  const bool of_words = !seen.tagged && (!rows.target.empty() || words.classes.size() > 2);
  const std::string alpha = choice.map == "attention" ? "alpha" : "alpha." + choice.map;
  for (const auto& [array, name] : {std::pair<std::string, const char*>{alpha, "α"}, {"beta", "β"}, {"delta", "Δ"}}) {
    const std::vector<Evidence> looks = evidence.all(array);
    if (looks.empty() || (choice.step && array == "delta")) continue;  // influence is of the end alone
    const Evidence& look = evidence_at(looks, run, choice.step);
    seen.step = look.step;
    ExampleView::Quantity quantity{name, of_words && array == "beta", {}};
    for (std::size_t row = own.first_row; row < own.first_row + own.rows; ++row) {
      const std::span<const double> values = rows.row(look, row);
      quantity.rows.emplace_back(values.begin(), values.end());
    }
    seen.quantities.push_back(std::move(quantity));
  }
  return seen;
}

}  // namespace fovea
