// The probe 'evidence' against probes that ask the same of the same examples.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "fovea/lab/experiment/experiment.h"
#include "fovea/lab/spec/assembly.h"
#include "fovea/lab/train/trainer.h"

namespace fovea {
namespace {

// 70 examples end in the middle of a batch of those that are surveyed.
RunRecord asked_of_seventy(const Experiment& experiment) {
  std::vector<Override> set;
  for (const char* words :
       {"train.steps=20", "probe.every=20", "probe.at=[]", "probe.examples=70", "probe.evidence.examples=70",
        "probe.evidence.counted=0", "probe.names=[\"loss\", \"accuracy\", \"evidence\"]"})
    set.push_back(parse_override(words));
  const RunRecord run = train(resolve(experiment, Preset::quick, set, 0));
  EXPECT_EQ(run.state, RunState::done) << run.error;
  return run;
}

Experiment of_three_classes() {
  std::string texts, labels;
  for (int i = 0; i < 150; ++i) {
    texts += fmt::format("\"{} {} .\", ", i * 7 % 20, i % 3 + 100);
    labels += fmt::format("\"{}\", ", i % 3);
  }
  return parse_experiment(
      fmt::format("task = {{ name = \"given-texts\", held_out = 0.5, texts = [{}], labels = [{}] }}\n"
                  "model = {{ name = \"gated-classifier\", hidden = 8, embedding = 8 }}",
                  texts, labels),
      "three.toml");
}

TEST(Evidence, LossAndAccuracyAreOfTheExamplesItNames) {
  const auto expect_equal = [](const RunRecord& run) {
    for (const std::string name : {"loss", "accuracy"}) {
      const double of_all = run.series.at(name).values.front();
      EXPECT_NEAR(run.series.at("evidence_" + name).values.front(), of_all, 1e-6 * (1 + of_all)) << name;
    }
  };
  expect_equal(asked_of_seventy(find_experiment("text-classify")));
  expect_equal(asked_of_seventy(of_three_classes()));
  expect_equal(asked_of_seventy(find_experiment("text-translate")));
}

// Rows are kept of as many as before; loss and accuracy are of all that `counted` names, as far as there are some.
TEST(Evidence, CountsMoreThanItKeeps) {
  const auto trained = [](const std::string& counted) {
    std::vector<Override> set;
    for (const std::string& words :
         {std::string("train.steps=20"), std::string("probe.every=20"), std::string("probe.at=[]"),
          std::string("probe.examples=100000"), std::string("probe.evidence.examples=40"),
          "probe.evidence.counted=" + counted, std::string("probe.names=[\"loss\", \"accuracy\", \"evidence\"]")})
      set.push_back(parse_override(words));
    return train(resolve(find_experiment("text-classify"), Preset::quick, set, 0));
  };
  const RunRecord few = trained("0"), all = trained("1000000");
  const double of_all = all.series.at("loss").values.front();
  EXPECT_NEAR(all.series.at("evidence_loss").values.front(), of_all, 1e-6 * (1 + of_all));
  EXPECT_GT(std::abs(few.series.at("evidence_loss").values.front() - of_all), 1e-6);
  ASSERT_EQ(few.arrays.size(), all.arrays.size());
  for (std::size_t i = 0; i < few.arrays.size(); ++i)
    EXPECT_EQ(few.arrays[i].values, all.arrays[i].values) << few.arrays[i].name;
}

// A probe is told the same whatever else surveys the split, and how much of it.
TEST(Evidence, AndBleuDoNotChangeEachOther) {
  const auto trained = [](const std::string& names, std::vector<std::string> words) {
    words.insert(words.end(), {"train.steps=60", "probe.every=60", "probe.at=[]", "probe.names=" + names});
    std::vector<Override> set;
    for (const std::string& one : words) set.push_back(parse_override(one));
    return train(resolve(find_experiment("text-translate"), Preset::quick, set, 0));
  };
  const std::string ten = "probe.bleu.examples=10", seventy = "probe.evidence.examples=70",
                    more = "probe.evidence.counted=300";
  const RunRecord both = trained("[\"evidence\", \"bleu\"]", {ten, seventy, more}),
                  evidence = trained("[\"evidence\"]", {seventy, more}),
                  bleu = trained("[\"evidence\", \"bleu\"]", {ten, "probe.evidence.examples=1"});
  ASSERT_EQ(both.state, RunState::done) << both.error;
  EXPECT_GT(both.series.at("bleu").values.back(), 0);
  EXPECT_EQ(both.series.at("bleu"), bleu.series.at("bleu"));
  EXPECT_EQ(both.series.at("evidence_loss"), evidence.series.at("evidence_loss"));
  ASSERT_EQ(both.arrays.size(), evidence.arrays.size());
  for (std::size_t i = 0; i < both.arrays.size(); ++i)
    EXPECT_EQ(both.arrays[i].values, evidence.arrays[i].values) << both.arrays[i].name;
}

// They are surveyed in another order, by their lengths.
TEST(Evidence, IsInTheOrderOfTheSplit) {
  for (const char* name : {"text-classify", "text-translate"}) {
    const RunRecord run = asked_of_seventy(find_experiment(name));
    const std::unique_ptr<Task> task = make_task(run.spec);
    const bool pairs = task->shape().kind == Kind::token_pairs;
    Batch batch;
    task->batch(Split::validation, 0, 70, batch);
    std::vector<float> source, lengths, said;
    for (int b = 0; b < batch.size; ++b) {
      const int length = batch.source.lengths[static_cast<std::size_t>(b)];
      const int rows = pairs ? batch.target.lengths[static_cast<std::size_t>(b)] : 1;
      for (int i = 0; i < length; ++i) source.push_back(static_cast<float>(batch.source.at(b, i)));
      lengths.insert(lengths.end(), static_cast<std::size_t>(rows), static_cast<float>(length));
      if (!pairs) said.push_back(static_cast<float>(batch.labels[static_cast<std::size_t>(b)]));
      for (int i = 0; pairs && i < rows; ++i) said.push_back(static_cast<float>(batch.target.at(b, i)));
    }
    ASSERT_FALSE(std::ranges::is_sorted(lengths));
    const auto values = [&run](const std::string& of) {
      const auto found = std::ranges::find(run.arrays, "evidence." + of, &ArrayRecord::name);
      return found == run.arrays.end() ? std::vector<float>() : found->values;
    };
    EXPECT_EQ(values("source"), source) << name;
    EXPECT_EQ(values("lengths"), lengths) << name;
    EXPECT_EQ(values(pairs ? "target" : "labels"), said) << name;
    EXPECT_EQ(values("delta").size(), values("alpha").size()) << name;
  }
}

}  // namespace
}  // namespace fovea
