// Every pattern of a hold, in every model of self-attention, on every task of streams.
#include <gtest/gtest.h>

#include <numeric>
#include <set>

#include "fovea/base/arena.h"
#include "fovea/base/error/error.h"
#include "fovea/base/team.h"
#include "fovea/lab/experiment/experiment.h"
#include "fovea/lab/intervention/intervention.h"
#include "fovea/lab/spec/assembly.h"

namespace fovea {
namespace {

RunSpec held_spec(const std::string& task, const std::string& model, const std::string& intervene) {
  return resolve(parse_experiment("task = { name = \"" + task + "\" }\nmodel = { name = \"" + model +
                                      "\" }\ntrain = { steps = 0, batch = 4 }\nprobe = { names = [\"loss\"] }\n"
                                      "intervene = [" +
                                      intervene + "]\n",
                                  "held.toml"),
                 Preset::full, {}, 0);
}

// Whether the model can be trained on the task, under this.
bool fits(const std::string& task, const std::string& model, const std::string& intervene = {}) {
  try {
    held_spec(task, model, intervene);
    return true;
  } catch (const Error&) {
    return false;
  }
}

std::vector<std::string> models_of_self_attention() {
  std::vector<std::string> models;
  for (const auto& [name, entry] : Registry<Model<double>>::instance().all())
    if (const auto model = entry.make(); model->heads().causal && model->takes() == Kind::token_streams)
      models.push_back(name);
  return models;
}

void expect_whole_rows(const RunSpec& spec) {
  Arena arena;
  Team team;
  Compute compute{arena, team};
  const std::unique_ptr<Task> task = make_task(spec);
  ParameterSet<double> parameters;
  const auto model = make_model<double>(spec, task->shape(), parameters);
  Batch batch;
  task->batch(Split::train, 0, 4, batch);
  StepPlan plan;
  const Interventions interventions = Interventions::parse(spec.interventions);
  for (const auto& one : interventions.all) one->plan(plan);
  const Trace<double> trace = model->forward(compute, batch, {.rules = {plan.rules}});
  for (const AttentionMap<double>& map : trace.further)
    for (Index b = 0; b < map.weights.size(0); ++b)
      for (Index row = 0; row < map.weights.size(1); ++row) {
        const std::span<const double> weights = map.weights[b][row].flat();
        const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
        ASSERT_NEAR(sum, sum < 0.25 ? 0 : 1, 1e-9) << map.name << ", stream " << b << ", row " << row;
        ASSERT_GE(*std::ranges::min_element(weights), 0) << map.name << ", stream " << b << ", row " << row;
      }
}

TEST(HeldRows, HaveAllOfTheirWeightOrNone) {
  const std::vector<std::string> models = models_of_self_attention();
  std::set<std::string> seen;
  for (const std::string& task : Registry<Task>::instance().names()) {
    if (!fits(task, "transformer")) continue;
    for (const std::string& model : models)
      for (const auto& [pattern, value] : attention_patterns) {
        const std::string hold = "{ hold = \"" + std::string(pattern) + "\" }";
        if (!fits(task, model, hold)) continue;
        SCOPED_TRACE(task + " " + model + " " + hold);
        expect_whole_rows(held_spec(task, model, hold));
        seen.insert(model + " " + std::string(pattern));
      }
  }
  EXPECT_EQ(seen.size(), models.size() * attention_patterns.size());
  EXPECT_TRUE(fits("prefix-sum", "induction-exact", "{ hold = \"truth\" }")) << "a row that is itself a right position";
  EXPECT_TRUE(fits("sink", "induction-exact", "{ hold = \"first\" }")) << "a row with no position before it";
}

}  // namespace
}  // namespace fovea
