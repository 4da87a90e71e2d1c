#include "fovea/data/text/entity_spans.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>

#include "fovea/io/whitespace.h"

namespace fovea {
namespace {

struct Sentence {
  std::string name;
  SpanCounts counted;  // by hand
  std::vector<std::string> wanted, said;

  SpanCounts counts() const {
    SpanCounts counts;
    counts.add(std::vector<std::string_view>(said.begin(), said.end()),
               std::vector<std::string_view>(wanted.begin(), wanted.end()));
    return counts;
  }
};

std::vector<Sentence> made_sentences() {
  std::vector<Sentence> all;
  std::ifstream file(FOVEA_SOURCE_DIR "/tests/data/text/entity_spans.txt");
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line.starts_with('#')) continue;
    if (const std::size_t colon = line.find(": "); colon != line.npos) {
      all.push_back({line.substr(0, colon), {}, {}, {}});
      std::istringstream(line.substr(colon + 2)) >> all.back().counted.wanted >> all.back().counted.said >>
          all.back().counted.right;
      continue;
    }
    const auto columns = split_at_whitespace(line);
    all.back().wanted.push_back(columns.at(1));
    all.back().said.push_back(columns.at(2));
  }
  return all;
}

TEST(EntitySpans, AreCountedAsByHand) {
  const auto all = made_sentences();
  ASSERT_EQ(all.size(), 21u);
  SpanCounts sum, counted;
  for (const Sentence& sentence : all) {
    SCOPED_TRACE(sentence.name);
    const SpanCounts counts = sentence.counts();
    EXPECT_EQ(counts.wanted, sentence.counted.wanted);
    EXPECT_EQ(counts.said, sentence.counted.said);
    EXPECT_EQ(counts.right, sentence.counted.right);
    for (const auto part : {&SpanCounts::wanted, &SpanCounts::said, &SpanCounts::right})
      sum.*part += counts.*part, counted.*part += sentence.counted.*part;
  }
  EXPECT_EQ(counted.wanted, 24);
  EXPECT_EQ(counted.said, 27);
  EXPECT_EQ(counted.right, 13);
  EXPECT_DOUBLE_EQ(sum.precision(), 13.0 / 27);
  EXPECT_DOUBLE_EQ(sum.recall(), 13.0 / 24);
  EXPECT_DOUBLE_EQ(sum.f1(), 26.0 / 51);
}

TEST(EntitySpans, WithoutSpansNothingIsRight) {
  const SpanCounts none;
  EXPECT_EQ(none.precision(), 0);
  EXPECT_EQ(none.recall(), 0);
  EXPECT_EQ(none.f1(), 0);
}

TEST(EntitySpans, HaveBordersAndTypes) {
  const std::vector<std::string_view> tags{"I-a", "B-a", "I-a", "O", "I-b", "I-a", "B-a"};
  const std::vector<EntitySpan> spans{{0, 1, "a"}, {1, 3, "a"}, {4, 5, "b"}, {5, 6, "a"}, {6, 7, "a"}};
  EXPECT_EQ(entity_spans(tags), spans);
}

}  // namespace
}  // namespace fovea
