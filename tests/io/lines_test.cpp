#include "fovea/io/lines.h"

#include <vector>

#include "tests/io/packed.h"
#include "tests/io/scratch_folder.h"

namespace fovea {
namespace {

std::vector<std::string> lines_of(const std::string& bytes, std::size_t longest = longest_line_read) {
  LineReader reader(ByteReader(bytes, {"memory"}), longest);
  std::vector<std::string> lines;
  for (std::string_view line; reader.next(line);) lines.emplace_back(line);
  return lines;
}
using Lines = std::vector<std::string>;

TEST(Lines, EndsMayBeEitherOrMissing) {
  EXPECT_EQ(lines_of("a\nb\r\n\nc"), (Lines{"a", "b", "", "c"}));
  EXPECT_EQ(lines_of("a\n"), Lines{"a"});
  EXPECT_EQ(lines_of(""), Lines{});
  EXPECT_EQ(lines_of("\n"), Lines{""});
  EXPECT_EQ(lines_of("a\rb\n"), Lines{"a\rb"}) << "a CR alone ends no line";
}

TEST(Lines, AByteOrderMarkIsPassedOver) {
  EXPECT_EQ(lines_of("\xef\xbb\xbfq\n\xef\xbb\xbfw"), (Lines{"q", "\xef\xbb\xbfw"}));
  EXPECT_EQ(lines_of("\xef\xbb\xbf"), Lines{});
  EXPECT_SAYS(wrong_input_of([] {
                lines_of(
                    std::string("\xff\xfe"
                                "a\0",
                                4));
              }),
              "memory: is UTF-16");
}

TEST(Lines, AZeroByteIsNoText) {
  LineReader reader(ByteReader(std::string_view("a\nb\0c\nd", 7), {"memory"}));
  std::string_view line;
  ASSERT_TRUE(reader.next(line));
  EXPECT_SAYS(wrong_input_of([&] { reader.next(line); }), "memory:2:2: byte 2 of this line is zero");
  ASSERT_TRUE(reader.next(line));
  EXPECT_EQ(line, "d");
  EXPECT_SAYS(wrong_input_of([] { lines_of(std::string("a\0\n\0", 4)); }), "iconv -f UTF-16LE");  // without its mark
}

TEST(Lines, AreTheSameHoweverTheyArePacked) {
  std::string bytes;
  Lines wanted;
  for (int i = 0; i < 50'000; ++i) {
    wanted.push_back("line " + std::to_string(i) + std::string(static_cast<std::size_t>(i % 37), 'x'));
    bytes += wanted.back() + "\n";
  }
  EXPECT_EQ(lines_of(bytes), wanted);
  EXPECT_EQ(lines_of(gzipped(bytes)), wanted);
  EXPECT_EQ(lines_of(zstandard(bytes)), wanted);
  const std::size_t half = bytes.find('\n', bytes.size() / 2) + 1;
  EXPECT_EQ(lines_of(gzipped(bytes.substr(0, half)) + gzipped(bytes.substr(half))), wanted) << "two members";
  EXPECT_EQ(lines_of(zstandard(bytes.substr(0, half)) + zstandard(bytes.substr(half))), wanted) << "two frames";
  EXPECT_EQ(lines_of(gzipped(bytes) + std::string(512, '\0')), wanted) << "padding";
}

TEST(Lines, TheFirstBytesDecideWhateverTheNameIs) {
  for (const char* name : {"texts.tsv.gz", "texts.tsv.zst", "texts.tsv"})
    for (const std::string& packed : {gzipped("a line\n"), zstandard("a line\n")}) {
      LineReader reader(ByteReader(packed, {name}));
      std::string_view line;
      ASSERT_TRUE(reader.next(line)) << name;
      EXPECT_EQ(line, "a line") << name;
    }
  EXPECT_SAYS(wrong_input_of([] { ByteReader("a line\n", {"texts.tsv.gz"}); }), "is not packed by gzip");
}

TEST(Lines, PackedDataThatEndEarlyOrAreDamagedAreRefused) {
  std::string bytes;
  for (int i = 0; i < 20'000; ++i) bytes += std::to_string(i * i) + "\n";
  for (const bool zstd : {false, true}) {
    const std::string packed = zstd ? zstandard(bytes) : gzipped(bytes);
    const std::string name = zstd ? "zstd" : "gzip";
    EXPECT_SAYS(wrong_input_of([&] { lines_of(packed.substr(0, packed.size() / 2)); }), name + " data end too early");
    EXPECT_SAYS(wrong_input_of([&] { lines_of(packed.substr(0, packed.size() - 1)); }), name + " data end too early");
    EXPECT_SAYS(wrong_input_of([&] { lines_of(packed.substr(0, 4)); }), name + " data end too early");
    std::string damaged = packed;
    for (std::size_t i = packed.size() / 2; i < packed.size() / 2 + 8; ++i) damaged[i] = static_cast<char>(~damaged[i]);
    EXPECT_SAYS(wrong_input_of([&] { lines_of(damaged); }), "damaged " + name + " data");
  }
}

TEST(Lines, ALineTooLongIsRefusedAndTheNextIsRead) {
  const std::string bytes = "first\n" + std::string(10'000'000, 'x') + "\nthird";
  LineReader reader(ByteReader(bytes, {"memory"}));
  std::string_view line;
  ASSERT_TRUE(reader.next(line));
  EXPECT_SAYS(wrong_input_of([&] { reader.next(line); }), "memory:2: this line is longer than 1048576 bytes");
  ASSERT_TRUE(reader.next(line));
  EXPECT_EQ(line, "third");
  EXPECT_EQ(reader.line(), 3);
  EXPECT_FALSE(reader.next(line));
  EXPECT_EQ(lines_of("abc\nabc", 3), (Lines{"abc", "abc"}));
  EXPECT_SAYS(wrong_input_of([] { lines_of("abcd\n", 3); }), "longer than 3 bytes");
}

TEST(Lines, BytesThatAreNotUtf8AreRefusedWithTheirPlace) {
  const std::string bytes = "gut\nsch\xf6n\nnext\n";
  LineReader reader(ByteReader(bytes, {"memory"}));
  std::string_view line;
  ASSERT_TRUE(reader.next(line));
  EXPECT_SAYS(wrong_input_of([&] { reader.next(line); }), "memory:2:4: is not UTF-8: byte 4 of this line is f6");
  ASSERT_TRUE(reader.next(line));
  EXPECT_EQ(line, "next");
}

TEST(Lines, Utf8IsCheckedWhole) {
  const auto good = [](const std::string& text) { return utf8_prefix(text) == text.size(); };
  for (const char* text : {"", "plain text of ASCII", "ä", "日本語", "\U0001F600", "\xef\xbf\xbf", "\xf4\x8f\xbf\xbf",
                           "12345678ä1234567\xe2\x82\xac"})
    EXPECT_TRUE(good(text)) << text;
  for (const char* text : {"\x80", "\xc0\xaf", "\xc1\xbf", "\xe0\x80\x80", "\xed\xa0\x80", "\xf0\x80\x80\x80",
                           "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xc3", "\xe2\x82", "\xf0\x9f\x98", "\xc3(", "\xff"})
    EXPECT_FALSE(good(text)) << static_cast<int>(static_cast<unsigned char>(text[0]));
  EXPECT_EQ(utf8_prefix("12345678abc\xff"), 11u);
}

TEST(Lines, FilesThatAreNoneAreRefused) {
  EXPECT_SAYS(wrong_input_of([] { ByteReader("/nowhere/at/all.txt"); }), "/nowhere/at/all.txt: there is no such file");
  EXPECT_SAYS(wrong_input_of([] { ByteReader{std::filesystem::temp_directory_path()}; }), "is a folder, not a file");
}

}  // namespace
}  // namespace fovea
