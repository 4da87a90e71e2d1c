// HelpFormatter: the layout of --help for all commands (folder apps/cli). main.cpp sets it. Left are an option and
// its value. Right are what it does, its bounds, and the options that it needs or excludes, in lines of at most
// help_width columns.
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
