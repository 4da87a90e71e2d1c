#include "apps/cli/help_formatter.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <sstream>
#include <vector>

namespace fovea::cli {

namespace {

// A letter is one column, however many bytes.
std::size_t columns(const std::string& text) {
  return static_cast<std::size_t>(std::ranges::count_if(text, [](char c) { return (c & 0xC0) != 0x80; }));
}

// "  LEFT          RIGHT", its words in as many lines as they need; where LEFT is too long, they begin below it.
std::string two_columns(const std::string& left, const std::string& right) {
  std::string text = "  " + left;
  std::size_t at = columns(text);
  const auto begin_line = [&] {
    text += '\n' + std::string(help_column, ' ');
    at = help_column;
  };
  if (at + 2 > help_column) begin_line();
  text.append(help_column - at, ' ');
  at = help_column;
  std::istringstream words(right);
  for (std::string word; words >> word; text += word) {
    if (at > help_column && at + 1 + columns(word) > help_width) begin_line();
    if (at > help_column) {
      text += ' ';
      ++at;
    }
    at += columns(word);
  }
  return text + '\n';
}

std::string names_of(const std::set<CLI::Option*>& options) {
  std::vector<std::string> names;
  for (const CLI::Option* option : options) names.push_back(option->get_name());
  std::ranges::sort(names);
  return fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace

HelpFormatter::HelpFormatter() {
  label("Positionals", "Arguments");
  label("SUBCOMMAND", "COMMAND");
}

std::string HelpFormatter::make_option(const CLI::Option* option, bool is_positional) const {
  std::string left = option->get_name(is_positional, !is_positional), right = option->get_description();
  if (option->get_type_size() != 0) {
    const std::string type = option->get_type_name();  // NAME, or NAME:BOUNDS
    const std::size_t colon = type.find(':');
    left += ' ' + type.substr(0, colon);
    if (option->get_expected_max() == CLI::detail::expected_max_vector_size) left += " ...";
    if (colon != std::string::npos) right += "; " + type.substr(colon + 1);
    if (option->get_required()) right += "; required";
  }
  if (!option->get_needs().empty()) right += "; only with " + names_of(option->get_needs());
  if (!option->get_excludes().empty()) right += "; not with " + names_of(option->get_excludes());
  return two_columns(left, right);
}

std::string HelpFormatter::make_subcommands(const CLI::App* app, CLI::AppFormatMode) const {
  const std::vector<const CLI::App*> commands = app->get_subcommands({});
  std::string text = commands.empty() ? "" : "\nCommands:\n";
  for (const CLI::App* command : commands) text += make_subcommand(command);
  return text;
}

std::string HelpFormatter::make_subcommand(const CLI::App* command) const {
  return two_columns(command->get_name(), command->get_description());
}

}  // namespace fovea::cli
