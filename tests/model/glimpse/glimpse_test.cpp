// Model `glimpse`: what a glimpse sees, gradients against central differences, by its equations, and against PyTorch at
// given places (tests/reference/make_glimpse.py).
#include "fovea/model/glimpse/glimpse.h"

#include <cmath>
#include <numeric>
#include <set>

#include "tests/data/tasks/task_help.h"
#include "tests/model/items/item_batches.h"
#include "tests/model/model_scene.h"
#include "tests/nn/reference.h"

namespace fovea {
namespace {

using namespace fovea::testing;

ValueTable glimpse_settings(const std::string& policy = "learned", int glimpses = 3) {
  return {{"glimpses", whole(glimpses)}, {"patch", whole(3)},          {"scales", whole(2)}, {"what_width", whole(5)},
          {"where_width", whole(4)},     {"glimpse_width", whole(6)},  {"hidden", whole(7)}, {"policy", word(policy)},
          {"spread", real(0.3)},         {"reward_weight", real(0.7)}, {"pace", real(0.5)}};
}

Batch random_images(int images, int side = 9) { return random_vectors(3, images, side * side, 4); }

TEST(GlimpseSensor, SeesPatchesThatDoubleAroundThePlace) {
  const GlimpseSensor sensor{6, 2, 2};
  std::vector<double> image(36), patches(8);
  std::iota(image.begin(), image.end(), 1);
  Team team;
  const auto look = [&](double x, double y) {
    const std::array<double, 2> place{x, y};
    sensor.read_patches<double>(team, Matrix<const double>(image.data(), 1, 36),
                                Matrix<const double>(place.data(), 1, 2), Matrix<double>(patches.data(), 1, 8));
    return patches;
  };
  // Sharp: rows and columns 2, 3; twice as wide: 1 to 4, in blocks of four.
  EXPECT_EQ(look(0, 0), (std::vector<double>{15, 16, 21, 22, 11.5, 13.5, 23.5, 25.5}));
  // The upper right corner: what is outside counts as 0.
  EXPECT_EQ(look(1, -1), (std::vector<double>{0, 0, 6, 0, 0, 0, 34.0 / 4, 0}));
  std::vector<double> weights(36);
  sensor.cover<double>(1, -1, Vector<double>(weights.data(), 36));
  EXPECT_EQ(weights[5], 1);
  EXPECT_EQ(std::accumulate(weights.begin(), weights.end(), 0.0), 1);
}

TEST(Glimpse, GradientsAreWhatCentralDifferencesSay) {
  const Batch batch = random_images(6);
  for (const char* const policy : {"random", "centre"}) {
    ModelScene<double> scene("glimpse", glimpse_settings(policy), vector_shape(batch, 4), 2);
    scene.check_gradients(batch, {true, 3, 7});
  }
  ModelScene<double> held("glimpse", glimpse_settings(), vector_shape(batch, 4));
  held.check_gradients(batch, held_at(Pattern::truth, {true, 3, 7}));
}

TEST(Glimpse, IsWhatPyTorchComputesAtGivenPlaces) {
  const Json c = read_reference("glimpse.json");
  const int images = c["images"], side = c["side"];
  Batch batch = random_images(images, side);
  batch.items.values = numbers<float>(c["pixels"]);
  batch.labels = c["labels"].get<std::vector<int>>();
  ModelScene<double> scene("glimpse", glimpse_settings(), vector_shape(batch, 4));
  ASSERT_EQ(scene.parameters.all().size(), c["weights"].size());
  for (const auto& [name, values] : c["weights"].items()) {
    ASSERT_NE(scene.parameters.find(name), nullptr) << name;
    std::ranges::copy(numbers<double>(values), scene.parameters.find(name)->value);
  }
  const auto& model = dynamic_cast<const Glimpse<double>&>(*scene.model);
  const std::vector<double> drawn = numbers<double>(c["drawn"]);
  const Pass pass{true, 0, 0};
  const Trace<double> trace =
      model.forward_at(scene.bench.compute, batch, pass, Cube<const double>(drawn.data(), 3, images, 2));
  scene.parameters.clear_gradients();
  model.backward(scene.bench.compute, trace);
  EXPECT_NEAR(trace.loss, c["loss"].get<double>(), 1e-10);
  expect_near_reference("scores", trace.scores.flat(), c["scores"]);
  for (const auto& [name, values] : c["gradients"].items())
    expect_near_reference(name, scene.parameters.find(name)->gradients(), values);
}

// Where it looked: the middle of what a row of the map covers, in pixels.
std::array<double, 2> seen_at(Cube<double> attention, Index image, Index glimpse, Index side) {
  std::array<double, 2> at{};
  for (Index i = 0; i < side * side; ++i) {
    at[0] += attention(image, glimpse, i) * (static_cast<double>(i % side) + 0.5);
    at[1] += attention(image, glimpse, i) * (static_cast<double>(i / side) + 0.5);
  }
  return at;
}

TEST(Glimpse, HeldAtTheTruthItLooksAtWhatIsMarked) {
  Batch batch = random_images(3);
  batch.marked.assign(batch.marked.size(), 0);
  for (int b = 0; b < 3; ++b)
    for (const int pixel : {9 * 1 + 2, 9 * 3 + 4}) batch.marked[static_cast<std::size_t>(81 * b + pixel)] = 1;
  ModelScene<double> scene("glimpse", glimpse_settings(), vector_shape(batch, 4));
  const Cube<double> attention = scene.forward(batch, held_at(Pattern::truth)).attention;
  for (Index b = 0; b < 3; ++b)
    for (Index t = 0; t < 3; ++t) {
      EXPECT_NEAR(seen_at(attention, b, t, 9)[0], 3.5, 1e-12);
      EXPECT_NEAR(seen_at(attention, b, t, 9)[1], 2.5, 1e-12);
    }
}

TEST(Glimpse, HeldUniformIsTheRandomPolicy) {
  const Batch batch = random_images(40);
  ModelScene<double> learned("glimpse", glimpse_settings(), vector_shape(batch, 4));
  ModelScene<double> random("glimpse", glimpse_settings("random"), vector_shape(batch, 4));
  const Pass random_places = held_at(Pattern::uniform, {true, 1, 2});
  EXPECT_EQ(learned.gradient_of(batch, random_places).loss, random.gradient_of(batch, {true, 1, 2}).loss);
  for (const char* const name : {"location.weight", "baseline.weight"})
    for (const double d : learned.parameters.find(name)->gradients()) EXPECT_EQ(d, 0) << name;
  EXPECT_NE(learned.gradient_of(batch, {true, 1, 2}).loss, random.forward(batch, random_places).loss);
}

// Where places are drawn, many differ; the first may be the middle of every image.
TEST(Glimpse, RandomPlacesAreSpreadOverTheImage) {
  const Batch batch = random_images(40);
  for (const auto& [first, drawn] : {std::pair{"random", 3}, std::pair{"centre", 2}}) {
    ValueTable settings = glimpse_settings("random");
    settings["first"] = word(first);
    ModelScene<double> scene("glimpse", settings, vector_shape(batch, 4));
    const Cube<double> attention = scene.forward(batch, {}).attention;
    for (Index t = 0; t < 3; ++t) {
      std::set<double> across;
      for (Index b = 0; b < 40; ++b) across.insert(std::round(seen_at(attention, b, t, 9)[0]));
      if (t >= 3 - drawn) EXPECT_GE(across.size(), 5u) << first << " " << t;
      else EXPECT_EQ(across.size(), 1u) << first << " " << t;
    }
  }
}

TEST(Glimpse, UnrewardedItGoesWhereTheLearnedOneWouldWithoutReward) {
  const Batch batch = random_images(40);
  ModelScene<double> learned("glimpse", glimpse_settings(), vector_shape(batch, 4));
  ModelScene<double> unrewarded("glimpse", glimpse_settings("unrewarded"), vector_shape(batch, 4));
  const Pass pass{true, 1, 2};
  EXPECT_EQ(learned.gradient_of(batch, pass).loss, unrewarded.gradient_of(batch, pass).loss);
  for (const double d : unrewarded.parameters.find("location.weight")->gradients()) EXPECT_EQ(d, 0);
  for (const double d : learned.parameters.find("location.bias")->gradients()) EXPECT_NE(d, 0);
}

TEST(Glimpse, PlacesAreDrawnInTrainingAndMeansInEvaluation) {
  const Batch batch = random_images(8);
  ValueTable settings = glimpse_settings();
  settings["first"] = word("centre");
  ModelScene<double> scene("glimpse", settings, vector_shape(batch, 4));
  const auto loss = [&](bool training, std::uint64_t step) { return scene.forward(batch, {training, 1, step}).loss; };
  EXPECT_NE(loss(true, 1), loss(true, 2));
  EXPECT_EQ(loss(true, 1), loss(true, 1));
  EXPECT_EQ(loss(false, 1), loss(false, 2));
}

TEST(Glimpse, SaysAfterEachGlimpseInEvaluationAndAnswersWithTheLast) {
  const Batch batch = random_images(5);
  ModelScene<double> scene("glimpse", glimpse_settings(), vector_shape(batch, 4));
  const Trace<double> trace = scene.forward(batch, {});
  ASSERT_EQ(trace.scores.size(0), 15);
  for (std::size_t row = 0; row < 15; ++row) EXPECT_EQ(trace.answers[row], row % 3 == 2 ? batch.labels[row / 3] : -1);
  ASSERT_EQ(trace.attention.shape(), (std::array<Index, 3>{5, 3, 81}));
}

TEST(Glimpse, IsTheSameBitsForAnyTeam) {
  const Batch batch = random_images(70);
  std::vector<std::vector<float>> ends;
  for (const int threads : {1, 2, 5}) {
    ModelScene<float> scene("glimpse", glimpse_settings(), vector_shape(batch, 4), threads);
    scene.adam(3, 1e-2, batch);
    const auto values = scene.parameters.values();
    ends.emplace_back(values.begin(), values.end());
  }
  EXPECT_EQ(ends[0], ends[1]);
  EXPECT_EQ(ends[0], ends[2]);
}

TEST(Glimpse, ASteadyStepAllocatesNothing) {
  const Batch batch = random_images(20);
  ModelScene<float> scene("glimpse", glimpse_settings(), vector_shape(batch, 4));
  for (int i = 0; i < 2; ++i) scene.gradient_of(batch);
  const std::size_t before = scene.bench.arena.blocks_requested();
  for (int i = 0; i < 3; ++i) scene.gradient_of(batch);
  EXPECT_EQ(scene.bench.arena.blocks_requested(), before);
}

TEST(Glimpse, RefusesPatchesLargerThanTheImageAndSaysWhichSettingItIs) {
  const Batch batch = random_images(3, 2);
  try {
    ModelScene<float>("glimpse", glimpse_settings(), vector_shape(batch, 4));
    ADD_FAILURE() << "was built";
  } catch (const Error& error) {
    EXPECT_EQ(error.problem().text(), "patches of 3 x 3 pixels are larger than the images of 2 x 2");
    EXPECT_EQ(error.location().file, "patch");
  }
}

TEST(Glimpse, SettingsOfPlacesThatItDecidesAreIdleWhereItDoesNot) {
  const auto idle = [](const std::string& policy, const std::string& setting) {
    const auto model = Registry<Model<float>>::instance().make("glimpse", "model");
    Fields fields;
    model->settings(fields);
    fields.read({{"policy", word(policy)}, {setting, real(0.7)}}, "model 'glimpse'");
    return fields.idle().has_value();
  };
  for (const std::string setting : {"spread", "pace", "reward_weight"}) {
    EXPECT_FALSE(idle("learned", setting)) << setting;
    EXPECT_EQ(idle("unrewarded", setting), setting == "reward_weight") << setting;
    EXPECT_TRUE(idle("random", setting) && idle("centre", setting)) << setting;
  }
}

TEST(Glimpse, RefusesVectorsThatAreNoSquare) {
  TaskShape shape;
  shape.kind = Kind::labelled_vectors;
  shape.width = 20;
  shape.classes = 4;
  EXPECT_THROW(ModelScene<float>("glimpse", glimpse_settings(), shape), Error);
}

}  // namespace
}  // namespace fovea
