// How --help is laid out, for all commands: an option and what it takes on the left; on the right what it does, its
// bounds, and which others it goes or does not go with, in lines of at most help_width columns.
#pragma once

#include <CLI/CLI.hpp>
#include <cstddef>
#include <string>

namespace fovea::cli {

inline constexpr std::size_t help_width = 110, help_column = 32;

class HelpFormatter : public CLI::Formatter {
 public:
  HelpFormatter();
  std::string make_option(const CLI::Option* option, bool is_positional) const override;
  std::string make_subcommands(const CLI::App* app, CLI::AppFormatMode mode) const override;
  std::string make_subcommand(const CLI::App* command) const override;
};

}  // namespace fovea::cli
