// Probe `sink_value_length`: how much attention adds from the first position of a stream, in the first layer of a
// transformer (room probe/systems). The Evaluator (lab/train) calls it at each evaluation; it changes nothing. With
// u_t = LN(E[x_t] + P[t]), the input of layer 1 (without LN and P if the model has none), and its values and output W
// and O, all of the weight on position t would add
//
//   O (W u_t + b)
//
// to the stream. `sink_value_length` is the length of this vector at the first position, divided by its mean length
// at all others, in the first 16 examples. O's own bias, which is added wherever attention is, is left out.
#include "fovea/probe/position_rows.h"
#include "fovea/probe/systems/first_layer.h"

namespace fovea {

namespace {

class FirstValue final : public Probe {
 public:
  void prepare(const TaskShape& shape, bool model_attends, std::uint64_t) override {
    need_attention(model_attends, "sink_value_length");
    need_kind(shape.kind, Kind::token_streams, "sink_value_length");
  }

  bool differs_under_hold() const override { return false; }
  void measure(const Evaluation& evaluation, Readings& readings) override {
    const FirstLayer layer(evaluation, "sink_value_length");
    const Tokens& source = evaluation.batch.source;
    double first = 0, others = 0;
    std::int64_t streams = 0, positions = 0;
    for (int b = 0; b < std::min(evaluation.batch.size, 16); ++b) {
      const int length = source.lengths[static_cast<std::size_t>(b)];
      if (length < 2) continue;
      ++streams;
      first += layer.length(layer.value(layer.input(source.at(b, 0), 0)));
      for (int t = 1; t < length; ++t, ++positions)
        others += layer.length(layer.value(layer.input(source.at(b, t), t)));
    }
    if (others > 0)
      readings.number("sink_value_length",
                      first / static_cast<double>(streams) / (others / static_cast<double>(positions)));
  }
};

const Register<Probe> sink_value_length("sink_value_length",
                                        "length of the first position's value, relative to the others",
                                        [] { return std::make_unique<FirstValue>(); });

}  // namespace

}  // namespace fovea
