// Task `stream-copy`: [x_1 .. x_n, SEP, y_1 .. y_n] with y_i = x_i (room data/tasks/streams). lab/spec makes it by
// name for a run. It reads its settings and seed only.
#include "fovea/data/tasks/streams/stream_order.h"

namespace fovea {

namespace {

class StreamCopy final : public StreamOrder {
 public:
  StreamCopy() : StreamOrder("stream-copy") {}

 private:
  int source_of(int i) const override { return i; }
};

const Register<Task> stream_copy("stream-copy", "a stream of numbers, and then the same again",
                                 [] { return std::make_unique<StreamCopy>(); });

}  // namespace

}  // namespace fovea
