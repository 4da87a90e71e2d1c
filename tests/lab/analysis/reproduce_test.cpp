#include "fovea/lab/analysis/reproduce.h"

#include <gtest/gtest.h>

#include "fovea/lab/analysis/run_values.h"
#include "tests/lab/store/store_sample.h"
#include "tests/lab/train/mark.h"

namespace fovea {
namespace {

using namespace testing_parts;

// What an experiment of a file of one's own is refused with; empty where it is trained.
std::string refusal_of(Store& store, Experiment experiment) {
  experiment.source = "own.toml";
  try {
    reproduce(store, experiment, Preset::full, {}, {});
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(Reproduce, NamesThatNoRunWillHaveAreRefusedBeforeTraining) {
  const Folder folder;
  Store store(folder / "runs.db");
  const auto refusal = [&](const std::string& toml) { return refusal_of(store, mark_experiment(toml)); };
  const auto of_claim = [&](const std::string& metric) {
    return refusal("[[claim]]\nsays = \"low\"\nmetric = \"" + metric + "\"\nat_most = 9.0");
  };
  for (const auto& [said, wanted] :
       {std::pair(of_claim("median(wieght)"),
                  "the claim \"low\" names 'wieght', but the runs will have no such metric or "
                  "setting. Did you mean 'weight'?"),
        std::pair(of_claim("median(loss | task.vocap = 3)"), "Did you mean 'task.vocab'?"),
        std::pair(of_claim("median(entirely_unknown)"), "the claim \"low\" names 'entirely_unknown'"),
        std::pair(refusal("[[figure]]\nkind = \"lines\"\ntitle = \"x\"\ny = [\"loss\", \"on_marc\"]"),
                  "a figure names 'on_marc'"),
        std::pair(refusal("[[figure]]\nkind = \"lines\"\ny = [\"loss\"]\nby = [\"train.rat\"]"),
                  "a figure names 'train.rat', but the runs will have no such metric or setting. Did you mean "
                  "'train.rate'?"),
        std::pair(of_claim("share(task.name = mark)"), "names 'mark', a text without quotes. Put it in quotes: 'mark'"),
        std::pair(of_claim("median(step)"), "names 'step'"),
        std::pair(refusal("[[figure]]\nkind = \"lines\"\ny = [\"loss\"]\nwhere = \"sed = 1\""), "names 'sed'")})
    EXPECT_NE(said.find(wanted), std::string::npos) << said;
  // Runs of two models share what they have: each name is suggested once.
  const std::string of_two = refusal(
      "sweep = { \"model.start\" = [1.0, 2.0] }\n"
      "[[claim]]\nsays = \"low\"\nmetric = \"entirely_unknown\"\nat_most = 9.0");
  EXPECT_NE(of_two.find("train.steps"), std::string::npos) << of_two;
  EXPECT_EQ(of_two.find("train.steps"), of_two.rfind("train.steps")) << of_two;
  const std::string two_seeds = "sweep = { seed = [0, 1] }\n[[claim]]\nsays = \"low\"\nat_most = 9.0\nmetric = ";
  EXPECT_NE(refusal(two_seeds + "\"loss\"")
                .find("the claim \"low\" needs one run, but there will be 2 runs. Use a "
                      "function over runs: metric = \"median(loss)\"."),
            std::string::npos);
  EXPECT_NE(refusal(two_seeds + "\"loss - median(loss)\"").find("Put each metric into a function over runs"),
            std::string::npos);
  EXPECT_EQ(store.count(), 0);
  EXPECT_EQ(of_claim("median(loss + train_loss + seed)"), "");
  EXPECT_EQ(refusal("[[figure]]\nkind = \"lines\"\nx = \"step\"\ny = [\"loss\"]\npanels = [\"y\"]\nby = "
                    "[\"experiment\", \"intervene\", \"train.rate\"]"),
            "");
}

TEST(Reproduce, NamesThatAProbeSaysAtLaterLooksAloneAreKnown) {
  const Folder folder;
  Store store(folder / "runs.db");
  const auto refusal = [&](const std::string& metric) {
    return refusal_of(store, parse_experiment(R"toml(
task = { name = "two-sequences" }
model = { name = "unigram-gate" }
train = { steps = 2, batch = 2, rate = 0.1 }
probe = { every = 1, examples = 4, names = ["audit"] }
[[claim]]
says = "low"
at_most = 9.0
metric = ")toml" + metric + "\"",
                                              "own.toml"));
  };
  EXPECT_EQ(refusal("most(audit_free_logit_cosine + audit_free_logit_cosine_mean + "
                    "audit_attention_rise_at_half_knowledge + audit_first_step_not_uniform)"),
            "");
  EXPECT_NE(refusal("most(audit_attention_rise_at_half_knowlege)")
                .find("Did you mean 'audit_attention_rise_at_half_knowledge'?"),
            std::string::npos);
}

// The first of its starts never bring p to 1, and have no time at which they do.
TEST(Reproduce, NamesThatOnlyLaterRunsOfASweepHaveAreKnown) {
  const Folder folder;
  Store store(folder / "runs.db");
  EXPECT_EQ(refusal_of(store, find_experiment("toy-phase")), "");
}

// Whatever the kind of what holds a head.
TEST(Reproduce, NamesUnderAHoldOfAHeadAreKnown) {
  for (const char* const change :
       {"hold = \"previous\", of = \"layer.1\"", "scale = 10", "ablate = \"layer.1\"", "copy = 1, of = \"layer.1\""}) {
    const Folder folder;
    Store store(folder / "runs.db");
    EXPECT_EQ(refusal_of(store, parse_experiment(std::string(R"toml(
task = { name = "clamps", items = 4, labels = 2 }
model = { name = "transformer", layers = 1, heads = 1, width = 8 }
train = { steps = 1, batch = 2, rate = 0.1 }
probe = { every = 1, examples = 4, names = ["loss"] }
sweep = { intervene = [[], [{ )toml") + change + R"toml(, from = 1 }]] }
[[claim]]
says = "low"
at_most = 9.0
metric = "median(loss_held | interventions = 1)")toml",
                                                 "own.toml")),
              "")
        << change;
  }
}

TEST(Reproduce, RunsChecksAndKeepsTheVerdicts) {
  const Folder folder;
  Store store(folder / "runs.db");
  const Experiment experiment = mark_experiment(R"toml(
sweep = { seed = "0..3" }
[[claim]]
says = "the loss falls"
metric = "share(loss < 0.6)"
at_least = 1.0
[[claim]]
says = "the loss is nothing"
metric = "most(loss)"
at_most = 1e-9
)toml");
  const Reproduction first = reproduce(store, experiment, Preset::full, {}, {});
  EXPECT_EQ(first.runs.size(), 4u);
  ASSERT_EQ(first.claims.size(), 2u);
  EXPECT_TRUE(first.claims[0].held);
  EXPECT_FALSE(first.claims[1].held);
  const auto kept = store.claims();
  ASSERT_EQ(kept.size(), 2u);
  EXPECT_EQ(kept[0].claim, "the loss falls");
  EXPECT_EQ(kept[1].value, first.claims[1].value);
  // Another experiment's verdicts, since a setting differs: told, not kept.
  const Reproduction other = reproduce(store, experiment, Preset::full, {parse_override("train.steps=0")}, {});
  EXPECT_FALSE(other.claims[0].held);
  EXPECT_TRUE(store.claims()[0].held);
  EXPECT_EQ(store.count(), 8);
}

TEST(Reproduce, ValuesOfRunsAreWhatTheClaimsRead) {
  const Folder folder;
  Store store(folder / "runs.db");
  const Reproduction done = reproduce(store, mark_experiment(R"toml(
sweep = { "train.rate" = [0.1, 0.2], seed = "0..1" }
[define]
low = "loss < 0.6"
[[claim]]
says = "the loss falls"
metric = "median(step_of(low) | train.rate > 0.15) / mean(first(loss) + task.name)"
where = "train.steps = 60"
at_least = 1.0
[[claim]]
says = "the loss is nothing"
metric = "median(step_of(loss < -1))"
at_most = 1
[[claim]]
says = "of the other form"
metric = "median(train_loss)"
form = "quick"
at_most = 1
)toml"),
                                      Preset::full, {}, {});
  const Json values = run_values_json(done);
  const Json settings = {{"seed", {0, 1, 0, 1}}, {"train.rate", {0.1, 0.1, 0.2, 0.2}}};
  EXPECT_EQ(values["settings"], settings);
  const Json& numbers = values["numbers"];
  std::vector<std::string> names;
  for (const auto& [name, column] : numbers.items()) names.push_back(name);
  const std::vector<std::string> wanted{"first(loss)", "step_of(loss < -1)", "step_of(loss < 0.6)", "task.name",
                                        "train.steps"};
  EXPECT_EQ(names, wanted);
  EXPECT_EQ(numbers["first(loss)"][3], done.runs[3].series.at("loss").values.front());
  EXPECT_EQ(numbers["step_of(loss < -1)"][0], "infinity");
  EXPECT_EQ(numbers["task.name"][1], "mark");
  EXPECT_EQ(numbers["train.steps"][2], 60);
}

}  // namespace
}  // namespace fovea
