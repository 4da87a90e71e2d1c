// Reference equations of the affine map of N rows x (N,I), with W (O,I) and b (O) (room nn/reference).
// transformer_block.h of this room alone calls them.
//
//   y_n = W x_n + b
//   dx_n = Wᵀ dy_n        dW += Σ_n dy_n x_nᵀ        db += Σ_n dy_n
#pragma once

#include "fovea/nn/reference/array.h"

namespace fovea::reference {

struct Linear {     // or its gradients
  Array<2> weight;  // W
  Array<1> bias;    // b; of size 0: no bias
};

Array<2> linear(const Linear& map, const Array<2>& x);

// -> dx (N,I). Adds into the weight and bias of d_map.
Array<2> linear_backward(const Linear& map, const Array<2>& x, const Array<2>& dy, Linear& d_map);

}  // namespace fovea::reference
