// The kernels of the cells against their equations (nn/reference), one step at a time: every width around a vector's,
// and nothing written behind a row's end.
#include "fovea/nn/reference/gru.h"
#include "fovea/nn/reference/lstm.h"
#include "fovea/nn/simd/gru.h"
#include "fovea/nn/simd/lstm.h"
#include "tests/nn/reference/oracle.h"

namespace fovea {
namespace {

using namespace fovea::testing;
using reference::RecurrentWeights;

constexpr Index in = 3;

// A row with a number behind its end that nobody may touch.
template <class T>
struct Row {
  std::vector<T> values;
  explicit Row(Index size) : values(static_cast<std::size_t>(size) + 1, T{77}) {}
  Row(const Array<1>& from) : Row(from.size(0)) { std::ranges::copy(from.values(), values.begin()); }
  T* data() { return values.data(); }
  std::span<const T> row() const {
    EXPECT_EQ(values.back(), T{77});
    return std::span(values).first(values.size() - 1);
  }
};

// Reads in T what the reference reads in double.
template <class T>
void round_to(Array<1>& a) {
  for (double& x : a.values()) x = static_cast<double>(static_cast<T>(x));
}

std::vector<double> joined(std::initializer_list<const Array<1>*> parts) {
  std::vector<double> all;
  for (const Array<1>* part : parts) all.insert(all.end(), part->values().begin(), part->values().end());
  return all;
}

template <class T>
struct Step {
  Index H;
  RecurrentWeights w;
  Array<1> x, h_before, c_before, dh, dc;

  Step(Index gates, Index width) : H(width), w(gates, in, width) {
    std::uint64_t seed = static_cast<std::uint64_t>(100 * width + gates);
    for (auto* values : {&w.ih.values(), &w.hh.values(), &w.bias_ih.values(), &w.bias_hh.values()})
      *values = random_values(seed++, static_cast<Index>(values->size()), 0.5);
    x = random_array(seed++, in);
    h_before = random_array(seed++, width);
    c_before = random_array(seed++, width);
    dh = random_array(seed++, width);
    dc = random_array(seed++, width);
    for (Array<1>* a : {&h_before, &c_before, &dh, &dc}) round_to<T>(*a);
  }
  // W x and U h', without biases.
  Array<1> input() const {
    Array<1> u(w.ih.size(0));
    for (Index r = 0; r < u.size(0); ++r) u(r) = row_times(w.ih, r, x);
    return u;
  }
  Array<1> recurrent() const {
    Array<1> v(4 * H);  // room for four, the first of them used
    for (Index r = 0; r < w.hh.size(0); ++r) v(r) = row_times(w.hh, r, h_before);
    return v;
  }
};

template <class T>
class CellOracle : public ::testing::Test {};
using Scalars = ::testing::Types<float, double>;
TYPED_TEST_SUITE(CellOracle, Scalars);

TYPED_TEST(CellOracle, Lstm) {
  using T = TypeParam;
  for (Index H = 1; H <= 40; ++H) {
    SCOPED_TRACE(H);
    Step<T> s(4, H);
    const reference::LstmStep want = reference::lstm_step(s.w, s.x, s.h_before, s.c_before);
    Array<1> bias(4 * H);
    for (Index r = 0; r < 4 * H; ++r) bias(r) = s.w.bias_ih(r) + s.w.bias_hh(r);
    Row<T> input(s.input()), slots(bias), h_before(s.h_before), c_before(s.c_before), gates(s.recurrent()), h(H), c(H);
    lstm_forward(H, CellForward<T>{input.data(), slots.data(), h_before.data(), c_before.data(), gates.data(), h.data(),
                                   c.data()});
    expect_near_oracle("gates", gates.row(), joined({&want.i, &want.f, &want.g, &want.o}));
    expect_near_oracle("c", c.row(), want.c.values());
    expect_near_oracle("h", h.row(), want.h.values());

    // Half of dh comes from the next step, half from whatever else read h.
    Array<1> half = s.dh, dx(in), dh_out = s.dh, dc_out = s.dc;
    for (double& d : half.values()) d /= 2;
    Row<T> d_output(half), dh(half), dc(s.dc), d_bias(random_array(9, 4 * H));
    std::vector<double> want_bias(d_bias.row().begin(), d_bias.row().end());
    RecurrentWeights dw(4, in, H);
    reference::lstm_step_backward(s.w, want, dh_out, dc_out, dw, dx);
    lstm_backward(H, CellBackward<T>{d_output.data(), h_before.data(), c_before.data(), c.data(), dh.data(), dc.data(),
                                     gates.data(), d_bias.data()});
    expect_near_oracle("da", gates.row(), dw.bias_ih.values());
    expect_near_oracle("dc'", dc.row(), dc_out.values());
    expect_near_oracle("dh' past the weights", dh.row(), Array<1>(H).values());
    for (Index r = 0; r < 4 * H; ++r) want_bias[static_cast<std::size_t>(r)] += dw.bias_ih(r);
    expect_near_oracle("d bias", d_bias.row(), want_bias);
  }
}

TYPED_TEST(CellOracle, Gru) {
  using T = TypeParam;
  for (Index H = 1; H <= 40; ++H) {
    SCOPED_TRACE(H);
    Step<T> s(3, H);
    const reference::GruStep want = reference::gru_step(s.w, s.x, s.h_before);
    Array<1> bias(4 * H);  // r, z, q, n
    for (Index r = 0; r < 2 * H; ++r) bias(r) = s.w.bias_ih(r) + s.w.bias_hh(r);
    for (Index j = 2 * H; j < 3 * H; ++j) {
      bias(j) = s.w.bias_hh(j);
      bias(j + H) = s.w.bias_ih(j);
    }
    Row<T> input(s.input()), slots(bias), h_before(s.h_before), gates(s.recurrent()), h(H);
    gru_forward(H,
                CellForward<T>{input.data(), slots.data(), h_before.data(), nullptr, gates.data(), h.data(), nullptr});
    expect_near_oracle("gates", gates.row(), joined({&want.r, &want.z, &want.q, &want.n}));
    expect_near_oracle("h", h.row(), want.h.values());

    Array<1> half = s.dh, dx(in), dh_out = s.dh;
    for (double& d : half.values()) d /= 2;
    Row<T> d_output(half), dh(half), d_bias(random_array(9, 4 * H));
    std::vector<double> want_bias(d_bias.row().begin(), d_bias.row().end());
    RecurrentWeights dw(3, in, H);
    reference::gru_step_backward(s.w, want, dh_out, dw, dx);
    gru_backward(H, CellBackward<T>{d_output.data(), h_before.data(), nullptr, nullptr, dh.data(), nullptr,
                                    gates.data(), d_bias.data()});
    Array<1> slot_gradients(4 * H), past(H);
    for (Index r = 0; r < 3 * H; ++r) slot_gradients(r) = dw.bias_hh(r);
    for (Index j = 0; j < H; ++j) {
      slot_gradients(3 * H + j) = dw.bias_ih(2 * H + j);
      past(j) = s.dh(j) * want.z(j);
    }
    expect_near_oracle("da", gates.row(), slot_gradients.values());
    expect_near_oracle("dh' past the weights", dh.row(), past.values());
    for (Index r = 0; r < 4 * H; ++r) want_bias[static_cast<std::size_t>(r)] += slot_gradients(r);
    expect_near_oracle("d bias", d_bias.row(), want_bias);
  }
}

}  // namespace
}  // namespace fovea
