// The program `fovea` (folder apps/cli): finds the command, runs it, and turns every error into one paragraph and an
// exit code.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <iterator>
#include <new>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "apps/cli/command.h"
#include "apps/cli/help_formatter.h"
#include "apps/cli/interrupt.h"
#include "apps/cli/notice.h"
#include "apps/cli/wording.h"
#include "fovea/base/old_names.h"
#include "fovea/base/version.h"
#include "fovea/lab/experiment/describe.h"
#include "fovea/lab/experiment/experiment.h"
#include "fovea/lab/sweep/rank_pool.h"

namespace fovea::cli {

namespace {

constexpr const char* about = "Fovea: a laboratory for how attention learns.";
constexpr const char* first_steps =
    "Examples:\n"
    "  fovea list                      list experiments, tasks, models and probes\n"
    "  fovea run toy-uniform           train one run and store it\n"
    "  fovea reproduce toy-uniform     run an experiment and test its claims\n"
    "  fovea report -o report.html     write all reproduced experiments to one page\n"
    "  fovea serve                     show the store as a live page in a browser\n"
    "\n"
    "Runs are stored in $FOVEA_HOME, $XDG_DATA_HOME/fovea or ~/.local/share/fovea.";

// Throws nothing, even if stderr is closed.
int complain(const std::string& text, int code) {
  print_notice(text);
  return code;
}

constexpr const char* not_printed = "the output could not be written. Is the disk full, or the output closed?";

// --quiet=7 is refused, in every command.
void refuse_values_of_flags(CLI::App& app) {
  for (CLI::Option* option : app.get_options())
    if (option->get_items_expected_max() == 0) option->disable_flag_override();
  for (CLI::App* command : app.get_subcommands({})) refuse_values_of_flags(*command);
}

// The named command, as deep as its names are known, and these names, each after a space.
std::pair<const CLI::App*, std::string> named_command(const CLI::App& app) {
  const CLI::App* at = &app;
  std::string words;
  while (!at->get_subcommands().empty()) {
    at = at->get_subcommands().front();
    words += " " + at->get_name();
  }
  return {at, words};
}

// What other programs call a command of this one, as "fovea remove" or "fovea data import"; or "".
std::string command_called(const std::string& words) {
  static constexpr std::pair<std::string_view, const char*> others[] = {
      {"train", "run"},           {"remove", "rm"},          {"delete", "rm"},
      {"import", "runs merge"},   {"merge", "runs merge"},   {"data import", "data add"},
      {"data remove", "data rm"}, {"data delete", "data rm"}};
  const auto found =
      std::ranges::find(others, std::string_view(words), &std::pair<std::string_view, const char*>::first);
  return found == std::end(others) ? "" : found->second;
}

// The error for an unknown command. Without it, --help would describe another command. Empty: the command is known.
std::string no_such_command(const CLI::App& app) {
  const auto [at, command] = named_command(app);
  std::vector<std::string> known;
  for (const CLI::App* sub : at->get_subcommands({})) known.push_back(sub->get_name());
  const std::vector<std::string> unknown = at->remaining();
  if (known.empty() || unknown.empty() || unknown.front().starts_with('-')) return {};
  const auto is_argument = [](const CLI::Option* option) { return option->get_positional(); };
  if (std::ranges::any_of(at->get_options(), is_argument) && nearest_name(unknown.front(), known).empty()) return {};
  std::vector<std::string> near = nearest_names(unknown.front(), known);
  for (std::string& name : near) name = fmt::format("{} {}", command, name).substr(1);
  const std::string words = (command + " " + unknown.front()).substr(1);
  if (const std::string name = command_called(words); !name.empty()) near = {name};
  return fmt::format("there is no command '{}'. {}", words,
                     near.empty() ? fmt::format("See: fovea{} --help", command)
                                  : fmt::format("Did you mean '{}'?", fmt::join(near, "' or '")));
}

// "fovea show needs RUN (the id of a run)", for "run is required".
std::string missing_words(const CLI::App& app, const std::string& command, const std::string& text) {
  std::string name = text.substr(0, text.find(' '));
  const CLI::Option* const option = app.get_option_no_throw(name);
  if (!option) return text;
  if (name.starts_with('-')) name += " " + option->get_type_name();
  else std::ranges::transform(name, name.begin(), [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return fmt::format("fovea{} needs {} ({})", command, name, option->get_description());
}

// "fovea data needs a command: list, show, …"
std::string commands_words(const CLI::App& app, const std::string& command) {
  std::vector<std::string> names;
  for (const CLI::App* sub : app.get_subcommands({})) names.push_back(sub->get_name());
  return fmt::format("fovea{} needs a command: {}", command, fmt::join(names, ", "));
}

// What to do about an argument that is one too many: a setting or a part of one, or else see the help.
std::string surplus_remedy(const CLI::App& app, const std::string& command, const std::vector<std::string>& surplus) {
  if (const CLI::Option* const set = app.get_option_no_throw("--set")) {
    for (const std::string& key : set->results()) {
      if (key.find('=') != key.npos) continue;
      std::string value = surplus.size() > 1 && surplus.front() == "=" ? surplus[1] : surplus.front();
      value.erase(0, value.starts_with('=') ? 1 : 0);
      return fmt::format("Write --set {}={} without spaces.", key, value);
    }
    if (const std::size_t sign = surplus.front().find('=');
        sign != std::string::npos && sign > 0 && !surplus.front().starts_with('-'))
      return fmt::format("Write --set {}.", surplus.front());
  }
  const CLI::Option* const seeds = app.get_option_no_throw("--seeds");
  const bool number = surplus.front().find_first_not_of("0123456789.") == std::string::npos;
  if (number && seeds && seeds->count() > 0 && seeds->get_type_name() == "SEEDS")
    return fmt::format("Separate seeds by commas: --seeds {},{}", seeds->results().front(), fmt::join(surplus, ","));
  const CLI::Option* const output = app.get_option_no_throw("--output");
  const std::string ending = std::filesystem::path(surplus.front()).extension();
  const bool written = ending == ".html" || ending == ".svg" || ending == ".pdf" || ending == ".png";
  if (written && output && output->count() == 0) return fmt::format("To name a file to write: -o {}", surplus.front());
  const std::vector<std::string> experiments = experiment_names();
  const CLI::Option* const first = app.get_option_no_throw("experiment");
  if (first && app.get_option_no_throw("--set") && std::ranges::find(experiments, surplus.front()) != experiments.end())
    return fmt::format("Name one experiment. To reproduce several: fovea reproduce {} {}", first->results().front(),
                       fmt::join(surplus, " "));
  if (surplus.front().starts_with('-') && app.get_option_no_throw("--set"))
    return fmt::format("To change a setting: --set KEY=VALUE. See: fovea{} --help", command);
  return fmt::format("See: fovea{} --help", command);
}

// The message of CLI11, in the terms of this program.
std::string reworded(const CLI::App& app, const std::string& command, const CLI::ParseError& error) {
  std::string text = error.what();
  const auto put = [&text](std::string_view theirs, std::string_view ours) {
    if (const std::size_t at = text.find(theirs); at != std::string::npos) text.replace(at, theirs.size(), ours);
  };
  const std::string kind = error.get_name();
  if (kind == "RequiredError" && text.find("subcommand") != text.npos) return commands_words(app, command);
  if (kind == "RequiredError" && text.ends_with(" is required")) return missing_words(app, command, text);
  if (kind == "RequiredError") put(" is required", " is missing");
  if (constexpr std::string_view excludes = " excludes "; kind == "ExcludesError") {
    const std::size_t at = text.find(excludes);
    if (!text.starts_with('-')) return text.substr(at + excludes.size()) + " takes no " + text.substr(0, at);
    put(excludes, " cannot be used with ");
  }
  if (const std::size_t at = text.find(" was given a disallowed flag override"); at != std::string::npos)
    return fmt::format("--{0} takes no value. Write --{0} alone", text.substr(0, at));
  if (kind == "ArgumentMismatch" && text.find(": At Most 1 ") != text.npos)
    return fmt::format("{} takes one value, and several are given. Give one", text.substr(0, text.find(':')));
  if (kind == "ArgumentMismatch") put(": At Most ", " takes at most ");
  if (kind == "ArgumentMismatch") put(" required but received ", " values, not ");
  if (kind == "RequiresError") put(" requires ", " needs ");
  if (kind == "RequiresError" && text.ends_with(" --engine")) text += ". Add --engine torch";
  if (kind == "ValidationError") put(": ", " ");
  if (kind == "ArgumentMismatch" && text.ends_with(" missing"))
    text = text.substr(0, text.find(':')) + " needs a value";
  // Texts convert to anything but numbers.
  constexpr std::string_view unconverted = "Could not convert: ";
  if (const std::size_t equals = text.find(" = "); text.starts_with(unconverted) && equals != std::string::npos)
    text = fmt::format("{} must be a number, not '{}'", text.substr(unconverted.size(), equals - unconverted.size()),
                       text.substr(equals + 3));
  return text;
}

// The error for a word in front of the command.
std::string misplaced_words(const std::string& word, const std::string& command) {
  if (word == "help") return fmt::format("there is no command 'help'. Write: fovea{} --help", command);
  return fmt::format("'{0}' is in front of the command. Write it after the command: fovea{1} … {0}", word, command);
}

// The command that an argument in front of the surplus one may mean: "merge", for "fovea runs mrge x.db".
std::vector<std::string> meant_commands(const CLI::App& app) {
  std::vector<std::string> known, near;
  for (const CLI::App* sub : app.get_subcommands({})) known.push_back(sub->get_name());
  for (const CLI::Option* option : app.get_options())
    if (option->get_positional() && !option->results().empty() && near.empty())
      near = nearest_names(option->results().front(), known);
  return near;
}

// Options that the word begins with: --dry, for --dry-run.
std::vector<std::string> options_begun(const std::string& word, std::vector<std::string> known) {
  std::erase_if(known, [&word](const std::string& name) { return name.size() < 4 || !word.starts_with(name); });
  return known;
}

// What other programs call settings of trainings.
constexpr std::pair<std::string_view, const char*> foreign_settings[] = {
    {"--lr", "--rate"},
    {"--learning-rate", "--rate"},
    {"--batch-size", "--batch"},
    {"--iterations", "--steps"},
};

// Settings of trainings that an unknown option may mean, as they are written: "--set train.steps=5", for --step 5.
// Empty if an option is as near.
std::vector<std::string> meant_settings(const CLI::App& app, const std::vector<std::string>& unknown,
                                        const std::vector<std::string>& options) {
  if (!app.get_option_no_throw("--checkpoint")) return {};  // the command trains nothing
  const std::size_t equals = unknown.front().find('=');
  const std::string word = unknown.front().substr(0, equals);
  std::vector<std::string> known = options, near;
  for (const Description& part : describe_settings())
    if (part.name == "train")
      for (const SettingDescription& setting : part.settings) known.push_back("--" + setting.name);
  for (const auto& [theirs, ours] : foreign_settings)
    if (theirs == word) near = {ours};
  if (near.empty()) near = nearest_names(word, known);
  const auto is_option = [&options](const std::string& name) {
    return std::ranges::find(options, name) != options.end();
  };
  if (std::ranges::any_of(near, is_option)) return {};
  std::string value = equals != std::string::npos ? unknown.front().substr(equals + 1) : "…";
  if (equals == std::string::npos && unknown.size() > 1 && !unknown[1].empty() && unknown[1][0] != '-' &&
      unknown[1].find_first_not_of("0123456789.eE+-") == std::string::npos)
    value = unknown[1];
  for (std::string& name : near) name = fmt::format("--set train.{}={}", name.substr(2), value);
  return near;
}

// The error for wrong options, with the nearest known name.
std::string wrong_words(const CLI::App& app, const CLI::ParseError& error) {
  if (const std::string text = no_such_command(app); !text.empty()) return text;
  const auto [at, command] = named_command(app);
  std::vector<std::string> known;
  for (const CLI::Option* option : at->get_options())
    for (const std::string& name : option->get_lnames()) known.push_back("--" + name);
  const std::vector<std::string> unknown = at->remaining();
  if (!unknown.empty()) {
    std::vector<std::string> near;
    if (unknown.front().starts_with('-')) near = meant_settings(*at, unknown, known);
    if (near.empty()) near = nearest_names(unknown.front(), known);
    if (near.empty()) near = options_begun(unknown.front(), known);
    if (near.empty())
      for (const std::string& name : meant_commands(*at)) near.push_back(fmt::format("fovea{} {}", command, name));
    const std::string text = unknown.front().starts_with('-')
                                 ? fmt::format("fovea{} has no option '{}'", command, unknown.front())
                                 : fmt::format("'{}' is one argument too many for fovea{}", unknown.front(), command);
    if (!near.empty()) return fmt::format("{}. Did you mean '{}'?", text, fmt::join(near, "' or '"));
    return fmt::format("{}. {}", text, surplus_remedy(*at, command, unknown));
  }
  if (const std::vector<std::string> before = app.remaining(); !before.empty())
    return misplaced_words(before.front(), command);
  std::string text = reworded(*at, command, error);
  while (!text.empty() && (text.back() == '\n' || text.back() == '.')) text.pop_back();
  return fmt::format("{}{} See: fovea{} --help", text, text.ends_with('?') ? "" : ".", command);
}

// The arguments with current names: "look" becomes "inspect". An argument after "--" is not an option.
std::vector<std::string> words_of_today(int argc, char** argv) {
  std::vector<std::string> words(argv + 1, argv + argc);
  if (words.empty()) return words;
  words.front() = report_old_name(NameKind::command, words.front());
  for (std::string& word : words) {
    if (word == "--") break;
    if (!word.starts_with("--")) continue;
    const std::string option = word.substr(0, word.find('='));
    word.replace(0, option.size(), report_old_name(NameKind::option, option));
  }
  return words;
}

void warn_of_old_name(const OldName& name) {
  if (Ranks::announced_rank() > 0) return;
  notice("'{}' is now '{}'. The old name works through 1.x.", name.old, name.now);
}

int run_among_ranks(Command& command) {
  const Together together = command.together();
  if (together == Together::first_alone && Ranks::announced_rank() > 0) return 0;
  if (together != Together::shared) return command.run();
  Ranks* const ranks = Ranks::job();
  if (!ranks || ranks->first()) return command.run();
  work_for_first(*ranks, interrupt_flag());
  return 0;
}

int run(int argc, char** argv) {
  listen_for_old_names(warn_of_old_name);
  CLI::App app(about, "fovea");
  app.formatter(std::make_shared<HelpFormatter>());
  app.set_help_flag("-h,--help", "print this help and exit");
  app.set_version_flag("--version", std::string("fovea ") + version(), "print the version and exit");
  app.require_subcommand(0, 1);
  app.footer(first_steps);

  std::vector<std::pair<CLI::App*, std::unique_ptr<Command>>> commands;
  for (const auto& [name, entry] : Registry<Command>::instance().all()) {
    CLI::App* sub = app.add_subcommand(name, entry.summary);
    commands.emplace_back(sub, entry.make());
    commands.back().second->options(*sub);
  }
  refuse_values_of_flags(app);
  try {
    std::vector<std::string> words = words_of_today(argc, argv);
    std::ranges::reverse(words);  // as the parser takes them
    app.parse(std::move(words));
  } catch (const CLI::Success& asked) {  // --help, --version
    if (const std::string text = no_such_command(app); !text.empty() && Ranks::announced_rank() <= 0)
      return complain(fit_for_message(text), 2);
    return Ranks::announced_rank() > 0 ? 0 : app.exit(asked);
  } catch (const CLI::ParseError& error) {
    if (Ranks::announced_rank() > 0) return 0;  // the first process reports the error, and its exit code is the job's
    return complain(fit_for_message(wrong_words(app, error)), 2);
  }
  for (const auto& [sub, command] : commands)
    if (sub->parsed()) return run_among_ranks(*command);
  if (Ranks::announced_rank() > 0) return 0;
  fmt::print("{}", app.help());
  return 0;
}

}  // namespace

}  // namespace fovea::cli

int main(int argc, char** argv) {
  using namespace fovea;
  try {
    const int code = cli::run(argc, argv);
    if (std::fflush(stdout) != 0 || !std::cout.flush()) return cli::complain(cli::not_printed, 1);
    return code;
  } catch (const Error& error) {
    return cli::complain(cli::program_wording().paragraph(error), error.exit_code());
  } catch (const std::filesystem::filesystem_error& error) {
    return cli::complain(fit_for_message(fmt::format("{}: {}. Check the path and its permissions.",
                                                     error.path1().string(), error.code().message())),
                         1);
  } catch (const std::system_error&) {  // fmt, writing
    return cli::complain(cli::not_printed, 1);
  } catch (const std::bad_alloc&) {
    return cli::complain("memory ran out. Use a smaller batch, vocabulary or hidden size.", 1);
  } catch (const std::exception& error) {
    return cli::complain(std::string("an unexpected error occurred: ") + error.what(), 1);
  }
}
