#include "fovea/io/utf8.h"

#include <gtest/gtest.h>

namespace fovea {
namespace {

TEST(Utf8, DropsControlCharactersAndMendsBrokenUtf8) {
  EXPECT_EQ(clean_utf8(std::string("a\0b\x1b[c\x07", 7)), "ab[c");
  EXPECT_EQ(clean_utf8("x\xff\xc3"), "x\xef\xbf\xbd\xef\xbf\xbd");
  EXPECT_EQ(clean_utf8("\xc0\xaf"), "\xef\xbf\xbd\xef\xbf\xbd");  // an overlong slash is no slash
  EXPECT_EQ(clean_utf8("\xed\xa0\x80").find('\xed'), std::string::npos);
  EXPECT_EQ(clean_utf8("日本 𝛼 é"), "日本 𝛼 é");
}

TEST(Utf8, CodePointsReadBackAsTheirBytes) {
  const std::string text = "aé日𝛼";
  std::string again;
  for (const char32_t c : code_points(text)) append_utf8(again, c);
  EXPECT_EQ(again, text);
  EXPECT_EQ(code_points(text), (std::vector<char32_t>{'a', 0xe9, 0x65e5, 0x1d6fc}));
}

TEST(Utf8, WhatATerminalWouldObeyIsWrittenOut) {
  EXPECT_EQ(printable("a\tb\nc ü"), "a b c ü");
  EXPECT_EQ(printable("\x1b[2J\a\u009b\u202e!"), "\\u{1b}[2J\\u{7}\\u{9b}\\u{202e}!");
}

}  // namespace
}  // namespace fovea
