// A trace holds all there is of a pass, and a model nothing: passes of one model do not meet, in one thread or in two.
#include "fovea/model/trace.h"

#include <gtest/gtest.h>

#include <functional>
#include <thread>
#include <vector>

#include "fovea/base/error/error.h"
#include "fovea/model/items/pooling.h"
#include "fovea/model/optional_queries.h"
#include "tests/data/tasks/task_help.h"
#include "tests/model/model_scene.h"

namespace fovea {
namespace {

using testing::Bench;
using testing::ModelScene;

struct Case {
  const char* name;
  const char* model;
  ValueTable settings;
  Kind kind;
};

std::vector<Case> cases() {
  return {
      {"classifier",
       "gated-classifier",
       {{"embedding", whole(6)}, {"hidden", whole(5)}, {"score", word("mlp")}, {"score_hidden", whole(4)}},
       Kind::labelled_tokens},
      {"unigram", "unigram-gate", {{"beta_spread", real(1)}, {"logit_spread", real(1)}}, Kind::labelled_tokens},
      {"words", "word-mean", {{"embedding", whole(5)}}, Kind::labelled_tokens},
      {"translator",
       "seq2seq",
       {{"embedding", whole(6)}, {"hidden", whole(5)}, {"layers", whole(2)}, {"bidirectional", yes(true)}},
       Kind::token_pairs},
      {"heads", "seq2seq-heads", {{"embedding", whole(6)}, {"hidden", whole(5)}}, Kind::token_pairs},
      {"recurrent tagger", "recurrent-tagger", {{"embedding", whole(4)}, {"hidden", whole(5)}}, Kind::tagged_tokens},
      {"window tagger", "window-tagger", {{"embedding", whole(4)}, {"hidden", whole(5)}}, Kind::tagged_tokens},
      {"linear tagger", "linear-tagger", {{"reach", whole(1)}}, Kind::tagged_tokens},
      {"bag",
       "bag-attention",
       {{"hidden", {ValueList{{std::int64_t{6}, {}}, {std::int64_t{5}, {}}}, {}}},
        {"score", word("additive")},
        {"item_norm", yes(true)}},
       Kind::labelled_bags},
      {"features", "feature-attention", {{"gate", word("input")}, {"gate_hidden", whole(4)}}, Kind::labelled_vectors},
      {"glimpse",
       "glimpse",
       {{"glimpses", whole(3)}, {"patch", whole(1)}, {"scales", whole(2)}, {"hidden", whole(4)}},
       Kind::labelled_vectors},
      {"pooling", "pooling", {{"similarity", word("additive")}, {"hidden", whole(4)}}, Kind::points},
      {"transformer",
       "transformer",
       {{"width", whole(8)},
        {"heads", whole(2)},
        {"mlp", whole(2)},
        {"position", word("relative")},
        {"start", real(0.5)}},
       Kind::token_streams},
      {"addresses",
       "address-attention",
       {{"experts", whole(4)}, {"counter_width", whole(2)}, {"page_width", whole(5)}, {"hidden", whole(4)}},
       Kind::accesses}};
}

TaskShape shape_of(Kind kind) {
  TaskShape shape;
  shape.kind = kind;
  shape.vocab = 20;
  shape.target_vocab = 12;
  shape.start_token = 11;
  shape.end_token = 10;
  shape.classes = kind == Kind::labelled_bags ? 3 : 2;
  shape.width = kind == Kind::labelled_vectors ? 4 : 3;  // an image of 2 x 2
  shape.value_width = 2;
  shape.most_items = kind == Kind::labelled_bags ? 8 : 0;
  shape.longest = 12;
  shape.features = 6;
  shape.counters = shape.pages = shape.offsets = 6;
  return shape;
}

void fill_items(Items& items, int rows, int columns, int width, std::uint64_t seed) {
  items.resize(rows, columns, width);
  const auto values = testing::random_values<float>(seed, std::ssize(items.values));
  std::copy(values.begin(), values.end(), items.values.begin());
}

// `seed` tells batches apart, in their sizes too.
Batch batch_of(Kind kind, int seed) {
  Batch batch;
  batch.size = 4 + seed;
  RandomStream stream(static_cast<std::uint64_t>(seed), "batch");
  const auto below = [&](int most) { return static_cast<int>(stream.integer(static_cast<std::uint64_t>(most))); };
  const auto fill = [&](Tokens& tokens, int longest, int vocab) {
    tokens.resize(batch.size, longest);
    for (int b = 0; b < batch.size; ++b) {
      const int length = tokens.lengths[static_cast<std::size_t>(b)] = 1 + below(longest);
      for (int i = 0; i < longest; ++i) tokens.at(b, i) = i < length ? below(vocab) : -1;
    }
  };
  for (int b = 0; b < batch.size; ++b) batch.labels.push_back(below(2));
  switch (kind) {
    case Kind::labelled_tokens:
      fill(batch.source, 9 + seed, 20);
      break;
    case Kind::token_pairs:
      batch.labels.clear();
      fill(batch.source, 6 + seed, 20);
      fill(batch.target, 4 + seed, 10);
      break;
    case Kind::token_streams:
      batch.labels.clear();
      fill(batch.source, 8 + seed, 20);
      batch.target = batch.source;
      for (int& answer : batch.target.ids) answer = answer < 12 ? answer : -1;
      break;
    case Kind::tagged_tokens:
      batch.labels.clear();
      fill(batch.source, 8 + seed, 20);
      batch.target = batch.source;
      batch.feature_width = 1;
      for (int& tag : batch.target.ids) tag = tag < 0 ? -1 : tag % 12;
      for (const int id : batch.source.ids) batch.features.push_back(id < 0 ? -1 : id % 6);
      break;
    case Kind::accesses:
      batch.labels.clear();
      batch.source.resize(batch.size, 3 * (4 + seed));
      batch.target.resize(batch.size, 2);
      for (int& id : batch.source.ids) id = below(6);
      for (int& answer : batch.target.ids) answer = below(6);
      break;
    case Kind::labelled_bags:
      fill_items(batch.items, batch.size, 5 + seed, 3, static_cast<std::uint64_t>(seed));
      for (int& length : batch.items.lengths) length = 1 + below(batch.items.columns);
      break;
    case Kind::labelled_vectors:
      fill_items(batch.items, batch.size, 1, 4, static_cast<std::uint64_t>(seed));
      break;
    case Kind::points:
      batch.labels.clear();
      batch.size = 1;
      fill_items(batch.items, 1, 30 + seed, 3, static_cast<std::uint64_t>(seed));
      fill_items(batch.values, 1, 30 + seed, 2, static_cast<std::uint64_t>(seed) + 10);
      fill_items(batch.queries, 1, 20 + seed, 3, static_cast<std::uint64_t>(seed) + 20);
      fill_items(batch.answers, 1, 20 + seed, 2, static_cast<std::uint64_t>(seed) + 30);
      break;
  }
  return batch;
}

// All that can be asked of a trace, one number behind the other.
std::vector<float> told(const Model<float>& model, Compute& compute, const Trace<float>& trace) {
  std::vector<float> all{static_cast<float>(trace.loss)};
  const auto add = [&](const auto& view) { all.insert(all.end(), view.data(), view.data() + view.count()); };
  add(trace.scores);
  add(trace.attention);
  add(trace.predictions);
  add(model.beta(compute, trace));
  add(model.states(compute, trace));
  if (const auto* const asked = dynamic_cast<const HasInfluence<float>*>(&model)) add(asked->influence(compute, trace));
  return all;
}

std::vector<float> told_of(const Model<float>& model, const Batch& batch) {
  Bench bench;
  return told(model, bench.compute, model.forward(bench.compute, batch, {}));
}

TEST(Trace, TwoThreadsUseOneModel) {
  for (const Case& c : cases()) {
    SCOPED_TRACE(c.name);
    ModelScene<float> scene(c.model, c.settings, shape_of(c.kind));
    const Model<float>& model = *scene.model;
    const Batch batches[2] = {batch_of(c.kind, 1), batch_of(c.kind, 2)};
    const std::vector<float> wanted[2] = {told_of(model, batches[0]), told_of(model, batches[1])};
    ASSERT_NE(wanted[0], wanted[1]);
    int differ[2] = {0, 0};
    const auto work = [&](std::size_t i) {
      for (int round = 0; round < 20; ++round) differ[i] += told_of(model, batches[i]) != wanted[i];
    };
    std::thread other(work, 1);
    work(0);
    other.join();
    EXPECT_EQ(differ[0], 0);
    EXPECT_EQ(differ[1], 0);
  }
}

TEST(Trace, BackwardIsOfItsTraceWhateverWasMadeSince) {
  for (const Case& c : cases()) {
    SCOPED_TRACE(c.name);
    ModelScene<float> scene(c.model, c.settings, shape_of(c.kind));
    const Batch batch = batch_of(c.kind, 1), other = batch_of(c.kind, 2);
    const auto gradient = [&](const std::function<void()>& between) {
      scene.parameters.initialise(5);
      const Trace<float> trace = scene.forward(batch, {true, 3, 7});
      between();
      scene.parameters.clear_gradients();
      scene.model->backward(scene.bench.compute, trace);
      return testing::copy_of(scene.parameters.gradients());
    };
    const std::vector<float> alone = gradient([] {});
    EXPECT_GT(std::ranges::count_if(alone, [](float x) { return x != 0; }), 0);
    Bench bench;
    EXPECT_EQ(
        gradient([&] { (void)told(*scene.model, bench.compute, scene.model->forward(bench.compute, other, {})); }),
        alone);
  }
}

TEST(Trace, InfluenceLeavesTheGradientsAsTheyAre) {
  for (const Case& c : cases()) {
    ModelScene<float> scene(c.model, c.settings, shape_of(c.kind));
    const auto* const asked = dynamic_cast<const HasInfluence<float>*>(scene.model.get());
    if (!asked) continue;
    SCOPED_TRACE(c.name);
    const Batch batch = batch_of(c.kind, 1);
    const Trace<float> trace = scene.forward(batch, {});
    std::ranges::fill(scene.parameters.gradients(), 3.0f);
    asked->influence(scene.bench.compute, trace);
    EXPECT_EQ(std::ranges::count(scene.parameters.gradients(), 3.0f), std::ssize(scene.parameters.gradients()));
  }
}

TEST(Trace, AnExceptionMidwayLeavesTheModelUsable) {
  const Batch batch = batch_of(Kind::points, 1), other = batch_of(Kind::points, 2);
  bool fails = false;
  int left = 0;
  Pooling<float> model;
  model.use(
      [&](std::span<const double> q, std::span<const double> k) {
        if (fails && --left == 0) throw failure("no more", "");
        return q[0] * k[0];
      },
      "fails");
  ParameterSet<float> parameters;
  model.build(shape_of(Kind::points), parameters);
  parameters.finish();
  const std::vector<float> wanted = told_of(model, batch);
  Bench bench, second;
  const Trace<float> before = model.forward(bench.compute, batch, {});
  fails = true;
  for (const int when : {1, 100, 500}) {
    left = when;
    EXPECT_THROW(model.forward(second.compute, other, {}), Error);
    second.arena.reset();
  }
  fails = false;
  EXPECT_EQ(told(model, bench.compute, before), wanted) << "a trace from before";
  EXPECT_EQ(told_of(model, batch), wanted);
}

}  // namespace
}  // namespace fovea
