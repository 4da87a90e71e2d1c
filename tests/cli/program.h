// Runs the program as a person would, with a store of its own in an empty folder.
#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

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

  // `words` as a shell reads them, in the test's folder.
  Outcome fovea(const std::string& words) const {
    const auto start = std::chrono::steady_clock::now();
    const std::string line = "cd '" + folder_.string() + "' && FOVEA_HOME='" + home_.string() +
                             "' '" FOVEA_PROGRAM "' " + words + " >'" + (folder_ / "out").string() + "' 2>'" +
                             (folder_ / "err").string() + "' </dev/null";
    const int status = std::system(line.c_str());
    Outcome outcome;
    outcome.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    outcome.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    outcome.out = read(folder_ / "out");
    outcome.err = read(folder_ / "err");
    return outcome;
  }

  nlohmann::json json(const std::string& words) const {
    const Outcome outcome = fovea(words);
    EXPECT_EQ(outcome.code, 0) << words << "\n" << outcome.err;
    return nlohmann::json::parse(outcome.out, nullptr, false);
  }

  void write(const std::string& name, const std::string& text) const { std::ofstream(folder_ / name) << text; }

  static std::string read(const fs::path& path) {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
  }

  fs::path folder_, home_;
};

}  // namespace fovea::testing
