// CellForward and CellBackward: the arguments of the kernels of recurrent cells, one row of one time step (room
// nn/simd). lstm.h and gru.h of this room take them and have their equations.
//
// `gates` has room for four numbers per unit (4H), in the order of the cell's slots. When forward begins, the first
// slots contain the products with the recurrent weights. Forward replaces them by activations. Backward replaces
// those by the gradients of the pre-activations.
#pragma once

#include "fovea/math/view.h"

namespace fovea {

template <class T>
struct CellForward {
  const T* input;     // (G H) product of the input with its weights, gates in PyTorch's order
  const T* bias;      // (4H) in the order of the slots
  const T* h_before;  // (H)
  const T* c_before;  // (H); unused by GRU
  T* gates;           // (4H)
  T* h;               // (H) out
  T* c;               // (H) out; unused by GRU
};

template <class T>
struct CellBackward {
  const T* d_output;  // (H) from whatever read h, other than the next step
  const T* h_before;  // (H)
  const T* c_before;  // (H); unused by GRU
  const T* c;         // (H); unused by GRU
  T* dh;              // (H) in: from the next step; out: what goes to the step before past the recurrent weights
  T* dc;              // (H) in: from the next step; out: to the step before; unused by GRU
  T* gates;           // (4H)
  T* d_bias;          // (4H) added into
};

}  // namespace fovea
