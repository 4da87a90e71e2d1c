#include <algorithm>
#include <cmath>
#include <set>

#include "fovea/nn/dropout.h"
#include "tests/model/gated_classifier_scene.h"
#include "tests/nn/reference.h"

namespace fovea {
namespace {

using testing::held_at, testing::Pattern;
using testing::ModelScene;
using namespace testing::gated;

// The same, with every other position of every second example marked: several positions of differing words.
Batch marked_batch(int size, int classes) {
  Batch batch = random_batch(size, classes);
  for (int b = 0; b < size; b += 2)
    for (int s = 0; s < batch.source.lengths[static_cast<std::size_t>(b)]; s += 2)
      batch.marked[static_cast<std::size_t>(b * 7 + s)] = 1;
  return batch;
}

TEST(GatedClassifier, GradientsAreRight) {
  for (const Variant& v : variants)
    for (const Pattern pattern : {Pattern::learned, Pattern::uniform, Pattern::truth}) {
      ModelScene<double> scene("gated-classifier", settings_of(v), shape_of(v.classes));
      scene.check_gradients(random_batch(6, v.classes), held_at(pattern, {true}), {.at_most = 60});
    }
}

// Held at several positions, an example must teach the scores nothing; those without a mark must.
TEST(GatedClassifier, ScoresLearnNothingWhereAttentionIsHeldAtSeveralPlaces) {
  for (const Variant& v : variants) {
    SCOPED_TRACE(std::string(v.cell) + " " + v.score);
    const Batch batch = marked_batch(6, v.classes);
    ModelScene<double> scene("gated-classifier", settings_of(v), shape_of(v.classes));
    scene.check_gradients(batch, held_at(Pattern::truth, {true}), {.at_most = 60});
    const auto slope = [&](const std::vector<int>& examples) {
      scene.gradient_of(examples_of(batch, examples), held_at(Pattern::truth));
      double largest = 0;
      for (const auto& parameter : scene.parameters.all())
        if (parameter.group == Group::attention)
          for (const double g : parameter.gradients()) largest = std::max(largest, std::abs(g));
      return largest;
    };
    EXPECT_EQ(slope({0, 2, 4}), 0);
    EXPECT_GT(slope({1, 3, 5}), 1e-6);
  }
}

TEST(GatedClassifier, WithDropoutGradientsAreRightAndOnlyTrainingMissesAnything) {
  for (const Variant& v : variants) {
    SCOPED_TRACE(std::string(v.cell) + " " + v.score);
    ValueTable settings = settings_of(v);
    const Batch batch = random_batch(6, v.classes);
    ModelScene<double> whole("gated-classifier", settings, shape_of(v.classes));
    settings["dropout"] = real(0.4);
    ModelScene<double> scene("gated-classifier", settings, shape_of(v.classes));
    scene.check_gradients(batch, {true, 3, 7});
    scene.check_gradients(batch, held_at(Pattern::uniform, {true, 3, 8}));
    scene.check_gradients(batch, held_at(Pattern::truth, {true, 3, 9}));
    const double all = whole.forward(batch, {}).loss;
    EXPECT_EQ(scene.forward(batch, {}).loss, all);
    const double one = scene.forward(batch, {true, 3, 7}).loss;
    EXPECT_NE(one, all);
    EXPECT_NE(one, scene.forward(batch, {true, 3, 8}).loss) << "another step misses others";
    EXPECT_EQ(one, scene.forward(batch, {true, 3, 7}).loss);
  }
}

// The masks are those of the model's two dropouts: over the batch's distinct words in the order of their ids, and over
// all states in the order of time.
TEST(GatedClassifier, AWordMissesTheSameWhereverItStandsAndStatesEachTheirOwn) {
  constexpr double rate = 0.4;
  const Pass pass{true, 3, 7};
  const Batch batch = random_batch(6, 2);
  ModelScene<double> scene("gated-classifier", with({{"dropout", real(rate)}}), shape_of(2));
  ModelScene<double> plain("gated-classifier", small, shape_of(2));
  testing::Bench bench(1);

  std::set<int> words(batch.source.ids.begin(), batch.source.ids.end());
  words.erase(-1);
  const Matrix<double> table = plain.parameters.find("embedding.weight")->matrix();
  std::vector<double> rows;
  for (const int word : words) rows.insert(rows.end(), table[word].data(), table[word].data() + table.size(1));
  Dropout<double>(rate, 0).forward(bench.compute, true, pass.seed, pass.step, rows, rows);
  EXPECT_GT(std::ranges::count(rows, 0.0), 0);
  for (std::size_t i = 0; const int word : words)
    std::copy_n(rows.data() + table.size(1) * static_cast<Index>(i++), table.size(1), table[word].data());

  const Trace<double> trace = scene.forward(batch, pass);
  const Cube<double> states = scene.model->states(scene.bench.compute, trace),
                     beta = scene.model->beta(scene.bench.compute, trace);
  const Cube<double> wanted = plain.model->states(plain.bench.compute, plain.forward(batch, {}));

  const Index B = states.size(0), S = states.size(1), H = states.size(2);
  std::vector<double> in_time;
  for (Index s = 0; s < S; ++s)
    for (Index b = 0; b < B; ++b) in_time.insert(in_time.end(), &states(b, s, 0), &states(b, s, 0) + H);
  Dropout<double>(rate, 1).forward(bench.compute, true, pass.seed, pass.step, in_time, in_time);
  const std::span<const double> reads = scene.parameters.find("beta.weight")->values();
  for (Index b = 0; b < B; ++b)
    for (Index s = 0; s < batch.source.lengths[static_cast<std::size_t>(b)]; ++s) {
      double said = 0;
      for (Index h = 0; h < H; ++h) {
        EXPECT_DOUBLE_EQ(states(b, s, h), wanted(b, s, h));
        said += reads[static_cast<std::size_t>(h)] * in_time[static_cast<std::size_t>((s * B + b) * H + h)];
      }
      EXPECT_NEAR(beta(b, 0, s), batch.labels[static_cast<std::size_t>(b)] == 0 ? -said : said, 1e-12);
    }
}

TEST(GatedClassifier, EmbeddingsStartAsFarSpreadAsIsSaid) {
  const ModelScene<double> plain("gated-classifier", small, shape_of(2, 4000));
  const ModelScene<double> narrow("gated-classifier", with({{"embedding_spread", real(0.1)}}), shape_of(2, 4000));
  const auto of = [](const ModelScene<double>& scene, std::size_t i) { return scene.parameters.all()[0].values()[i]; };
  ASSERT_EQ(plain.parameters.all()[0].name, "embedding.weight");
  double squares = 0;
  for (std::size_t i = 0; i < 12000; ++i) {
    EXPECT_DOUBLE_EQ(of(narrow, i), 0.1 * of(plain, i));
    squares += of(plain, i) * of(plain, i);
  }
  EXPECT_NEAR(squares / 12000, 1, 0.05);
}

TEST(GatedClassifier, AgreesWithPyTorch) {
  const testing::Json reference = testing::read_reference("gated_classifier.json");
  const auto check = [&]<class T>(T, const testing::Json& expected) {
    ValueTable settings = with({});
    for (const auto& [key, value] : expected["settings"].items())
      settings[key] = value.is_boolean() ? yes(value) : word(value);
    ModelScene<T> scene("gated-classifier", settings, shape_of(expected["classes"]));
    for (const auto& [name, values] : expected["weights"].items()) {
      const std::vector<T> start = testing::numbers<T>(values);
      ASSERT_NE(scene.parameters.find(name), nullptr) << name;
      ASSERT_EQ(static_cast<std::size_t>(scene.parameters.find(name)->count()), start.size()) << name;
      std::copy(start.begin(), start.end(), scene.parameters.find(name)->value);
    }
    EXPECT_EQ(scene.parameters.all().size(), expected["weights"].size());
    Batch batch;
    batch.size = 4;
    batch.source.resize(4, 6);
    batch.source.lengths = reference["lengths"].get<std::vector<int>>();
    batch.labels = expected["labels"].get<std::vector<int>>();
    for (int b = 0; b < 4; ++b)
      for (int s = 0; s < 6; ++s)
        batch.source.at(b, s) = reference["tokens"][static_cast<std::size_t>(b)][static_cast<std::size_t>(s)];
    const Trace<T> outcome = scene.gradient_of(batch);
    EXPECT_NEAR(outcome.loss, expected["loss"].get<double>(), sizeof(T) == 4 ? 1e-5 : 1e-10);
    testing::expect_near_reference("logits", outcome.scores.flat(), expected["logits"]);
    testing::expect_near_reference("attention", outcome.attention.flat(), expected["attention"]);
    for (const auto& [name, values] : expected["gradients"].items())
      testing::expect_near_reference(name, scene.parameters.find(name)->gradients(), values,
                                     sizeof(T) == 4 ? 1e-4 : 1e-10);
    scene.adam(20, 1e-2, batch);
    EXPECT_NEAR(scene.forward(batch, {}).loss, expected["loss_after_20"].get<double>(), sizeof(T) == 4 ? 1e-3 : 1e-8);
  };
  ASSERT_EQ(reference["cases"].size(), 5u);
  for (const auto& expected : reference["cases"]) {
    check(float{}, expected);
    check(double{}, expected);
  }
}

TEST(GatedClassifier, UniformIsExactlyUniformAndAttentionLearnsNothing) {
  const Batch batch = random_batch(6, 2);
  ModelScene<float> forced("gated-classifier", small, shape_of(2));
  ModelScene<float> always("gated-classifier", with({{"attention", word("uniform")}}), shape_of(2));
  const Trace<float> a = forced.gradient_of(batch, held_at(Pattern::uniform)), b = always.gradient_of(batch);
  EXPECT_EQ(testing::copy_of(a.scores), testing::copy_of(b.scores));
  for (Index i = 0; i < 6; ++i) {
    const int length = batch.source.lengths[static_cast<std::size_t>(i)];
    for (Index s = 0; s < 7; ++s)
      EXPECT_EQ(b.attention(i, 0, s), s < length ? 1.0f / static_cast<float>(length) : 0.0f);
  }
  for (const auto& parameter : always.parameters.all())
    if (parameter.group == Group::attention) {
      for (const float g : parameter.gradients()) EXPECT_EQ(g, 0);
    }
}

TEST(GatedClassifier, HeldAtTheMarksWhereThereAreAny) {
  const Batch batch = random_batch(6, 2);
  ModelScene<double> scene("gated-classifier", small, shape_of(2));
  const Cube<double> learned = scene.forward(batch, {}).attention;
  const std::vector<double> before = testing::copy_of(learned);
  const Trace<double> held = scene.forward(batch, held_at(Pattern::truth));
  for (Index b = 0; b < 6; ++b)
    for (Index s = 0; s < 7; ++s)
      EXPECT_EQ(held.attention(b, 0, s),
                b % 2 == 0 ? (s == 0 ? 1.0 : 0.0) : before[static_cast<std::size_t>(b * 7 + s)]);
}

TEST(GatedClassifier, LogitIsTheAttendedBeta) {
  for (const int classes : {2, 3}) {
    const Batch batch = random_batch(6, classes);
    ModelScene<double> scene("gated-classifier", small, shape_of(classes));
    const Trace<double> outcome = scene.forward(batch, {});
    const Cube<double> beta = scene.model->beta(scene.bench.compute, outcome);
    for (Index b = 0; b < 6; ++b) {
      const int label = batch.labels[static_cast<std::size_t>(b)];
      double sum = 0;
      for (Index s = 0; s < 7; ++s) sum += outcome.attention(b, 0, s) * beta(b, 0, s);
      if (classes == 2) {
        EXPECT_NEAR(sum, (label == 0 ? -1 : 1) * outcome.scores(b, 0), 1e-12);
      } else if (batch.source.lengths[static_cast<std::size_t>(b)] == 1) {
        double total = 0;
        for (Index c = 0; c < classes; ++c) total += std::exp(outcome.scores(b, c));
        EXPECT_NEAR(beta(b, 0, 0), outcome.scores(b, label) - std::log(total), 1e-12);
      }
    }
  }
}

TEST(GatedClassifier, SteadyStepsAskForNoMemory) {
  const auto task = make_task("keyword");
  ModelScene<float> scene("gated-classifier", {}, task->shape());
  Batch batch;
  for (std::uint64_t step = 0; step < 3; ++step) {
    task->batch(Split::train, step, 32, batch);
    scene.gradient_of(batch);
  }
  const std::size_t asked = scene.bench.arena.blocks_requested();
  for (std::uint64_t step = 3; step < 6; ++step) {
    task->batch(Split::train, step, 32, batch);
    scene.gradient_of(batch);
  }
  EXPECT_EQ(scene.bench.arena.blocks_requested(), asked);
}

// For one seed: attention starts out uniform and ends on the keyword.
TEST(GatedClassifier, FindsTheKeyword) {
  const auto task = make_task("keyword");
  ModelScene<float> scene("gated-classifier", table({{"embedding", whole(32)}, {"hidden", whole(32)}}), task->shape());
  Optimizer<float> optimizer(scene.parameters, testing::update_rule("adam"));
  const Batch test = draw(*task, Split::test, 0, 200);
  double entropy = 0;
  for (const float p : testing::copy_of(scene.forward(test, {}).attention))
    entropy -= static_cast<double>(p) * std::log(static_cast<double>(p)) / (200 * std::log(20.0));
  EXPECT_GT(entropy, 0.98);
  Batch batch;
  for (std::uint64_t step = 0; step < 600; ++step) {
    task->batch(Split::train, step, 32, batch);
    scene.gradient_of(batch);
    optimizer.step(scene.bench.team, 1e-3);
  }
  const Trace<float> outcome = scene.forward(test, {});
  int right = 0, positive = 0;
  double on_keyword = 0;
  for (int b = 0; b < 200; ++b) {
    const int label = test.labels[static_cast<std::size_t>(b)];
    right += (outcome.scores(b, 0) > 0) == (label == 1);
    positive += label;
    for (int s = 0; s < 20; ++s)
      on_keyword += test.marked[static_cast<std::size_t>(b * 20 + s)] * static_cast<double>(outcome.attention(b, 0, s));
  }
  EXPECT_GT(right, 198);
  EXPECT_GT(on_keyword / positive, 0.9);
}

TEST(GatedClassifier, RefusesTasksWithoutClasses) {
  EXPECT_THROW((ModelScene<float>("gated-classifier", {}, shape_of(0))), Error);
}

}  // namespace
}  // namespace fovea
