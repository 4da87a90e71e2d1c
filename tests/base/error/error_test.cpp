#include "fovea/base/error/error.h"

#include <gtest/gtest.h>

#include "fovea/base/error/names.h"

namespace fovea {
namespace {

TEST(Error, IsOneParagraphOfPlaceProblemAndRemedy) {
  EXPECT_STREQ(wrong_input("unknown key 'stepz'", "did you mean 'steps'?", {"a.toml", 3, 9}).what(),
               "a.toml:3:9: unknown key 'stepz'. Did you mean 'steps'?");
  EXPECT_STREQ(failure("it broke").what(), "it broke.");
}

TEST(Error, ShortensNamesAndValuesOfAnySize) {
  const std::string huge(1 << 20, 'x');
  const std::string text = wrong_input("there is no setting '" + huge + "' here", "take another than " + huge).what();
  EXPECT_LT(text.size(), 1000u);
  EXPECT_EQ(text.rfind("there is no setting 'xxxx", 0), 0u);
  EXPECT_NE(text.find("xxx' here. Take another than xxx"), std::string::npos) << text;

  std::string words;
  for (int i = 0; i < 100'000; ++i) words += "ab ";
  const std::string many = wrong_input("'" + words + "' is not a condition", "write one").what();
  EXPECT_LT(many.size(), 2000u);
  EXPECT_NE(many.find("is not a condition. Write one."), std::string::npos);

  const std::string legible = "the spec names 30 probes and the model has attention of 4 rows";
  EXPECT_EQ(fit_for_message(legible), legible);
}

TEST(Error, CutsBetweenLetters) {
  std::string word;
  for (int i = 0; i < 500; ++i) word += "日";
  for (std::size_t shift = 0; shift < 3; ++shift) {
    const std::string cut = fit_for_message(std::string(shift, 'a') + word);
    EXPECT_LT(cut.size(), 200u);
    std::size_t at = shift;
    for (; at < cut.size(); at += 3) {  // nothing but whole letters of three bytes
      const std::string letter = cut.substr(at, 3);
      EXPECT_TRUE(letter == "日" || letter == "…") << at;
    }
    EXPECT_EQ(at, cut.size());
  }
}

TEST(Error, WritesControlCharactersOut) {
  EXPECT_EQ(fit_for_message("a\nb\tc"), "a b c");
  EXPECT_EQ(fit_for_message("\x1b[31mred\x7f"), "\\x1b[31mred\\x7f");
  EXPECT_EQ(fit_for_message(std::string_view("a\0b", 3)), "a\\x00b");
}

TEST(NearestName, IsQuickForWordsOfAnySize) {
  const std::vector<std::string> names{"accuracy", "loss"};
  EXPECT_EQ(nearest_name(std::string(1 << 24, 'a'), names), "");
  EXPECT_EQ(nearest_name("acuracy", names), "accuracy");
}

}  // namespace
}  // namespace fovea
