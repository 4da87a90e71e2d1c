// Seconds of processor time that the calling thread has used, without other programs and threads (room base). The
// TrainLoop and the Evaluator (lab/train) measure a step's cost with it.
#pragma once

namespace fovea {

double thread_seconds();

// Adds to `sum`, if there is one, what its thread uses while it lives.
class Metered {
 public:
  explicit Metered(double* sum) : sum_(sum), start_(sum ? thread_seconds() : 0) {}
  ~Metered() {
    if (sum_) *sum_ += thread_seconds() - start_;
  }
  Metered(const Metered&) = delete;
  Metered& operator=(const Metered&) = delete;

 private:
  double* sum_;
  double start_;
};

}  // namespace fovea
