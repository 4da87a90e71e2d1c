// The transformer beside PyTorch's (tests/reference/make_transformer.py), row by row of its settings.
#include <gtest/gtest.h>

#include "tests/model/model_scene.h"
#include "tests/nn/reference.h"

namespace fovea {
namespace {

using namespace fovea::testing;

ValueTable transformer_settings(const Json& c) {
  ValueTable table{{"layers", {2, {}}}, {"heads", {2, {}}}, {"width", {4, {}}}};
  for (const auto& [name, value] : c["settings"].items()) {
    if (value.is_boolean()) table[name] = {value.get<bool>(), {}};
    else if (value.is_number()) table[name] = {value.get<std::int64_t>(), {}};
    else table[name] = {value.get<std::string>(), {}};
  }
  return table;
}

Batch transformer_batch(const Json& c) {
  Batch data;
  data.size = 3;
  data.source.resize(3, 7);
  data.source.ids = c["source"].get<std::vector<int>>();
  data.target.resize(3, 7);
  data.target.ids = c["target"].get<std::vector<int>>();
  if (c.contains("alignment")) data.alignment = c["alignment"].get<std::vector<int>>();
  return data;
}

// Relative to the largest of all: under a softmax those of the keys' biases are 0, and what is there is rounding.
template <class T>
void compare_gradients(const ParameterSet<T>& parameters, const Json& wanted, double tolerance) {
  double largest = 0;
  for (const auto& [name, list] : wanted.items())
    for (const double x : numbers<double>(list)) largest = std::max(largest, std::abs(x));
  for (const Param<T>& p : parameters.all()) {
    const auto want = numbers<double>(wanted[p.name]);
    ASSERT_EQ(want.size(), p.gradients().size()) << p.name;
    for (std::size_t i = 0; i < want.size(); ++i)
      ASSERT_NEAR(static_cast<double>(p.gradients()[i]), want[i], tolerance * largest) << p.name << '[' << i << ']';
  }
}

template <class T>
void compare_transformer(const Json& c, double tolerance) {
  SCOPED_TRACE(c["name"].template get<std::string>());
  TaskShape shape{Kind::token_streams};
  shape.vocab = 6;
  shape.target_vocab = c["settings"].value("tied", false) ? 6 : 5;
  shape.longest = 7;
  ModelScene<T> scene("transformer", transformer_settings(c), shape);
  ASSERT_EQ(scene.parameters.all().size(), c["parameters"].size());
  for (const Param<T>& p : scene.parameters.all()) {
    ASSERT_TRUE(c["parameters"].contains(p.name)) << p.name;
    const auto numbers = c["parameters"][p.name].template get<std::vector<double>>();
    ASSERT_EQ(numbers.size(), p.values().size()) << p.name;
    std::transform(numbers.begin(), numbers.end(), p.values().begin(), [](double x) { return static_cast<T>(x); });
  }
  const Batch data = transformer_batch(c);
  const ScopedRule scaled{0, 0, {AttentionRule::Pattern::learned, 3}};
  Pass pass{true};
  if (!data.alignment.empty()) pass.rules = {{&scaled, 1}};
  Optimizer<T> optimizer(scene.parameters, testing::update_rule("adamw", {{"beta2", {0.95, {}}}}),
                         {.weight_decay = 0.1});
  for (std::size_t step = 0; step < 4; ++step) {
    const Trace<T> trace = scene.gradient_of(data, pass);
    ASSERT_NEAR(trace.loss, c["losses"][step].template get<double>(), tolerance * (step == 0 ? 1 : 10)) << step;
    if (step == 0) compare_gradients(scene.parameters, c["gradients"], tolerance);
    optimizer.step(scene.bench.team, 1e-2);
  }
}

TEST(TransformerReference, EveryRowEqualsPyTorchInDouble) {
  const Json file = read_reference("transformer.json");
  ASSERT_EQ(file["cases"].size(), 18u);
  for (const Json& c : file["cases"]) compare_transformer<double>(c, 1e-9);
}
TEST(TransformerReference, EveryRowEqualsPyTorchInFloat) {
  const Json file = read_reference("transformer.json");
  for (const Json& c : file["cases"]) compare_transformer<float>(c, 2e-5);
}

}  // namespace
}  // namespace fovea
