// Layers, losses, optimisers and schedules against PyTorch (tests/reference/make_layers.py), in both precisions.
#include "fovea/nn/activation.h"
#include "fovea/nn/attention/attention.h"
#include "fovea/nn/attention/score.h"
#include "fovea/nn/batch_norm.h"
#include "fovea/nn/loss.h"
#include "fovea/nn/optimizer/optimizer.h"
#include "tests/nn/gradient_check.h"
#include "tests/nn/optimizer/update_rules.h"
#include "tests/nn/reference.h"

namespace fovea {
namespace {

using namespace fovea::testing;

const Json& layers_reference() {
  static const Json json = read_reference("layers.json");
  return json;
}

template <class T>
class LayersReference : public ::testing::Test {
 protected:
  Bench bench_{2};
};
using Precisions = ::testing::Types<float, double>;
TYPED_TEST_SUITE(LayersReference, Precisions);

TYPED_TEST(LayersReference, Activations) {
  using T = TypeParam;
  const Json& c = layers_reference()["activations"];
  const std::map<std::string, Activation> known = {
      {"tanh", Activation::tanh()},
      {"relu", Activation::relu()},
      {"leaky_relu", Activation::leaky_relu(c["slope"].get<double>())},
      {"sigmoid", Activation::sigmoid()},
  };
  EXPECT_EQ(c["functions"].size(), known.size());
  for (const auto& [name, want] : c["functions"].items()) {
    std::vector<T> x = numbers<T>(c["x"]), dy = numbers<T>(c["dy"]);
    activate<T>(this->bench_.team, known.at(name), x, x);
    expect_near_reference<T>(name + " y", x, want["y"]);
    activate_backward<T>(this->bench_.team, known.at(name), x, dy, dy);
    expect_near_reference<T>(name + " dx", dy, want["dx"]);
  }
}

template <class T>
void compare_batch_norm(Bench& bench, const Json& c) {
  const Index rows = c["rows"].get<Index>(), width = c["width"].get<Index>();
  ParameterSet<T> parameters;
  auto norm = BatchNorm<T>::declare(parameters, "", width);
  parameters.finish();
  parameters.initialise(1);
  std::ranges::copy(numbers<T>(c["weight"]), norm.weight->value);
  std::ranges::copy(numbers<T>(c["bias"]), norm.bias->value);
  const auto present = c["present"].get<std::vector<std::uint8_t>>();
  const std::vector<T> first = numbers<T>(c["first"]), x = numbers<T>(c["x"]), dy = numbers<T>(c["dy"]);
  norm.forward(bench.compute, true, Matrix<const T>(first.data(), rows, width), present);
  for (const std::string mode : {"training", "evaluation"}) {
    parameters.clear_gradients();
    const auto trace = norm.forward(bench.compute, mode == "training", Matrix<const T>(x.data(), rows, width), present);
    const Matrix<T> dx = bench.compute.template array<T>(rows, width);
    norm.backward(bench.compute, trace, Matrix<const T>(dy.data(), rows, width), dx);
    const Json& want = c[mode];
    expect_near_reference<T>(mode + " y", trace.output.flat(), want["y"]);
    expect_near_reference<T>(mode + " dx", dx.flat(), want["dx"]);
    expect_near_reference<T>(mode + " dweight", norm.weight->gradients(), want["dweight"]);
    expect_near_reference<T>(mode + " dbias", norm.bias->gradients(), want["dbias"]);
    expect_near_reference<T>(mode + " running_mean", norm.running_mean->values(), c["running_mean"]);
    expect_near_reference<T>(mode + " running_var", norm.running_var->values(), c["running_var"]);
  }
}

TYPED_TEST(LayersReference, BatchNorm) {
  compare_batch_norm<TypeParam>(this->bench_, layers_reference()["batch_norm"]);
}
TYPED_TEST(LayersReference, BatchNormOfPresentRows) {
  compare_batch_norm<TypeParam>(this->bench_, layers_reference()["batch_norm_masked"]);
}

TYPED_TEST(LayersReference, ScoresAndAttention) {
  using T = TypeParam;
  const std::map<std::string, ScoreKind> kinds = {{"free", ScoreKind::free},       {"linear", ScoreKind::linear},
                                                  {"mlp", ScoreKind::mlp},         {"dot", ScoreKind::dot},
                                                  {"general", ScoreKind::general}, {"additive", ScoreKind::additive}};
  Bench& bench = this->bench_;
  EXPECT_EQ(layers_reference()["attention"].size(), 9u);
  for (const Json& c : layers_reference()["attention"]) {
    const auto size = [&c](const char* key) { return c[key].get<Index>(); };
    const Index B = size("batch"), R = size("rows"), S = size("most"), H = size("width"), Q = size("query");
    SCOPED_TRACE(c["kind"].get<std::string>() + ", rows " + std::to_string(R));
    ParameterSet<T> parameters;
    const ScoreKind kind = kinds.at(c["kind"].get<std::string>());
    auto score = Score<T>::declare(parameters, "", kind, H, Q, size("hidden"), S);
    parameters.finish();
    EXPECT_EQ(parameters.all().size(), c["parameters"].size());
    for (const Param<T>& p : parameters.all()) {
      const std::vector<T> values = numbers<T>(c["parameters"][p.name]);
      ASSERT_EQ(values.size(), p.values().size()) << p.name;
      std::ranges::copy(values, p.value);
    }
    std::vector<T> h = numbers<T>(c["h"]), q = numbers<T>(c["q"]), dcontexts = numbers<T>(c["dcontexts"]);
    const auto lengths = c["lengths"].get<std::vector<int>>();
    const Sequences<const T> hs = batch_major(Cube<const T>(h.data(), B, S, H));
    const Sequences<const T> qs = asks(kind) ? batch_major(Cube<const T>(q.data(), B, R, Q)) : Sequences<const T>();

    const auto trace = score.forward(bench.compute, hs, qs);
    const auto attention = Attention<T>::over(bench.compute, trace.scores, lengths, {});
    attention.weigh(bench.team);
    expect_near_reference<T>("weights", attention.weights.flat(), c["weights"]);
    const Cube<T> contexts = bench.compute.template array<T>(B, R, H);
    attention.sum(bench.team, hs, batch_major(contexts));
    expect_near_reference<T>("contexts", contexts.flat(), c["contexts"]);

    const Cube<T> dh = bench.compute.template zeros<T>(B, S, H), dq = bench.compute.template zeros<T>(B, R, Q);
    const Cube<T> dscores =
        attention.backward(bench.compute, hs, batch_major(Cube<const T>(dcontexts.data(), B, R, H)), batch_major(dh));
    score.backward(bench.compute, trace, dscores, batch_major(dh), asks(kind) ? batch_major(dq) : Sequences<T>());
    expect_near_reference<T>("dh", dh.flat(), c["dh"]);
    if (asks(kind)) expect_near_reference<T>("dq", dq.flat(), c["dq"]);
    for (const Param<T>& p : parameters.all())
      expect_near_reference<T>("d " + p.name, p.gradients(), c["gradients"][p.name]);
    bench.arena.reset();
  }
}

TYPED_TEST(LayersReference, Losses) {
  using T = TypeParam;
  const Bench& bench = this->bench_;
  const double tolerance = reference_tolerance<T>;
  const Json& logistic = layers_reference()["losses"]["logistic"];
  std::vector<T> z = numbers<T>(logistic["logits"]), gradient(z.size());
  std::vector<int> answers = logistic["answers"];
  double want = logistic["loss"];
  EXPECT_NEAR(logistic_loss<T>(bench.compute, z, answers, gradient), want, tolerance * want);
  EXPECT_NEAR(logistic_loss<T>(bench.compute, z, answers, {}), want, tolerance * want);
  expect_near_reference<T>("logistic", gradient, logistic["gradient"]);

  const Json& entropy = layers_reference()["losses"]["cross_entropy"];
  const Index rows = entropy["rows"], classes = entropy["classes"];
  z = numbers<T>(entropy["logits"]);
  answers = entropy["answers"].get<std::vector<int>>();
  gradient.assign(z.size(), T{7});
  want = entropy["loss"];
  const Matrix<const T> logits(z.data(), rows, classes);
  EXPECT_NEAR(cross_entropy<T>(bench.compute, logits, answers, Matrix<T>(gradient.data(), rows, classes)), want,
              tolerance * want);
  EXPECT_NEAR(cross_entropy<T>(bench.compute, logits, answers, {}), want, tolerance * want);
  expect_near_reference<T>("cross_entropy", gradient, entropy["gradient"]);

  const Json& squared = layers_reference()["losses"]["squared_error"];
  z = numbers<T>(squared["predictions"]);
  const std::vector<T> truth = numbers<T>(squared["truth"]);
  gradient.assign(z.size(), T{7});
  want = squared["loss"];
  EXPECT_NEAR(squared_error<T>(bench.compute, z, truth, gradient), want, tolerance * want);
  expect_near_reference<T>("squared_error", gradient, squared["gradient"]);
}

TYPED_TEST(LayersReference, ThreeStepsOfEachOptimizer) {
  using T = TypeParam;
  const Json& c = layers_reference()["optimizers"];
  for (const auto& [name, way] : c["ways"].items()) {
    ParameterSet<T> parameters;
    const Param<T>& p = parameters.add("p", {12}, Init::constant(0));
    parameters.finish();
    std::ranges::copy(numbers<T>(c["start"]), p.value);
    OptimizerSettings settings;
    ValueTable own;
    for (const auto& [setting, given] : way["settings"].items()) {
      const double number = given.template get<double>();
      if (setting == "weight_decay") settings.weight_decay = number;
      else if (setting == "clip") settings.clip = number;
      else own[setting] = {number, {}};
    }
    const std::string rule = name.starts_with("sgd") ? "sgd" : name.starts_with("adamw") ? "adamw" : "adam";
    Optimizer<T> optimizer(parameters, update_rule(rule, own), settings);
    for (std::size_t step = 0; step < 3; ++step) {
      std::ranges::copy(numbers<T>(c["gradients"][step]), p.gradient);
      const double norm = optimizer.step(this->bench_.team, c["rate"].get<double>());
      expect_near_reference<T>(name + " step " + std::to_string(step), p.values(), way["values"][step]);
      if (settings.clip > 0) {
        const double want = way["norms"][step];
        EXPECT_NEAR(norm, want, 1e-6 * want);
      }
    }
  }
}

TEST(ScheduleReference, EveryKindWithAndWithoutWarmUp) {
  const Json& c = layers_reference()["schedules"];
  EXPECT_EQ(c["ways"].size(), 8u);
  const std::map<std::string, ValueTable> settings = {
      {"constant", {}},
      {"linear", {{"floor", {c["floor"].get<double>(), {}}}}},
      {"cosine", {{"floor", {c["floor"].get<double>(), {}}}}},
      {"step", {{"period", {c["period"].get<std::int64_t>(), {}}}, {"factor", {c["factor"].get<double>(), {}}}}}};
  for (const Json& way : c["ways"]) {
    const std::string kind = way["kind"];
    const Schedule& schedule = part_named<Schedule>(kind, settings.at(kind));
    for (std::size_t step = 0; step < way["rates"].size(); ++step) {
      const double want = way["rates"][step];
      EXPECT_NEAR(c["rate"].get<double>() * schedule.at(static_cast<std::int64_t>(step), c["steps"], way["warmup"]),
                  want, 1e-10)
          << kind << ", warm-up " << way["warmup"] << ", step " << step;
    }
  }
}

}  // namespace
}  // namespace fovea
