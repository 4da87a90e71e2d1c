#include "fovea/base/file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "fovea/base/error/error.h"

namespace fovea {
namespace {

namespace fs = std::filesystem;

class FileTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "fovea-file-XXXXXX").string();
    folder_ = ::mkdtemp(pattern.data());
  }
  void TearDown() override { fs::remove_all(folder_); }
  fs::path folder_;
};

std::string error_text(const std::function<void()>& act, Error::Kind kind) {
  try {
    act();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), kind);
    return error.what();
  }
  ADD_FAILURE() << "no error";
  return {};
}

TEST_F(FileTest, WhatIsWrittenIsRead) {
  std::string bytes(300'000, '\0');
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<char>(i * 31);
  write_whole(folder_ / "a", bytes);
  EXPECT_EQ(read_file(folder_ / "a", 1'000'000), bytes);
  write_whole(folder_ / "a", "");
  EXPECT_EQ(read_file(folder_ / "a", 0), "");
}

TEST_F(FileTest, AFolderIsMadeWithThoseAboveIt) {
  make_folder(folder_ / "a" / "b", "name another");
  EXPECT_TRUE(fs::is_directory(folder_ / "a" / "b"));
  make_folder(folder_ / "a" / "b", "name another");
  write_whole(folder_ / "file", "x");
  const auto wrong = error_text([&] { make_folder(folder_ / "file", "name another"); }, Error::Kind::wrong_input);
  EXPECT_EQ(wrong, (folder_ / "file").string() + ": is a file. Name another.");
  const auto inside = error_text([&] { make_folder(folder_ / "file" / "b", "name another"); }, Error::Kind::failure);
  EXPECT_NE(inside.find("the folder cannot be made: "), std::string::npos) << inside;
}

TEST_F(FileTest, AFileMadePieceByPieceIsThereOnceItIsWhole) {
  const fs::path path = folder_ / "pieces";
  for (const bool durable : {true, false}) {
    WholeFile file(path, durable);
    file.write("one ");
    file.write("");
    EXPECT_EQ(fs::exists(path), !durable);  // what the first round left is still there
    file.write("two");
    file.commit();
    EXPECT_EQ(read_file(path, 100), "one two");
  }
  {
    WholeFile given_up(path);
    given_up.write("other");
  }
  EXPECT_EQ(read_file(path, 100), "one two");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()), 1);
}

TEST_F(FileTest, NothingElseIsLeftBehind) {
  write_whole(folder_ / "a", "one");
  write_whole(folder_ / "a", "two");
  int files = 0;
  for ([[maybe_unused]] const auto& entry : fs::directory_iterator(folder_)) ++files;
  EXPECT_EQ(files, 1);
}

TEST_F(FileTest, AMissingFileAFolderAndAFileTooLargeAreNamed) {
  EXPECT_EQ(error_text([&] { read_file(folder_ / "none", 10); }, Error::Kind::wrong_input),
            (folder_ / "none").string() + ": there is no such file. Check the path.");
  EXPECT_EQ(error_text([&] { read_file(folder_, 10); }, Error::Kind::wrong_input),
            folder_.string() + ": is a folder, not a file. Name a file in it.");
  write_whole(folder_ / "big", "12345678901");
  EXPECT_EQ(
      error_text([&] { read_file(folder_ / "big", 10); }, Error::Kind::wrong_input),
      (folder_ / "big").string() + ": is larger than the 10 bytes that are read. Check that it is the right file.");
}

TEST_F(FileTest, ALinkStaysAndADeviceIsWrittenTo) {
  write_whole(folder_ / "target", "old");
  fs::create_symlink(folder_ / "target", folder_ / "link");
  write_whole(folder_ / "link", "new");
  EXPECT_TRUE(fs::is_symlink(folder_ / "link"));
  EXPECT_EQ(read_file(folder_ / "target", 100), "new");
  write_whole("/dev/null", "gone");
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
  EXPECT_THROW(write_whole("/dev/full", "no room"), Error);
  EXPECT_TRUE(fs::is_character_file("/dev/full"));
  EXPECT_THROW(write_whole(folder_, "a folder"), Error);
}

TEST_F(FileTest, ADeviceWithoutEndStopsAtTheLimit) { EXPECT_THROW(read_file("/dev/zero", 100'000), Error); }

TEST_F(FileTest, WritingWhereNoFolderIsFailsAndSaysSo) {
  const std::string text = error_text([&] { write_whole(folder_ / "no" / "a", "x"); }, Error::Kind::failure);
  EXPECT_NE(text.find("cannot be written"), std::string::npos) << text;
}

TEST_F(FileTest, AFullDiskLeavesTheOldFile) {
  const fs::path disk = folder_ / "disk";
  fs::create_directory(disk);
  if (::geteuid() != 0 ||
      std::system(("mount -t tmpfs -o size=64k tmpfs " + disk.string() + " 2>/dev/null").c_str()) != 0)
    GTEST_SKIP() << "mounting a small disk needs the right to mount";
  write_whole(disk / "a", "old");
  const std::string text =
      error_text([&] { write_whole(disk / "a", std::string(200'000, 'x')); }, Error::Kind::failure);
  EXPECT_NE(text.find("the disk is full"), std::string::npos) << text;
  EXPECT_EQ(read_file(disk / "a", 100), "old");
  int files = 0;
  for ([[maybe_unused]] const auto& entry : fs::directory_iterator(disk)) ++files;
  EXPECT_EQ(files, 1);
  ASSERT_EQ(std::system(("umount " + disk.string()).c_str()), 0);
}

TEST_F(FileTest, TheHomeFolderFollowsTheEnvironment) {
  const auto restore = [name = "FOVEA_HOME", old = std::getenv("FOVEA_HOME")] {
    if (old) ::setenv(name, old, 1);
    else ::unsetenv(name);
  };
  ::setenv("FOVEA_HOME", "/somewhere", 1);
  EXPECT_EQ(home_folder(), "/somewhere");
  ::unsetenv("FOVEA_HOME");
  ::setenv("XDG_DATA_HOME", "/data", 1);
  EXPECT_EQ(home_folder(), "/data/fovea");
  ::unsetenv("XDG_DATA_HOME");
  restore();
}

}  // namespace
}  // namespace fovea
