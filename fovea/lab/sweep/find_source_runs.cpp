#include "fovea/lab/sweep/find_source_runs.h"

#include <fmt/format.h>

#include <charconv>
#include <optional>
#include <string>

#include "fovea/lab/intervention/intervention.h"

namespace fovea {

namespace {

constexpr std::size_t hash_digits = 32;

// What a text task's vocabulary may follow from: all its settings but the order of its examples.
ValueTable vocabulary_of(const RunSpec& spec) {
  ValueTable task = spec.task;
  task.erase("alike");
  return task;
}

// Words go by their number: embeddings of another vocabulary are of other words, even where these are as many.
void check_vocabulary(const SourceRun& source, const RunSpec& spec, const RunRecord& from, const Location& location) {
  if (!source.of_words || !spec.task.contains("corpus") || vocabulary_of(spec) == vocabulary_of(from.spec)) return;
  const auto corpus = from.spec.task.find("corpus");
  throw wrong_input(fmt::format("run {} has another vocabulary, made for {}", from.id,
                                corpus == from.spec.task.end() ? "another task" : "corpus " + corpus->second.text()),
                    "use a run with the same corpus and the same settings of the task", location);
}

// Names the run by its hash.
void name_by_hash(SourceRun& source, const RunSpec& spec, const Store& store, const Location& location) {
  if (source.run.size() != hash_digits) {
    std::int64_t id = 0;
    const char* const end = source.run.data() + source.run.size();
    const auto read = std::from_chars(source.run.data(), end, id);
    const std::optional<RunRecord> run =
        read.ec == std::errc() && read.ptr == end ? store.find(id) : std::optional<RunRecord>();
    if (!run)
      throw wrong_input(fmt::format("there is no run {} to take weights from", source.run), Remedy::see_runs(),
                        location);
    if (run->state != RunState::done)
      throw wrong_input(fmt::format("run {} has no final weights: it is {}", id, state_name(run->state)),
                        "finish the run first", location);
    check_vocabulary(source, spec, *run, location);
    source.run = run->spec.hash();
  }
  if (const auto run = store.find_done(source.run, false); run && run->arithmetic != arithmetic_revision)
    throw wrong_input(
        fmt::format("the weights of run {} are of arithmetic revision {}, and this program has revision {}", run->id,
                    run->arithmetic, arithmetic_revision),
        Remedy::train_anew(run->id), location);
  if (!store.weight_files().has(source.run))
    throw wrong_input(fmt::format("the store has no weights of run {}", source.run),
                      Remedy::train_again_with("train.keep_weights", "always"), location);
}

}  // namespace

void find_source_runs(ResolvedRun& resolved, const Store& store) {
  if (resolved.spec().interventions.empty()) return;
  bool any = false;
  for (const auto& one : resolved.interventions().all)
    if (SourceRun* const source = one->source_run()) {
      name_by_hash(*source, resolved.spec(), store, one->location);
      any = true;
    }
  if (any) resolved.write_interventions();
}

}  // namespace fovea
