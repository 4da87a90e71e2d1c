#include "fovea/lab/train/checkpoint_keeper.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <utility>

#include "fovea/math/vector_math.h"

namespace fovea {

namespace {

constexpr int rarity = 50;  // checkpoints take a fiftieth of the time at most
constexpr std::chrono::milliseconds check_watchers_every(500), for_watchers_every(1000);

Stopwatch::Clock::duration seconds(double count) {
  return std::chrono::duration_cast<Stopwatch::Clock::duration>(std::chrono::duration<double>(count));
}

double unix_time() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

}  // namespace

template <class T>
CheckpointKeeper<T>::CheckpointKeeper(const TrainHooks& hooks, TrainState<T> state, std::int64_t steps,
                                      Stopwatch& watch)
    : hooks_(hooks),
      state_(state),
      steps_(steps),
      watch_(watch),
      files_(hooks.checkpoints.folder, state.record.hash),
      pause_(seconds(hooks.checkpoints.every)) {}

template <class T>
bool CheckpointKeeper<T>::restore() {
  for (const std::filesystem::path& file : files_.files()) {
    try {
      if (restore(Checkpoints::read(file))) return true;
    } catch (const Error& error) {
      report_trouble(
          fmt::format("a checkpoint cannot be used, so the run continues from an earlier one or starts at step 0: {}",
                      error.what()));
    }
  }
  return false;
}

template <class T>
bool CheckpointKeeper<T>::restore(const TensorFile& file) {
  const auto said = [&file](const char* key) {
    const auto found = file.metadata().find(key);
    return found == file.metadata().end() ? std::string() : found->second;
  };
  if (said("version") != state_.record.version) {
    report_trouble(
        fmt::format("the checkpoint at step {} was written by fovea {}, and this is {}, so the run starts at step 0",
                    said("steps"), said("version"), state_.record.version));
    return false;
  }
  if (const int arithmetic = arithmetic_of(file); arithmetic != state_.record.arithmetic) {
    report_trouble(
        fmt::format("the checkpoint at step {} is of arithmetic revision {}, and this program has revision {}: the run "
                    "starts at step 0",
                    said("steps"), arithmetic, state_.record.arithmetic));
    return false;
  }
  state_.restore(file);
  watch_.before = state_.record.seconds;
  saved_step_ = state_.record.steps;
  if (said("instructions") != simd_target())
    report_trouble(
        fmt::format("the checkpoint was written by a processor with {}, and this one has {}: last digits may differ "
                    "from an uninterrupted run",
                    said("instructions"), simd_target()));
  if (hooks_.resumed)
    hooks_.resumed({state_.record.steps, steps_, unix_time() - std::strtod(said("saved").c_str(), nullptr),
                    said("interrupted") == "yes"});
  return true;
}

template <class T>
bool CheckpointKeeper<T>::due(Clock::time_point now) {
  if (state_.record.steps <= saved_step_) return false;
  if (now - looked_for_watchers_ >= check_watchers_every) {
    looked_for_watchers_ = now;
    watched_ = checkpoints_asked_for(hooks_.checkpoints.folder);
  }
  return now - saved_at_ >= (watched_ ? std::min(pause_, least_pause_) : pause_);
}

template <class T>
void CheckpointKeeper<T>::save() {
  write(false);
}

template <class T>
void CheckpointKeeper<T>::save_last() {
  if (state_.record.steps > saved_step_) write(true);
}

template <class T>
void CheckpointKeeper<T>::write(bool interrupted) {
  const Clock::time_point start = Clock::now();
  state_.record.seconds = watch_.seconds();
  try {
    state_.save([&](std::span<const Tensor> tensors, std::map<std::string, std::string>& metadata) {
      metadata["saved"] = fmt::format("{}", unix_time());
      metadata["instructions"] = simd_target();
      metadata["interrupted"] = interrupted ? "yes" : "no";
      files_.write(tensors, metadata);
    });
    saved_step_ = state_.record.steps;
    if (hooks_.saved) hooks_.saved(state_.record);
  } catch (const std::exception& error) {
    if (!std::exchange(trouble_told_, true))
      report_trouble(
          fmt::format("the run continues without a checkpoint at step {}, because it could not be written: {}",
                      state_.record.steps, error.what()));
  }
  saved_at_ = Clock::now();
  least_pause_ = std::max<Clock::duration>(for_watchers_every, rarity * (saved_at_ - start));
  pause_ = std::max<Clock::duration>(seconds(hooks_.checkpoints.every), rarity * (saved_at_ - start));
}

template <class T>
void CheckpointKeeper<T>::report_trouble(const std::string& trouble) const {
  if (hooks_.trouble) hooks_.trouble(trouble);
}

template class CheckpointKeeper<float>;
template class CheckpointKeeper<double>;

}  // namespace fovea
