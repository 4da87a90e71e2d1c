// Help and messages of the program: every command has them, as wide as the terminal.
#include <pty.h>
#include <sys/ioctl.h>

#include "tests/cli/program.h"

namespace fovea {
namespace {

using fovea::testing::Outcome;
using fovea::testing::ProgramTest;
namespace fs = std::filesystem;

TEST_F(ProgramTest, HelpAndVersionTouchNothing) {
  EXPECT_EQ(fovea("--help").code, 0);
  const Outcome version = fovea("--version");
  EXPECT_EQ(version.code, 0);
  EXPECT_EQ(version.out.rfind("fovea ", 0), 0u);
  EXPECT_EQ(fovea("").code, 0);
  EXPECT_FALSE(fs::exists(home_));
}

TEST_F(ProgramTest, EveryCommandHasHelpWithAnExample) {
  for (const char* command :
       {"list", "run", "sweep", "reproduce", "runs", "show", "plot", "report", "export", "bench", "data", "data add"}) {
    const Outcome help = fovea(std::string(command) + " --help");
    EXPECT_EQ(help.code, 0) << command;
    EXPECT_NE(help.out.find("Example"), std::string::npos) << command;
  }
  const std::string help = fovea("run --help").out;
  EXPECT_NE(help.find("  --threads N             threads that share the work of a step"), std::string::npos) << help;
  EXPECT_NE(help.find("not with --resume\n"), std::string::npos) << help;
  EXPECT_NE(help.find("; only with --json\n"), std::string::npos) << help;
}

// The longest of its lines; a letter is one column, however many bytes.
std::ptrdiff_t widest_line(const std::string& text) {
  std::istringstream lines(text);
  std::ptrdiff_t widest = 0;
  for (std::string line; std::getline(lines, line);)
    widest = std::max(widest, std::ranges::count_if(line, [](char c) { return c != '\r' && (c & 0xC0) != 0x80; }));
  return widest;
}

TEST_F(ProgramTest, HelpHasAtMost80ColumnsInAFile) {
  std::vector<std::string> commands{"", "data list", "data show", "data add", "data get", "data rm", "runs merge"};
  std::istringstream help(fovea("--help").out);
  bool listed = false;
  for (std::string line; std::getline(help, line) && !(listed && line.empty());) {
    if (listed && line[2] != ' ') commands.push_back(line.substr(2, line.find(' ', 2) - 2));
    listed = listed || line == "Commands:";
  }
  EXPECT_GT(commands.size(), 25u);
  for (const std::string& command : commands) {
    const std::string text = fovea(command + " --help").out;
    EXPECT_LE(widest_line(text), 80) << text;
  }
}

TEST_F(ProgramTest, MessagesAndHelpAreAsWideAsTheTerminal) {
  const auto on_terminal = [this](const std::vector<const char*>& words) {
    winsize size{24, 60, 0, 0};
    int terminal = -1;
    const pid_t child = ::forkpty(&terminal, nullptr, nullptr, &size);
    if (child == 0) {
      ::setenv("FOVEA_HOME", home_.c_str(), 1);
      std::vector<char*> arguments{const_cast<char*>(FOVEA_PROGRAM)};
      for (const char* word : words) arguments.push_back(const_cast<char*>(word));
      arguments.push_back(nullptr);
      ::execv(FOVEA_PROGRAM, arguments.data());
      ::_exit(127);
    }
    std::string text;
    char buffer[4096];
    for (ssize_t got; (got = ::read(terminal, buffer, sizeof buffer)) > 0;)
      text.append(buffer, static_cast<std::size_t>(got));
    ::close(terminal);
    ::waitpid(child, nullptr, 0);
    return text;
  };
  const std::string error = on_terminal({"run", "toy-uniform", "--set", "train.steps=ten"});
  EXPECT_NE(error.find("Meaning: number of"), std::string::npos) << error;
  EXPECT_GT(std::ranges::count(error, '\n'), 1) << error;
  EXPECT_LE(widest_line(error), 60) << error;
  EXPECT_LE(widest_line(on_terminal({"note", "--help"})), 65);  // an example is not broken
  EXPECT_EQ(std::ranges::count(fovea("run toy-uniform --set train.steps=ten").err, '\n'), 1);
}

}  // namespace
}  // namespace fovea
