// Model `address-attention`: against central differences, by its equations, and against PyTorch
// (tests/reference/make_addresses.py).
#include "tests/model/model_scene.h"
#include "tests/nn/reference.h"

namespace fovea {
namespace {

using namespace fovea::testing;

TaskShape access_shape() {
  TaskShape shape;
  shape.kind = Kind::accesses;
  shape.counters = 3;
  shape.pages = 5;
  shape.offsets = 7;
  return shape;
}

Batch random_accesses(int windows, int steps) {
  Batch batch;
  batch.size = windows;
  batch.source.resize(windows, 3 * steps);
  batch.target.resize(windows, 2);
  RandomStream stream(4, "accesses");
  const TaskShape shape = access_shape();
  const std::array<int, 3> below{shape.counters, shape.pages, shape.offsets};
  for (std::size_t i = 0; i < batch.source.ids.size(); ++i)
    batch.source.ids[i] = static_cast<int>(stream.integer(static_cast<std::uint64_t>(below[i % 3])));
  for (std::size_t i = 0; i < batch.target.ids.size(); ++i)
    batch.target.ids[i] = static_cast<int>(stream.integer(static_cast<std::uint64_t>(below[1 + i % 2])));
  return batch;
}

ValueTable address_settings(std::int64_t experts, const std::string& attention = "learned") {
  return {{"experts", {experts, {}}},
          {"counter_width", {std::int64_t{2}, {}}},
          {"page_width", {std::int64_t{3}, {}}},
          {"hidden", {std::int64_t{4}, {}}},
          {"factor", {0.7, {}}},
          {"embedding_spread", {1.0, {}}},
          {"attention", {attention, {}}}};
}

TEST(AddressAttention, GradientsAreWhatCentralDifferencesSay) {
  const Batch batch = random_accesses(6, 3);
  for (const Pattern pattern : {Pattern::learned, Pattern::uniform})
    for (const std::int64_t experts : {1, 4}) {
      ModelScene<double> scene("address-attention", address_settings(experts), access_shape(), 2);
      scene.check_gradients(batch, held_at(pattern, {true}));
    }
}

TEST(AddressAttention, WeightsAreTheSoftmaxOfPageTimesExpert) {
  const Batch batch = random_accesses(5, 3);
  ModelScene<double> scene("address-attention", address_settings(4), access_shape());
  const Cube<double> attention = scene.forward(batch, {}).attention;
  ASSERT_EQ(attention.shape(), (std::array<Index, 3>{5, 3, 4}));
  const Matrix<double> pages = scene.parameters.find("page.weight")->matrix();
  const Matrix<double> table = scene.parameters.find("offset.weight")->matrix();
  for (int b = 0; b < 5; ++b)
    for (int t = 0; t < 3; ++t) {
      std::array<double, 4> weights{};
      double sum = 0;
      for (Index k = 0; k < 4; ++k) {
        double score = 0;
        for (Index e = 0; e < 3; ++e)
          score += pages(batch.source.at(b, 3 * t + 1), e) * table(batch.source.at(b, 3 * t + 2), 3 * k + e);
        sum += weights[static_cast<std::size_t>(k)] = std::exp(0.7 * score);
      }
      for (Index k = 0; k < 4; ++k) EXPECT_NEAR(attention(b, t, k), weights[static_cast<std::size_t>(k)] / sum, 1e-12);
    }
}

TEST(AddressAttention, HeldUniformIsTheUniformModel) {
  const Batch batch = random_accesses(5, 3);
  ModelScene<double> learned("address-attention", address_settings(4), access_shape());
  ModelScene<double> uniform("address-attention", address_settings(4, "uniform"), access_shape());
  const Trace<double> held = learned.forward(batch, held_at(Pattern::uniform));
  const Trace<double> own = uniform.forward(batch, {});
  EXPECT_EQ(held.loss, own.loss);
  for (const double weight : held.attention.flat()) EXPECT_EQ(weight, 0.25);
  EXPECT_NE(learned.forward(batch, {}).loss, own.loss);
  learned.gradient_of(batch, held_at(Pattern::uniform));
  uniform.gradient_of(batch);
  EXPECT_TRUE(std::ranges::equal(learned.parameters.gradients(), uniform.parameters.gradients()));
}

TEST(AddressAttention, IsTheSameBitsForAnyTeam) {
  const Batch batch = random_accesses(70, 4);
  std::vector<std::vector<float>> ends;
  for (const int threads : {1, 2, 5}) {
    ModelScene<float> scene("address-attention", address_settings(4), access_shape(), threads);
    scene.adam(3, 1e-2, batch);
    const auto values = scene.parameters.values();
    ends.emplace_back(values.begin(), values.end());
  }
  EXPECT_EQ(ends[0], ends[1]);
  EXPECT_EQ(ends[0], ends[2]);
}

TEST(AddressAttention, ASteadyStepAllocatesNothing) {
  const Batch batch = random_accesses(20, 4);
  ModelScene<float> scene("address-attention", address_settings(4), access_shape());
  for (int i = 0; i < 2; ++i) scene.gradient_of(batch);
  const std::size_t before = scene.bench.arena.blocks_requested();
  for (int i = 0; i < 3; ++i) scene.gradient_of(batch);
  EXPECT_EQ(scene.bench.arena.blocks_requested(), before);
}

TEST(AddressAttention, IsWhatPyTorchComputes) {
  const Json reference = read_reference("addresses.json");
  ASSERT_EQ(reference["cases"].size(), 2u);
  for (const Json& c : reference["cases"]) {
    SCOPED_TRACE(c["attention"].get<std::string>());
    Batch batch = random_accesses(c["windows"], c["steps"]);
    batch.source.ids = c["source"].get<std::vector<int>>();
    batch.target.ids = c["target"].get<std::vector<int>>();
    ModelScene<double> scene("address-attention", address_settings(c["experts"], c["attention"]), access_shape());
    ASSERT_EQ(scene.parameters.all().size(), c["weights"].size());
    for (const auto& [name, values] : c["weights"].items()) {
      ASSERT_NE(scene.parameters.find(name), nullptr) << name;
      std::ranges::copy(numbers<double>(values), scene.parameters.find(name)->value);
    }
    const Trace<double> trace = scene.gradient_of(batch);
    EXPECT_NEAR(trace.loss, c["loss"].get<double>(), 1e-10);
    expect_near_reference("attention", trace.attention.flat(), c["attention_weights"]);
    for (const auto& [name, values] : c["gradients"].items())
      expect_near_reference(name, scene.parameters.find(name)->gradients(), values);
  }
}

}  // namespace
}  // namespace fovea
