#include "apps/cli/progress.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "fovea/base/duration.h"

namespace fovea::cli {

Progress::Progress(std::string unit, bool quiet) : unit_(std::move(unit)), lines_(quiet) {}

void Progress::show(double done, double total, const std::string& now) {
  if (!first_) {
    first_ = done;
    begin_ = Clock::now();
  }
  const auto text = [&] {
    const double gone = done - *first_, seconds = seconds_since(begin_);
    if (total <= 0) return fmt::format("{:.3g} {}  {}", done, unit_, pace_text(gone, seconds, unit_));
    return fmt::format("{:.0f} of {:.0f} {}  {}  {}  {}", done, total, unit_, pace_text(gone, seconds, unit_),
                       left_text(gone > 0 ? seconds * (total - done) / gone : 0), now);
  };
  const auto line = [&] { return total > 0 ? fmt::format("{}  {}", bar(done, total), text()) : text(); };
  lines_.show([&] { return std::vector<std::string>{line()}; }, text);
}

Waiting::Waiting(std::string what, bool quiet) : what_(std::move(what)), lines_(quiet), drawer_([this] { draw(); }) {}

Waiting::~Waiting() {
  {
    const std::lock_guard lock(mutex_);
    over_ = true;
  }
  ended_.notify_one();
  drawer_.join();
}

void Waiting::draw() {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point begin = Clock::now();
  std::unique_lock lock(mutex_);
  while (!ended_.wait_for(lock, std::chrono::milliseconds(200), [this] { return over_; })) {
    const auto text = [&] { return fmt::format("{}: {}", what_, duration_text(seconds_since(begin))); };
    lines_.show([&] { return std::vector<std::string>{text()}; }, text);
  }
}

std::string bar(double done, double total) {
  constexpr int width = 24;
  const int full = total > 0 ? static_cast<int>(std::lround(std::clamp(done / total, 0.0, 1.0) * width)) : 0;
  std::string text;
  for (int i = 0; i < width; ++i) text += i < full ? "█" : "░";
  return text;
}

std::string pace_text(double done, double seconds, const std::string& unit) {
  const double rate = seconds > 0 ? done / seconds : 0;
  if (rate >= 1) return fmt::format("{:.3g} {}/s", rate, unit);
  return rate > 0 ? fmt::format("{:.3g} {}/min", rate * 60, unit) : "";
}

std::string left_text(double seconds) { return seconds > 0 ? duration_text(seconds) + " left" : ""; }

}  // namespace fovea::cli
