#include "fovea/nn/reference/linear.h"

namespace fovea::reference {

Array<2> linear(const Linear& map, const Array<2>& x) {
  Array<2> y(x.size(0), map.weight.size(0));
  for (Index n = 0; n < y.size(0); ++n)
    for (Index o = 0; o < y.size(1); ++o)
      y(n, o) = row_times(map.weight, o, row_of(x, n)) + (map.bias.size(0) > 0 ? map.bias(o) : 0);
  return y;
}

Array<2> linear_backward(const Linear& map, const Array<2>& x, const Array<2>& dy, Linear& d_map) {
  Array<2> dx(x.size(0), x.size(1));
  for (Index n = 0; n < dy.size(0); ++n)
    for (Index o = 0; o < dy.size(1); ++o) {
      for (Index i = 0; i < x.size(1); ++i) {
        dx(n, i) += map.weight(o, i) * dy(n, o);
        d_map.weight(o, i) += dy(n, o) * x(n, i);
      }
      if (map.bias.size(0) > 0) d_map.bias(o) += dy(n, o);
    }
  return dx;
}

}  // namespace fovea::reference
