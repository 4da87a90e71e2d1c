// Task `stream-reverse`: [x_1 .. x_n, SEP, y_1 .. y_n] with y_i = x_{n+1-i} (room data/tasks/streams). lab/spec makes
// it by name for a run. It reads its settings and seed only.
#include "fovea/data/tasks/streams/stream_order.h"

namespace fovea {

namespace {

class StreamReverse final : public StreamOrder {
 public:
  StreamReverse() : StreamOrder("stream-reverse") {}

 private:
  int source_of(int i) const override { return length() - 1 - i; }
};

const Register<Task> stream_reverse("stream-reverse", "a stream of numbers, and then the same backwards",
                                    [] { return std::make_unique<StreamReverse>(); });

}  // namespace

}  // namespace fovea
