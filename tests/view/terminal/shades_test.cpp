#include "fovea/view/terminal/shades.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/view/markup_check.h"

namespace fovea {
namespace {

ExampleView review() {
  ExampleView seen;
  seen.run = 3;
  seen.example = 2;
  seen.source = {"the", "<film>", "is", "wonderful"};
  seen.label = "positive";
  seen.quantities = {
      {"α", false, {{0.0, 0.25, 0.0, 0.75}}}, {"β", false, {{0, -4, 1, 8}}}, {"Δ", false, {{0, 0, 0, 0}}}};
  return seen;
}

ExampleView translation() {
  ExampleView seen;
  seen.source = {"malu", "vidak"};
  seen.target = {"dog", "sees", "<end>"};
  seen.quantities = {{"α", false, {{1, 0}, {0, 1}, {0.5, 0.5}}},
                     {"β", true, {{std::log(0.5), std::log(0.001)}, {-9, -1}, {-1, -1}}}};
  return seen;
}

TEST(Shades, OfTagsAreOfTheWordsOfNames) {
  ExampleView seen;
  seen.tagged = true;
  seen.source = {"dr", "ada", "runs"};
  seen.target = {"O", "B-per", "O"};
  seen.quantities = {{"α", false, {{1, 0, 0}, {0.9, 0.1, 0}, {0, 0, 1}}}};
  const std::string text = shades_text(seen, {});
  EXPECT_NE(text.find("α, of each word with a tag\nB-per ada │ dr█ ada runs\n"), std::string::npos) << text;
  EXPECT_EQ(text.find("O dr"), std::string::npos) << text;
  seen.answers = {"O", "B-loc", "B-per"};
  const std::string answered = shades_text(seen, {});
  EXPECT_NE(answered.find("B-per → B-loc ada │ dr█ ada runs\n   O → B-per runs │ dr ada runs█\n"), std::string::npos)
      << answered;
  EXPECT_NE(answered.find("→  the right tag, and the tagger's answer\n"), std::string::npos) << answered;
  seen.answers = seen.target = {"O", "O", "O"};
  EXPECT_TRUE(shades_text(seen, {}).ends_with("No word of this sentence is of a name. Choose another sentence.\n"));
}

TEST(Shades, AreSharesOfTheLargest) {
  EXPECT_EQ(shades_of({0.25, 0.5, 0}, false), (std::vector<double>{0.5, 1, 0}));
  EXPECT_EQ(shades_of({-4, 2}, false), (std::vector<double>{-1, 0.5}));
  EXPECT_EQ(shades_of({0, 0}, false), (std::vector<double>{0, 0}));
  const std::vector<double> probabilities = shades_of({std::log(0.2), std::log(0.4)}, true);
  EXPECT_NEAR(probabilities[0], 0.5, 1e-12);
  EXPECT_NEAR(probabilities[1], 1, 1e-12);
}

TEST(Shades, StandBesideEachOtherInTheTerminal) {
  const std::string text = shades_text(review(), {});
  EXPECT_NE(text.find("class positive"), std::string::npos);
  EXPECT_NE(text.find("wonderful█"), std::string::npos) << text;
  EXPECT_NE(text.find("<film>-▒"), std::string::npos) << "β speaks against it by half";
  const std::size_t line = text.find("α");
  EXPECT_NE(text.find("β", line), std::string::npos);
  EXPECT_LT(text.find("Δ", line), text.find('\n', line)) << "one line has all three";
  for (const int width : {40, 80, 200}) {
    const std::string narrow = shades_text(review(), {width, false});
    for (std::size_t begin = 0, end; (end = narrow.find('\n', begin)) != std::string::npos; begin = end + 1)
      EXPECT_LE(display_width(narrow.substr(begin, end - begin)), width);
  }
  EXPECT_NE(text.find("\nβ  evidence of the word alone\n"), std::string::npos);
  EXPECT_NE(shades_text(review(), {80, true}).find("\x1b[48;5;26"), std::string::npos);
}

TEST(Shades, SayWhichMapOfSeveralTheyShow) {
  for (ExampleView seen : {review(), translation()}) {
    EXPECT_EQ(shades_text(seen, {}).find("the map"), std::string::npos) << "there is one";
    seen.map = "head.3";
    seen.maps = {"attention", "head.1", "head.3"};
    EXPECT_NE(shades_text(seen, {}).find("α is the map 'head.3', of attention, head.1, head.3\n"), std::string::npos);
  }
}

TEST(Shades, OfATranslationAreMatrices) {
  const std::string text = shades_text(translation(), {});
  EXPECT_NE(text.find("  dog │██  \n"), std::string::npos) << text;
  EXPECT_NE(text.find(" sees │  ██\n"), std::string::npos);
  EXPECT_NE(text.find("<end> │████\n"), std::string::npos);
}

TEST(Shades, InTheReportAreWholeAndSafe) {
  for (const ExampleView& seen : {review(), translation()}) {
    const std::string html = shades_html(seen);
    EXPECT_EQ(html.find("<film>"), std::string::npos);
    EXPECT_EQ(html.find("<end>"), std::string::npos);
    EXPECT_EQ(sample::markup_fault(html), "");
  }
}

}  // namespace
}  // namespace fovea
