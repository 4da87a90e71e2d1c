// HelpFormatter: the layout of --help for all commands (folder apps/cli). main.cpp sets it. Left are an option and
// its value. Right are what it does, its bounds, and the options that it needs or excludes. Lines are as wide as the
// terminal, and 80 columns in a file or a pipe.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace fovea::cli {

class HelpFormatter : public CLI::Formatter {
 public:
  HelpFormatter();
  std::string make_option(const CLI::Option* option, bool is_positional) const override;
  std::string make_subcommands(const CLI::App* app, CLI::AppFormatMode mode) const override;
  std::string make_subcommand(const CLI::App* command) const override;
  // Paragraphs are wrapped. Lines that begin with a blank stay as they are.
  std::string make_footer(const CLI::App* app) const override;
};

}  // namespace fovea::cli
