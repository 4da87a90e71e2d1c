#include "fovea/nn/gelu.h"

#include "fovea/nn/reference/gelu.h"
#include "tests/nn/reference/oracle.h"

namespace fovea {
namespace {

using namespace fovea::testing;

template <class T>
class GeluOracle : public ::testing::Test {};
using GeluScalars = ::testing::Types<float, double>;
TYPED_TEST_SUITE(GeluOracle, GeluScalars);

TYPED_TEST(GeluOracle, SaysTheSame) {
  using T = TypeParam;
  for (const Index count : {1, 7, 8, 33, 20000}) {
    const std::vector<T> x = random_values<T>(1, count, 3.0), dy = random_values<T>(2, count);
    std::vector<T> t(x.size()), y(x.size()), dx = dy;
    gelu<T>(x, t, y);
    gelu_backward<T>(x, t, dx, dx);
    std::vector<double> want_y, want_dx;
    for (std::size_t i = 0; i < x.size(); ++i) {
      want_y.push_back(reference::gelu(static_cast<double>(x[i])));
      want_dx.push_back(reference::gelu_backward(static_cast<double>(x[i]), static_cast<double>(dy[i])));
    }
    expect_near_oracle("y", std::span(y), want_y);
    expect_near_oracle("dx", std::span(dx), want_dx);
  }
}

}  // namespace
}  // namespace fovea
