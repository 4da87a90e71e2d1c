// A signal that comes in the middle of a product changes nothing.
#include <gtest/gtest.h>
#include <sys/time.h>

#include <csignal>
#include <vector>

#include "fovea/base/random.h"
#include "fovea/math/matmul.h"

namespace fovea {
namespace {

volatile std::sig_atomic_t caught = 0;

std::vector<float> many_products() {
  RandomStream stream(1, "test");
  constexpr Index rows = 41, inner = 256, columns = 256;
  std::vector<float> a(rows * inner), b(inner * columns), c(rows * columns), sum(rows * columns);
  for (float& x : a) x = static_cast<float>(stream.normal());
  for (float& x : b) x = static_cast<float>(stream.normal());
  for (int i = 0; i < 2000; ++i) {
    matmul(plain(Matrix<const float>(a.data(), rows, inner)), plain(Matrix<const float>(b.data(), inner, columns)),
           Matrix<float>(c.data(), rows, columns));
    for (std::size_t k = 0; k < c.size(); ++k) sum[k] += c[k];
  }
  return sum;
}

TEST(Matmul, ASignalInItsMidstChangesNothing) {
  const std::vector<float> undisturbed = many_products();
  struct sigaction action {
  }, before{};
  action.sa_handler = [](int) { caught = caught + 1; };
  action.sa_flags = SA_RESTART;
  ASSERT_EQ(sigaction(SIGALRM, &action, &before), 0);
  const itimerval often{{0, 200}, {0, 200}}, never{};
  ASSERT_EQ(setitimer(ITIMER_REAL, &often, nullptr), 0);
  const std::vector<float> disturbed = many_products();
  ASSERT_EQ(setitimer(ITIMER_REAL, &never, nullptr), 0);
  ASSERT_EQ(sigaction(SIGALRM, &before, nullptr), 0);
  EXPECT_GT(caught, 10);
  EXPECT_EQ(undisturbed, disturbed);
}

}  // namespace
}  // namespace fovea
