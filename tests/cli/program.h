// Runs the program as a person would, with a store of its own in an empty folder.
#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <regex>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

namespace fovea::testing {

namespace fs = std::filesystem;

struct Outcome {
  int code = -1;
  std::string out, err;
  double seconds = 0;
};

class ProgramTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "fovea-cli-XXXXXX").string();
    folder_ = ::mkdtemp(pattern.data());
    home_ = folder_ / "home";
  }
  void TearDown() override { fs::remove_all(folder_); }

  // `words` as a shell reads them, in the test's folder; `launcher` are words in front of the program.
  Outcome fovea(const std::string& words, const std::string& launcher = {}) const {
    const auto start = std::chrono::steady_clock::now();
    const std::string line = "cd '" + folder_.string() + "' && FOVEA_HOME='" + home_.string() + "' " + launcher +
                             " '" FOVEA_PROGRAM "' " + words + " >'" + (folder_ / "out").string() + "' 2>'" +
                             (folder_ / "err").string() + "' </dev/null";
    const int status = std::system(line.c_str());
    Outcome outcome;
    outcome.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    outcome.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    outcome.out = read(folder_ / "out");
    outcome.err = without_waiting(read(folder_ / "err"));
    return outcome;
  }

  // A slow machine waits for data longer than the five seconds after which the program says so.
  static std::string without_waiting(const std::string& said) {
    return std::regex_replace(said, std::regex("reading the data: [0-9.a-z ]+\n"), "");
  }

  // As fovea(), without waiting for its end; the words are split at blanks. What it says stands in the files out and err
  // of its name.
  pid_t start(const std::string& words, const std::string& name) const {
    const pid_t child = ::fork();
    if (child != 0) return child;
    ::setenv("FOVEA_HOME", home_.c_str(), 1);
    [[maybe_unused]] const int moved = ::chdir(folder_.c_str());
    [[maybe_unused]] const FILE* const files[] = {std::freopen("/dev/null", "r", stdin),
                                                  std::freopen((name + ".out").c_str(), "w", stdout),
                                                  std::freopen((name + ".err").c_str(), "w", stderr)};
    std::istringstream in(words);
    std::vector<std::string> split{FOVEA_PROGRAM};
    for (std::string word; in >> word;) split.push_back(word);
    std::vector<char*> arguments;
    for (std::string& word : split) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    ::execv(FOVEA_PROGRAM, arguments.data());
    ::_exit(127);
  }
  Outcome end_of(pid_t child, const std::string& name) const {
    int status = 0;
    ::waitpid(child, &status, 0);
    Outcome outcome;
    outcome.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    outcome.out = read(folder_ / (name + ".out"));
    outcome.err = read(folder_ / (name + ".err"));
    return outcome;
  }

  nlohmann::json json(const std::string& words) const {
    const Outcome outcome = fovea(words);
    EXPECT_EQ(outcome.code, 0) << words << "\n" << outcome.err;
    return nlohmann::json::parse(outcome.out, nullptr, false);
  }

  // Every point of every run of the store, in an order of its own: two stores say the same if they hold the same runs.
  std::string series_of_all() const {
    EXPECT_EQ(fovea("export --all -o all.csv --format csv").code, 0);
    std::istringstream in(read(folder_ / "all.csv"));
    std::vector<std::string> lines;
    for (std::string line; std::getline(in, line);) lines.push_back(line.substr(line.find(',') + 1));  // less the id
    std::ranges::sort(lines);
    std::string text;
    for (const std::string& line : lines) text += line + "\n";
    return text;
  }

  void write(const std::string& name, const std::string& text) const { std::ofstream(folder_ / name) << text; }

  // False where it does not come about within five minutes.
  static bool wait_until(const std::function<bool()>& condition) {
    for (int i = 0; i < 30'000; ++i) {
      if (condition()) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return false;
  }

  static std::string read(const fs::path& path) {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
  }

  fs::path folder_, home_;
};

inline ::testing::AssertionResult says(const std::string& text, const std::string& part) {
  if (text.find(part) != std::string::npos) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << "'" << text << "' lacks '" << part << "'";
}

}  // namespace fovea::testing
