#include "fovea/data/text/word_alignment.h"

#include "tests/io/scratch_folder.h"

namespace fovea {
namespace {

using Links = std::vector<AlignedPair>;

TEST(WordAlignment, HasEachLinkOnce) {
  EXPECT_EQ(parse_alignment("2p3  0-0 0p0 2-1 0-0\t", {}).links, (Links{{0, 0, true}, {2, 1, true}, {2, 3, false}}));
  EXPECT_EQ(parse_alignment(" ", {}).links, Links{});
}

TEST(WordAlignment, AWrongLinkIsNamedWithItsPlace) {
  for (const std::string link : {"0_1", "0-", "-1-0", "a-0", "0-1x", "0", "p0", "0--1", "99999999-0", "0-99999999999"})
    EXPECT_SAYS(wrong_input_of([&] { parse_alignment("0-0 " + link, {"gold.txt", 7}); }),
                "gold.txt:7: '" + link + "' is no link between two words");
}

class AlignmentFile : public WithScratchFolder {};

TEST_F(AlignmentFile, IsReadLineByLine) {
  const auto all = read_alignments(put("gold.txt", "0-0 1p1\r\n\n1-0"));
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[0].links, (Links{{0, 0, true}, {1, 1, false}}));
  EXPECT_TRUE(all[1].links.empty());
  EXPECT_EQ(all[2].links, (Links{{1, 0, true}}));
  EXPECT_EQ(all[2].location.line, 3);
  EXPECT_SAYS(wrong_input_of([&] { read_alignments(put("bad.txt", "0-0\n0=0\n")); }), "bad.txt:2: '0=0' is no link");
  EXPECT_SAYS(wrong_input_of([&] { read_alignments(put("empty.txt", "")); }), "empty.txt: has no line");
  EXPECT_SAYS(wrong_input_of([&] { read_alignments(folder_ / "none.txt"); }), "none.txt");
}

}  // namespace
}  // namespace fovea
