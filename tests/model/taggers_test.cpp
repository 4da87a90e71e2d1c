// The taggers of named entities: what PyTorch computes, central differences, β against attention that is held by hand,
// and any number of threads.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>

#include "tests/data/tasks/task_help.h"
#include "tests/model/model_scene.h"

namespace fovea {
namespace {

using namespace fovea::testing;
using Json = nlohmann::json;

const Json& tagger_reference() {
  static const Json json = Json::parse(std::ifstream(FOVEA_SOURCE_DIR "/tests/reference/taggers.json"));
  return json;
}

TaskShape tagger_shape(int features) {
  TaskShape shape;
  shape.kind = Kind::tagged_tokens;
  shape.vocab = tagger_reference()["vocab"];
  shape.target_vocab = tagger_reference()["tags"];
  shape.features = features;
  return shape;
}

Batch tagged_sentences(bool with_features = true) {
  const Json& json = tagger_reference();
  Batch batch;
  const auto lengths = json["lengths"].get<std::vector<int>>();
  batch.size = static_cast<int>(lengths.size());
  for (const auto& [tokens, name] : {std::pair{&batch.source, "words"}, {&batch.target, "answers"}}) {
    tokens->resize(batch.size, std::ranges::max(lengths));
    tokens->ids = json[name].get<std::vector<int>>();
    tokens->lengths = lengths;
  }
  if (!with_features) return batch;
  batch.feature_width = json["width"];
  batch.features = json["kinds"].get<std::vector<int>>();
  return batch;
}

ValueTable tagger_settings(const std::string& model, const std::string& attention = "learned",
                           const std::string& cell = "lstm") {
  ValueTable table{{"embedding", whole(tagger_reference()["embedding"])},
                   {"hidden", whole(tagger_reference()["hidden"])},
                   {"attention", word(attention)}};
  if (model == "recurrent-tagger") table["cell"] = word(cell);
  else table["reach"] = whole(tagger_reference()["reach"]);
  return table;
}

constexpr const char* taggers[] = {"recurrent-tagger", "window-tagger"};

// The positions that t can attend to.
std::pair<int, int> attended_by(const std::string& model, const Batch& batch, int b, int t) {
  const int length = batch.source.lengths[static_cast<std::size_t>(b)], reach = tagger_reference()["reach"];
  if (model == "recurrent-tagger") return {0, length};
  return {std::max(0, t - reach), std::min(length, t + reach + 1)};
}

void each_word_of(const Batch& batch, const std::function<void(int, int)>& visit) {
  for (int b = 0; b < batch.size; ++b)
    for (int t = 0; t < batch.source.lengths[static_cast<std::size_t>(b)]; ++t) visit(b, t);
}

double relative_error(double a, double b) { return std::abs(a - b) / std::max(1.0, std::abs(b)); }

template <class T>
void compare_taggers(double tolerance) {
  for (const Json& c : tagger_reference()["cases"]) {
    const std::string model = c["model"];
    SCOPED_TRACE(model + " " + c["settings"].dump());
    const int features = c["features"];
    const Batch batch = tagged_sentences(features > 0);
    ModelScene<T> scene(model, tagger_settings(model, c["settings"]["attention"], c["settings"].value("cell", "lstm")),
                        tagger_shape(features));
    ASSERT_EQ(scene.parameters.all().size(), c["weights"].size());
    for (const Param<T>& p : scene.parameters.all()) {
      const auto weights = c["weights"].at(p.name).template get<std::vector<double>>();
      ASSERT_EQ(weights.size(), p.values().size()) << p.name;
      std::ranges::transform(weights, p.values().begin(), [](double x) { return static_cast<T>(x); });
    }
    const Trace<T> trace = scene.gradient_of(batch);
    EXPECT_LT(relative_error(trace.loss, c["loss"]), tolerance);
    const int S = batch.source.columns, K = tagger_reference()["tags"];
    each_word_of(batch, [&](int b, int t) {
      for (int k = 0; k < K; ++k)
        EXPECT_LT(
            relative_error(trace.scores(b * S + t, k), c["logits"][static_cast<std::size_t>((b * S + t) * K + k)]),
            tolerance);
      for (int s = 0; s < S; ++s)
        EXPECT_LT(
            relative_error(trace.attention(b, t, s), c["attention"][static_cast<std::size_t>((b * S + t) * S + s)]),
            tolerance);
    });
    for (const Param<T>& p : scene.parameters.all()) {
      if (!c["gradients"].contains(p.name)) continue;
      const auto wanted = c["gradients"][p.name].template get<std::vector<double>>();
      for (std::size_t i = 0; i < wanted.size(); ++i)
        ASSERT_LT(relative_error(p.gradients()[i], wanted[i]), tolerance) << p.name << '[' << i << ']';
    }
    scene.adam(20, 1e-2, batch);
    EXPECT_LT(relative_error(scene.forward(batch, {true}).loss, c["loss_after_20"]), 100 * tolerance);
  }
}

TEST(Taggers, EqualPyTorchInDouble) { compare_taggers<double>(1e-9); }
TEST(Taggers, EqualPyTorchInFloat) { compare_taggers<float>(1e-5); }

TEST(Taggers, GradientsAreThoseOfCentralDifferences) {
  for (const char* const model : taggers) {
    SCOPED_TRACE(model);
    ValueTable settings = tagger_settings(model);
    settings["dropout"] = real(0.3);
    for (const int features : {0, 5}) {
      ModelScene<double> scene(model, settings, tagger_shape(features));
      scene.check_gradients(tagged_sentences(features > 0), {true, 3, 7});
    }
  }
  ModelScene<double> linear("linear-tagger", {{"reach", whole(1)}}, tagger_shape(5));
  linear.check_gradients(tagged_sentences(), {true});
}

// Of a model without attention, by hand: the bias, and the logits of the words from one before to one behind.
TEST(Taggers, TheLinearOneSumsLogitsOfWords) {
  ModelScene<double> scene("linear-tagger", {{"reach", whole(1)}}, tagger_shape(0));
  const Batch batch = tagged_sentences(false);
  RandomStream stream(3, "values");
  for (const Param<double>& p : scene.parameters.all())
    for (double& x : p.values()) x = stream.normal();
  const auto& words = *scene.parameters.find("embedding.weight");
  const auto& bias = *scene.parameters.find("bias");
  const Trace<double> trace = scene.forward(batch, {});
  EXPECT_TRUE(trace.attention.empty());
  const int K = tagger_reference()["tags"];
  each_word_of(batch, [&](int b, int t) {
    for (int k = 0; k < K; ++k) {
      double logit = bias.value[k];
      for (int offset = -1; offset <= 1; ++offset)
        if (const int s = t + offset; s >= 0 && s < batch.source.lengths[static_cast<std::size_t>(b)])
          logit += words.matrix()(batch.source.at(b, s), (offset + 1) * K + k);
      EXPECT_NEAR(trace.scores(b * batch.source.columns + t, k), logit, 1e-12);
    }
  });
}

// All of the attention of each word is held on one position after the other, and β is read off the scores.
TEST(Taggers, BetaOfEachTagIsThatOfHeldAttention) {
  for (const char* const model : taggers) {
    SCOPED_TRACE(model);
    ModelScene<double> scene(model, tagger_settings(model), tagger_shape(5));
    Batch batch = tagged_sentences();
    const int S = batch.source.columns, K = tagger_reference()["tags"];
    std::vector<double> held(static_cast<std::size_t>(batch.size * S * S * K));
    const auto at = [&](int b, int t, int s, int k) -> double& {
      return held[static_cast<std::size_t>(((b * S + t) * S + s) * K + k)];
    };
    for (int s = 0; s < S; ++s) {
      batch.alignment.assign(batch.target.ids.size(), -1);
      each_word_of(batch, [&](int b, int t) {
        if (const auto [begin, end] = attended_by(model, batch, b, t); s >= begin && s < end)
          batch.alignment[static_cast<std::size_t>(b * S + t)] = s;
      });
      const Trace<double> trace = scene.forward(batch, held_at(Pattern::truth));
      each_word_of(batch, [&](int b, int t) {
        if (batch.alignment[static_cast<std::size_t>(b * S + t)] < 0) return;
        EXPECT_EQ(trace.attention(b, t, s), 1);
        double sum = 0;
        for (int k = 0; k < K; ++k) sum += std::exp(trace.scores(b * S + t, k));
        for (int k = 0; k < K; ++k) at(b, t, s, k) = trace.scores(b * S + t, k) - std::log(sum);
      });
    }
    batch.alignment.clear();
    for (int k = 0; k < K; ++k) {
      each_word_of(batch, [&](int b, int t) { batch.target.at(b, t) = k; });
      const Trace<double> trace = scene.forward(batch, {});
      const Cube<double> beta = scene.model->beta(scene.bench.compute, trace);
      each_word_of(batch, [&](int b, int t) {
        const auto [begin, end] = attended_by(model, batch, b, t);
        double mean = 0;
        for (int s = begin; s < end; ++s) mean += at(b, t, s, k) / (end - begin);
        for (int s = 0; s < S; ++s) {
          const bool inside = s >= begin && s < end;
          EXPECT_NEAR(beta(b, t, s), inside ? at(b, t, s, k) - mean : 0, 1e-9) << b << ' ' << t << ' ' << s;
        }
      });
    }
  }
}

TEST(Taggers, HeldAttentionReachesNoScore) {
  for (const char* const model : taggers) {
    SCOPED_TRACE(model);
    ModelScene<double> scene(model, tagger_settings(model), tagger_shape(5));
    Batch batch = tagged_sentences();
    batch.alignment.assign(batch.target.ids.size(), -1);
    each_word_of(batch,
                 [&](int b, int t) { batch.alignment[static_cast<std::size_t>(b * batch.source.columns + t)] = t; });
    for (const Pattern pattern : {Pattern::learned, Pattern::uniform, Pattern::truth}) {
      const Trace<double> trace = scene.gradient_of(batch, held_at(pattern));
      double most = 0;
      for (const Param<double>& p : scene.parameters.all())
        if (p.group == Group::attention)
          for (const double g : p.gradients()) most = std::max(most, std::abs(g));
      if (pattern == Pattern::learned) EXPECT_GT(most, 1e-5);
      else EXPECT_EQ(most, 0);
      each_word_of(batch, [&](int b, int t) {
        const auto [begin, end] = attended_by(model, batch, b, t);
        if (pattern == Pattern::uniform) {
          EXPECT_DOUBLE_EQ(trace.attention(b, t, begin), 1.0 / (end - begin));
        }
        if (pattern == Pattern::truth) {
          EXPECT_EQ(trace.attention(b, t, t), 1);
        }
      });
    }
    for (const ScopedRule& rule : {ScopedRule{1, 1, {Pattern::learned, 3}}, ScopedRule{1, 1, {.ablated = true}}}) {
      const Pass pass{true, 0, 0, {{&rule, 1}}};
      scene.check_gradients(batch, pass, {1e-6, 1e-6, 60});
      EXPECT_NE(scene.forward(batch, pass).loss, scene.forward(batch, {true}).loss);
    }
  }
}

TEST(Taggers, ThreadsChangeNoBit) {
  for (const char* const model : taggers) {
    SCOPED_TRACE(model);
    std::vector<float> of_one;
    for (const int threads : {1, 3}) {
      ModelScene<float> scene(model, tagger_settings(model), tagger_shape(5), threads);
      const Batch batch = tagged_sentences();
      const Trace<float> trace = scene.gradient_of(batch);
      std::vector<float> all = copy_of(scene.parameters.gradients());
      for (const auto& view : {scene.model->beta(scene.bench.compute, trace), trace.attention})
        all.insert(all.end(), view.data(), view.data() + view.count());
      if (threads == 1) of_one = all;
      EXPECT_EQ(all, of_one);
    }
  }
}

}  // namespace
}  // namespace fovea
