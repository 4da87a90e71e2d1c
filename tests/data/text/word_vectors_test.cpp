#include "fovea/data/text/word_vectors.h"

#include <map>
#include <string>
#include <vector>

#include "fovea/io/mapped_file.h"
#include "tests/io/scratch_folder.h"

namespace fovea {
namespace {

using Vectors = std::map<std::string, std::vector<double>>;

Vectors read(std::string_view text, int width, const std::vector<std::string>& words, std::int64_t* count = nullptr) {
  Vectors vectors;
  const std::int64_t lines = read_word_vectors(
      text, {"vectors.txt"}, width,
      [&](std::string_view word) {
        const auto at = std::find(words.begin(), words.end(), word);
        return at == words.end() ? -1 : static_cast<int>(at - words.begin());
      },
      [&](int row, std::span<const double> values) {
        vectors[words[static_cast<std::size_t>(row)]] = {values.begin(), values.end()};
      });
  if (count) *count = lines;
  return vectors;
}

std::string vectors_refusal(const std::string& text, int width = 2) {
  return wrong_input_of([&] { read(text, width, {"a", "b"}); });
}

TEST(WordVectors, OfGloveAndOfWord2vec) {
  const Vectors wanted{{"a", {1, -2.5}}, {"über", {0.125, 3e-2}}};
  std::int64_t count = 0;
  EXPECT_EQ(read("a 1 -2.5\nx 5 6\nüber 0.125 3e-2\n", 2, {"über", "a", "none"}, &count), wanted);
  EXPECT_EQ(count, 3);
  EXPECT_EQ(read("3 2\na 1 -2.5 \nx 5 6 \nüber 0.125 3e-2 \n", 2, {"über", "a"}, &count), wanted);
  EXPECT_EQ(count, 3);
  EXPECT_EQ(read("\xef\xbb\xbf"
                 "a 1 -2.5\r\nüber 0.125 3e-2",
                 2, {"über", "a"}),
            wanted);
  EXPECT_EQ(read("a 7\nb 8\n", 1, {"a"}), (Vectors{{"a", {7}}}));  // of one number each: no head
}

TEST(WordVectors, TheFirstOfAWordThatComesTwiceCounts) {
  EXPECT_EQ(read("a 1 2\na 3 4\n", 2, {"a"}), (Vectors{{"a", {1, 2}}}));
}

TEST(WordVectors, AWordMayHoldBlanks) {
  EXPECT_EQ(read("b 1 2\n. . . 3 4\na 5 6\n", 2, {". . .", "a"}), (Vectors{{". . .", {3, 4}}, {"a", {5, 6}}}));
}

TEST(WordVectors, WhatIsWrongIsNamedByItsLine) {
  EXPECT_SAYS(vectors_refusal("a 1 2\nb 3\n"), "vectors.txt:2: has 1 of 2 numbers");
  EXPECT_SAYS(vectors_refusal("2 2\na 1 2\n\nb 3 4\n"), "vectors.txt:3: has 0 of 2 numbers");
  EXPECT_SAYS(vectors_refusal("x 1 2\na 1 zwei\n"), "vectors.txt:2: 'zwei' is not a number");
  EXPECT_SAYS(vectors_refusal("x 1 2\na 1 nan\n"), "vectors.txt:2: 'nan' is not a number");
  EXPECT_SAYS(vectors_refusal("x 1 2\na 1 1e300\n"), "vectors.txt:2: '1e300' is not a number");
  EXPECT_SAYS(vectors_refusal("a 1 2 3\n"), "vectors.txt:1: its vectors have 3 numbers, and the model's embeddings 2");
  EXPECT_SAYS(vectors_refusal("400000 300\na 1\n"), "vectors.txt:1: its vectors have 300 numbers");
  EXPECT_SAYS(vectors_refusal(""), "vectors.txt: has no word vectors");
  EXPECT_SAYS(vectors_refusal("5 2\n"), "has no word vectors");
  EXPECT_SAYS(vectors_refusal("3 2\na 1 2\nb 3 4\n"),
              "vectors.txt: has 2 word vectors, but its first line announces 3");
  EXPECT_SAYS(vectors_refusal("word\n"), "vectors.txt:1: has no word with its numbers");
  EXPECT_SAYS(vectors_refusal("\x1f\x8b more"), "vectors.txt: is packed");
}

class MappedFileTest : public WithScratchFolder {};

TEST_F(MappedFileTest, HoldsTheBytesOrSaysWhyNot) {
  EXPECT_EQ(MappedFile(put("a", "bytes")).bytes(), "bytes");
  EXPECT_EQ(MappedFile(put("empty", "")).bytes(), "");
  EXPECT_SAYS(wrong_input_of([&] { MappedFile(folder_ / "none"); }), "there is no such file");
  EXPECT_SAYS(wrong_input_of([&] { MappedFile{folder_}; }), "is no regular file");
}

}  // namespace
}  // namespace fovea
