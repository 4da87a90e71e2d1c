#include "fovea/io/fetch/atomic_replace.h"

#include <thread>
#include <vector>

#include "tests/io/scratch_folder.h"

namespace fovea {
namespace {

namespace fs = std::filesystem;

using Move = bool (*)(const fs::path&, const fs::path&, bool);

class PutInPlaceTest : public WithScratchFolder, public testing::WithParamInterface<Move> {
 protected:
  bool move(bool replace) const { return GetParam()(folder_ / "draft", folder_ / "place", replace); }
  int count() const { return static_cast<int>(std::distance(fs::directory_iterator(folder_), {})); }
};

TEST_P(PutInPlaceTest, WhereNothingIs) {
  put("draft/new", "1");
  EXPECT_TRUE(move(false));
  EXPECT_TRUE(fs::exists(folder_ / "place/new"));
  EXPECT_EQ(count(), 1);
}

TEST_P(PutInPlaceTest, WhatIsThereStaysUnlessItIsReplaced) {
  put("draft/new", "1");
  put("place/old", "1");
  EXPECT_FALSE(move(false));
  EXPECT_TRUE(fs::exists(folder_ / "place/old"));
  EXPECT_TRUE(fs::exists(folder_ / "draft/new"));
  EXPECT_TRUE(move(true));
  EXPECT_TRUE(fs::exists(folder_ / "place/new"));
  EXPECT_FALSE(fs::exists(folder_ / "place/old"));
  EXPECT_EQ(count(), 1);
}

TEST_P(PutInPlaceTest, ALinkThatLeadsNowhereIsReplacedToo) {
  put("draft/new", "1");
  fs::create_symlink("nowhere", folder_ / "place");
  EXPECT_FALSE(move(false));
  EXPECT_TRUE(move(true));
  EXPECT_TRUE(fs::exists(folder_ / "place/new"));
  EXPECT_EQ(count(), 1);
}

TEST_P(PutInPlaceTest, WhatCanNotBeMovedIsSaidAndWhatWasThereStays) {
  put("place/old", "1");
  try {
    (void)move(true);  // there is no draft
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_SAYS(error.what(), "place: cannot be put in place");
    EXPECT_SAYS(error.what(), "Check that you may write there");
  }
  EXPECT_TRUE(fs::exists(folder_ / "place/old"));
}

INSTANTIATE_TEST_SUITE_P(Ways, PutInPlaceTest, testing::Values(&atomic_replace, &replace_by_moving),
                         [](const auto& info) { return info.index == 0 ? "AtOnce" : "InTwoMoves"; });

TEST_F(WithScratchFolder, ManyAtATimeReplaceEachOther) {
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([this, i] {
      for (int k = 0; k < 50; ++k) {
        const std::string draft = "draft" + std::to_string(i);
        put(draft + "/new", "1");
        EXPECT_TRUE(atomic_replace(folder_ / draft, folder_ / "place", true));
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_TRUE(fs::exists(folder_ / "place/new"));
}

}  // namespace
}  // namespace fovea
