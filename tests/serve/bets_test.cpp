#include "fovea/serve/bets.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "fovea/base/error/error.h"
#include "fovea/serve/api.h"

namespace fovea {
namespace {

std::string bet(const std::string& question, const std::string& browser, const std::string& steps) {
  return fmt::format(R"({{"question": "{}", "browser": "{}", "steps": {}}})", question, browser, steps);
}

TEST(Bets, EachBrowserHasOneBetAQuestion) {
  Bets bets;
  EXPECT_EQ(bets.of("copy")["bets"], Json::array());
  bets.take(bet("copy", "a", "[30, null]"));
  bets.take(bet("copy", "b", "[10, 20]"));
  bets.take(bet("weather", "a", "[7]"));
  const Json taken = bets.take(bet("copy", "a", "[31, 40]"));
  EXPECT_EQ(taken, bets.of("copy"));
  EXPECT_EQ(bets.of("copy")["bets"], Json::parse("[[31, 40], [10, 20]]"));
  EXPECT_EQ(bets.of("weather")["bets"], Json::parse("[[7]]"));
}

TEST(Bets, OtherFormsAreRefused) {
  Bets bets;
  const std::string long_text(Bets::longest_text + 1, 'x');
  for (const std::string& wrong :
       {std::string("["), std::string("[]"), std::string("{}"), bet("", "a", "[1]"), bet("copy", "", "[1]"),
        bet(long_text, "a", "[1]"), bet("copy", long_text, "[1]"), bet("copy", "a", "1"), bet("copy", "a", "[]"),
        bet("copy", "a", "[-1]"), bet("copy", "a", "[1.5]"), bet("copy", "a", "[10000000000]"),
        bet("copy", "a", R"(["1"])"), bet("copy", "a", "[1, 2, 3, 4, 5, 6, 7, 8, 9]")})
    EXPECT_THROW(bets.take(wrong), Error) << wrong;
  EXPECT_EQ(bets.of("copy")["bets"], Json::array());
}

TEST(Bets, NumberAndAgeAreBounded) {
  Bets bets;
  for (std::size_t i = 0; i < Bets::most_browsers; ++i) bets.take(bet("copy", std::to_string(i), "[1]"));
  EXPECT_THROW(bets.take(bet("copy", "another", "[1]")), Error);
  EXPECT_EQ(bets.take(bet("copy", "0", "[2]"))["bets"].size(), Bets::most_browsers);
  for (std::size_t i = 1; i < Bets::most_questions; ++i) bets.take(bet("q" + std::to_string(i), "a", "[1]"));
  bets.take(bet("copy", "0", "[3]"));  // so the oldest is q1
  bets.take(bet("one more", "a", "[1]"));
  EXPECT_EQ(bets.of("q1")["bets"].size(), 0u);
  EXPECT_EQ(bets.of("q2")["bets"].size(), 1u);
  EXPECT_EQ(bets.of("copy")["bets"].size(), Bets::most_browsers);
}

TEST(Bets, ArePostedAndReadByTheApi) {
  Bets bets;
  const Api api("no store", nullptr, &bets);
  HttpRequest request{.method = "POST", .path = "/api/bets", .query = {}, .body = bet("copy", "a", "[30]")};
  EXPECT_EQ(api.answer(request).status, 200);
  request = {.method = "GET", .path = "/api/bets", .query = {{"question", "copy"}}, .body = {}};
  EXPECT_EQ(Json::parse(api.answer(request).body), bets.of("copy"));
  EXPECT_EQ(bets.of("copy")["bets"], Json::parse("[[30]]"));
  request.method = "PUT";
  EXPECT_EQ(api.answer(request).status, 405);
  request = {.method = "GET", .path = "/api/bets", .query = {}, .body = {}};
  EXPECT_EQ(Api("no store").answer(request).status, 404);
}

}  // namespace
}  // namespace fovea
