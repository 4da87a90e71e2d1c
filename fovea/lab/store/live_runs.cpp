#include "fovea/lab/store/live_runs.h"

#include <algorithm>
#include <system_error>
#include <tuple>
#include <utility>

#include "fovea/lab/store/run_lock.h"
#include "fovea/lab/train/checkpoint.h"
#include "fovea/lab/train/train_state.h"

namespace fovea {

namespace {

namespace fs = std::filesystem;

void read_checkpoint(const fs::path& file, LiveRun& run) {
  try {
    const std::int64_t id = run.record.id;
    const std::string experiment = run.record.experiment;
    run.record = record_of(Checkpoints::read(file));
    run.record.id = id;
    run.record.experiment = experiment;
    const auto steps = run.record.spec.setting("train.steps");
    if (const auto* count = steps ? steps->as<std::int64_t>() : nullptr) run.steps = *count;
    run.seen = true;
  } catch (const Error&) {  // it was replaced while it was read: the next look sees the new one
  }
}

}  // namespace

LiveRuns::~LiveRuns() { ask_no_more(store_.checkpoint_folder()); }

std::vector<LiveRun> LiveRuns::poll() {
  ask_for_checkpoints(store_.checkpoint_folder());
  std::map<std::string, Seen> now;
  std::error_code error;
  for (fs::directory_iterator at(store_.running_folder(), error), end; !error && at != end; at.increment(error)) {
    const std::string hash = at->path().filename().string();
    if (!RunLock::held(store_.running_folder(), hash)) continue;
    Seen& seen = now[hash];
    if (const auto before = seen_.find(hash); before != seen_.end()) seen = std::move(before->second);
    seen.run.hash = hash;
    seen.run.holder = RunLock::holder(store_.running_folder(), hash);
    if (seen.run.record.id == 0) {
      if (const auto row = store_.find_undone(hash)) {
        seen.run.record.id = row->id;
        seen.run.record.experiment = row->experiment;
      }
    }
    const std::vector<fs::path> files = Checkpoints(store_.checkpoint_folder(), hash).files();
    if (files.empty()) continue;
    std::error_code gone;
    const fs::file_time_type written = fs::last_write_time(files.front(), gone);
    if (gone || written == seen.written) continue;
    seen.written = written;
    read_checkpoint(files.front(), seen.run);
  }
  seen_ = std::move(now);
  std::vector<LiveRun> runs;
  for (const auto& [hash, seen] : seen_) runs.push_back(seen.run);
  std::ranges::stable_sort(runs, {}, [](const LiveRun& run) {  // those of which nothing is known yet come last
    return std::tuple(!run.seen, run.record.started, run.record.spec.seed);
  });
  return runs;
}

}  // namespace fovea
