#include "fovea/math/matmul.h"

#define EIGEN_DONT_PARALLELIZE
#include <Eigen/Core>
#include <algorithm>
#include <cassert>

#ifdef FOVEA_ONEDNN
#include <oneapi/dnnl/dnnl.h>
#include <pthread.h>

#include <csignal>

#include "fovea/base/error.h"

extern "C" void omp_set_num_threads(int count);
#endif

namespace fovea {
namespace {

template <class T>
using Stored = Eigen::Map<const Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>, Eigen::Unaligned,
                          Eigen::OuterStride<>>;

template <class T>
Stored<T> stored(Operand<T> a) {
  return a.transposed ? Stored<T>(a.data, a.columns, a.rows, Eigen::OuterStride<>(a.stride))
                      : Stored<T>(a.data, a.rows, a.columns, Eigen::OuterStride<>(a.stride));
}

template <class T>
void multiply_with_eigen(Operand<T> a, Operand<T> b, Matrix<T> c, Into into, Index c_stride) {
  using Rows = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  Eigen::Map<Rows, Eigen::Unaligned, Eigen::OuterStride<>> out(c.data(), c.size(0), c.size(1),
                                                               Eigen::OuterStride<>(c_stride));
  if (into == Into::overwrite) out.setZero();
  const Stored<T> x = stored(a), y = stored(b);
  if (a.transposed && b.transposed) out.noalias() += x.transpose() * y.transpose();
  else if (a.transposed) out.noalias() += x.transpose() * y;
  else if (b.transposed) out.noalias() += x * y.transpose();
  else out.noalias() += x * y;
}

void multiply(Operand<double> a, Operand<double> b, Matrix<double> c, Into into, Index c_stride) {
  multiply_with_eigen(a, b, c, into, c_stride);
}

#ifdef FOVEA_ONEDNN
// oneDNN would start a team of its own; the setting is kept per calling thread.
void use_one_thread() {
  thread_local const bool done = (omp_set_num_threads(1), true);
  static_cast<void>(done);
}

// Keeps signals from this thread. oneDNN 2.6 makes kernels that use the stack pointer as one more register to walk the
// operands with: a handler that ran meanwhile would have its frame written into somebody's arrays.
class SignalsWait {
 public:
  SignalsWait() {
    sigset_t all;
    sigfillset(&all);
    for (const int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP})
      sigdelset(&all, fault);  // our own mistakes do not wait
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~SignalsWait() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsWait(const SignalsWait&) = delete;
  SignalsWait& operator=(const SignalsWait&) = delete;

 private:
  sigset_t before_;
};

void multiply(Operand<float> a, Operand<float> b, Matrix<float> c, Into into, Index c_stride) {
  use_one_thread();
  const SignalsWait guard;
  const float beta = into == Into::add ? 1.0f : 0.0f;
  // A matrix of one row may come with any stride; oneDNN wants at least the row's length.
  const Index a_stride = std::max(a.stride, a.transposed ? a.rows : a.columns);
  const Index b_stride = std::max(b.stride, b.transposed ? b.rows : b.columns);
  const dnnl_status_t status =
      dnnl_sgemm(a.transposed ? 'T' : 'N', b.transposed ? 'T' : 'N', a.rows, b.columns, a.columns, 1.0f, a.data,
                 a_stride, b.data, b_stride, beta, c.data(), c_stride);
  if (status != dnnl_success) throw failure("oneDNN refused a matrix product");
}
#else
void multiply(Operand<float> a, Operand<float> b, Matrix<float> c, Into into, Index c_stride) {
  multiply_with_eigen(a, b, c, into, c_stride);
}
#endif

}  // namespace

template <class T>
void matmul(Operand<T> a, Operand<T> b, Matrix<T> c, Into into, Index c_stride) {
  assert(a.columns == b.rows && a.rows == c.size(0) && b.columns == c.size(1));
  if (c_stride == 0) c_stride = c.size(1);
  if (c.empty()) return;
  if (a.columns == 0) {
    if (into == Into::add) return;
    for (Index i = 0; i < c.size(0); ++i) std::fill_n(c.data() + i * c_stride, c.size(1), T{});
    return;
  }
  multiply(a, b, c, into, c_stride);
}

template void matmul(Operand<float>, Operand<float>, Matrix<float>, Into, Index);
template void matmul(Operand<double>, Operand<double>, Matrix<double>, Into, Index);

}  // namespace fovea
