// Speed: what a step costs, against products listed by hand, and that what is timed is there. How fast the machine is
// no test can say.
#include "fovea/lab/bench/bench.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <numeric>
#include <thread>

#include "fovea/base/processor_time.h"
#include "fovea/io/shipped.h"
#include "fovea/lab/spec/assembly.h"
#include "fovea/lab/train/trainer.h"
#include "tests/lab/store/store_sample.h"
#include "tests/sanitized.h"

namespace fovea {
namespace {

RunSpec bench_spec(const std::string& toml, std::uint64_t seed = 0) {
  return resolve(parse_experiment(toml, "test.toml"), Preset::full, {}, seed);
}

StepCost first_batch_cost(const RunSpec& spec) {
  const auto task = make_task(spec);
  Batch batch;
  task->batch(Split::train, 0, read_train(spec.train).batch, batch);
  return batch_cost(spec, task->shape(), batch).value();
}

// Two operations for each multiply-add of a product (M,K) by (K,N).
struct Product {
  double m, k, n;
};
double operations(const std::vector<Product>& products) {
  return std::accumulate(products.begin(), products.end(), 0.0,
                         [](double sum, const Product& p) { return sum + 2 * p.m * p.k * p.n; });
}

TEST(StepCost, CountsTheProductsOfCopyingOnce) {
  // Permutations of 3 words: 4 rows of 4 words (the end is one), so 4 kinds are read, and 4 are fed: the start and 3.
  const RunSpec spec = bench_spec(R"(
    task = { name = "copy", vocab = 3, length = 3 }
    model = { name = "seq2seq", hidden = 8, embedding = 6 }
    train = { batch = 4 })");
  const double B = 4, N = 16, H = 8, E = 6, V = 5, kinds = 4, pairs = B * 4 * 4;
  std::vector<Product> products;
  const auto three = [&](double rows, double in, double out) {
    for (int i = 0; i < 3; ++i) products.push_back({rows, in, out});  // forward, weights, rows
  };
  three(kinds, E, 4 * H);  // the encoder's input, once a kind
  three(N - B, H, 4 * H);  // its recurrence, but for the first step
  three(kinds, E, 4 * H);  // the decoder's
  three(N, H, 4 * H);
  three(N, H, H);                                                 // A d
  three(N, H, H);                                                 // U d
  three(N, H, H);                                                 // (U P) context
  three(H, H, H);                                                 // U P
  for (int i = 0; i < 6; ++i) products.push_back({pairs, H, 1});  // scores, contexts, and their two gradients each
  three(N, H, V);
  const StepCost cost = first_batch_cost(spec);
  EXPECT_DOUBLE_EQ(cost.operations, operations(products));
  EXPECT_DOUBLE_EQ(cost.functions, 2 * 5 * N * H + pairs + N * H + N * V);
}

TEST(StepCost, CountsTheProductsOfTheClassifierByLength) {
  const RunSpec spec = bench_spec(R"(
    task = { name = "keyword", vocab = 400, length = 9, shortest = 2 }
    model = { name = "gated-classifier", hidden = 5, embedding = 3, score = "mlp", score_hidden = 7, cell = "gru" }
    train = { batch = 6 })");
  const auto task = make_task(spec);
  Batch batch;
  task->batch(Split::train, 0, 6, batch);
  const double N = std::accumulate(batch.source.lengths.begin(), batch.source.lengths.end(), 0);
  std::set<int> kinds(batch.source.ids.begin(), batch.source.ids.end());
  kinds.erase(-1);
  const double D = static_cast<double>(kinds.size());
  double expected = 0;
  expected += 2 * 3 * operations({{D, 3, 15}, {N - 6, 5, 15}});                // both directions
  expected += 3 * operations({{N, 10, 7}, {N, 7, 1}, {N, 10, 1}, {N, 1, 1}});  // score, β, weighted sum
  EXPECT_DOUBLE_EQ(first_batch_cost(spec).operations, expected);
}

TEST(StepCost, CountsNoGradientOfWhatIsGiven) {
  const RunSpec feature = bench_spec(R"(
    task = { name = "feature-mean", width = 50 }
    model = { name = "feature-attention", hidden = [4] }
    train = { batch = 8 })");
  EXPECT_DOUBLE_EQ(first_batch_cost(feature).operations, 2 * operations({{8, 50, 4}}) + 3 * operations({{8, 4, 1}}));
  const RunSpec bag = bench_spec(R"(
    task = { name = "largest-digit", bag = 2, bags = 16, held_out = 2, digits = 20 }
    model = { name = "bag-attention", hidden = [6, 5], score = "dot" }
    train = { batch = 4 })");
  EXPECT_DOUBLE_EQ(first_batch_cost(bag).operations,
                   2 * operations({{8, 784, 6}}) +
                       3 * operations({{8, 6, 5}, {8, 1, 5}, {8, 1, 5}, {8, 5, 1}, {4, 5, 5}, {4, 5, 10}}));
}

TEST(StepCost, CountsSimilaritiesTwiceSinceTheyAreNotHeld) {
  const std::string text = R"(
    task = { name = "curve", points = 30, width = 4 }
    train = { batch = 1 }
    model = { name = "pooling", train_on = "queries", similarity = )";
  const double pairs = 900;
  const StepCost fixed = first_batch_cost(bench_spec(text + "\"gaussian\" }"));
  EXPECT_DOUBLE_EQ(fixed.operations, operations({{pairs, 4, 1}, {pairs, 1, 1}}));
  EXPECT_DOUBLE_EQ(fixed.functions, pairs);
  const StepCost general = first_batch_cost(bench_spec(text + "\"general\" }"));
  EXPECT_DOUBLE_EQ(general.operations,
                   2 * operations({{pairs, 4, 1}, {pairs, 1, 1}, {30, 4, 4}}) + operations({{pairs, 4, 1}}));
  EXPECT_DOUBLE_EQ(general.functions, 2 * pairs);
}

// Two streams of four places, of which the last is asked; four pairs each.
TEST(StepCost, OfATransformerStopsAtWhatIsFrozenAndAtWhatIsNotAsked) {
  const std::string text = R"(
    task = { name = "induction", vocab = 5, length = 4 }
    train = { batch = 2 }
    model = { name = "transformer", layers = 1, heads = 1, width = 6)";
  const double rows = 8, asked = 2, pairs = 8;
  const StepCost all = first_batch_cost(bench_spec(text + ", mlp = 4 }"));
  EXPECT_DOUBLE_EQ(all.operations,
                   3 * operations({{rows, 6, 12}, {asked, 6, 12}, {2 * asked, 6, 24}, {asked, 6, 5}}) + 12 * pairs * 6);
  EXPECT_DOUBLE_EQ(all.functions, pairs + asked * 24 + asked * 5);
  const std::string frozen =
      text + R"(, norm = "none", queries = "identity", frozen = ["embed", "positions", "v.1", "o.1", "unembed"] })";
  // Keys: forward and weights. Values and the way to what is asked: forward, and back from there.
  EXPECT_DOUBLE_EQ(first_batch_cost(bench_spec(frozen)).operations,
                   2 * (2 * rows * 36 + rows * 36 + 2 * asked * 36 + 2 * asked * 30) + 2 * pairs * (2 * 6 + 2 * 6));
}

// A hundred streams of four places and five tokens, each of which comes: twenty places differ, as positions are
// learned.
TEST(StepCost, OfATransformerReadsPlacesThatAreAlikeOnce) {
  const StepCost cost = first_batch_cost(bench_spec(R"(
    task = { name = "induction", vocab = 5, length = 4 }
    train = { batch = 100 }
    model = { name = "transformer", layers = 1, heads = 1, width = 6 })"));
  EXPECT_DOUBLE_EQ(cost.operations, 3 * operations({{20, 6, 18}, {100, 6, 6}, {100, 6, 5}}) + 12 * 400 * 6);
}

// Three images, two glimpses at each, of 4 x 4 pixels: the places and patches are given, and the first state is 0.
TEST(StepCost, OfGlimpsesMakesNoGradientOfWhereTheyAre) {
  const RunSpec spec = bench_spec(R"(
    task = { name = "placed-digit", digits = 100 }
    model = { name = "glimpse", glimpses = 2, patch = 4, what_width = 5, where_width = 3, glimpse_width = 7, hidden = 6 }
    train = { batch = 3 })");
  const StepCost cost = first_batch_cost(spec);
  EXPECT_DOUBLE_EQ(cost.operations, 2 * operations({{6, 16, 5}, {6, 2, 3}, {3, 6, 1}}) +
                                        3 * operations({{6, 8, 7}, {6, 7, 6}, {3, 6, 6}, {3, 6, 2}, {3, 6, 10}}));
  EXPECT_DOUBLE_EQ(cost.functions, 3 * 10 + 3 * 2);
}

TEST(StepCost, OfAccessesProjectsACounterAndAPageOnce) {
  const RunSpec spec = bench_spec(R"(
    task = { name = "addresses", trace = "random", pages = 8, length = 100, window = 4 }
    model = { name = "address-attention", experts = 5, page_width = 2, counter_width = 3, hidden = 6 }
    train = { batch = 7 })");
  const auto task = make_task(spec);
  Batch batch;
  task->batch(Split::train, 0, 7, batch);
  std::set<int> kinds[3];
  for (std::size_t i = 0; i < batch.source.ids.size(); ++i) kinds[i % 3].insert(batch.source.ids[i]);
  const double counters = static_cast<double>(kinds[0].size()), pages = static_cast<double>(kinds[1].size());
  ASSERT_LT(pages, 28);
  const double pairs = 28 * 5;
  EXPECT_DOUBLE_EQ(first_batch_cost(spec).operations,
                   3 * operations({{pairs, 2, 1}, {pairs, 1, 2}}) +
                       2 * 3 * operations({{counters, 3, 24}, {pages, 2, 24}, {28, 2, 24}, {21, 6, 24}}) +
                       3 * operations({{7, 6, 8}, {7, 6, 64}}));
}

TEST(StepCost, CountsTheBytesOfEveryParameterAndItsMoments) {
  const std::string text = R"(
    task = { name = "feature-mean", width = 50 }
    model = { name = "feature-attention", hidden = [4] }
    train = { batch = 8, optimizer = )";
  const double parameters = 50 + (50 * 4 + 4) + (4 + 1);
  EXPECT_DOUBLE_EQ(step_cost(bench_spec(text + "\"adam\" }"))->bytes, 32 * parameters);
  EXPECT_DOUBLE_EQ(step_cost(bench_spec(text + "\"sgd\" }"))->bytes, 16 * parameters);
}

TEST(Bench, EverySystemResolvesAndHasACost) {
  const std::vector<std::string> names = bench_system_names();
  EXPECT_EQ(names.size(), shipped_systems().size());
  EXPECT_EQ(names.front(), "copying");
  for (const std::string& name : names) {
    SCOPED_TRACE(name);
    const Experiment system = find_bench_system(name);
    EXPECT_FALSE(system.title.empty() || system.idea.empty());
    RunSpec spec = resolve(system, Preset::full, {}, 0);
    if (name.starts_with("pooling")) continue;  // its batches are large
    EXPECT_GT(first_batch_cost(spec).operations, 0);
  }
  EXPECT_EQ(find_bench_system("copy-subset").name, "copy-subset");
  EXPECT_THROW(find_bench_system("copyng"), Error);
}

TEST(Bench, TimesStepsThatAreMade) {
  const RunSpec spec = bench_spec(R"(
    task = { name = "keyword", vocab = 5, length = 4 }
    model = { name = "gated-classifier", hidden = 4, embedding = 4 }
    train = { batch = 2, stop_when = "steps >= 1" }
    probe = { every = 1, names = ["accuracy"] })");
  double last = 0;
  BenchWatch watch;
  watch.progress = [&](double share) {
    EXPECT_GE(share, last);
    last = share;
  };
  const StepRate rate = time_training(spec, 0.2, watch);
  EXPECT_GT(rate.steps, 2);
  EXPECT_GE(rate.seconds, 0.2);
  EXPECT_GT(rate.processor_seconds, 0);
  EXPECT_LE(rate.processor_seconds, 1.1 * rate.seconds);
  EXPECT_GT(rate.slowest, 0);
  EXPECT_LE(rate.slowest, rate.median);
  EXPECT_LE(rate.median, rate.fastest);
  EXPECT_EQ(last, 1);
  EXPECT_GT(best_product_rate(Products::full, 1, 0.02), 1e8);
  EXPECT_GT(best_product_rate(Products::bf16x3, 1, 0.02), 1e7);
  EXPECT_LT(product_error(Products::full), 1e-6);
  EXPECT_LT(product_error(Products::bf16x3), 1e-5);
}

// What is always on must not be felt: of the copying run, its attention kept at every look and the run in the store
// take less than 2 % of the training, with the probes less than 5 %. Whatever else the machine does only adds to a
// share, so the least of three trainings counts.
TEST(Bench, ProbesAndRecorderAreASmallPartOfCopying) {
  if (sanitized) GTEST_SKIP() << "sanitizers slow each part down by another factor";
  const Experiment experiment = find_experiment("copy-subset");
  const RunSpec spec = resolve(experiment, Preset::full, {parse_override("train.steps=20")}, 0);
  double recorder = 1, both = 1;
  for (int attempt = 0; attempt < 3 && (recorder >= 0.02 || both >= 0.05); ++attempt) {
    const testing_parts::Folder folder;
    Store store(folder / "runs.db");
    TimeSpent spent;
    TrainHooks hooks;
    hooks.spent = &spent;
    RunRecord run = train(spec, hooks);
    {
      const Metered metered(&spent.recorder);
      store.keep(run);
    }
    EXPECT_GT(run.arrays.size(), 3u);
    std::printf("updates %.2f s, probes %.2f %%, recorder and store %.2f %%\n", spent.updates,
                100 * spent.probes / spent.all(), 100 * spent.recorder / spent.all());
    recorder = std::min(recorder, spent.recorder / spent.all());
    both = std::min(both, (spent.recorder + spent.probes) / spent.all());
  }
  EXPECT_LT(recorder, 0.02);
  EXPECT_LT(both, 0.05);
}

TEST(Bench, SharesOfLooksGrowWithThem) {
  const auto share = [](const std::string& probe) {
    return evaluation_share(bench_spec(R"(
      task = { name = "keyword", vocab = 5, length = 4 }
      model = { name = "gated-classifier", hidden = 4, embedding = 4 }
      train = { batch = 2, steps = 200 }
      probe = )" + probe),
                            10);
  };
  const EvaluationShare rare = share("{ every = 100, names = [\"accuracy\"] }");
  const EvaluationShare often = share("{ every = 1, names = [\"accuracy\"], keep = 50 }");
  const EvaluationShare none = share("{ every = 1, names = [\"accuracy\"], keep = 0 }");
  EXPECT_GT(rare.probes, 0);
  EXPECT_LT(rare.probes, often.probes);
  EXPECT_LT(rare.recorder, often.recorder);
  EXPECT_LT(often.probes + often.recorder, 1);
  EXPECT_LT(none.recorder, 0.02);
}

TEST(Bench, EndsWhenItIsStopped) {
  const std::atomic<bool> stop{true};
  BenchWatch watch;
  watch.stop = &stop;
  const RunSpec spec = bench_spec(
      "task = { name = \"two-sequences\" }\nmodel = { name = \"toy-gate\" }\n"
      "train = { batch = 2, optimizer = \"sgd\", rate = 1e-9 }");
  EXPECT_LT(time_training(spec, 1e6, watch).seconds, 60);
}

// Runs that differ only in their seed cost the same; the projection counts each of them, and their steps.
TEST(Bench, ProjectsEveryRun) {
  const std::string text = R"(
    task = { name = "keyword", vocab = 5, length = 4 }
    model = { name = "gated-classifier", hidden = 4, embedding = 4 }
    probe = { names = ["accuracy"] }
    sweep = { seed = "0..9" }
    train = { batch = 2, steps = )";
  Projection projection;
  const ExperimentTime few = projection.of(parse_experiment(text + "20 }", "a.toml"), Preset::full, 10);
  EXPECT_EQ(few.runs, 10);
  EXPECT_EQ(few.steps, 200);
  EXPECT_GT(few.seconds, 0);
  EXPECT_EQ(few.unknown, "");
  const ExperimentTime many = projection.of(parse_experiment(text + "2000000000 }", "b.toml"), Preset::full, 0.1);
  EXPECT_EQ(many.steps, 20000000000);
  EXPECT_GT(many.seconds, 1e4 * few.seconds);
  const ExperimentTime absent =
      projection.of(parse_experiment("task = { name = \"largest-digit\", source = \"/no/such/folder\" }\n"
                                     "model = { name = \"bag-flat\" }",
                                     "c.toml"),
                    Preset::full, 0.1);
  EXPECT_NE(absent.unknown.find("/no/such/folder"), std::string::npos) << absent.unknown;
}

}  // namespace
}  // namespace fovea
