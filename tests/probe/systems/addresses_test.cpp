// What probe addresses says of predictions and attention that are made by hand.
#include "tests/data/tasks/task_help.h"
#include "tests/probe/evaluation_help.h"

namespace fovea {
namespace {

testing::Said say_of_accesses(std::vector<float> attention, bool first = false) {
  const auto task = make_task("addresses", {{"trace", word("random")}, {"length", whole(200)}});
  Batch batch;
  batch.size = 2;
  batch.source.resize(2, 3);
  batch.target.resize(2, 2);
  batch.source.ids = {0, 0, 3, 0, 1, 3};  // two pages, one offset
  batch.target.ids = {0, 1, 1, 1};
  std::vector<float> scores{9, 0, 0, 9, 0, 0.1f, 0.1f, 0};  // surely right; page right and offset wrong, hardly sure
  Outcome<float> outcome;
  outcome.scores = Matrix<float>(scores.data(), 4, 2);
  outcome.answers = batch.target.ids;
  if (!attention.empty()) outcome.attention = Cube<float>(attention.data(), 2, 1, 2);
  testing::Said said;
  Registry<Probe>::instance()
      .make("addresses", "probe")
      ->measure({.first = first,
                 .train_loss = 0,
                 .task = *task,
                 .batch = batch,
                 .outcome = outcome,
                 .beta = {},
                 .parameters = {}},
                said);
  return said;
}

TEST(AddressesProbe, CountsWhatIsRightAndWhatWouldBeFetched) {
  const auto numbers = say_of_accesses({}).numbers;
  const std::map<std::string, double> wanted{{"page_accuracy", 1},
                                             {"offset_accuracy", 0.5},
                                             {"address_accuracy", 0.5},
                                             {"confident_share", 0.5},
                                             {"confident_accuracy", 1}};
  EXPECT_EQ(numbers, wanted);
}

TEST(AddressesProbe, ExpertsByPageIsWhatThePageTellsOfTheExpert) {
  EXPECT_NEAR(say_of_accesses({1, 0, 0, 1}).numbers.at("expert_explained_by_page"), 1, 1e-12);
  EXPECT_NEAR(say_of_accesses({0.9f, 0.1f, 0.9f, 0.1f}).numbers.at("expert_explained_by_page"), 0, 1e-12);
  EXPECT_NEAR(say_of_accesses({0.5f, 0.5f, 0.5f, 0.5f}).numbers.at("expert_explained_by_page"), 0, 1e-12);
}

TEST(AddressesProbe, SaysWhatTablesForetellOnce) {
  const auto numbers = say_of_accesses({}, true).numbers;
  for (const char* const table : {"stride", "markov_address", "markov_delta", "ghb"})
    EXPECT_LE(numbers.at(std::string(table) + "_accuracy"), 0.1) << table;
}

}  // namespace
}  // namespace fovea
