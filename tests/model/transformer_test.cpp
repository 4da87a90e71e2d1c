#include "fovea/model/transformer.h"

#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "tests/data/tasks/task_help.h"
#include "tests/model/model_scene.h"
#include "tests/model/token_batch.h"
#include "tests/model/transformer_rows.h"

namespace fovea {
namespace {

using namespace fovea::testing;

// Where every position asks, no score is put in its place; they are there all the same.
TEST(Transformer, ScoresOfStreamsThatAskEverywhereAreThoseOfTheLoss) {
  Batch data = some_streams();
  for (int b = 0; b < 3; ++b) {
    data.source.lengths[static_cast<std::size_t>(b)] = 7;
    for (int t = 0; t < 7; ++t) {
      data.source.at(b, t) = (b + t) % 6;
      data.target.at(b, t) = b * t % 5;
    }
  }
  ModelScene<double> scene("transformer", transformer_with({}), stream_shape(6, 5, 7));
  for (const bool training : {false, true}) {
    const Trace<double> trace = scene.forward(data, {.training = training});
    ASSERT_EQ(trace.scores.size(0), 21);
    double loss = 0;
    for (Index row = 0; row < 21; ++row) {
      double total = 0;
      for (Index c = 0; c < 5; ++c) total += std::exp(trace.scores(row, c));
      loss += (std::log(total) - trace.scores(row, trace.answers[static_cast<std::size_t>(row)])) / 21;
    }
    EXPECT_NEAR(trace.loss, loss, 1e-12);
  }
}

TEST(Transformer, GradientsOfEveryRowAreWhatCentralDifferencesSay) {
  const Batch data = some_streams();
  for (const TransformerRow& row : transformer_rows()) {
    SCOPED_TRACE(row.name);
    ModelScene<double> scene("transformer", row.settings, stream_shape(6, 5, 7));
    scene.check_gradients(data, {true});
  }
}

TEST(Transformer, GradientsUnderEveryRuleOfAHead) {
  const Batch data = some_streams();
  const ScopedRule changes[] = {{1, 2, {Pattern::uniform}},
                                {2, 1, {Pattern::previous}},
                                {0, 1, {Pattern::first}},
                                {0, 0, {Pattern::truth}},
                                {2, 0, {Pattern::learned, 3.0}},
                                {1, 1, {Pattern::learned, 0.0}},
                                {1, 2, {Pattern::learned, 1, true}},
                                {2, 1, {Pattern::learned, 1, false, 0.7}},
                                {2, 0, {Pattern::learned, 3, false, 2}},
                                {1, 2, {.factor = 0.5}},
                                {2, 0, {.pattern = Pattern::truth, .factor = 2, .shift = &test_shift}}};
  for (const char* attention : {"softmax", "linear", "relu"})
    for (const ScopedRule& change : changes) {
      SCOPED_TRACE(attention + std::string(" ") + std::to_string(&change - changes));
      ModelScene<double> scene("transformer", transformer_with({{"attention", word(attention)}}),
                               stream_shape(6, 5, 7));
      Pass pass{true};
      pass.rules = {{&change, 1}};
      scene.check_gradients(data, pass);
    }
}

TEST(Transformer, GradientsWhereScoresAreChanged) {
  const Batch data = some_streams();
  const ScopedRule changes[] = {{0, 1, {.factor = -2}}, {0, 0, {.factor = 0.5, .shift = &test_shift}}};
  Pass pass{true};
  pass.rules = {changes};
  for (const char* attention : {"softmax", "linear", "relu", "softmax-one", "softmax-sink"})
    for (const char* position : {"learned", "relative"}) {
      SCOPED_TRACE(std::string(attention) + " " + position);
      ModelScene<double> scene("transformer",
                               transformer_with({{"attention", word(attention)}, {"position", word(position)}}),
                               stream_shape(6, 5, 7));
      scene.check_gradients(data, pass);
      EXPECT_NE(scene.forward(data, pass).loss, scene.forward(data, {true}).loss);
    }
}

TEST(Transformer, LongStreamsAreWorkedThroughTileByTile) {
  Batch data;
  data.size = 2;
  data.source.resize(2, 70);
  data.target.resize(2, 70);
  RandomStream stream(3, "test");
  for (int b = 0; b < 2; ++b)
    for (int t = 0; t < 70; ++t) {
      data.source.at(b, t) = static_cast<int>(stream.integer(6));
      data.target.at(b, t) = static_cast<int>(stream.integer(5));
    }
  for (const char* position : {"relative", "rotary"}) {
    ModelScene<double> scene("transformer", transformer_with({{"position", word(position)}}), stream_shape(6, 5, 70));
    scene.check_gradients(data, {true}, {1e-5, 1e-7, 40});
  }
}

TEST(Transformer, APlaceKnowsNothingOfThoseBehindIt) {
  Batch data = some_streams(1);
  for (const TransformerRow& row : transformer_rows()) {
    SCOPED_TRACE(row.name);
    ModelScene<double> scene("transformer", row.settings, stream_shape(6, 5, 7));
    const auto states = [&] { return copy_of(scene.model->states(scene.bench.compute, scene.forward(data, {}))); };
    const std::vector<double> before = states();
    int& changed = data.source.at(0, 3);
    changed = (changed + 1) % 6;
    const std::vector<double> after = states();
    const std::size_t width = before.size() / 7;
    EXPECT_TRUE(std::equal(before.begin(), before.begin() + static_cast<std::ptrdiff_t>(3 * width), after.begin()));
    EXPECT_NE(before[3 * width], after[3 * width]);
  }
}

TEST(Transformer, MapsAreOfEachHeadAndEachRowIsADistribution) {
  const Batch data = some_streams();
  ModelScene<double> scene("transformer", transformer_with({}), stream_shape(6, 5, 7));
  const Trace<double> trace = scene.forward(data, {});
  ASSERT_EQ(trace.further.size(), 4u);
  EXPECT_EQ(trace.further[2].name, "layer.2.head.1");
  check_attention(scene.model->attention_meaning(), trace);
  for (const AttentionMap<double>& map : trace.further)
    for (Index b = 0; b < 3; ++b)
      for (Index t = 0; t < 7; ++t) {
        double sum = 0;
        for (Index s = 0; s < 7; ++s) sum += map.weights(b, t, s);
        const bool there = t < data.source.lengths[static_cast<std::size_t>(b)];
        EXPECT_NEAR(sum, there ? 1 : 0, 1e-12);
        for (Index s = t + 1; s < 7; ++s) EXPECT_EQ(map.weights(b, t, s), 0);
      }
  EXPECT_NEAR(trace.attention(0, 4, 2), (trace.further[2].weights(0, 4, 2) + trace.further[3].weights(0, 4, 2)) / 2,
              1e-15);
}

TEST(Transformer, AHeldHeadAttendsWhereItIsHeldAndOthersAsTheyWould) {
  const Batch data = some_streams();
  ModelScene<double> scene("transformer", transformer_with({}), stream_shape(6, 5, 7));
  const std::vector<double> free = copy_of(scene.forward(data, {}).further[1].weights);
  const auto held = [&](Pattern pattern) {
    const ScopedRule change{1, 1, {pattern}};
    Pass pass;
    pass.rules = {{&change, 1}};
    const Trace<double> trace = scene.forward(data, pass);
    EXPECT_EQ(copy_of(trace.further[1].weights), free) << "the other head of the layer";
    return trace.further[0].weights;
  };
  EXPECT_EQ(held(Pattern::uniform)(0, 3, 1), 0.25);
  EXPECT_EQ(held(Pattern::previous)(0, 3, 2), 1);
  EXPECT_EQ(held(Pattern::previous)(0, 0, 0), 1);
  EXPECT_EQ(held(Pattern::first)(0, 3, 0), 1);
  const Cube<double> truth = held(Pattern::truth);
  for (Index row = 0; row < 21; ++row) {
    const int a = data.pattern[static_cast<std::size_t>(2 * row)],
              b = data.pattern[static_cast<std::size_t>(2 * row + 1)];
    if (a < 0) continue;
    EXPECT_EQ(truth(row / 7, row % 7, a), b < 0 ? 1 : 0.5);
  }
}

TEST(Transformer, AnAblatedHeadGivesNothingAndHasNoGradient) {
  const Batch data = some_streams();
  ModelScene<double> scene("transformer", transformer_with({{"layers", {1, {}}}}), stream_shape(6, 5, 7));
  const ScopedRule change{1, 2, {AttentionRule::Pattern::learned, 1, true}};
  Pass pass;
  pass.rules = {{&change, 1}};
  scene.gradient_of(data, pass);
  for (const char* part : {"query", "key", "value"}) {
    const Matrix<double> gradient =
        scene.parameters.find(std::string("layer.1.") + part + ".weight")->matrix_gradient();
    for (Index row = 0; row < 8; ++row)
      for (Index column = 0; column < 8; ++column)
        EXPECT_EQ(gradient(row, column) == 0, row >= 4) << part << row << ',' << column;
  }
  const double loss = scene.forward(data, pass).loss;
  for (double& x : scene.parameters.find("layer.1.value.weight")->values().subspan(32)) x += 1;
  EXPECT_EQ(scene.forward(data, pass).loss, loss) << "what the ablated head holds";
}

TEST(Transformer, WhatIsFrozenHasNoGradientAndStays) {
  const Batch data = some_streams();
  const ValueList names{word("embed"), word("v.1"), word("o.2"), word("qk.2"), word("positions"), word("unembed")};
  ModelScene<double> scene("transformer", transformer_with({{"frozen", {names, {}}}}), stream_shape(6, 5, 7));
  scene.gradient_of(data);
  for (const Param<double>& p : scene.parameters.all()) {
    const bool moves = std::any_of(p.gradients().begin(), p.gradients().end(), [](double g) { return g != 0; });
    const bool fixed = p.group == Group::statistics;
    EXPECT_EQ(moves, !fixed) << p.name;
  }
  const std::vector<double> before = copy_of(scene.parameters.find("layer.1.value.weight")->values());
  scene.adam(3, 0.1, data);
  EXPECT_EQ(copy_of(scene.parameters.find("layer.1.value.weight")->values()), before);
}

// Where nothing deeper down learns, gradients end; those that are made are the same.
TEST(Transformer, FreezingAPartChangesNoGradientOfTheOthers) {
  const Batch data = some_streams();
  const ValueList deep{word("embed"), word("positions"), word("v.1"), word("o.1")},
      deeper{word("embed"), word("positions"), word("qk.1"), word("v.1")};
  for (const char* norm : {"pre", "none"})
    for (const char* queries : {"separate", "identity"}) {
      const ValueTable free = transformer_with({{"norm", word(norm)}, {"queries", word(queries)}});
      ModelScene<double> all("transformer", free, stream_shape(6, 5, 7));
      all.gradient_of(data);
      for (const ValueList& names : {deep, deeper}) {
        ValueTable frozen = free;
        frozen["frozen"] = {names, {}};
        ModelScene<double> some("transformer", frozen, stream_shape(6, 5, 7));
        some.gradient_of(data);
        for (const Param<double>& p : some.parameters.all()) {
          if (!p.learns()) continue;
          EXPECT_EQ(copy_of(p.gradients()), copy_of(all.parameters.find(p.name)->gradients())) << p.name;
        }
      }
    }
}

// What a rule multiplies right positions by is a way to change one weight: d loss / d scale = A dloss/dA at scale 1.
TEST(Transformer, BetaIsWhatAWeightMoreWouldAdd) {
  Batch data = some_streams();
  const double asked = static_cast<double>(std::ranges::count_if(data.target.ids, [](int y) { return y >= 0; }));
  std::fill(data.pattern.begin(), data.pattern.end(), -1);
  for (const char* attention : {"softmax", "linear"}) {
    ModelScene<double> scene("transformer", transformer_with({{"attention", word(attention)}, {"mlp", {2, {}}}}),
                             stream_shape(6, 5, 7));
    for (const int layer : {1, 2})
      for (const auto& [b, i, j] : {std::array{0, 4, 2}, std::array{1, 3, 3}, std::array{2, 5, 0}}) {
        data.pattern[static_cast<std::size_t>(2 * (b * 7 + i))] = j;
        const auto loss = [&](double scale) {
          const ScopedRule change{layer, 2, {AttentionRule::Pattern::learned, scale}};
          Pass pass;
          pass.rules = {{&change, 1}};
          return scene.forward(data, pass).loss;
        };
        const auto head = static_cast<std::size_t>(2 * layer - 1);
        const double slope = (loss(1 + 1e-5) - loss(1 - 1e-5)) / 2e-5,
                     weight = scene.forward(data, {}).further[head].weights(b, i, j);
        scene.bench.arena.reset();
        const auto looks = scene.model_as<HasHeadBetas<double>>().head_betas(scene.bench.compute, data, {});
        ASSERT_EQ(looks.size(), 4u);
        EXPECT_EQ(looks[head].name, "layer." + std::to_string(layer) + ".head.2");
        EXPECT_NEAR(looks[head].beta(b, i, j), -asked * slope / weight, 1e-6 * asked) << attention << layer << b;
        EXPECT_EQ(looks[head].beta(b, 1, 2), 0) << "a later place";
        data.pattern[static_cast<std::size_t>(2 * (b * 7 + i))] = -1;
      }
  }
}

TEST(Transformer, ALookGivesTheGradientsOfATrainingPassWhereTheyAreWanted) {
  const Batch data = some_streams();
  ModelScene<double> scene("transformer", transformer_with({}), stream_shape(6, 5, 7));
  scene.gradient_of(data);
  const std::vector<double> wanted = copy_of(scene.parameters.gradients());
  scene.parameters.clear_gradients();
  scene.bench.arena.reset();
  scene.model_as<HasHeadBetas<double>>().head_betas(scene.bench.compute, data, {});
  EXPECT_EQ(copy_of(scene.parameters.gradients()), wanted);
}

// What a step makes of a row, in float under each instruction set that there is, beside the same in double: relative to
// the largest gradient, so any two of them agree within twice this.
TEST(Transformer, EveryInstructionSetGivesWhatDoubleGives) {
  constexpr double tolerance = 2e-5;
  Batch data;
  data.size = 2;
  data.source.resize(2, 40);
  data.target.resize(2, 40);
  RandomStream stream(7, "test");
  for (std::size_t i = 0; i < data.source.ids.size(); ++i) {
    data.source.ids[i] = static_cast<int>(stream.integer(6));
    data.target.ids[i] = static_cast<int>(stream.integer(5));
  }
  for (const TransformerRow& row : transformer_rows()) {
    SCOPED_TRACE(row.name);
    ValueTable settings = row.settings;
    settings["width"] = {24, {}};
    settings["start"] = {0.2, {}};
    ModelScene<double> truth("transformer", settings, stream_shape(6, 5, 40));
    ModelScene<float> scene("transformer", settings, stream_shape(6, 5, 40));
    for (const Param<float>& p : scene.parameters.all())
      std::ranges::copy(p.values(), truth.parameters.find(p.name)->values().begin());
    const double loss = truth.gradient_of(data).loss;
    double largest = 0;
    for (const double g : truth.parameters.gradients()) largest = std::max(largest, std::abs(g));
    for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
      hwy::SetSupportedTargetsForTest(target);
      EXPECT_NEAR(scene.gradient_of(data).loss, loss, tolerance) << hwy::TargetName(target);
      double worst = 0;
      for (const Param<float>& p : scene.parameters.all()) {
        const std::span<const double> wanted = truth.parameters.find(p.name)->gradients();
        for (std::size_t i = 0; i < wanted.size(); ++i)
          worst = std::max(worst, std::abs(static_cast<double>(p.gradients()[i]) - wanted[i]));
      }
      EXPECT_LE(worst, tolerance * largest) << hwy::TargetName(target);
    }
    hwy::SetSupportedTargetsForTest(0);
  }
}

TEST(Transformer, TheTeamChangesNoBit) {
  const Batch data = some_streams(9);
  std::vector<std::vector<float>> results;
  for (const int threads : {1, 2, 3}) {
    ModelScene<float> scene("transformer", transformer_with({{"mlp", {4, {}}}, {"position", word("relative")}}),
                            stream_shape(6, 5, 7), threads);
    scene.adam(3, 0.01, data);
    results.push_back(copy_of(scene.parameters.values()));
  }
  EXPECT_EQ(results[0], results[1]);
  EXPECT_EQ(results[0], results[2]);
}

TEST(Transformer, APaddedBatchIsItsExamplesOneByOne) {
  const Batch all = some_streams(3);
  ModelScene<double> scene("transformer", transformer_with({}), stream_shape(6, 5, 7));
  const std::vector<double> together = copy_of(scene.forward(all, {}).scores);
  for (int b = 0; b < 3; ++b) {
    Batch one;
    one.size = 1;
    const int length = all.source.lengths[static_cast<std::size_t>(b)];
    one.source.resize(1, length);
    one.target.resize(1, length);
    for (int t = 0; t < length; ++t) {
      one.source.at(0, t) = all.source.at(b, t);
      one.target.at(0, t) = all.target.at(b, t);
    }
    const std::vector<double> alone = copy_of(scene.forward(one, {}).scores);
    for (std::size_t i = 0; i < alone.size(); ++i)
      EXPECT_NEAR(alone[i], together[static_cast<std::size_t>(b) * 35 + i], 1e-12) << i;
  }
}

TEST(Transformer, WhatDoesNotFitIsRefused) {
  const auto error = [](const ValueTable& settings) -> std::string {
    try {
      ModelScene<double> scene("transformer", settings, stream_shape(6, 5, 7));
    } catch (const Error& e) {
      return e.what();
    }
    return "";
  };
  EXPECT_EQ(error(transformer_with({{"heads", {3, {}}}})),
            "3 heads do not divide a width of 8. Set model.width to a multiple of model.heads.");
  EXPECT_NE(error(transformer_with({{"heads", {8, {}}}, {"position", word("rotary")}}))
                .find("rotary positions need pairs of numbers"),
            std::string::npos);
  EXPECT_EQ(error(transformer_with({{"frozen", {ValueList{word("qk.3")}, {}}}})).substr(0, 58),
            "model.frozen names 'qk.3', which this model does not have.");
}

}  // namespace
}  // namespace fovea
