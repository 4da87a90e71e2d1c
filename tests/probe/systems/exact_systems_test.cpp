#include "fovea/lab/experiment/experiment.h"
#include "fovea/lab/train/trainer.h"
#include "tests/probe/evaluation_help.h"

namespace fovea {
namespace {

RunRecord exact_run(const std::string& spec) {
  return train(resolve(parse_experiment(spec, "x.toml"), Preset::full, {}, 1));
}

double exact_value(const RunRecord& run, const std::string& name, std::size_t look) {
  return run.series.at(name).values.at(look);
}

TEST(SparseFlowProbe, TheFlowStartsWhereTheModelDoesAndStaysWithIt) {
  for (const char* copies : {"1", "3"}) {
    const RunRecord run =
        exact_run(std::string("task = { name = \"sparse-emergence\", places = 8, width = 4, copies = ") + copies +
                  " }\nmodel = { name = \"sparse-attention\", shared = true }\ntrain = { steps = 40, batch = 512, "
                  "optimizer = \"sgd\", rate = 0.5 }\nprobe = "
                  "{ every = 40, examples = 2000, names = [\"loss\", \"sparse-flow\", "
                  "\"closed-form\"] }\n");
    EXPECT_DOUBLE_EQ(exact_value(run, "loss_flow", 0), 0.5);
    EXPECT_NEAR(exact_value(run, "loss", 0), 0.5, 0.03);
    EXPECT_NEAR(exact_value(run, "alpha", 0), exact_value(run, "alpha_flow", 0), 1e-6);
    EXPECT_GT(exact_value(run, "alpha_flow", 1), 1.5 * exact_value(run, "alpha_flow", 0));
    EXPECT_NEAR(exact_value(run, "alpha", 1), exact_value(run, "alpha_flow", 1), 0.04);
    EXPECT_NEAR(exact_value(run, "loss", 1), exact_value(run, "loss_flow", 1), 0.02);
    EXPECT_GT(exact_value(run, "predicted_half", 0), 1);
  }
}

TEST(SparseFlowProbe, RefusesWhatItDoesNotFollow) {
  EXPECT_THROW(
      exact_run("task = { name = \"linear-icl\" }\nmodel = { name = \"linear-attention\" }\ntrain = { steps = 0 "
                "}\nprobe = { names = [\"sparse-flow\"] }\n"),
      Error);
  EXPECT_THROW(exact_run("task = { name = \"curve\" }\nmodel = { name = \"pooling\" }\ntrain = { steps = 0 }\nprobe = "
                         "{ names = [\"closed-form\"] }\n"),
               Error);
}

TEST(ParentsProbe, FindsTheTreeWhereAttentionIsGiven) {
  const RunRecord run = exact_run(
      "task = { name = \"causal-tree\" }\nmodel = { name = \"disentangled\" }\ntrain = { steps = 0 }\n"
      "probe = { examples = 20, names = [\"parents\"] }\nintervene = [{ hold = \"truth\" }]\n");
  EXPECT_EQ(exact_value(run, "parent_points_right_held", 0), 1);
  EXPECT_EQ(exact_value(run, "parent_weight_held", 0), 1);
  EXPECT_EQ(exact_value(run, "parent_predicted", 0), 1);
  EXPECT_NEAR(exact_value(run, "parent_weight", 0), exact_value(run, "parent_chance", 0), 1e-6);
  EXPECT_LT(exact_value(run, "parent_points_right", 0), 1);
  EXPECT_THROW(exact_run("task = { name = \"markov-icl\" }\nmodel = { name = \"disentangled\" }\ntrain = { steps = 0 "
                         "}\nprobe = { names = [\"parents\"] }\n"),
               Error);
}

}  // namespace
}  // namespace fovea
