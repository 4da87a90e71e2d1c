// Linear, Embedding, LSTM and GRU against PyTorch (tests/reference/make_recurrent.py).
#include "fovea/nn/embedding.h"
#include "fovea/nn/linear.h"
#include "fovea/nn/optimizer/optimizer.h"
#include "fovea/nn/recurrent/recurrent.h"
#include "tests/nn/gradient_check.h"
#include "tests/nn/optimizer/update_rules.h"
#include "tests/nn/reference.h"

namespace fovea {
namespace {

using namespace fovea::testing;

const Json& recurrent_reference() {
  static const Json json = read_reference("recurrent.json");
  return json;
}

template <class T>
void set_weights(const ParameterSet<T>& parameters, const Json& weights) {
  ASSERT_EQ(parameters.all().size(), weights.size());
  for (const auto& [name, values] : weights.items()) {
    const Param<T>* const parameter = parameters.find(name);
    ASSERT_NE(parameter, nullptr) << name;
    ASSERT_EQ(parameter->values().size(), values.size()) << name;
    std::ranges::copy(numbers<T>(values), parameter->values().begin());
  }
}

template <class T>
void expect_weights(const ParameterSet<T>& parameters, const Json& weights, const std::string& when) {
  for (const Param<T>& parameter : parameters.all())
    expect_near_reference(when + " " + parameter.name, parameter.values(), weights[parameter.name]);
}

template <class T>
void expect_gradients(const ParameterSet<T>& parameters, const Json& gradients) {
  for (const Param<T>& parameter : parameters.all())
    expect_near_reference("gradient of " + parameter.name, parameter.gradients(), gradients[parameter.name]);
}

template <class T>
class PyTorchLayers : public ::testing::Test {};
using Scalars = ::testing::Types<float, double>;
TYPED_TEST_SUITE(PyTorchLayers, Scalars);

TYPED_TEST(PyTorchLayers, Linear) {
  using T = TypeParam;
  const Json& want = recurrent_reference()["linear"];
  ParameterSet<T> parameters;
  const auto linear = Linear<T>::declare(parameters, "", 5, 3);
  parameters.finish();
  set_weights(parameters, want["weights"]);
  Bench bench;
  const std::vector<T> x_values = numbers<T>(want["x"]), dy_values = numbers<T>(want["dy"]);
  const Matrix<const T> x(x_values.data(), 7, 5), dy(dy_values.data(), 7, 3);
  expect_near_reference("y", linear.forward(bench.compute, x).flat(), want["y"]);
  expect_near_reference("dx", linear.backward(bench.compute, x, dy).flat(), want["dx"]);
  expect_gradients(parameters, want["gradients"]);
}

TYPED_TEST(PyTorchLayers, Embedding) {
  using T = TypeParam;
  const Json& want = recurrent_reference()["embedding"];
  ParameterSet<T> parameters;
  const auto embedding = Embedding<T>::declare(parameters, "", 6, 4);
  parameters.finish();
  set_weights(parameters, want["weights"]);
  Bench bench;
  const auto tokens = want["tokens"].get<std::vector<int>>();
  const std::vector<T> dy = numbers<T>(want["dy"]);
  expect_near_reference("y", embedding.forward(bench.compute, tokens).flat(), want["y"]);
  embedding.backward(bench.compute, tokens, Matrix<const T>(dy.data(), 8, 4));
  expect_gradients(parameters, want["gradients"]);
}

// States of all layers and directions (L,B,H), one list for h and for LSTM one for c.
template <class T>
struct States {
  std::vector<std::vector<T>> values;
  std::vector<RecurrentState<T>> views;

  States(const Json& lists, Index layers, Index batch, Index width) {
    for (const Json& list : lists) values.push_back(numbers<T>(list));
    for (Index i = 0; i < layers; ++i) {
      const auto part = [&](std::size_t which) {
        return which < values.size() ? Matrix<T>(values[which].data() + i * batch * width, batch, width) : Matrix<T>();
      };
      views.push_back({part(0), part(1)});
    }
  }
};

template <class T>
std::vector<T> joined(std::span<const RecurrentState<T>> states, bool cell) {
  std::vector<T> all;
  for (const RecurrentState<T>& state : states) {
    const std::span<T> part = (cell ? state.cell : state.hidden).flat();
    all.insert(all.end(), part.begin(), part.end());
  }
  return all;
}

template <class T>
void compare_recurrent(const Json& want) {
  const Index steps = want["steps"], batch = want["batch"], in = want["in"], width = want["width"];
  const int layers = want["layers"], directions = want["directions"];
  const bool lstm = want["cell"] == "lstm";
  const auto lengths = want["lengths"].get<std::vector<int>>();
  const auto start = [&](ParameterSet<T>& parameters) {
    auto net = Recurrent<T>::declare(parameters, "", {lstm ? Cell::lstm : Cell::gru, in, width, layers, directions});
    parameters.finish();
    set_weights(parameters, want["weights"]);
    return net;
  };

  ParameterSet<T> parameters;
  const Recurrent<T> net = start(parameters);
  Bench bench(2);
  const std::vector<T> x = numbers<T>(want["x"]), dy_values = numbers<T>(want["dy"]);
  const auto input = SequenceInput<T>::of(Cube<const T>(x.data(), steps, batch, in), lengths);
  const Cube<const T> dy(dy_values.data(), steps, batch, directions * width);
  const States<T> initial(want["initial"], layers * directions, batch, width);
  const States<T> d_last(want["d_last"], layers * directions, batch, width);

  const RecurrentStackTrace<T> trace = net.forward(bench.compute, input, initial.views);
  std::vector<RecurrentState<T>> last;
  for (const RecurrentTrace<T>& layer : trace.layers) last.push_back(layer.last);
  const std::vector<T> h = joined<T>(last, false), c = joined<T>(last, true);
  expect_near_reference("output", trace.output().flat(), want["output"]);
  expect_near_reference("last h", std::span(h), want["last"][0]);
  if (lstm) expect_near_reference("last c", std::span(c), want["last"][1]);

  const SequenceGradient<T> dx{bench.compute.zeros<T>(steps, batch, in), {}};
  const auto d_initial = net.backward(bench.compute, trace, dy, d_last.views, dx);
  const std::vector<T> dh = joined(d_initial, false), dc = joined(d_initial, true);
  expect_near_reference("dx", dx.dense.flat(), want["dx"]);
  expect_near_reference("d initial h", std::span(dh), want["d_initial"][0]);
  if (lstm) expect_near_reference("d initial c", std::span(dc), want["d_initial"][1]);
  expect_gradients(parameters, want["gradients"]);

  for (const char* const name : {"sgd", "adam"}) {
    ParameterSet<T> trained;
    const Recurrent<T> learner = start(trained);
    Optimizer<T> optimizer(trained, update_rule(name));
    for (int step = 0; step < 3; ++step) {
      bench.arena.reset();
      trained.clear_gradients();
      const RecurrentStackTrace<T> pass = learner.forward(bench.compute, input);
      learner.backward(bench.compute, pass, dy, d_last.views, {});
      optimizer.step(bench.team, 0.01);
    }
    expect_weights(trained, want[name]["weights"], std::string("after three steps of ") + name);
  }
}

TYPED_TEST(PyTorchLayers, Recurrent) {
  ASSERT_EQ(recurrent_reference()["recurrent"].size(), 7u);
  for (const Json& want : recurrent_reference()["recurrent"]) {
    SCOPED_TRACE(want["cell"].get<std::string>() + " layers " + want["layers"].dump() + " directions " +
                 want["directions"].dump() + " lengths " + want["lengths"].dump());
    compare_recurrent<TypeParam>(want);
  }
}

}  // namespace
}  // namespace fovea
