#include "apps/cli/sweep_progress.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "apps/cli/interrupt.h"
#include "apps/cli/wording.h"
#include "fovea/base/duration.h"
#include "fovea/base/version.h"
#include "fovea/lab/engine/python_engine.h"
#include "fovea/lab/sweep/rank_pool.h"

namespace fovea::cli {

namespace {

constexpr std::size_t most_runs_shown = 8;

UpdateEngine& engine_of_python() {
  const char* const named = std::getenv("FOVEA_PYTHON");
  static PythonEngine engine(named && *named ? named : "python3");
  return engine;
}

SweepOptions options_of(const ExperimentWords& words, auto& lines) {
  SweepOptions options;
  options.jobs = words.jobs;
  options.retrain = words.retrain;
  options.ignore_checkpoints = words.ignore_checkpoint;
  options.retry_failed = words.retry_failed;
  options.checkpoint_every = words.checkpoint;
  options.stop = interrupt_flag();
  options.engine = &engine_of_python();
  options.wording = &program_wording();
  options.notice = [&lines](const std::string& text) { lines.print_notice(text); };
  return options;
}

}  // namespace

std::string counts_text(const SweepProgress& p) {
  std::string text;
  const auto add = [&text](std::int64_t count, const char* what) {
    if (count > 0) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, what);
  };
  const auto in_training = static_cast<std::int64_t>(p.in_training.size());
  add(p.done, "done");
  add(p.reused, "stored before");
  add(p.failed, "failed");
  add(p.refused, "refused");
  add(p.stopped, "stopped");
  add(in_training, "in training");
  add(p.elsewhere, "in training elsewhere");
  add(p.left() - in_training - p.elsewhere, "left");
  return text.empty() ? "nothing to do" : text;
}

std::string other_versions_text(const SweepProgress& progress) {
  std::int64_t count = 0;
  std::string versions;
  for (const auto& [version, runs] : progress.of_versions) {
    count += runs;
    versions += (versions.empty() ? "" : ", ") + version;
  }
  if (count == 0) return {};
  return fmt::format("{} of the found runs {} made by fovea {}. This is fovea {}. To train them again: --retrain",
                     count, count == 1 ? "was" : "were", versions, version());
}

SweepOptions SweepDisplay::options() {
  SweepOptions options = options_of(words_, lines_);
  options.progress = [this](const SweepProgress& progress) { show(progress); };
  if (ranks_) {
    options.jobs = std::max(1, words_.jobs);  // on each; how many ranks a machine has says how many of its cores
    options.pool = [ranks = ranks_](int jobs, const CheckpointPlan& checkpoints) {
      return rank_pool(*ranks, jobs, checkpoints);
    };
  }
  return options;
}

SweepOptions RunDisplay::options() {
  SweepOptions options = options_of(words_, progress_);
  options.jobs = 1;
  options.retrain = true;
  options.wait = false;
  options.progress = [this](const SweepProgress& progress) {
    if (progress.in_training.empty() || progress.in_training.front().of == 0) return;
    const SweepProgress::Run& run = progress.in_training.front();
    progress_.show(static_cast<double>(run.step), static_cast<double>(run.of));
  };
  return options;
}

void SweepDisplay::show(const SweepProgress& p) {
  const auto reached = static_cast<double>(p.total - p.left()), total = static_cast<double>(p.total);
  const std::string stage = p.stage.empty() ? "" : p.stage + ": ";
  const std::string pace = pace_text(static_cast<double>(p.done + p.failed), p.seconds, "runs");
  lines_.show(
      [&] {
        std::vector<std::string> lines{fmt::format("{}  {}{} of {} runs  {}  {}", bar(reached, total), stage,
                                                   p.total - p.left(), p.total, pace, left_text(p.seconds_left)),
                                       counts_text(p)};
        for (const SweepProgress::Run& run : p.in_training) {
          if (lines.size() == 2 + most_runs_shown) {
            lines.push_back(fmt::format("  and {} more", p.in_training.size() - most_runs_shown));
            break;
          }
          lines.push_back(run.of > 0 ? fmt::format("  step {} of {}  {}", run.step, run.of, run.label)
                                     : fmt::format("  {}", run.label));
        }
        return lines;
      },
      [&] {
        return fmt::format("{}{} of {} runs: {}. {}  {}", stage, p.total - p.left(), p.total, counts_text(p), pace,
                           left_text(p.seconds_left));
      });
}

}  // namespace fovea::cli
