#include "fovea/lab/analysis/evidence.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "fovea/base/error/error.h"
#include "fovea/lab/spec/assembly.h"

namespace fovea {

namespace {

Error damaged(std::int64_t run) {
  return failure(fmt::format("the data of probe 'evidence' in run {} are inconsistent", run), Remedy::remove_run(run));
}

}  // namespace

std::vector<EvidenceRows::Example> EvidenceRows::by_example() const {
  std::vector<Example> all;
  for (std::size_t row = 0, word = 0; row < count();) {
    Example one{row, 0, word, begins[row + 1] - begins[row]};
    while (row < count() && examples[row] == examples[one.first_row]) ++row;
    one.rows = row - one.first_row;
    word += one.length;
    all.push_back(one);
  }
  return all;
}

Error without_evidence(const RunRecord& run) {
  const std::optional<Value> probes = run.spec.setting("probe.names");
  const auto* const own = probes ? probes->as<ValueList>() : nullptr;
  ValueList names = own ? *own : ValueList{{"loss", {}}, {"accuracy", {}}};
  names.push_back({"evidence", {}});
  return wrong_input(
      fmt::format("run {} was trained without the probe 'evidence'", run.id),
      Remedy(Remedy::Code::train_again_with, {{"probe.names", {}}, {std::move(names), {}}, {run.id, {}}}));
}

EvidenceOf::EvidenceOf(const RunRecord& run, FetchArrays fetch) : run_(run.id), fetch_(std::move(fetch)) {
  const auto one = [&](const char* name) {
    std::vector<ArrayRecord> found = fetch_(run_, fmt::format("evidence.{}", name));
    return found.empty() ? std::vector<float>() : std::move(found.front().values);
  };
  const std::vector<float> lengths = one("lengths"), rows = one("rows");
  if (lengths.empty() || rows.empty()) {
    if (run.spec.elsewhere())
      throw wrong_input(fmt::format("run {} was made by another program, and its words are unknown here", run.id),
                        Remedy::see_metrics());
    const std::optional<AttentionMeaning> meaning = attention_meaning(run.spec);
    if (meaning && meaning->columns != AttentionColumns::source_word)
      throw wrong_input(
          fmt::format("run {} attends to {}s, and evidence needs words", run.id, key_of(meaning->columns)),
          Remedy::see_metrics());
    throw without_evidence(run);
  }
  rows_.begins.push_back(0);
  for (const float length : lengths) rows_.begins.push_back(rows_.begins.back() + static_cast<std::size_t>(length));
  for (std::size_t example = 0; example < rows.size(); ++example)
    rows_.examples.insert(rows_.examples.end(), static_cast<std::size_t>(rows[example]), example);
  if (rows_.examples.size() != lengths.size()) throw damaged(run_);
  rows_.source = one("source");
  rows_.target = one("target");
  rows_.labels = one("labels");
  std::size_t positions = 0;
  for (const EvidenceRows::Example& one : rows_.by_example()) positions += one.length;
  const bool classes = rows_.target.empty();
  if (rows_.source.size() != positions ||
      (classes ? rows_.labels.size() != rows_.example_count() : rows_.target.size() != rows_.count()))
    throw damaged(run_);
}

std::vector<Evidence> EvidenceOf::all(const std::string& name) const { return looks(name, rows_.begins.back()); }

std::vector<Evidence> EvidenceOf::answers() const { return looks("answers", rows_.count()); }

std::vector<Evidence> EvidenceOf::looks(const std::string& name, std::size_t count) const {
  std::vector<Evidence> looks;
  for (const ArrayRecord& array : fetch_(run_, "evidence." + name)) {
    if (array.values.size() != count) throw damaged(run_);
    looks.push_back({array.step, {array.values.begin(), array.values.end()}});
  }
  return looks;
}

std::vector<std::string> EvidenceOf::maps() const {
  constexpr std::string_view prefix = "evidence.alpha.";
  std::vector<std::string> names{"attention"};
  if (fetch_(run_, "evidence.maps").empty()) return names;
  for (const ArrayRecord& array : fetch_(run_, {}))
    if (array.name.starts_with(prefix) && std::ranges::find(names, array.name.substr(prefix.size())) == names.end())
      names.push_back(array.name.substr(prefix.size()));
  return names;
}

}  // namespace fovea
