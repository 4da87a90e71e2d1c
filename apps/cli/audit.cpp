// Command `fovea audit` (folder apps/cli), which main.cpp makes by name. It retrains a run with the probe `audit` and
// stores the result.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "apps/cli/command.h"
#include "apps/cli/interrupt.h"
#include "apps/cli/json_output.h"
#include "apps/cli/progress.h"
#include "apps/cli/run_words.h"
#include "fovea/lab/analysis/audit_run.h"
#include "fovea/lab/store/store.h"
#include "fovea/lab/train/trainer.h"
#include "fovea/view/terminal/audit_text.h"

namespace fovea::cli {

namespace {

class Audit : public Command {
 public:
  void options(CLI::App& app) override {
    app.add_option("run", run_, "the id of a run")->required()->type_name("RUN");
    app.add_flag("--json", json_, "print one JSON document");
    app.add_flag("--quiet", quiet_, "show no progress");
    app.footer(
        "The audit measures five assumptions about learning in a run:\n"
        "  (1) Hidden states are local: a state is a function of its word.\n"
        "  (2) Attention weights are free: they move as free logits would.\n"
        "  (3) Two separate stages: attention has not moved when knowledge is half-way.\n"
        "  (4) Attention is uniform early.\n"
        "  (5) The mean state is the mean embedding: one can be predicted from the other.\n"
        "\n"
        "If the run was trained without the probe 'audit', it is trained again with the probe and kept as a new run.\n"
        "All metrics of the old run have the same values in the new run.\n"
        "\n"
        "Examples:\n"
        "  fovea audit 12\n"
        "  fovea audit 12 --json");
  }

  int run() override {
    id_ = run_id(run_);
    Store store(Store::default_file());
    const std::optional<RunRecord> found = store.find(id_);
    if (!found) throw no_such_run(store, id_);
    if (has_audit(*found)) return print(*found, "");
    if (found->arithmetic != arithmetic_revision)
      throw wrong_input(
          fmt::format("run {} has no audit data. This program would not train the same numbers again: it has "
                      "arithmetic revision {}, and the run has {}",
                      id_, arithmetic_revision, found->arithmetic),
          Remedy::train_anew(id_));
    ResolvedRun audited = with_audit(found->spec);
    if (const std::optional<RunRecord> before = store.find_done(audited.spec().hash());
        before && before->arithmetic == arithmetic_revision)
      return print(*before,
                   fmt::format("Run {} has no audit data. Run {} is the same run with the audit.", id_, before->id));
    RunRecord record = train_with_progress(std::move(audited));
    record.experiment = found->experiment;
    store.keep(record);
    if (record.state != RunState::done)
      throw failure(fmt::format("run {} could not be trained again to its end ({})", id_, state_name(record.state)),
                    fmt::format("the measurements until then are stored as run {}", record.id));
    const std::string differs = first_difference(*found, record);
    if (!differs.empty())
      throw failure(fmt::format("run {} has other numbers after it was trained again: {}", id_, differs),
                    fmt::format("the first training used fovea {}, and the second used fovea {}. The audit of the "
                                "second training is run {}",
                                found->version, record.version, record.id));
    return print(record, fmt::format("Run {} has no audit data. It was trained again with the audit as run {}. All "
                                     "numbers of both runs are equal, bit for bit.",
                                     id_, record.id));
  }

 private:
  RunRecord train_with_progress(ResolvedRun run) const {
    Progress progress("steps", quiet_);
    TrainHooks hooks;
    hooks.stop = interrupt_flag();
    hooks.progress = [&](std::int64_t step, std::int64_t of) {
      progress.show(static_cast<double>(step), static_cast<double>(of));
    };
    return train(std::move(run), hooks);
  }

  int print(const RunRecord& run, const std::string& note) const {
    if (!json_) {
      const Terminal terminal = Terminal::of(STDOUT_FILENO);
      if (!note.empty()) fmt::print("{}\n\n", wrapped(note, terminal.width));
      fmt::print("{}", audit_text(run, terminal));
      return 0;
    }
    Json json{{"run", id_}, {"audited_run", run.id}, {"note", note}, {"assumptions", Json::array()}};
    for (const AuditLine& line : audit_lines(run))
      json["assumptions"].push_back({{"name", line.name},
                                     {"assumes", line.assumes},
                                     {"score", number_json(line.value)},
                                     {"holds", number_json(line.value)},  // through 1.x
                                     {"found", line.sentence}});
    Json series = Json::object();
    for (const auto& [name, values] : run.series) {
      if (!name.starts_with("audit_")) continue;
      Json points = Json::array();
      for (std::size_t k = 0; k < values.steps.size(); ++k)
        points.push_back({values.steps[k], number_json(values.values[k])});
      series[name] = points;
    }
    json["series"] = series;
    print_json(json);
    return 0;
  }

  std::string run_;
  std::int64_t id_ = 0;
  bool json_ = false, quiet_ = false;
};

const Register<Command> audit_command("audit", "measure five assumptions about how attention learns, in one run",
                                      [] { return std::make_unique<Audit>(); });

}  // namespace

}  // namespace fovea::cli
