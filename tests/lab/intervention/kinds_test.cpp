// Every kind of intervention through its interface.
#include <gtest/gtest.h>

#include <map>

#include "fovea/lab/experiment/experiment.h"
#include "fovea/lab/intervention/intervention.h"

namespace fovea {
namespace {

RunSpec intervention_spec(const std::string& intervene) {
  return resolve(
      parse_experiment("task = { name = \"induction\", vocab = 12, length = 6 }\nmodel = { name = \"transformer\", "
                       "heads = 2, width = 8, start = 0.5 }\ntrain = { steps = 8, batch = 4 }\n"
                       "probe = { every = 4, examples = 8, names = [\"loss\"] }\nintervene = " +
                           intervene + "\n",
                       "x.toml"),
      Preset::full, {}, 0);
}

// The hashes of stored runs depend on the ranks, and on what is written.
TEST(Interventions, OfEachKindHaveTheirRankAndAreReadAsTheyAreWritten) {
  struct Case {
    int rank;
    std::string written;
  };
  const std::map<std::string, Case> cases{{"hold", {0, "{ hold = \"truth\", until = 7 }"}},
                                          {"scale", {1, "{ scale = 3, of = \"layer.2\" }"}},
                                          {"ablate", {1, "{ ablate = \"layer.1.head.2\", from = 3 }"}},
                                          {"copy", {1, "{ copy = 1, of = \"layer.2\" }"}},
                                          {"noise", {1, "{ noise = 0.5 }"}},
                                          {"temperature", {1, "{ temperature = 2, of = \"layer.1\" }"}},
                                          {"freeze", {2, "{ freeze = \"qk.2\" }"}},
                                          {"rate", {3, "{ rate = 0.5, of = \"body\" }"}},
                                          {"clamp", {4, "{ clamp = \"norm.weight\", at = 1 }"}},
                                          {"transplant", {5, "{ transplant = 12, of = \"qk.1\", at = 3 }"}},
                                          {"embeddings", {6, "{ embeddings = \"vectors.txt\", frozen = true }"}}};
  for (const auto& [name, entry] : Registry<Intervention>::instance().all()) {
    if (name == "counted-change" || name == "checked-change") continue;  // registered by tests in tests/lab
    ASSERT_TRUE(cases.contains(name)) << "the kind '" << name << "' needs a case";
    const auto& [rank, written] = cases.at(name);
    const Override list = parse_override("intervene=[" + written + "]");
    const Interventions read = Interventions::parse(*list.value.as<ValueList>());
    ASSERT_EQ(read.all.size(), 1u);
    EXPECT_EQ(read.all[0]->kind, name);
    EXPECT_EQ(read.all[0]->rank(), rank) << name;
    EXPECT_EQ(read.all[0]->acts_on_attention(), rank <= 1) << name;
    EXPECT_EQ(Interventions::parse(read.write()).write(), read.write()) << name;
  }
}

TEST(Interventions, AreWrittenByRankAndThenAsTheyWereListed) {
  const RunSpec spec = intervention_spec(
      "[{ clamp = \"norm.weight\", at = 1 }, { rate = 0.5, of = \"body\" }, { freeze = \"qk.2\" }, { copy = 1, of = "
      "\"layer.2\" }, { ablate = \"layer.1\" }, { hold = \"first\" }, { hold = \"truth\" }]");
  std::string keys;
  for (const Value& value : spec.interventions)
    for (const auto& [name, entry] : Registry<Intervention>::instance().all())
      if (value.as<ValueTable>()->contains(name)) keys += name + " ";
  EXPECT_EQ(keys, "hold copy ablate hold freeze rate clamp ");
  EXPECT_FALSE(spec.interventions.front().as<ValueTable>()->contains("of"));
  EXPECT_TRUE(spec.interventions[3].as<ValueTable>()->contains("of"));
  EXPECT_EQ(Interventions::parse(spec.interventions).write(), spec.interventions) << "read again, it is the same";
}

}  // namespace
}  // namespace fovea
