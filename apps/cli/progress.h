// Progress: a bar with rate and time left on stderr, for work of one kind (folder apps/cli). Commands that train,
// measure or download draw it.
#pragma once

#include <condition_variable>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "apps/cli/live_lines.h"
#include "fovea/base/duration.h"

namespace fovea::cli {

class Progress {
 public:
  Progress(std::string unit, bool quiet);  // unit: "steps", "runs"

  // Rate and time left are counted from the first call: what goes on from a checkpoint does not start at 0. A total of
  // 0 is not known.
  void show(double done, double total, const std::string& now = {});
  void print_line(const std::string& line) { lines_.print_line(line); }      // stays, above the bar; also when quiet
  void print_notice(const std::string& text) { lines_.print_notice(text); }  // the same, as notice.h does
  void clear() { lines_.clear(); }                                           // before something else is printed

 private:
  using Clock = std::chrono::steady_clock;
  std::string unit_;
  LiveLines lines_;
  std::optional<double> first_;
  Clock::time_point begin_;
};

// Says that something is done, and for how long already, where nothing tells how far it is.
class Waiting {
 public:
  Waiting(std::string what, bool quiet);  // what: "reading the trace"
  ~Waiting();

 private:
  void draw();
  std::string what_;
  LiveLines lines_;
  std::mutex mutex_;
  std::condition_variable ended_;
  bool over_ = false;
  std::thread drawer_;
};

std::string bar(double done, double total);                                   // "████████░░░░"
std::string pace_text(double done, double seconds, const std::string& unit);  // "12.5 runs/s", "3 runs/min"
std::string left_text(double seconds);                                        // "12 s left"

}  // namespace fovea::cli
