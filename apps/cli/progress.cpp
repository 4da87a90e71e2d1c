#include "apps/cli/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace fovea::cli {

Progress::Progress(std::string unit, bool quiet)
    : unit_(std::move(unit)), quiet_(quiet), terminal_(::isatty(STDERR_FILENO) == 1) {}

Progress::~Progress() { clear(); }

void Progress::clear() {
  if (!drawn_) return;
  fmt::print(stderr, "\r\033[K");
  std::fflush(stderr);
  drawn_ = false;
}

void Progress::show(double done, double total, const std::string& now) {
  if (quiet_) return;
  const Clock::time_point time = Clock::now();
  const double passed = std::chrono::duration<double>(time - start_).count();
  const double since = std::chrono::duration<double>(time - std::max(last_, start_)).count();
  if (since < (terminal_ ? 0.1 : 5.0) || passed < 0.5) return;  // what takes under a second needs no bar
  last_ = time;
  const double rate = done / passed;
  const std::string left = rate > 0 && total > done ? duration_text((total - done) / rate) + " left" : "";
  const std::string numbers = fmt::format("{:.0f}/{:.0f} {}  {:.3g}/s  {}", done, total, unit_, rate, left);
  if (!terminal_) {
    fmt::print(stderr, "{}{}{}\n", numbers, now.empty() ? "" : "  ", now);
    return;
  }
  constexpr int width = 24;
  const int full = total > 0 ? static_cast<int>(std::lround(std::clamp(done / total, 0.0, 1.0) * width)) : 0;
  std::string bar;
  for (int i = 0; i < width; ++i) bar += i < full ? "█" : "░";
  fmt::print(stderr, "\r\033[K{}  {}  {}", bar, numbers, now);
  std::fflush(stderr);
  drawn_ = true;
}

std::string duration_text(double seconds) {
  if (!std::isfinite(seconds)) return "?";
  if (seconds < 9.95) return fmt::format("{:.1f} s", seconds);
  const auto whole = static_cast<long>(std::lround(seconds));
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{} min {:02} s", whole / 60, whole % 60);
  return fmt::format("{} h {:02} min", whole / 3600, whole % 3600 / 60);
}

}  // namespace fovea::cli
