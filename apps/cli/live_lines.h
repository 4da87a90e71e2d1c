// Progress on stderr: a few lines that are drawn over themselves on a terminal, a plain line now and then elsewhere,
// nothing when quiet. What takes under a second needs none.
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
  void print_line(const std::string& line);  // stays, above what is drawn; also when quiet
  void clear();

 private:
  using Clock = std::chrono::steady_clock;
  const bool quiet_, terminal_;
  std::size_t drawn_ = 0;  // lines
  Clock::time_point start_ = Clock::now(), last_ = start_;
};

}  // namespace fovea::cli
