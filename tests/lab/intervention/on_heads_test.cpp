#include "fovea/lab/intervention/on_heads.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "fovea/lab/experiment/experiment.h"
#include "fovea/lab/record/held_name.h"
#include "fovea/lab/spec/assembly.h"
#include "fovea/lab/train/trainer.h"

namespace fovea {
namespace {

RunSpec heads_spec(const std::string& intervene, const std::string& probes = "\"loss\", \"heads\"",
                   const char* precision = "float") {
  const std::string text =
      "task = { name = \"markov-icl\", states = 3, length = 12 }\n"
      "model = { name = \"transformer\", layers = 2, heads = 2, width = 8, start = 0.5 }\n"
      "train = { steps = 20, batch = 4, precision = \"" +
      std::string(precision) + "\" }\nprobe = { every = 10, examples = 8, names = [" + probes +
      "] }\nintervene = " + intervene + "\n";
  return resolve(parse_experiment(text, "x.toml"), Preset::full, {}, 0);
}

std::string refusal(const std::string& intervene) {
  try {
    heads_spec(intervene);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

double of_step(const RunRecord& run, const std::string& name, std::size_t i) {
  return run.series.at(name).values.at(i);
}

TEST(HeadInterventions, AHeadIsHeldForItsStepsAndOthersAttendByThemselves) {
  const RunRecord run = train(heads_spec("[{ hold = \"previous\", of = \"layer.1.head.2\", until = 15 }]"));
  for (const std::size_t i : {0u, 1u}) {
    EXPECT_EQ(of_step(run, held_name("weight_on_previous_l1_h2"), i), 1);
    EXPECT_LT(of_step(run, "weight_on_previous_l1_h2", i), 0.9);
    EXPECT_EQ(of_step(run, held_name("weight_on_previous_l1_h1"), i), of_step(run, "weight_on_previous_l1_h1", i));
    EXPECT_NE(of_step(run, held_name("loss"), i), of_step(run, "loss", i));
  }
  EXPECT_EQ(run.series.at(held_name("loss")).steps, (std::vector<std::int64_t>{0, 10}));
}

TEST(HeadInterventions, ALayerAndEveryHeadCanBeMeant) {
  const RunRecord layer = train(heads_spec("[{ hold = \"first\", of = \"layer.2\" }]"));
  EXPECT_EQ(of_step(layer, held_name("weight_on_first_l2_h1"), 2), 1);
  EXPECT_EQ(of_step(layer, held_name("weight_on_first_l2_h2"), 2), 1);
  EXPECT_LT(of_step(layer, held_name("weight_on_first_l1_h1"), 2), 0.9);
  const RunRecord all = train(heads_spec("[{ hold = \"previous\" }]"));
  EXPECT_EQ(of_step(all, held_name("weight_on_previous_l2_h2"), 2), 1);
}

TEST(HeadInterventions, AnAblatedHeadChangesTheCourse) {
  const RunRecord with = train(heads_spec("[]"));
  const RunRecord without = train(heads_spec("[{ ablate = \"layer.1\" }, { ablate = \"layer.2.head.1\", from = 5 }]"));
  EXPECT_NE(of_step(with, "loss", 2), of_step(without, "loss", 2));
  EXPECT_TRUE(without.series.contains(held_name("loss")));
}

// Labels are copied at once where attention is given too; without attention, it says what the bag does.
TEST(HeadInterventions, WhatTheLastLayerAttendsToIsSaid) {
  const auto run_of = [](const std::string& intervene) {
    return train(resolve(parse_experiment("task = { name = \"clamps\" }\nmodel = { name = \"transformer\", heads = 2, "
                                          "width = 8 }\ntrain = { steps = 0 }\nprobe = { examples = 50, names = "
                                          "[\"loss\", \"ladder\"] }\nintervene = " +
                                              intervene + "\n",
                                          "x.toml"),
                         Preset::full, {}, 0));
  };
  const RunRecord both = run_of("[{ hold = \"truth\", of = \"layer.2\" }, { copy = 6, of = \"layer.2\" }]");
  EXPECT_LT(of_step(both, held_name("loss"), 0), 1e-3);
  EXPECT_NEAR(of_step(both, "loss", 0), std::log(5), 0.05);
  const RunRecord one = run_of("[{ copy = 50, of = \"layer.2.head.2\" }]");
  EXPECT_NEAR(of_step(one, held_name("loss"), 0), std::log(2), 0.05);
}

TEST(HeadInterventions, OneWayToWriteThemIsOneRun) {
  const RunSpec one = heads_spec("[{ hold = \"uniform\", of = \"layer.1.head.2\" }]");
  const RunSpec other = heads_spec("[{ of = \"layer.1.head.2\", from = 0, hold = \"uniform\" }]");
  EXPECT_EQ(one.text(), other.text());
  EXPECT_NE(one.hash(), heads_spec("[{ hold = \"uniform\", of = \"layer.1.head.1\" }]").hash());
}

TEST(HeadInterventions, ProbesThatLookIntoHeadsSeeTheHoldAndChangeNoBit) {
  const std::string hold = "[{ hold = \"uniform\", of = \"layer.2\" }]", usual = "\"loss\", \"heads\"";
  for (const char* precision : {"float", "double"}) {
    const RunRecord plain = train(heads_spec(hold, usual, precision)),
                    looked = train(heads_spec(hold, usual + ", \"head-beta\", \"gradients\", \"circuits\"", precision));
    for (const auto& [name, series] : plain.series) EXPECT_EQ(looked.series.at(name), series) << name;
    for (const char* name : {"head_beta_previous_l1_h2", "head_beta_induction_l2_h1", "gradient_qk_1", "gradient_embed",
                             "copies_l2_h1", "matches_l1_h1", "composes"})
      EXPECT_EQ(looked.series.at(name).steps, (std::vector<std::int64_t>{0, 10, 20})) << name;
    EXPECT_GT(of_step(looked, "gradient_qk_2", 0), 0);
    EXPECT_EQ(of_step(looked, held_name("gradient_qk_2"), 0), 0) << "held, no score of the layer moves";
    EXPECT_TRUE(std::ranges::any_of(looked.arrays, [](const ArrayRecord& a) { return a.name == "circuit_ov_l2_h1"; }));
  }
}

TEST(HeadInterventions, WhatContradictsItselfIsRefused) {
  const char* const meets = "two interventions change the same head at step 10";
  EXPECT_NE(
      refusal("[{ hold = \"previous\", of = \"layer.1.head.1\" }, { hold = \"first\", of = \"layer.1\", from = 10 }]")
          .find(meets),
      std::string::npos);
  EXPECT_EQ(refusal("[{ hold = \"previous\", of = \"layer.1.head.1\", until = 10 }, { hold = \"first\", of = "
                    "\"layer.1\", from = 10 }]"),
            "");
  EXPECT_EQ(
      refusal("[{ hold = \"previous\", of = \"layer.1.head.1\" }, { hold = \"first\", of = \"layer.1.head.2\" }]"), "");
}

TEST(HeadInterventions, WhatChangesNothingUnderAnotherIsRefused) {
  const auto both = [](const std::string& one, const std::string& other) {
    const std::string first = refusal("[" + one + ", " + other + "]"), second = refusal("[" + other + ", " + one + "]");
    EXPECT_EQ(first.empty(), second.empty()) << "whatever their order";
    return first;
  };
  const std::string noise = "{ noise = 1, of = \"layer.1.head.2\", from = 5 }";
  EXPECT_NE(both("{ hold = \"uniform\" }", noise)
                .find("the intervention 'noise' changes nothing under the intervention "
                      "'hold': the same heads are held at a pattern that ignores scores"),
            std::string::npos);
  EXPECT_NE(both("{ ablate = \"layer.1\" }", noise).find("the same heads are ablated"), std::string::npos);
  for (const char* const other : {"{ ablate = \"layer.1.head.2\", until = 7 }", "{ copy = 1, of = \"layer.2\" }",
                                  "{ hold = \"first\", of = \"layer.2\" }"})
    EXPECT_EQ(both(other, noise), "") << other;
  EXPECT_NE(both("{ hold = \"first\", of = \"layer.1\" }", "{ temperature = 2, of = \"layer.1.head.1\" }"), "");
  EXPECT_NE(both("{ ablate = \"layer.1\" }", "{ ablate = \"layer.1.head.1\" }"), "");
  EXPECT_NE(both("{ ablate = \"layer.2\" }", "{ copy = 2, of = \"layer.2\" }"), "");
  EXPECT_EQ(both("{ ablate = \"layer.1.head.1\" }", "{ ablate = \"layer.1\", from = 5 }"), "");
}

TEST(HeadInterventions, AHeadThatItsLayerLacksIsRefusedBeforeTraining) {
  const auto spec_with = [](const std::string& intervene) {
    return resolve(
        parse_experiment("task = { name = \"higher-order-chain\", length = 8 }\nmodel = { name = "
                         "\"position-match\", heads = 2 }\ntrain = { steps = 20, batch = 4 }\nprobe = { names "
                         "= [\"loss\"] }\nintervene = " +
                             intervene + "\n",
                         "x.toml"),
        Preset::full, {}, 0);
  };
  spec_with("[{ ablate = \"layer.1.head.2\" }, { ablate = \"layer.2.head.1\", from = 5 }]");
  try {
    spec_with("[{ ablate = \"layer.2.head.2\", from = 15 }]");
    FAIL() << "the spec was accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), Error::Kind::wrong_input);
    EXPECT_NE(std::string(error.what())
                  .find("there is no layer.2.head.2: model 'position-match' has 2 layers of 2 and 1 heads here"),
              std::string::npos)
        << error.what();
  }
}

TEST(HeadInterventions, WhatIsNotThereIsRefusedBeforeTraining) {
  EXPECT_NE(
      refusal("[{ hold = \"previous\", of = \"layer.3.head.1\" }]")
          .find("there is no layer.3.head.1: model 'transformer' has 2 layers of 2 heads here. Name an existing one"),
      std::string::npos);
  EXPECT_NE(refusal("[{ ablate = \"layer.1.head.9\" }]").find("there is no layer.1.head.9"), std::string::npos);
  EXPECT_NE(refusal("[{ ablate = \"l1h2\" }]").find("'l1h2' does not name a head"), std::string::npos);
  for (const char* const name : {"layer.1.head.-1", "layer.1.head.0", "layer.1.head.02", "layer.-1", "layer.0",
                                 "layer.-1.head.1", "layer.1.head."})
    for (const char* const change : {"{ ablate = ", "{ hold = \"uniform\", of = ", "{ temperature = 2, of = "})
      EXPECT_NE(refusal(std::string("[") + change + "\"" + name + "\" }]")
                    .find(std::string("'") + name + "' does not name a head"),
                std::string::npos)
          << change << name;
  EXPECT_NE(refusal("[{ hold = \"truth\", of = \"layer.1\" }]").find("does not define the positions"),
            std::string::npos);
  EXPECT_NE(refusal("[{ scale = 3, of = \"layer.1\" }]").find("does not define the positions"), std::string::npos);
  EXPECT_NE(refusal("[{ copy = 3, of = \"layer.1\" }]")
                .find("layer.1 has no output of tokens: only the last of the 2 layers has one"),
            std::string::npos);
  EXPECT_NE(refusal("[{ copy = 3 }]").find("names no layer"), std::string::npos);
  EXPECT_NE(refusal("[{ copy = 0, of = \"layer.2\" }]").find("by 0 changes nothing"), std::string::npos);
  EXPECT_NE(refusal("[{ scale = 1, of = \"layer.2\" }]").find("by 1 changes nothing"), std::string::npos);
  EXPECT_NE(refusal("[{ hold = \"uniform\", of = \"layer.1\", from = 5, until = 5 }]").find("ends before it begins"),
            std::string::npos);
  EXPECT_NE(refusal("[{ hold = \"sideways\", of = \"layer.1\" }]").find("not \"sideways\""), std::string::npos);
}

}  // namespace
}  // namespace fovea
