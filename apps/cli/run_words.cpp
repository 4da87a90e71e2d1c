#include "apps/cli/run_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <unordered_set>

#include "apps/cli/bounds.h"

namespace fovea::cli {

bool names_a_run(const std::string& word) {
  return !word.empty() && word.find_first_not_of("0123456789") == std::string::npos;
}

std::int64_t run_id(const std::string& word) {
  std::int64_t id = 0;
  const char* const end = word.data() + word.size();
  const auto [at, error] = std::from_chars(word.data(), end, id);
  if (word.find(',') != word.npos && word.find_first_not_of("0123456789,") == word.npos) {
    std::string spaced = word;
    std::ranges::replace(spaced, ',', ' ');
    throw wrong_input(fmt::format("'{}' is not the id of one run", word),
                      fmt::format("separate ids by spaces: {}", spaced));
  }
  const std::size_t dash = std::min(word.find('-'), word.find(".."));
  const std::size_t second = dash == word.npos ? dash : word.find_first_not_of("-.", dash);
  if (second != word.npos && names_a_run(word.substr(0, dash)) && names_a_run(word.substr(second)))
    throw wrong_input(fmt::format("'{}' is not the id of one run", word), "write every id of the range by itself");
  if (!names_a_run(word))
    throw wrong_input(fmt::format("'{}' is not the id of a run. An id is a number", word), "see the ids: fovea runs");
  if (error != std::errc() || at != end) throw wrong_input(fmt::format("there is no run {}", word), "see: fovea runs");
  return id;
}

Error no_such_run(const Store& store, std::int64_t id) {
  if (store.is_in_bin(id))
    return wrong_input(fmt::format("run {} was removed, and is in the bin", id),
                       fmt::format("to restore it: fovea rm --restore {}", id));
  return wrong_input(fmt::format("there is no run {}", id), "see: fovea runs");
}

void RunWords::add(CLI::App& app) {
  app.add_option("runs", ids_, "ids of runs")->type_name("RUN");
  app.add_option("--where", where_, "runs that meet this condition, in addition to the runs named")
      ->check(a_condition())
      ->type_name("CONDITION");
}

std::vector<std::int64_t> RunWords::of(const Store& store, bool in_bin) const {
  if (none()) throw wrong_input("no run is named", "give the ids of runs, or use --where CONDITION");
  std::vector<std::int64_t> ids;
  std::unordered_set<std::int64_t> seen;
  for (const std::string& word : ids_) {
    const std::int64_t id = run_id(word);
    if (in_bin != store.is_in_bin(id) || (!in_bin && !store.has(id))) {
      if (in_bin && store.has(id))
        throw wrong_input(fmt::format("run {} is not in the bin", id), "leave it out; see the bin: fovea runs --bin");
      if (in_bin) throw wrong_input(fmt::format("there is no run {} in the bin", id), "see: fovea runs --bin");
      throw no_such_run(store, id);
    }
    if (seen.insert(id).second) ids.push_back(id);
  }
  if (where_.empty()) return ids;
  RunQuery query;
  query.where = Expression::parse(where_, {"--where"});
  query.in_bin = in_bin;
  store.visit(query, [&](const RunRecord& run, std::int64_t) {
    if (seen.insert(run.id).second) ids.push_back(run.id);
  });
  if (ids.empty())
    throw wrong_input(in_bin ? "no run in the bin meets the condition" : "no run meets the condition",
                      in_bin ? "see: fovea runs --bin" : "see: fovea runs", {"--where"});
  return ids;
}

std::string count_text(std::int64_t count, const std::string& one, const std::string& many) {
  return fmt::format("{} {}", count, count == 1 ? one : many);
}

}  // namespace fovea::cli
