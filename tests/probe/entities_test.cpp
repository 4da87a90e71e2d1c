#include "fovea/probe/survey.h"
#include "tests/probe/evaluation_help.h"

namespace fovea {
namespace {

using testing::HandMade, testing::Said;

// Words: 0 ada, 1 oslo, 2 dr, 3 runs. Tags: 0 B-per, 1 I-per, 2 O. Each training sentence is "dr ada runs".
class DoctorAda final : public Task {
 public:
  void settings(Fields&) override {}
  void prepare(std::uint64_t) override {}
  TaskShape shape() const override {
    TaskShape shape;
    shape.kind = Kind::tagged_tokens;
    shape.vocab = 4;
    shape.target_vocab = 3;
    return shape;
  }
  std::int64_t examples(Split) const override { return 4; }
  void batch(Split, std::uint64_t, int, Batch& batch) const override {
    batch.size = 1;
    batch.source.resize(1, 3);
    batch.source.ids = {2, 0, 3};
    batch.target.resize(1, 3);
    batch.target.ids = {2, 0, 2};
  }
  std::string target_word(int tag) const override {
    return std::vector<std::string>{"B-per", "I-per", "O"}.at(static_cast<std::size_t>(tag));
  }
};

// Two sentences: "dr ada oslo runs" with the name "ada oslo", of which the model says "ada"; and "oslo", a name that it
// says.
HandMade two_sentences(const Task& task) {
  HandMade look;
  look.kind = Kind::tagged_tokens;
  look.task = &task;
  look.set_lengths({4, 1}, 4);
  look.batch.source.ids = {2, 0, 1, 3, 1, -1, -1, -1};
  look.batch.target = look.batch.source;
  look.batch.target.ids = {2, 0, 1, 2, 0, -1, -1, -1};
  look.set_scores(8, 3, {0, 0, 1, 1, 0, 0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0},
                  look.batch.target.ids);
  return look;
}

std::map<std::string, double> said_of(const HandMade& look) {
  const std::unique_ptr<Probe> probe = look.prepared("entities");
  const Evaluation evaluation = look.evaluation();
  const std::vector<int> places{0, 1};
  Said said;
  probe->as_survey()->survey({evaluation, places}, said);
  probe->as_survey()->conclude(said);
  return said.numbers;
}

TEST(EntitiesProbe, CountsSpansOfModelAndRivals) {
  const DoctorAda task;
  HandMade look = two_sentences(task);
  const auto said = said_of(look);
  EXPECT_DOUBLE_EQ(said.at("entity_precision"), 0.5);
  EXPECT_DOUBLE_EQ(said.at("entity_recall"), 0.5);
  EXPECT_DOUBLE_EQ(said.at("entity_f1"), 0.5);
  EXPECT_DOUBLE_EQ(said.at("majority_f1"), 0) << "'ada' alone is no name here, and 'oslo' is never one in training";
  EXPECT_DOUBLE_EQ(said.at("lexicon_f1"), 0);
  EXPECT_FALSE(said.contains("name_agreement"));
  look.step = 10;
  EXPECT_FALSE(said_of(look).contains("majority_f1")) << "rivals do not change";
}

TEST(EntitiesProbe, ComparesAttentionWithBetaTagByTag) {
  const DoctorAda task;
  HandMade look = two_sentences(task);
  look.set_attention(2, 4, 4, {0.7f, 0.3f, 0, 0, 0.6f, 0.3f, 0.1f, 0, 0.1f, 0.2f, 0.7f, 0, 0, 0, 0.5f, 0.5f,  //
                               1,    0,    0, 0, 0,    0,    0,    0, 0,    0,    0,    0, 0, 0, 0,    0});
  look.set_beta(2, 4, 4, {0.5f, -0.5f, 0, 0, 1, -0.5f, -0.5f, 0, 1, 0, -1, 0, 0, 0, -0.5f, 0.5f,  //
                          0,    0,     0, 0, 0, 0,     0,     0, 0, 0, 0,  0, 0, 0, 0,     0});
  const auto said = said_of(look);
  EXPECT_NEAR(said.at("word_weight_begin"), (0.3 + 1) / 2, 1e-6);
  // Of the B tags both agree, the second by chance; the I tag does not.
  EXPECT_DOUBLE_EQ(said.at("tag_agreement_B_per"), 1);
  EXPECT_DOUBLE_EQ(said.at("tag_agreement_I_per"), 0);
  EXPECT_NEAR(said.at("tag_agreement_B_per_chance"), (1.0 / 3 + 1) / 2, 1e-9);
  EXPECT_NEAR(said.at("name_agreement"), 2.0 / 3, 1e-9);
  EXPECT_NEAR(said.at("name_agreement_chance"), (1.0 / 3 + 1 + 1.0 / 3) / 3, 1e-9);
  EXPECT_DOUBLE_EQ(said.at("outside_agreement"), 0.5);
  // "dr" stands before each B-per of training, as often as "ada" is one: the first position of largest σ is predicted.
  EXPECT_DOUBLE_EQ(said.at("predicted_attended"), 1);
  EXPECT_NEAR(said.at("predicted_attended_chance"), 1.0 / 3, 1e-9);
}

}  // namespace
}  // namespace fovea
