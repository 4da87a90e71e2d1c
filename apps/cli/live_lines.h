// LiveLines: progress on stderr (folder apps/cli). progress.h draws on it. On a terminal, a few lines are redrawn;
// elsewhere a plain line is printed now and then; with --quiet nothing. Work of less than a second prints nothing.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <vector>

namespace fovea::cli {

class LiveLines {
 public:
  explicit LiveLines(bool quiet);
  ~LiveLines();  // clears what is drawn
  LiveLines(const LiveLines&) = delete;
  LiveLines& operator=(const LiveLines&) = delete;

  // `lines` and `plain` are asked for only when it is time to show something.
  void show(const std::function<std::vector<std::string>()>& lines, const std::function<std::string()>& plain);
  void print_line(const std::string& line);    // stays, above what is drawn; also when quiet
  void print_notice(const std::string& text);  // the same, as notice.h does
  void clear();

 private:
  using Clock = std::chrono::steady_clock;
  const bool quiet_, terminal_;
  std::size_t drawn_ = 0;  // lines
  Clock::time_point start_ = Clock::now(), last_ = start_;
};

}  // namespace fovea::cli
