#include "apps/cli/help_formatter.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "fovea/view/terminal/terminal.h"

namespace fovea::cli {

namespace {

constexpr int help_column = 26, usual_width = 80, least_width = 50;

int help_width() {
  const int width = Terminal::of(STDOUT_FILENO).width;
  return width > 0 ? std::max(width, least_width) : usual_width;
}

// "  LEFT          RIGHT", its words in as many lines as they need; where LEFT is too long, they begin below it.
std::string two_columns(const std::string& left, const std::string& right) {
  const std::string indent(static_cast<std::size_t>(help_column), ' ');
  std::string text = "  " + left;
  const int used = display_width(text);
  text += used + 2 > help_column ? '\n' + indent : indent.substr(static_cast<std::size_t>(used));
  for (const char c : wrapped(right, help_width() - help_column)) {
    text += c;
    if (c == '\n') text += indent;
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
  constexpr std::size_t most_excluded = 6;  // the description of an option says with which few it goes
  if (const std::size_t count = option->get_excludes().size(); count > 0 && count <= most_excluded)
    right += "; not with " + names_of(option->get_excludes());
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

std::string HelpFormatter::make_footer(const CLI::App* app) const {
  std::string text, paragraph;
  const auto end_paragraph = [&] {
    if (!paragraph.empty()) text += wrapped(paragraph, help_width()) + '\n';
    paragraph.clear();
  };
  std::istringstream lines(app->get_footer());
  for (std::string line; std::getline(lines, line);) {
    if (!line.empty() && line.front() != ' ') {
      paragraph += (paragraph.empty() ? "" : " ") + line;
      continue;
    }
    end_paragraph();
    text += line + '\n';
  }
  end_paragraph();
  return text;
}

}  // namespace fovea::cli
