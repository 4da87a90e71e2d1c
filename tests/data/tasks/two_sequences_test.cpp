#include "tests/data/tasks/task_help.h"

namespace fovea {
namespace {

ValueTable sequences(std::vector<std::string> texts, std::vector<std::int64_t> labels) {
  ValueList list, classes;
  for (const auto& text : texts) list.push_back({text, {}});
  for (const auto label : labels) classes.push_back({label, {}});
  return {{"sequences", {list, {}}}, {"labels", {classes, {}}}};
}

TEST(TwoSequences, AreTheTwoOfTheToyGate) {
  const auto task = make_task("two-sequences");
  EXPECT_EQ(task->shape().vocab, 2);
  EXPECT_EQ(task->shape().classes, 2);
  EXPECT_EQ(task->examples(Split::validation), 2);
  const Batch batch = draw(*task, Split::train, 7, 2);
  EXPECT_EQ(batch.source.ids, (std::vector<int>{0, 0, 0, 1}));
  EXPECT_EQ(batch.labels, (std::vector<int>{0, 1}));
  EXPECT_EQ(batch.marked, (std::vector<std::uint8_t>{0, 0, 0, 1}));
}

TEST(TwoSequences, TrainingGoesRoundAndValidationEnds) {
  const auto task = make_task("two-sequences", sequences({"0 1", "2", "0 2 3"}, {0, 1, 1}));
  EXPECT_EQ(task->shape().vocab, 4);
  const Batch round = draw(*task, Split::train, 1, 2);
  EXPECT_EQ(round.labels, (std::vector<int>{1, 0}));
  EXPECT_EQ(round.source.ids, (std::vector<int>{0, 2, 3, 0, 1, -1}));
  EXPECT_EQ(round.source.lengths, (std::vector<int>{3, 2}));
  EXPECT_EQ(round.marked, (std::vector<std::uint8_t>{0, 1, 1, 0, 1, 0}));
  EXPECT_EQ(draw(*task, Split::validation, 0, 2).size, 2);
  EXPECT_EQ(draw(*task, Split::validation, 1, 2).size, 1);
  EXPECT_EQ(draw(*task, Split::validation, 2, 2).size, 0);
}

TEST(TwoSequences, SaysWhatIsWrong) {
  EXPECT_NE(complaint("two-sequences", sequences({"0 x"}, {0})).find("'0 x'"), std::string::npos);
  EXPECT_NE(complaint("two-sequences", sequences({"0 -1"}, {0})).find("'0 -1'"), std::string::npos);
  EXPECT_NE(complaint("two-sequences", sequences({" "}, {0})).find("empty"), std::string::npos);
  EXPECT_NE(complaint("two-sequences", sequences({"0", "1"}, {0}))
                .find("task.sequences has length 2, and task.labels has length 1"),
            std::string::npos);
}

}  // namespace
}  // namespace fovea
