#include "fovea/lab/sweep/record_message.h"

#include <gtest/gtest.h>

#include <limits>

#include "fovea/base/error/wording.h"
#include "fovea/lab/sweep/rank_messages.h"
#include "tests/lab/store/same_record.h"
#include "tests/lab/store/store_sample.h"

namespace fovea {
namespace {

TEST(RecordMessage, BringsARunAcrossBitForBit) {
  RunRecord sent = testing_parts::sample_run(4);
  sent.state = RunState::failed;
  sent.error = "at step 7 the loss is nan";
  sent.seconds = 0.1 + 0.2;
  sent.series["odd"] = {{0, 1, 2},
                        {std::numeric_limits<double>::quiet_NaN(), -std::numeric_limits<double>::infinity(), 5e-324}};
  sent.arrays.push_back({"attention", 20, {1, 1, 2}, {0.25f, std::numeric_limits<float>::quiet_NaN()}});
  sent.weights = {{"w", {2}, "F32", {std::byte{0}, std::byte{1}, std::byte{128}, std::byte{255}}},
                  {"none", {0}, "F64", {}}};
  const RunRecord got = record_from_message(to_message(sent));
  testing_parts::expect_same(got, sent);
  ASSERT_EQ(got.weights.size(), 2u);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(got.weights[i].name, sent.weights[i].name);
    EXPECT_EQ(got.weights[i].shape, sent.weights[i].shape);
    EXPECT_EQ(got.weights[i].type, sent.weights[i].type);
    EXPECT_EQ(got.weights[i].bytes, sent.weights[i].bytes);
  }
}

TEST(RecordMessage, RefusesWhatIsNoRun) {
  const std::string whole = to_message(testing_parts::sample_run(1));
  EXPECT_THROW(record_from_message(""), Error);
  EXPECT_THROW(record_from_message("hello"), Error);
  EXPECT_THROW(record_from_message(whole.substr(0, whole.size() / 2)), Error);
}

// Says every piece in its own way, so that one that came as something else would show.
class TellingWording : public Wording {
  std::string kind(ValueKind kind) const override { return "kind " + std::to_string(static_cast<int>(kind)); }
  std::string literal(const Value& value) const override { return "literal " + value.text(); }
  std::string entry(const std::string& key, const Value& value) const override {
    return "entry " + key + ' ' + value.text();
  }
  std::string tables(const std::string& key) const override { return "tables " + key; }
  std::string coded(const Remedy& remedy) const override {
    return std::to_string(static_cast<int>(remedy.code)) + ' ' + Value{remedy.arguments, {}}.text();
  }
};

TEST(RankMessages, BringARefusalAcrossAsData) {
  const Value table{ValueTable{{"a", {1, {}}}, {"b", {ValueList{{0.5, {}}, {"x \"y\"", {}}}, {}}}}, {}};
  const Message said = message("{} is {} or {}: {} {}", "task", ValueKind::tables, table,
                               Message::Entry{"name", {"…", {}}}, Message::Tables{"claim"});
  const Location places[]{{"a.toml", 3, 9}, Location::setting("x=1"), Location::argument("sort"), {}};
  const Remedy remedies[]{said, Remedy::set_of_task("task.vocab", 60), Remedy::see_runs(), {}};
  for (const Error::Kind kind : {Error::Kind::wrong_input, Error::Kind::failure})
    for (std::size_t i = 0; i < std::size(places); ++i) {
      const Error sent(kind, said, remedies[i], places[i]);
      const RunUpdate got = update_from_message(to_message(RunUpdate{7, Refused{sent}}));
      ASSERT_TRUE(std::holds_alternative<Refused>(got.what));
      const Error& error = std::get<Refused>(got.what).error;
      EXPECT_EQ(got.number, 7u);
      EXPECT_EQ(error.kind(), kind);
      EXPECT_EQ(error.location().kind, places[i].kind);
      EXPECT_EQ(TellingWording().paragraph(error), TellingWording().paragraph(sent));
      EXPECT_STREQ(error.what(), sent.what());
    }
}

}  // namespace
}  // namespace fovea
