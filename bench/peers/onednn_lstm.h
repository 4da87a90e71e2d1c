// A training step of one LSTM layer by oneDNN's own primitives: the peer of our RecurrentLayer. Weights and their
// gradients are PyTorch's and ours: (4H,I), (4H,H), (4H), gates i, f, g, o.
#pragma once

#include <memory>
#include <span>

#include "fovea/math/view.h"

namespace fovea::peers {

class OnednnLstm {
 public:
  OnednnLstm(int threads, Index steps, Index batch, Index in, Index width);
  ~OnednnLstm();

  // x (T,B,I), initial state 0, bias (4H) the sum of both -> h (T,B,H), kept until the next forward.
  std::span<const float> forward(const float* x, const float* weight_ih, const float* weight_hh, const float* bias);

  // For the last forward: dh (T,B,H) -> the gradients below, overwritten, in PyTorch's layout.
  void backward(const float* dh);
  std::span<const float> d_input() const;      // (T,B,I)
  std::span<const float> d_weight_ih() const;  // (4H,I)
  std::span<const float> d_weight_hh() const;  // (4H,H)
  std::span<const float> d_bias() const;       // (4H)

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace fovea::peers
