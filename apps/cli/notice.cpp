#include "apps/cli/notice.h"

#include <unistd.h>

#include <cstdio>

#include "fovea/view/terminal/terminal.h"

namespace fovea::cli {

std::string notice_text(const std::string& text) {
  return wrapped("fovea: " + text, Terminal::of(STDERR_FILENO).width) + "\n";
}

void print_notice(const std::string& text) { std::fputs(notice_text(text).c_str(), stderr); }

}  // namespace fovea::cli
