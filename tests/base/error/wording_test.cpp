#include "fovea/base/error/wording.h"

#include <gtest/gtest.h>

#include <regex>

#include "fovea/base/error/names.h"

namespace fovea {
namespace {

const std::vector<std::string> names{"steps", "rate"};

Remedy remedy_of(int code) { return {static_cast<Remedy::Code>(code), {{"train.rate", {}}, {"quick", {}}, {3, {}}}}; }

TEST(Wording, PlainWordsNameNoCommandOptionOrCall) {
  const std::regex foreign(R"(--[a-z]|\bfovea\b|\w\(|=True)");
  for (int code = 1; code < static_cast<int>(Remedy::Code::count_); ++code) {
    const std::string text = remedy_of(code).text();
    EXPECT_FALSE(text.empty()) << code;
    EXPECT_FALSE(std::regex_search(text, foreign)) << code << ": " << text;
  }
}

TEST(Wording, ArgumentsStandInTheSentence) {
  EXPECT_EQ(Remedy::resume_run(12).text(), "continue run 12");
  EXPECT_EQ(Remedy::train_again_with("train.keep_weights", "always").text(),
            "train it again with train.keep_weights = always");
  EXPECT_EQ(Remedy::or_skip("correct the line", "lines").text(), "correct the line, or let such lines be skipped");
}

TEST(Wording, NearestNameIsData) {
  const Remedy near = suggest_name("stepz", names);
  EXPECT_EQ(near.code, Remedy::Code::did_you_mean);
  EXPECT_EQ(near.nearest(), "steps");
  EXPECT_EQ(near.text(), "did you mean 'steps'?");
  const Remedy far = suggest_name("zzzzz", names);
  EXPECT_EQ(far.code, Remedy::Code::choose_from);
  EXPECT_EQ(far.nearest(), "");
  EXPECT_EQ(far.text(), "known are: steps, rate");
  EXPECT_EQ(suggest_name("zzzzz", {}).text(), "none is known");
  const Remedy corpus = suggest_name(Remedy::Code::find_corpus, "stepz", names);
  EXPECT_EQ(corpus.nearest(), "steps");
  EXPECT_EQ(corpus.text(), "did you mean 'steps'?");
  EXPECT_EQ(suggest_name(Remedy::Code::find_corpus, "zzzzz", names).text(), "known are: steps, rate");
  EXPECT_EQ(Remedy("take another").nearest(), "");
}

TEST(Wording, ValuesAndKindsAreSaidAsSpecFilesHaveThem) {
  const Value table{ValueTable{{"a", {1, {}}}, {"b", {true, {}}}}, {}};
  EXPECT_EQ(message("{} must be {}, not {} ({})", "task", ValueKind::text, table.kind(), table).text(),
            "task must be a text, not a table ({ a = 1, b = true })");
  EXPECT_EQ(message("add {}; {} more", Message::Entry{"name", {"…", {}}}, 2).text(), "add name = \"…\"; 2 more");
  EXPECT_EQ(message("{}", Message::Entry{"train.rate", {0.5, {}}}).text(), "\"train.rate\" = 0.5");
  EXPECT_EQ(message("write {}", Message::Tables{"claim"}).text(), "write [[claim]]");
  EXPECT_EQ(message("{} of {}", "x", message("a {}", ValueKind::list)).text(), "x of a a list");
}

TEST(Wording, OnlyWhatSaysNothingIsEmpty) {
  EXPECT_TRUE(Message().empty());
  EXPECT_TRUE(Message("").empty());
  EXPECT_FALSE(Message(ValueKind::table).empty());
  EXPECT_TRUE(Remedy().empty());
  EXPECT_FALSE(Remedy("x").empty());
  EXPECT_FALSE(Remedy::see_runs().empty());
}

TEST(Wording, PlacesKnowWhatTheyAre) {
  EXPECT_EQ((Location{"a.toml", 3, 9}).text(), "a.toml:3:9");
  EXPECT_EQ((Location{"mine", 3, 9, Location::Kind::spec}).text(), "mine");
  EXPECT_EQ(Location::setting("task.vocab=60").text(), "task.vocab=60");
  EXPECT_EQ(Location::argument("sort").text(), "sort");
  EXPECT_STREQ(wrong_input("x is wrong", Remedy::see_runs(), Location::argument("sort")).what(),
               "sort: x is wrong. See the list of runs.");
}

}  // namespace
}  // namespace fovea
