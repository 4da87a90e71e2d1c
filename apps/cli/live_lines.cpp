#include "apps/cli/live_lines.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

#include "apps/cli/notice.h"
#include "fovea/view/terminal/terminal.h"

namespace fovea::cli {

namespace {

// Throws nothing, also where stderr is closed: the work goes on.
void put(const std::string& text) {
  std::fputs(text.c_str(), stderr);
  std::fflush(stderr);
}

}  // namespace

LiveLines::LiveLines(bool quiet) : quiet_(quiet), terminal_(::isatty(STDERR_FILENO) == 1) {}

LiveLines::~LiveLines() { clear(); }

void LiveLines::clear() {
  if (drawn_ == 0) return;
  put(drawn_ > 1 ? fmt::format("\r\x1b[{}A\x1b[J", drawn_ - 1) : "\r\x1b[J");
  drawn_ = 0;
}

void LiveLines::show(const std::function<std::vector<std::string>()>& lines,
                     const std::function<std::string()>& plain) {
  if (quiet_) return;
  const Clock::time_point now = Clock::now();
  if (now - last_ < (terminal_ ? std::chrono::milliseconds(100) : std::chrono::milliseconds(5000)) ||
      now - start_ < std::chrono::milliseconds(500))
    return;
  last_ = now;
  if (!terminal_) {
    put(plain() + "\n");
    return;
  }
  const int width = Terminal::of(STDERR_FILENO).width;
  clear();
  std::string text;
  for (const std::string& line : lines())
    text += (drawn_++ > 0 ? "\n" : "") + shortened(line, width - 1);  // a line that wraps could not be drawn over
  put(text);
}

void LiveLines::print_line(const std::string& line) {
  clear();
  put(line + "\n");
}

void LiveLines::print_notice(const std::string& text) {
  clear();
  put(notice_text(text));
}

}  // namespace fovea::cli
