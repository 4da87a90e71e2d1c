// Errors and notices on stderr, each after "fovea: " (folder apps/cli). All commands and main.cpp call it. A terminal gets
// lines of its width; a file or a pipe gets one line.
#pragma once

#include <fmt/format.h>

#include <string>
#include <utility>

namespace fovea::cli {

std::string notice_text(const std::string& text);  // as it is printed, with a final newline
void print_notice(const std::string& text);        // throws nothing, even if stderr is closed

template <class... Args>
void notice(fmt::format_string<Args...> format, Args&&... args) {
  print_notice(fmt::format(format, std::forward<Args>(args)...));
}

}  // namespace fovea::cli
