#include "fovea/lab/train/checkpoint.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <span>
#include <string>
#include <vector>

#include "fovea/io/safetensors.h"
#include "tests/lab/store/store_sample.h"

namespace fovea {
namespace {

using namespace testing_parts;
namespace fs = std::filesystem;

TEST(Checkpoints, WhatAKillLeftOfWritingIsRemoved) {
  const Folder folder;
  const fs::path checkpoints = folder / "checkpoints";
  EXPECT_TRUE(runs_with_checkpoints(checkpoints, [](const std::string&) { return false; }).empty());
  const std::vector<float> values{1, 2, 3};
  const Tensor tensor{"x", "F32", {3}, std::as_bytes(std::span(values))};
  for (const char* hash : {"aa", "bb"}) Checkpoints(checkpoints, hash).write({&tensor, 1}, {{"hash", hash}});
  for (const char* name : {"aa.next.safetensors.Xy12ab", "cc.next.safetensors.Xy12ab", "cc.next.safetensors"})
    std::ofstream(checkpoints / name) << "part";
  EXPECT_EQ(runs_with_checkpoints(checkpoints, [](const std::string& hash) { return hash == "aa"; }),
            (std::vector<std::string>{"aa", "bb"}));
  EXPECT_TRUE(fs::exists(checkpoints / "aa.next.safetensors.Xy12ab"));
  EXPECT_FALSE(fs::exists(checkpoints / "cc.next.safetensors.Xy12ab"));
  EXPECT_FALSE(fs::exists(checkpoints / "cc.next.safetensors"));
  EXPECT_EQ(Checkpoints::read(checkpoints / "bb.safetensors").floats("x"), values);
  Checkpoints(checkpoints, "bb").remove();
  EXPECT_TRUE(Checkpoints(checkpoints, "bb").files().empty());
}

}  // namespace
}  // namespace fovea
