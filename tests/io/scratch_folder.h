// A folder for a test's files, gone when the test is.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>

#include "fovea/base/error/error.h"

namespace fovea {

class WithScratchFolder : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (std::filesystem::temp_directory_path() / "fovea-data-XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::filesystem::path put(const std::string& name, const std::string& bytes) const {
    const std::filesystem::path path = folder_ / name;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << bytes;
    return path;
  }

  std::filesystem::path folder_;
};

// Corpora and runs of the test lie in a folder of its own.
class WithHomeFolder : public WithScratchFolder {
 protected:
  void SetUp() override {
    WithScratchFolder::SetUp();
    if (const char* home = std::getenv("FOVEA_HOME")) before_ = home;
    ::setenv("FOVEA_HOME", (folder_ / "home").c_str(), 1);
  }
  void TearDown() override {
    if (before_) ::setenv("FOVEA_HOME", before_->c_str(), 1);
    else ::unsetenv("FOVEA_HOME");
    WithScratchFolder::TearDown();
  }

 private:
  std::optional<std::string> before_;
};

// What `work` complains of, in full; fails the test if it does not, or if the blame is not on what was given.
template <class Work>
std::string wrong_input_of(Work&& work) {
  try {
    work();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), Error::Kind::wrong_input) << error.what();
    return error.what();
  }
  ADD_FAILURE() << "nothing was said to be wrong";
  return {};
}

}  // namespace fovea

#define EXPECT_SAYS(text, part)                                                    \
  do {                                                                             \
    const std::string said = (text);                                               \
    EXPECT_NE(said.find(part), std::string::npos) << said << "\n lacks: " << part; \
  } while (false)
