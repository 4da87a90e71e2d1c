#include "fovea/lab/analysis/example_view.h"

#include <fmt/format.h>

#include <algorithm>

#include "fovea/base/error/error.h"
#include "fovea/base/error/names.h"

namespace fovea {

ExampleView view_example(const RunRecord& run, const FetchArrays& fetch, const VocabularyCache& kept, int example,
                         const std::string& map) {
  const EvidenceOf evidence(run, fetch);
  const EvidenceRows& rows = evidence.rows();
  const auto count = rows.example_count();
  if (example < 1 || static_cast<std::size_t>(example) > count)
    throw wrong_input(fmt::format("run {} looked at {} examples, and {} is none of them", run.id, count, example),
                      fmt::format("take one of 1 to {}", count));
  const std::vector<std::string> maps = evidence.maps();
  if (std::ranges::find(maps, map) == maps.end())
    throw wrong_input(fmt::format("the attention of run {} has no map '{}'", run.id, map), suggest_name(map, maps));
  const KnownWords words = kept.of(run.spec);
  ExampleView seen;
  seen.run = run.id;
  seen.example = example;
  seen.map = map;
  if (maps.size() > 1) seen.maps = maps;
  const auto at = static_cast<std::size_t>(example - 1);
  const EvidenceRows::Example own = rows.by_example()[at];
  for (std::size_t s = 0; s < own.length; ++s)
    seen.source.push_back(words.source.at(static_cast<std::size_t>(rows.source[own.first_word + s])));
  if (!rows.target.empty()) {
    for (std::size_t t = 0; t < own.rows; ++t)
      seen.target.push_back(words.target_word(static_cast<std::size_t>(rows.target[own.first_row + t])));
  } else {
    seen.label = words.classes.at(static_cast<std::size_t>(rows.labels[at]));
  }
  const bool of_words = !rows.target.empty() || words.classes.size() > 2;
  const std::string alpha = map == "attention" ? "alpha" : "alpha." + map;
  for (const auto& [array, name] : {std::pair<std::string, const char*>{alpha, "α"}, {"beta", "β"}, {"delta", "Δ"}}) {
    const std::vector<Evidence> looks = evidence.all(array);
    if (looks.empty()) continue;
    seen.step = looks.back().step;
    ExampleView::Quantity quantity{name, of_words && array == "beta", {}};
    for (std::size_t row = own.first_row; row < own.first_row + own.rows; ++row) {
      const std::span<const double> values = rows.row(looks.back(), row);
      quantity.rows.emplace_back(values.begin(), values.end());
    }
    seen.quantities.push_back(std::move(quantity));
  }
  return seen;
}

}  // namespace fovea
