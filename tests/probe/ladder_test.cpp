#include "fovea/data/ladder.h"

#include <cmath>

#include "fovea/base/error/error.h"
#include "tests/probe/evaluation_help.h"

namespace fovea {
namespace {

using testing::NoTask;
using Numbers = std::map<std::string, double>;

// Two tokens. The lowest rung says 1/2 each, the next the same of each position, the last what it was given.
class TwoTokens final : public NoTask, public Ladder {
 public:
  explicit TwoTokens(std::string last = "truth", bool distributions = false)
      : last_(std::move(last)), distributions_(distributions) {}
  TaskShape shape() const override {
    TaskShape shape;
    shape.kind = Kind::token_streams;
    shape.vocab = shape.target_vocab = 2;
    return shape;
  }
  const Ladder* ladder() const override { return this; }
  bool answers_are_distributions() const override { return distributions_; }
  std::vector<std::string> rungs() const override { return {"nothing", "back-copy", last_}; }
  void predict(const Batch& batch, int rung, Matrix<float> said) const override {
    for (Index row = 0; row < said.size(0); ++row) {
      const bool asked = batch.target.ids[static_cast<std::size_t>(row)] >= 0;
      const float zero = rung == 0 ? 0.5f : rung == 1 ? 0.25f : batch.truth[static_cast<std::size_t>(2 * row)];
      said(row, 0) = asked ? zero : 0;
      said(row, 1) = asked ? 1 - zero : 0;
    }
  }

 private:
  std::string last_;
  bool distributions_;
};

// Two examples of three positions; the second asks at the first only.
struct TwoExamples {
  Batch batch;
  std::vector<float> scores;
  Outcome<float> outcome;

  explicit TwoExamples(std::vector<float> given, Index columns = 2) : scores(std::move(given)) {
    batch.size = 2;
    batch.source.resize(2, 3);
    batch.target.resize(2, 3);
    batch.target.ids = {-1, 0, 1, 1, -1, -1};
    batch.truth = {0, 0, 1, 0, 0.1f, 0.9f, 0.2f, 0.8f, 0, 0, 0, 0};
    outcome.scores = Matrix<float>(scores.data(), 6, columns);
    outcome.answers = batch.target.ids;
  }

  Numbers ask(const Task& task, bool first = false, const ValueTable& settings = {}) const {
    const std::unique_ptr<Probe> probe = Registry<Probe>::instance().make("ladder", "probe");
    Fields fields;
    probe->settings(fields);
    fields.read(settings, "probe 'ladder'");
    probe->prepare(task.shape(), true, 1);
    testing::Said said;
    probe->measure({.step = first ? 0 : 5,
                    .first = first,
                    .last = false,
                    .train_loss = 0,
                    .time = 0,
                    .task = task,
                    .batch = batch,
                    .outcome = outcome,
                    .beta = {},
                    .states = {},
                    .parameters = {}},
                   said);
    return said.numbers;
  }
};

double divergence(double p, double q) {
  return (p > 0 ? p * std::log(p / q) : 0) + (p < 1 ? (1 - p) * std::log((1 - p) / (1 - q)) : 0);
}

// q(0) and the loss as above; the answers are the distributions of which the targets are draws.
TEST(LadderProbe, HeightsAreOfTheWholeTruthWhereItIsTheAnswer) {
  const auto third = std::log(3.0f), fourth = std::log(4.0f);
  const TwoExamples look({900, -900, 7, 7, 5, 5 + third, -1, -1 + fourth, 1e30f, 0, 3, 2});
  const Numbers said = look.ask(TwoTokens("truth", true));
  EXPECT_NEAR(said.at("rung_nothing"), std::log(2), 1e-7);
  EXPECT_NEAR(said.at("rung_back_copy"), -(1.3 * std::log(0.25) + 1.7 * std::log(0.75)) / 3, 1e-6);
  const auto entropy = [](double p) { return -p * std::log(p) - (1 - p) * std::log(1 - p); };
  EXPECT_NEAR(said.at("rung_truth"), (entropy(0.1) + entropy(0.2)) / 3, 1e-6);
  EXPECT_NEAR(said.at("from_truth"), (divergence(1, 0.5) + divergence(0.1, 0.25) + divergence(0.2, 0.2)) / 3, 1e-6);
  // The loss is (log 2 + cross-entropies of 0.1 at 0.25 and of 0.2 at 0.2) / 3 = 0.530. Heights are 0.693, 0.764, 0.275.
  EXPECT_EQ(said.at("level"), 0);
}

TEST(LadderProbe, DistancesHeightsAndTheStage) {
  // q(0) is 1/2, 1/4 and 0.2 where it is asked; elsewhere scores are wild.
  const auto third = std::log(3.0f), fourth = std::log(4.0f);
  const TwoExamples look({900, -900, 7, 7, 5, 5 + third, -1, -1 + fourth, 1e30f, 0, 3, 2});
  const Numbers said = look.ask(TwoTokens(), true);
  EXPECT_EQ(said.size(), 9u);
  EXPECT_NEAR(said.at("rung_nothing"), std::log(2), 1e-7);
  EXPECT_NEAR(said.at("rung_back_copy"), -(std::log(0.25) + 2 * std::log(0.75)) / 3, 1e-7);
  EXPECT_NEAR(said.at("rung_truth"), -(std::log(1) + std::log(0.9) + std::log(0.8)) / 3, 1e-7);
  EXPECT_NEAR(said.at("from_nothing"), (divergence(0.5, 0.25) + divergence(0.5, 0.2)) / 3, 1e-6);
  EXPECT_NEAR(said.at("from_back_copy"), (divergence(0.25, 0.5) + divergence(0.25, 0.2)) / 3, 1e-6);
  EXPECT_NEAR(said.at("from_truth"), (divergence(1, 0.5) + divergence(0.1, 0.25)) / 3, 1e-6);
  EXPECT_EQ(said.at("kl_from_truth"), said.at("from_truth"));
  EXPECT_EQ(said.at("rung"), 1);
  EXPECT_EQ(said.at("level"), 1) << "the loss, 0.40, is nearer to 0.65 than to 0.11";
  const TwoExamples better({0, 0, 0, 0, 5, 5 + fourth, 0, 2.5f, 0, 0, 0, 0});
  EXPECT_EQ(better.ask(TwoTokens()).at("level"), 2) << "0.33";
}

TEST(LadderProbe, ExcessIsOfTheTruthAlone) {
  const TwoExamples look(std::vector<float>(12, 0.0f));
  Numbers said = look.ask(TwoTokens());
  EXPECT_EQ(said.size(), 9u);
  EXPECT_EQ(said.at("rung"), 0);
  EXPECT_EQ(said.at("level"), 0);
  EXPECT_NEAR(said.at("from_nothing"), 0, 1e-7);
  said = look.ask(TwoTokens("all"));
  EXPECT_EQ(said.size(), 8u);
  EXPECT_FALSE(said.contains("kl_from_truth"));
}

TEST(LadderProbe, OfTheLastPlaceOnly) {
  const TwoExamples look(std::vector<float>(12, 0.0f));
  const Numbers said = look.ask(TwoTokens(), true, {{"place", {std::string("last"), {}}}});
  EXPECT_NEAR(said.at("from_truth"), (divergence(0.1, 0.5) + divergence(0.2, 0.5)) / 2, 1e-6);
  EXPECT_NEAR(said.at("rung_truth"), -(std::log(0.9) + std::log(0.8)) / 2, 1e-6);
}

TEST(LadderProbe, DistancesAreFiniteAndALogitIsTwoScores) {
  const TwoExamples sure({0, 0, -1e30f, 1e30f, 1e4f, -1e4f, 0, 0, 0, 0, 0, 0});
  for (const auto& [name, value] : sure.ask(TwoTokens(), true)) EXPECT_TRUE(std::isfinite(value)) << name;
  const TwoExamples logits({9, 1, -2, 3, 9, 9}, 1), scores({0, 9, 0, 1, 0, -2, 0, 3, 0, 9, 0, 9});
  EXPECT_EQ(logits.ask(TwoTokens(), true), scores.ask(TwoTokens(), true));
}

TEST(LadderProbe, SaysNothingWhereNothingIsAsked) {
  TwoExamples look(std::vector<float>(12, 0.0f));
  look.batch.target.ids.assign(6, -1);
  EXPECT_TRUE(look.ask(TwoTokens(), true).empty());
}

TEST(LadderProbe, RefusesTasksThatHaveNone) {
  const TwoExamples look(std::vector<float>(12, 0.0f));
  EXPECT_THROW(look.ask(NoTask()), Error);  // labelled tokens
  class Streams final : public NoTask {
    TaskShape shape() const override {
      TaskShape shape;
      shape.kind = Kind::token_streams;
      return shape;
    }
  };
  try {
    look.ask(Streams());
    ADD_FAILURE() << "there is no ladder";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), Error::Kind::wrong_input);
    EXPECT_NE(std::string(error.what()).find("which the task does not have"), std::string::npos);
  }
}

}  // namespace
}  // namespace fovea
