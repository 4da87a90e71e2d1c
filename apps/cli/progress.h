// Progress on stderr: a bar with rate and time left on a terminal, a plain line now and then elsewhere, nothing when
// quiet.
#pragma once

#include <chrono>
#include <string>

namespace fovea::cli {

class Progress {
 public:
  Progress(std::string unit, bool quiet);  // unit: "steps", "runs"
  ~Progress();                             // clears the bar

  void show(double done, double total, const std::string& now = {});
  void clear();  // before something else is printed

 private:
  using Clock = std::chrono::steady_clock;
  std::string unit_;
  bool quiet_;
  bool terminal_;
  bool drawn_ = false;
  Clock::time_point start_ = Clock::now();
  Clock::time_point last_{};
};

std::string duration_text(double seconds);  // "0.4 s", "12 s", "3 min 05 s", "2 h 10 min"

}  // namespace fovea::cli
