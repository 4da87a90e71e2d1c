#include "fovea/lab/sweep/find_transplants.h"

#include <fmt/format.h>

#include <charconv>
#include <optional>
#include <string>

#include "fovea/lab/intervention/transplant.h"

namespace fovea {

namespace {

constexpr std::size_t hash_digits = 32;

// What a text task's vocabulary may follow from: all its settings but the order of its examples.
ValueTable vocabulary_of(const RunSpec& spec) {
  ValueTable task = spec.task;
  task.erase("alike");
  return task;
}

// Whether a name is `owner`, or stands under it: "embedding.weight" under "embedding".
bool is_part(const std::string& name, const std::string& owner) {
  return name == owner || name.starts_with(owner + ".");
}

// Words go by their number: embeddings of another vocabulary are of other words, even where these are as many.
void check_vocabulary(const Transplant& transplant, const RunSpec& spec, const RunRecord& from) {
  const bool of_words = transplant.of == "all" || transplant.of == "body" || is_part(transplant.of, "embedding") ||
                        is_part(transplant.of, "target_embedding");
  if (!of_words || !spec.task.contains("corpus") || vocabulary_of(spec) == vocabulary_of(from.spec)) return;
  const auto corpus = from.spec.task.find("corpus");
  throw wrong_input(fmt::format("run {} has another vocabulary, made for {}", from.id,
                                corpus == from.spec.task.end() ? "another task" : "corpus " + corpus->second.text()),
                    "use a run with the same corpus and the same settings of the task", transplant.location);
}

}  // namespace

void find_transplants(ResolvedRun& resolved, const Store& store) {
  const RunSpec& spec = resolved.spec();
  if (spec.interventions.empty()) return;
  const std::vector<Transplant*> transplants = resolved.interventions().of_kind<Transplant>();
  for (Transplant* const asked : transplants) {
    Transplant& transplant = *asked;
    if (transplant.run.size() != hash_digits) {
      std::int64_t id = 0;
      const char* const end = transplant.run.data() + transplant.run.size();
      const auto read = std::from_chars(transplant.run.data(), end, id);
      const std::optional<RunRecord> run =
          read.ec == std::errc() && read.ptr == end ? store.find(id) : std::optional<RunRecord>();
      if (!run)
        throw wrong_input(fmt::format("there is no run {} to take weights from", transplant.run), Remedy::see_runs(),
                          transplant.location);
      if (run->state != RunState::done)
        throw wrong_input(fmt::format("run {} has no final weights: it is {}", id, state_name(run->state)),
                          "finish the run first", transplant.location);
      check_vocabulary(transplant, spec, *run);
      transplant.run = run->spec.hash();
    }
    if (const auto run = store.find_done(transplant.run, false); run && run->arithmetic != arithmetic_revision)
      throw wrong_input(
          fmt::format("the weights of run {} are of arithmetic revision {}, and this program has revision {}", run->id,
                      run->arithmetic, arithmetic_revision),
          Remedy::train_anew(run->id), transplant.location);
    if (!store.weight_files().has(transplant.run))
      throw wrong_input(fmt::format("the store has no weights of run {}", transplant.run),
                        Remedy::train_again_with("train.keep_weights", "always"), transplant.location);
  }
  if (!transplants.empty()) resolved.write_interventions();
}

}  // namespace fovea
