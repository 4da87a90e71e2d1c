// feature-attention and bag-attention against PyTorch (tests/reference/make_items.py), in both precisions.
#include "tests/model/model_scene.h"
#include "tests/nn/reference.h"

namespace fovea {
namespace {

using namespace fovea::testing;

const Json& items_reference() {
  static const Json json = read_reference("items.json");
  return json;
}

ValueTable table_of(const Json& settings) {
  ValueTable table;
  for (const auto& [key, value] : settings.items()) {
    if (value.is_boolean()) table[key] = {value.get<bool>(), {}};
    if (value.is_string()) table[key] = {value.get<std::string>(), {}};
    if (value.is_number_integer()) table[key] = {value.get<std::int64_t>(), {}};
    if (value.is_array()) {
      ValueList list;
      for (const Json& x : value) list.push_back({x.get<std::int64_t>(), {}});
      table[key] = {list, {}};
    }
  }
  return table;
}

template <class T>
class ItemsReference : public ::testing::Test {};
using Precisions = ::testing::Types<float, double>;
TYPED_TEST_SUITE(ItemsReference, Precisions);

TYPED_TEST(ItemsReference, LossGradientsAndTwentySteps) {
  using T = TypeParam;
  constexpr bool single = sizeof(T) == 4;
  constexpr double for_loss = single ? 1e-5 : 1e-10, for_gradients = single ? 1e-4 : 1e-8;
  constexpr double after_steps = single ? 1e-3 : 1e-7;
  ASSERT_EQ(items_reference()["cases"].size(), 10u);
  for (const Json& c : items_reference()["cases"]) {
    SCOPED_TRACE(c["model"].template get<std::string>() + " " + c["settings"].dump());
    Batch batch;
    batch.items.resize(c["items"][0], c["items"][1], c["items"][2]);
    batch.size = batch.items.rows;
    batch.items.values = numbers<float>(c["x"]);
    batch.items.lengths = c["lengths"].template get<std::vector<int>>();
    batch.labels = c["labels"].template get<std::vector<int>>();
    TaskShape shape;
    shape.width = batch.items.width;
    shape.classes = c["classes"];
    shape.most_items = batch.items.columns;
    ModelScene<T> scene(c["model"], table_of(c["settings"]), shape, 2);

    std::size_t trained = 0;
    for (const Param<T>& p : scene.parameters.all()) {
      if (p.group == Group::statistics) continue;
      ASSERT_TRUE(c["parameters"].contains(p.name)) << p.name;
      const std::vector<T> values = numbers<T>(c["parameters"][p.name]);
      ASSERT_EQ(values.size(), p.values().size()) << p.name;
      std::ranges::copy(values, p.value);
      ++trained;
    }
    EXPECT_EQ(trained, c["parameters"].size());

    const Trace<T> outcome = scene.gradient_of(batch);
    const double loss = c["loss"];
    EXPECT_NEAR(outcome.loss, loss, for_loss * loss);
    expect_near_reference<T>("scores", outcome.scores.flat(), c["scores"], for_gradients);
    if (!outcome.attention.empty())
      expect_near_reference<T>("attention", outcome.attention.flat(), c["attention"], for_gradients);
    for (const Param<T>& p : scene.parameters.all()) {
      if (p.group == Group::statistics)
        expect_near_reference<T>(p.name, p.values(), c["statistics"][p.name], for_gradients);
      else expect_near_reference<T>("d " + p.name, p.gradients(), c["gradients"][p.name], for_gradients);
    }

    scene.adam(20, 1e-2, batch);
    const double after = c["loss after 20"];
    EXPECT_NEAR(scene.forward(batch, {true}).loss, after, after_steps * after);
  }
}

}  // namespace
}  // namespace fovea
