// The systems of model/exact against PyTorch (tests/reference/make_exact.py), in both precisions.
#include <set>
#include <string>

#include "fovea/base/error/error.h"
#include "tests/data/tasks/task_help.h"
#include "tests/model/model_scene.h"
#include "tests/nn/reference.h"

namespace fovea {
namespace {

using namespace fovea::testing;

const Json& exact_reference() {
  static const Json json = read_reference("exact.json");
  return json;
}

Batch exact_batch(const Json& parts) {
  Batch batch;
  const auto items = [&](const char* name, Items& into) {
    if (!parts.contains(name)) return;
    const Json& shape = parts[name]["shape"];
    into.resize(shape[0], shape[1], shape[2]);
    into.values = numbers<float>(parts[name]["values"]);
    batch.size = into.rows;
  };
  items("items", batch.items);
  items("values", batch.values);
  items("queries", batch.queries);
  items("answers", batch.answers);
  const auto tokens = [&](const char* name, Tokens& into) {
    if (!parts.contains(name)) return;
    into.resize(parts[name]["shape"][0], parts[name]["shape"][1]);
    into.ids = parts[name]["values"].get<std::vector<int>>();
    batch.size = into.rows;
  };
  tokens("source", batch.source);
  tokens("target", batch.target);
  if (parts.contains("truth")) batch.truth = numbers<float>(parts["truth"]["values"]);
  if (parts.contains("marked"))
    for (const Json& mark : parts["marked"]["values"]) batch.marked.push_back(mark.get<std::uint8_t>());
  return batch;
}

ValueTable exact_settings(const Json& settings) {
  ValueTable table;
  for (const auto& [key, value] : settings.items())
    table[key] = value.is_string()         ? word(value.get<std::string>())
                 : value.is_boolean()      ? yes(value.get<bool>())
                 : value.is_number_float() ? real(value.get<double>())
                                           : whole(value.get<std::int64_t>());
  return table;
}

// What may be said: of a model that says the tokens it reads, as many as its matrix has columns, or all.
int exact_targets(const Json& c) {
  if (c["model"] == "position-match") return 4;
  return c["model"] == "induction-exact" ? static_cast<int>(c["parameters"]["output"].size() / 4) : 3;
}

TaskShape exact_shape(const Batch& batch, int target_vocab) {
  TaskShape shape;
  shape.kind = batch.source.ids.empty() ? Kind::points : Kind::token_streams;
  shape.vocab = 4;
  shape.target_vocab = target_vocab;
  shape.longest = batch.source.columns;
  shape.width = batch.items.width;
  shape.most_items = batch.items.columns;
  shape.value_width = batch.answers.width;
  shape.query_width = batch.queries.width == batch.items.width ? 0 : batch.queries.width;
  return shape;
}

template <class T>
class ExactReference : public ::testing::Test {};
using ExactPrecisions = ::testing::Types<float, double>;
TYPED_TEST_SUITE(ExactReference, ExactPrecisions);

TYPED_TEST(ExactReference, LossGradientsAndTwentySteps) {
  using T = TypeParam;
  constexpr bool single = sizeof(T) == 4;
  constexpr double for_loss = single ? 1e-5 : 1e-10, for_gradients = single ? 1e-4 : 1e-8;
  constexpr double after_steps = single ? 1e-3 : 1e-7;
  ASSERT_EQ(exact_reference()["cases"].size(), 17u);
  for (const Json& c : exact_reference()["cases"]) {
    SCOPED_TRACE(c["model"].template get<std::string>() + " " + c["settings"].dump());
    const Batch batch = exact_batch(c["batch"]);
    ModelScene<T> scene(c["model"], exact_settings(c["settings"]), exact_shape(batch, exact_targets(c)), 2);
    EXPECT_EQ(scene.parameters.all().size(), c["parameters"].size());
    for (const Param<T>& p : scene.parameters.all()) {
      ASSERT_TRUE(c["parameters"].contains(p.name)) << p.name;
      const std::vector<T> values = numbers<T>(c["parameters"][p.name]);
      ASSERT_EQ(values.size(), p.values().size()) << p.name;
      std::ranges::copy(values, p.value);
    }
    const double loss = c["loss"], after = c["loss after 20"];
    EXPECT_NEAR(scene.gradient_of(batch).loss, loss, for_loss * loss);
    for (const Param<T>& p : scene.parameters.all())
      expect_near_reference<T>("d " + p.name, p.gradients(), c["gradients"][p.name], for_gradients);
    scene.adam(20, 1e-2, batch);
    EXPECT_NEAR(scene.forward(batch, {true}).loss, after, after_steps * after);
  }
}

// Central differences, in every form and under every hold.
TEST(ExactModels, GradientsAreWhatCentralDifferencesSay) {
  for (const Json& c : exact_reference()["cases"]) {
    SCOPED_TRACE(c["model"].get<std::string>() + " " + c["settings"].dump());
    Batch batch = exact_batch(c["batch"]);
    if (!batch.source.ids.empty()) {
      batch.pattern_width = 1;
      for (std::size_t n = 0; n < batch.source.ids.size(); ++n)
        batch.pattern.push_back(static_cast<int>(n) % batch.source.columns / 2);
    }
    ModelScene<double> scene(c["model"], exact_settings(c["settings"]), exact_shape(batch, exact_targets(c)));
    for (const Param<double>& p : scene.parameters.all())
      std::ranges::copy(numbers<double>(c["parameters"][p.name]), p.value);
    for (const Pattern pattern : {Pattern::learned, Pattern::uniform, Pattern::truth}) {
      SCOPED_TRACE(static_cast<int>(pattern));
      scene.check_gradients(batch, held_at(pattern, {true}));
    }
  }
}

TEST(ExactModels, GradientsWhereScoresOfSelfAttentionAreChanged) {
  const ScopedRule change{0, 0, {.factor = 0.5, .shift = &test_shift}};
  const Pass pass{true, 0, 0, {{&change, 1}}};
  std::set<std::string> changed;
  for (const Json& c : exact_reference()["cases"]) {
    const auto model = c["model"].get<std::string>();
    SCOPED_TRACE(model + " " + c["settings"].dump());
    const Batch batch = exact_batch(c["batch"]);
    ModelScene<double> scene(model, exact_settings(c["settings"]), exact_shape(batch, exact_targets(c)));
    if (!scene.model->heads().causal) continue;
    for (const Param<double>& p : scene.parameters.all())
      std::ranges::copy(numbers<double>(c["parameters"][p.name]), p.value);
    scene.check_gradients(batch, pass);
    EXPECT_NE(scene.forward(batch, pass).loss, scene.forward(batch, {true}).loss);
    changed.insert(model);
  }
  EXPECT_EQ(changed, (std::set<std::string>{"disentangled", "induction-exact", "position-heads", "position-match"}));
}

TEST(ExactModels, AttendWhereTheyAreHeld) {
  const ScopedRule second{2, 1, {.pattern = AttentionRule::Pattern::first}};
  std::set<std::string> held;
  for (const Json& c : exact_reference()["cases"]) {
    const auto model = c["model"].get<std::string>();
    const Batch batch = exact_batch(c["batch"]);
    ModelScene<double> scene(model, exact_settings(c["settings"]), exact_shape(batch, exact_targets(c)));
    const Trace<double> uniform = scene.forward(batch, held_at(Pattern::uniform));
    if (model == "sparse-attention") {
      for (const double weight : copy_of(uniform.attention)) EXPECT_EQ(weight, 1.0 / batch.items.columns);
    } else if (model == "rank-one-attention") {
      for (const double weight : copy_of(uniform.attention)) EXPECT_EQ(weight, 1.0 / batch.items.columns);
    } else if (model == "induction-exact") {
      const AttentionMap<double>&before = uniform.further[0], &brings = uniform.further[1];
      for (Index i = 0; i < batch.source.columns; ++i) {
        EXPECT_NEAR(before.weights(0, i, 0), 1.0 / static_cast<double>(i + 1), 1e-15);
        const bool asks = batch.target.at(0, static_cast<int>(i)) >= 0;
        EXPECT_NEAR(brings.weights(0, i, 0), asks ? 1.0 / static_cast<double>(i) : 0, 1e-15) << i;
        EXPECT_EQ(brings.weights(0, i, i), 0) << "a place that asks does not look at itself";
      }
    } else if (model == "disentangled") {
      for (const AttentionMap<double>& map : uniform.further)
        for (Index i = 0; i < batch.source.columns; ++i)
          for (Index j = 0; j <= i; ++j)
            EXPECT_NEAR(map.weights(0, i, j), 1.0 / static_cast<double>(i + 1), 1e-15) << map.name;
      const Trace<double> first = scene.forward(batch, {.rules = {{&second, 1}}});
      for (Index i = 0; i < batch.source.columns; ++i) EXPECT_EQ(first.further[1].weights(0, i, 0), 1) << i;
      EXPECT_LT(first.further[0].weights(0, batch.source.columns - 1, 0), 1);
    } else if (model == "position-heads" || model == "position-match") {
      for (const AttentionMap<double>& map : uniform.further)
        for (Index i = 0; i < batch.source.columns; ++i) {
          const bool there = map.name.starts_with("layer.1") || batch.target.at(0, static_cast<int>(i)) >= 0;
          EXPECT_NEAR(map.weights(0, i, 0), there ? 1.0 / static_cast<double>(i + 1) : 0, 1e-15) << map.name;
        }
    } else {
      continue;
    }
    held.insert(model);
  }
  EXPECT_EQ(held.size(), 6u);
}

TEST(ExactModels, AreOfTheirTasksAlone) {
  const auto refuses = [](const char* model, const TaskShape& shape, const ValueTable& settings = {}) {
    try {
      ModelScene<double>(model, settings, shape);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("nothing");
  };
  TaskShape set, own;
  set.kind = own.kind = Kind::points;
  set.width = own.width = 3;
  set.value_width = own.value_width = 1;
  own.most_items = 5;
  EXPECT_NE(refuses("linear-attention", set).find("Use task 'linear-icl'"), std::string::npos);
  EXPECT_EQ(refuses("linear-attention", own), "nothing");
  EXPECT_NE(refuses("sparse-attention", own).find("Use task 'sparse-emergence'"), std::string::npos);
  EXPECT_NE(refuses("logistic-attention", set).find("Use task 'max-margin'"), std::string::npos);
  EXPECT_NE(refuses("product", own).find("Use task 'product'"), std::string::npos);
  EXPECT_NE(refuses("race-product", own).find("Use task 'race-product'"), std::string::npos);
  EXPECT_NE(refuses("rank-one-attention", own).find("Use task 'position-or-meaning'"), std::string::npos);
  EXPECT_NE(refuses("pooling", own).find("one set of points"), std::string::npos);
  own.value_width = 3;
  EXPECT_EQ(refuses("sparse-attention", own), "nothing");
  TaskShape stream;
  stream.kind = Kind::token_streams;
  stream.vocab = stream.target_vocab = 3;
  EXPECT_NE(refuses("disentangled", stream).find("number of positions"), std::string::npos);
  EXPECT_NE(refuses("position-heads", stream).find("number of positions"), std::string::npos);
  stream.longest = 5;
  EXPECT_EQ(refuses("position-heads", stream), "nothing");
  EXPECT_EQ(refuses("position-match", stream), "nothing");
  EXPECT_EQ(refuses("induction-exact", stream), "nothing");
  EXPECT_NE(refuses("induction-exact", stream, {{"frozen", {ValueList{word("outputs")}, {}}}}).find("output"),
            std::string::npos);
  stream.target_vocab = 2;
  EXPECT_NE(refuses("position-match", stream).find("Use task 'higher-order-chain'"), std::string::npos);
  EXPECT_NE(refuses("induction-exact", stream).find("Use task 'induction'"), std::string::npos);
}

}  // namespace
}  // namespace fovea
