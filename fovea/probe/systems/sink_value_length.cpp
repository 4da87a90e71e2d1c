// `sink_value_length`: how much attention adds from the first position of a stream, in the first layer of a
// transformer. With u_t = LN(E[x_t] + P[t]), the input of layer 1 (without LN and P if the model has none), and its
// values and output W and O, all of the weight on position t would add
//
//   O (W u_t + b)
//
// to the stream. `sink_value_length` is the length of this vector at the first position, divided by its mean length at
// all others, in the first 16 examples. O's own bias, which is added wherever attention is, is left out.
#include <cmath>

#include "fovea/nn/layer_norm.h"
#include "fovea/probe/position_rows.h"

namespace fovea {

namespace {

using Numbers = std::vector<double>;

class FirstValue final : public Probe {
 public:
  void prepare(const TaskShape& shape, bool model_attends, std::uint64_t) override {
    need_attention(model_attends, "sink_value_length");
    need_kind(shape.kind, Kind::token_streams, "sink_value_length");
  }

  bool differs_under_hold() const override { return false; }
  void measure(const Evaluation& evaluation, Readings& readings) override {
    const LayerRead layer(evaluation);
    const Tokens& source = evaluation.batch.source;
    double first = 0, others = 0;
    std::int64_t streams = 0, places = 0;
    for (int b = 0; b < std::min(evaluation.batch.size, 16); ++b) {
      const int length = source.lengths[static_cast<std::size_t>(b)];
      if (length < 2) continue;
      ++streams;
      first += layer.brings(source.at(b, 0), 0);
      for (int t = 1; t < length; ++t, ++places) others += layer.brings(source.at(b, t), t);
    }
    if (others > 0)
      readings.number("sink_value_length",
                      first / static_cast<double>(streams) / (others / static_cast<double>(places)));
  }

 private:
  // Layer 1 as the evaluation has it.
  class LayerRead {
   public:
    explicit LayerRead(const Evaluation& evaluation)
        : embedding_(required(evaluation, "embedding.weight")),
          value_(required(evaluation, "layer.1.value.weight")),
          output_(required(evaluation, "layer.1.output.weight")),
          position_(found(evaluation, "position.weight")),
          value_bias_(found(evaluation, "layer.1.value.bias")),
          scale_(found(evaluation, "layer.1.norm1.weight")),
          shift_(found(evaluation, "layer.1.norm1.bias")) {}

    double brings(int token, int place) const {
      const auto width = static_cast<std::size_t>(embedding_.shape[1]);
      Numbers u(width, 0.0);
      add(embedding_.values.subspan(static_cast<std::size_t>(token) * width, width), u);
      if (!position_.empty()) add(position_.subspan(static_cast<std::size_t>(place) * width, width), u);
      if (!scale_.empty()) normalise(u);
      Numbers value = times(value_, u);
      add(value_bias_, value);
      double squares = 0;
      for (const double one : times(output_, value)) squares += one * one;
      return std::sqrt(squares);
    }

   private:
    static std::span<const float> found(const Evaluation& evaluation, const std::string& name) {
      for (const ParameterView& parameter : evaluation.parameters)
        if (parameter.name == name) return parameter.values;
      return {};
    }
    static ParameterView required(const Evaluation& evaluation, const std::string& name) {
      for (const ParameterView& parameter : evaluation.parameters)
        if (parameter.name == name) return parameter;
      throw wrong_input("probe 'sink_value_length' reads '" + name + "', which the model does not have",
                        "remove the probe, or use a transformer");
    }

    static void add(std::span<const float> more, Numbers& to) {
      for (std::size_t i = 0; i < more.size(); ++i) to[i] += static_cast<double>(more[i]);
    }
    static Numbers times(const ParameterView& matrix, const Numbers& x) {
      Numbers y(static_cast<std::size_t>(matrix.shape[0]), 0.0);
      for (std::size_t i = 0; i < matrix.values.size(); ++i)
        y[i / x.size()] += static_cast<double>(matrix.values[i]) * x[i % x.size()];
      return y;
    }
    void normalise(Numbers& u) const {
      const auto width = static_cast<double>(u.size());
      double mean = 0, variance = 0;
      for (const double one : u) mean += one / width;
      for (const double one : u) variance += (one - mean) * (one - mean) / width;
      const double k = 1 / std::sqrt(variance + LayerNorm<float>{}.epsilon);
      for (std::size_t i = 0; i < u.size(); ++i) u[i] = (u[i] - mean) * k * static_cast<double>(scale_[i]);
      add(shift_, u);
    }

    ParameterView embedding_, value_, output_;
    std::span<const float> position_, value_bias_, scale_, shift_;
  };
};

const Register<Probe> sink_value_length("sink_value_length",
                                        "length of the first position's value, relative to the others",
                                        [] { return std::make_unique<FirstValue>(); });

}  // namespace

}  // namespace fovea
