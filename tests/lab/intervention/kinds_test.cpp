// Every kind of intervention through its interface.
#include <gtest/gtest.h>

#include <map>

#include "fovea/lab/experiment/experiment.h"
#include "fovea/lab/intervention/intervention.h"

namespace fovea {
namespace {

RunSpec spec_of(const std::string& intervene) {
  return resolve(
      parse_experiment("task = { name = \"induction\", vocab = 12, length = 6 }\nmodel = { name = \"transformer\", "
                       "heads = 2, width = 8, start = 0.5 }\ntrain = { steps = 8, batch = 4 }\n"
                       "probe = { every = 4, examples = 8, names = [\"loss\"] }\nintervene = " +
                           intervene + "\n",
                       "x.toml"),
      Preset::full, {}, 0);
}

// The hashes of stored runs depend on this order.
TEST(Interventions, AreWrittenByRankAndThenAsTheyWereListed) {
  const std::map<std::string, int> ranks{{"hold", 0}, {"scale", 1}, {"ablate", 1},     {"copy", 1},       {"freeze", 2},
                                         {"rate", 3}, {"clamp", 4}, {"transplant", 5}, {"embeddings", 6}, {"noise", 1}};
  for (const auto& [name, rank] : ranks)
    EXPECT_EQ(Registry<Intervention>::instance().all().at(name).make()->rank(), rank) << name;
  const RunSpec spec = spec_of(
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
