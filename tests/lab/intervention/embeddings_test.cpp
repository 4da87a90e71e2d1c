#include <gtest/gtest.h>

#include <cstring>
#include <fstream>

#include "fovea/base/error/error.h"
#include "fovea/lab/experiment/experiment.h"
#include "fovea/lab/intervention/intervention.h"
#include "fovea/lab/spec/assembly.h"
#include "tests/lab/store/store_sample.h"
#include "tests/lab/sweep/sweep_specs.h"

namespace fovea {
namespace {

using namespace testing_parts;

class EmbeddingsTest : public ::testing::Test {
 protected:
  static constexpr std::size_t width = 3;

  void SetUp() override {
    // Every word but one in three has a vector.
    task_ = make_task(spec_of({}));
    std::ofstream out(file());
    for (int word = 1; word < task_->shape().vocab; ++word)
      if (word % 3) out << task_->word(word) << " " << word << " " << word << ".5 -" << word << "\n";
    out << "notinthecorpus 1 2 3\n";
  }
  std::string file() const { return (folder_ / "vectors.txt").string(); }
  std::string intervene(const std::string& more = {}) const {
    return "intervene=[{embeddings=\"" + file() + "\"" + more + "}]";
  }

  static RunSpec spec_of(const std::vector<std::string>& changes) {
    const Experiment experiment = parse_experiment(R"(
task = { name = "text-classify", min_count = 1 }
model = { name = "gated-classifier", embedding = 3, hidden = 4 }
train = { steps = 0, batch = 4, rate = 0.01, keep_weights = "always" }
probe = { every = 5, names = ["accuracy"] }
)",
                                                   "embeddings.toml");
    std::vector<Override> overrides;
    for (const std::string& change : changes) overrides.push_back(parse_override(change));
    return resolve(experiment, Preset::full, overrides, 0);
  }
  RunRecord run(const std::vector<std::string>& changes) {
    return sweep_specs(store_, "reviews", {spec_of(changes)}, {}).at(0);
  }
  std::vector<float> table(const RunRecord& run) const {
    const std::optional<TensorFile> weights = store_.weights(*store_.find(run.id));
    const std::span<const std::byte> bytes = weights->find("embedding.weight")->bytes;
    std::vector<float> values(bytes.size() / sizeof(float));
    std::memcpy(values.data(), bytes.data(), bytes.size());
    return values;
  }
  // Which rows are those of the file.
  static bool given(const std::vector<float>& table, std::size_t word) {
    const float number = static_cast<float>(word);
    return table[word * width] == number && table[word * width + 1] == number + 0.5f &&
           table[word * width + 2] == -number;
  }
  std::string refusal(const std::string& change, const std::string& more = "seed=0") const {
    try {
      spec_of({change, more});
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), Error::Kind::wrong_input);
      return error.what();
    }
    return "nothing was refused";
  }
  static ::testing::AssertionResult says(const std::string& text, const std::string& part) {
    if (text.find(part) != std::string::npos) return ::testing::AssertionSuccess();
    return ::testing::AssertionFailure() << "'" << text << "' lacks '" << part << "'";
  }

  const Folder folder_;
  Store store_{folder_ / "runs.db"};
  std::unique_ptr<Task> task_;
};

TEST_F(EmbeddingsTest, VectorsLandInTheRowsOfTheirWordsAndNowhereElse) {
  const std::vector<float> plain = table(run({})), with = table(run({intervene()}));
  ASSERT_EQ(plain.size(), with.size());
  const auto vocab = static_cast<std::size_t>(task_->shape().vocab);
  ASSERT_EQ(with.size(), vocab * width);
  for (std::size_t word = 0; word < vocab; ++word) {
    if (word % 3) EXPECT_TRUE(given(with, word)) << task_->word(static_cast<int>(word));
    else
      for (std::size_t i = word * width; i < (word + 1) * width; ++i) EXPECT_EQ(with[i], plain[i]) << word;
  }
}

TEST_F(EmbeddingsTest, TheShareOfWordsThatWereFoundIsKept) {
  const RunRecord record = run({intervene()});
  const int vocab = task_->shape().vocab;
  int found = 0;
  for (int word = 1; word < vocab; ++word) found += word % 3 != 0;
  ASSERT_TRUE(record.series.contains("embeddings_found"));
  EXPECT_EQ(record.series.at("embeddings_found").values, std::vector<double>{static_cast<double>(found) / vocab});
  EXPECT_FALSE(run({}).series.contains("embeddings_found"));
}

TEST_F(EmbeddingsTest, TheyLearnUnlessFrozenAndTheRestLearnsAllTheSame) {
  const std::vector<float> start = table(run({intervene()}));
  const std::vector<float> learned = table(run({intervene(), "train.steps=20"}));
  const std::vector<float> frozen = table(run({intervene(", frozen=true"), "train.steps=20"}));
  std::size_t moved = 0, others = 0;
  for (std::size_t word = 1; word < start.size() / width; ++word) {
    if (word % 3) {
      moved += !given(learned, word);
      EXPECT_TRUE(given(frozen, word)) << word;
    } else {
      for (std::size_t i = word * width; i < (word + 1) * width; ++i) others += frozen[i] != start[i];
    }
  }
  EXPECT_GT(moved, 0u);
  EXPECT_GT(others, 0u);
}

TEST_F(EmbeddingsTest, TheSpecIsOfWhatTheFileHolds) {
  const RunSpec before = spec_of({intervene()});
  EXPECT_EQ(spec_of({intervene()}).hash(), before.hash());
  EXPECT_NE(spec_of({}).hash(), before.hash());
  EXPECT_NE(spec_of({intervene(", frozen=true")}).hash(), before.hash());
  std::filesystem::copy_file(file(), folder_ / "moved.txt");
  EXPECT_EQ(spec_of({"intervene=[{embeddings=\"" + (folder_ / "moved.txt").string() + "\"}]"}).hash(), before.hash());
  std::ofstream(file(), std::ios::app) << "another 1 2 3\n";
  EXPECT_NE(spec_of({intervene()}).hash(), before.hash());
  try {
    ResolvedRun run(before);
    check_fit(run);
    ADD_FAILURE() << "another file was taken";
  } catch (const Error& error) {
    EXPECT_TRUE(says(error.what(), "has changed since this run was made"));
  }
}

TEST_F(EmbeddingsTest, WhatDoesNotFitIsNamed) {
  EXPECT_TRUE(says(refusal(intervene(), "model.embedding=4"),
                   "vectors.txt:1: its vectors have 3 numbers, and the model's embeddings 4"));
  EXPECT_TRUE(
      says(refusal(intervene(", to=\"embeding\"")), "no table of embeddings 'embeding'. Did you mean 'embedding'?"));
  EXPECT_TRUE(says(refusal("intervene=[{embeddings=\"nowhere.txt\"}]"), "nowhere.txt: there is no such file"));
  EXPECT_TRUE(says(refusal("intervene=[{embeddings=\"a\", frozn=true}]"), "did you mean 'frozen'?") ||
              says(refusal("intervene=[{embeddings=\"a\", frozn=true}]"), "Did you mean 'frozen'?"));
  const std::string twice = "{embeddings=\"" + file() + "\"}";
  EXPECT_TRUE(says(refusal("intervene=[" + twice + ", " + twice + "]"), "two sets of embeddings for 'embedding'"));
  std::ofstream(file()) << "notinthecorpus 1 2 3\n";
  EXPECT_TRUE(says(refusal(intervene()), "has a vector for none of the "));
  std::ofstream(file()) << task_->word(1) << " 1 2 3\n" << task_->word(2) << " 1 x 3\n";
  EXPECT_TRUE(says(refusal(intervene()), "vectors.txt:2: 'x' is not a number"));
}

}  // namespace
}  // namespace fovea
