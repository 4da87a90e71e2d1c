#include <algorithm>
#include <map>

#include "fovea/data/bag_source.h"
#include "fovea/theory/prediction/prediction.h"
#include "tests/data/tasks/task_help.h"
#include "tests/io/scratch_folder.h"

namespace fovea {
namespace {

Value list(const std::vector<std::string>& words) {
  ValueList all;
  for (const std::string& one : words) all.push_back(word(one));
  return {all, {}};
}

ValueTable given(const std::vector<std::string>& texts, const std::vector<std::string>& labels) {
  return table({{"texts", list(texts)}, {"labels", list(labels)}});
}

// In every other text "up", in the others "down", among words that tell nothing.
ValueTable sample(int count = 40) {
  std::vector<std::string> texts, labels;
  for (int i = 0; i < count; ++i) {
    texts.push_back("word" + std::to_string(i % 5) + (i % 2 ? " down " : "  up\t") + "word" + std::to_string(i % 3));
    labels.emplace_back(i % 2 ? "falls" : "rises");
  }
  return given(texts, labels);
}

TEST(GivenTexts, HoldsOutTheSameShareOfEachClass) {
  const auto task = make_task("given-texts", sample());
  EXPECT_EQ(task->examples(Split::train), 32);
  EXPECT_EQ(task->examples(Split::validation), 8);
  EXPECT_EQ(task->examples(Split::test), 0);
  const Batch out = draw(*task, Split::validation, 0, 20);
  EXPECT_EQ(out.size, 8);
  EXPECT_EQ(std::count(out.labels.begin(), out.labels.end(), 1), 4);
  for (int row = 0; row < out.size; ++row) {
    EXPECT_EQ(out.source.lengths[static_cast<std::size_t>(row)], 3);
    const bool up = task->word(out.source.at(row, 1)) == "up";
    EXPECT_EQ(task->class_name(out.labels[static_cast<std::size_t>(row)]), up ? "rises" : "falls");
  }
  EXPECT_EQ(draw(*task, Split::test, 0, 20).size, 0);
}

TEST(GivenTexts, IsPureAndEachTextComesOnceAnEpoch) {
  const auto task = make_task("given-texts", sample()), again = make_task("given-texts", sample());
  const auto other = make_task("given-texts", sample(), 2);
  EXPECT_FALSE(same(draw(*task, Split::train, 0, 8), draw(*other, Split::train, 0, 8)));
  std::map<std::string, int> words;
  for (const std::uint64_t step : {3u, 0u, 2u, 1u}) {
    const Batch batch = draw(*again, Split::train, step, 8);
    EXPECT_TRUE(same(batch, draw(*task, Split::train, step, 8)));
    for (int row = 0; row < batch.size; ++row) ++words[again->word(batch.source.at(row, 1))];
  }
  EXPECT_EQ(words["up"], 16);
  EXPECT_EQ(words["down"], 16);
}

TEST(GivenTexts, WordsThatNoTrainingTextHasAreUnknown) {
  std::vector<std::string> texts, labels;
  for (int i = 0; i < 20; ++i) {
    texts.push_back("own" + std::to_string(i) + " shared");
    labels.emplace_back(i % 2 ? "a" : "b");
  }
  const auto task = make_task("given-texts", given(texts, labels));
  EXPECT_EQ(task->shape().vocab, 1 + 1 + 16);
  const Batch out = draw(*task, Split::validation, 0, 4);
  for (int row = 0; row < 4; ++row) {
    EXPECT_EQ(task->word(out.source.at(row, 0)), "<unknown>");
    EXPECT_EQ(task->word(out.source.at(row, 1)), "shared");
  }
}

TEST(GivenTexts, ItsPredictionFindsTheWordsThatTell) {
  const auto task = make_task("given-texts", sample(400));
  const auto source = task_bags(*task, 100);
  Team team(1);
  const Prediction prediction = predict(*source, team);
  EXPECT_EQ(prediction.examples, 320);
  EXPECT_EQ(prediction.verdict, Verdict::early);
  std::map<std::string, std::string> found;
  for (const OutputPrediction& output : prediction.outputs) {
    ASSERT_EQ(output.words.size(), 1u);
    found[source->output_word(output.output)] = source->input_word(output.words[0].input);
  }
  EXPECT_EQ(found, (std::map<std::string, std::string>{{"falls", "down"}, {"rises", "up"}}));
}

TEST(GivenTexts, SaysWhatIsWrong) {
  const auto wrong = [](const std::vector<std::string>& texts, const std::vector<std::string>& labels) {
    return complaint("given-texts", given(texts, labels));
  };
  const std::vector<std::string> six(6, "some words");
  EXPECT_SAYS(wrong({}, {}), "there are no texts");
  EXPECT_SAYS(wrong({"a", "b"}, {"x"}), "2 texts and 1 labels");
  EXPECT_SAYS(wrong({"a", " \t"}, {"x", "y"}), "text 2 has no words");
  EXPECT_SAYS(wrong({"a", "b"}, {"x", ""}), "text 2 has an empty label");
  EXPECT_SAYS(wrong(six, std::vector<std::string>(6, "x")), "every text has the label 'x'");
  EXPECT_SAYS(wrong(six, {"x", "x", "x", "x", "x", "y"}),
              "the class 'y' has 1 text, too few to keep one for validation");
  ValueTable most = given({"a", "b", "a", "b"}, {"x", "y", "x", "y"});
  most["held_out"] = real(0.9);
  EXPECT_EQ(make_task("given-texts", most)->examples(Split::train), 2) << "each class keeps one to train on";
}

}  // namespace
}  // namespace fovea
