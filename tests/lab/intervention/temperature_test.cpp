// { temperature = … }: the scores of the named heads are divided, at the named steps.
#include <gtest/gtest.h>

#include "fovea/lab/experiment/experiment.h"
#include "fovea/lab/record/held_name.h"
#include "fovea/lab/train/trainer.h"

namespace fovea {
namespace {

RunSpec tempered_spec(const std::string& intervene,
                      const std::string& model = "name = \"transformer\", heads = 2, width = 8, start = 0.5",
                      const std::string& task = "name = \"induction\", vocab = 12, length = 6") {
  return resolve(parse_experiment("task = { " + task + " }\nmodel = { " + model +
                                      " }\ntrain = { steps = 8, batch = 4 }\n"
                                      "probe = { every = 4, examples = 8, names = [\"loss\", \"heads\"] }\n"
                                      "intervene = " +
                                      intervene + "\n",
                                  "x.toml"),
                 Preset::full, {}, 0);
}

double held_weight(const std::string& change, const char* head = "h2") {
  return train(tempered_spec("[{ " + change + ", of = \"layer.1.head.2\" }]"))
      .series.at(held_name("weight_on_previous_l1_" + std::string(head)))
      .values[0];
}

TEST(Temperature, ChangesTheNamedHeadAtTheNamedSteps) {
  const RunRecord with = train(tempered_spec("[{ temperature = 2, of = \"layer.1.head.2\", until = 5 }]")),
                  without = train(tempered_spec("[]"));
  const auto first = [](const RunRecord& run, const std::string& name) { return run.series.at(name).values[0]; };
  EXPECT_EQ(first(with, "loss"), first(without, "loss")) << "evaluated without it";
  EXPECT_NE(first(with, held_name("loss")), first(with, "loss"));
  EXPECT_NE(held_weight("temperature = 2"), first(without, "weight_on_previous_l1_h2"));
  EXPECT_EQ(held_weight("temperature = 2", "h1"), first(without, "weight_on_previous_l1_h1"));
  EXPECT_EQ(with.series.at(held_name("loss")).steps, (std::vector<std::int64_t>{0, 4}));
  EXPECT_NE(with.series.at("train_loss"), without.series.at("train_loss"));
}

TEST(Temperature, MakesAttentionUniformIfHigh) {
  const double uniform = held_weight("hold = \"uniform\"");
  EXPECT_NEAR(held_weight("temperature = 1e6"), uniform, 1e-5);
  EXPECT_GT(std::abs(held_weight("temperature = 0.1") - uniform), 1e-4);
}

TEST(Temperature, IsRefusedIfItIsWrongOrChangesNothing) {
  for (const char* const number : {"0", "1", "-2", "\"hot\""})
    EXPECT_THROW(tempered_spec("[{ temperature = " + std::string(number) + ", of = \"layer.1\" }]"), Error) << number;
  EXPECT_THROW(tempered_spec("[{ temperature = 2, of = \"layer.3\" }]"), Error);
  EXPECT_THROW(tempered_spec("[{ temperature = 2 }]", "name = \"seq2seq\"", "name = \"copy\""), Error);
  EXPECT_THROW(tempered_spec("[{ temperature = 2, of = \"layer.1\" }, { temperature = 3, of = \"layer.1.head.1\" }]"),
               Error);
}

}  // namespace
}  // namespace fovea
