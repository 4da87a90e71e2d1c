// The weights of a run's checkpoints, and their digests, are read from the file as they were written.
#include "fovea/lab/train/weights_file.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "fovea/base/error/error.h"
#include "fovea/io/sha256.h"

namespace fovea {
namespace {

std::vector<std::byte> bytes(char first) {
  std::vector<std::byte> all(4);
  for (std::size_t i = 0; i < all.size(); ++i)
    all[i] = std::byte(static_cast<unsigned char>(first + static_cast<char>(i)));
  return all;
}

RunRecord run_with_checkpoints() {
  RunRecord run;
  run.weights = {{"10/w.b", {1}, "F32", bytes('a')}, {"10/w.a", {1}, "F32", bytes('e')},
                 {"2/w.b", {1}, "F32", bytes('i')},  {"2/w.a", {1}, "F32", bytes('m')},
                 {"w.b", {1}, "F32", bytes('q')},    {"w.a", {1}, "F32", bytes('u')}};
  return run;
}

TEST(WeightsFile, HasTheWeightsOfEachStepAndTheirDigest) {
  const TensorFile file = TensorFile::parse(weights_file(run_with_checkpoints(), "hash"), "weights");
  const std::vector<KeptCheckpoint> all = checkpoints_in(file);
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].step, 2);
  EXPECT_EQ(all[1].step, 10);
  ASSERT_EQ(all[1].weights.size(), 2u);
  EXPECT_EQ(all[1].weights[0].name, "w.b");
  EXPECT_EQ(all[1].weights[1].name, "w.a");
  EXPECT_TRUE(std::ranges::equal(all[1].weights[0].bytes, bytes('a')));
  Sha256 sum;
  sum.add("efghabcd");  // w.a is before w.b
  EXPECT_EQ(all[1].sha256, sum.hex());
  EXPECT_NE(all[0].sha256, all[1].sha256);
  ASSERT_TRUE(file.find("w.a"));
  EXPECT_TRUE(std::ranges::equal(file.find("w.a")->bytes, bytes('u')));
}

TEST(WeightsFile, WeightsWithoutTheirDigestAreRefused) {
  std::string text = weights_file(run_with_checkpoints(), "hash");
  text[text.rfind("abcd")] = 'x';
  EXPECT_THROW(checkpoints_in(TensorFile::parse(text, "weights")), Error);
  const std::string key = "sha256 10";
  text = weights_file(run_with_checkpoints(), "hash");
  text.replace(text.find(key), key.size(), "sha256 11");
  EXPECT_THROW(checkpoints_in(TensorFile::parse(text, "weights")), Error);
}

TEST(WeightsFile, NamesOfParametersAreOfNoStep) {
  for (const char* name : {"w", "layer.1.query.weight", "1", "12.a/b", "/w", "a1/w"})
    EXPECT_FALSE(is_of_checkpoint(name)) << name;
  EXPECT_TRUE(is_of_checkpoint(checkpoint_name(0, "w")));
  EXPECT_TRUE(is_of_checkpoint(checkpoint_name(1 << 30, "layer.1.query.weight")));
}

}  // namespace
}  // namespace fovea
