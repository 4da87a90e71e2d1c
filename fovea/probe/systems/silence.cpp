// Probe `silence`: whether the first layer of a transformer is silent where it is not needed (room probe/systems).
// The Evaluator (lab/train) calls it at each evaluation; it changes nothing. With the layer's input u, its weights A,
// values, gate σ(g) and output map O, attention adds at position i
//
//   o_i = O (σ(g_i) ⊙ Σ_j A_ij v_j)        each head with its own part of v
//
// `silence` is the mean length of o_i over positions that need no position, divided by its mean length over those
// that need one, in the first 64 examples. It is 0 for a silent layer, and 1 for one that adds the same everywhere.
// O's bias is left out.
#include "fovea/probe/position_rows.h"
#include "fovea/probe/systems/first_layer.h"

namespace fovea {

namespace {

class Silence final : public Probe {
 public:
  void prepare(const TaskShape& shape, bool model_attends, std::uint64_t) override {
    need_attention(model_attends, "silence");
    need_kind(shape.kind, Kind::token_streams, "silence");
  }
  bool needs_truth() const override { return true; }

  void measure(const Evaluation& evaluation, Readings& readings) override {
    const FirstLayer layer(evaluation, "silence");
    std::vector<Cube<const float>> heads;
    for (const AttentionMap<float>& map : evaluation.outcome.further)
      if (map.name.starts_with("layer.1.")) heads.push_back(map.weights);
    if (heads.empty()) heads.push_back(evaluation.outcome.attention);  // of one head in all
    const Batch& batch = evaluation.batch;
    double elsewhere = 0, needed = 0;
    std::int64_t elsewhere_count = 0, needed_count = 0;
    for (int b = 0; b < std::min(batch.size, 64); ++b) {
      std::vector<LayerNumbers> inputs, values;
      for (int t = 0; t < batch.source.lengths[static_cast<std::size_t>(b)]; ++t) {
        inputs.push_back(layer.input(batch.source.at(b, t), t));
        values.push_back(layer.value(inputs.back()));
        if (t == 0 || batch.target.at(b, t) < 0) continue;
        LayerNumbers sums(values.back().size(), 0.0);
        const std::size_t width = sums.size() / heads.size();
        for (std::size_t j = 0; j < values.size(); ++j)
          for (std::size_t n = 0; n < sums.size(); ++n)
            sums[n] += static_cast<double>(heads[n / width](b, t, static_cast<Index>(j))) * values[j][n];
        layer.gate(inputs.back(), sums);
        const auto at =
            static_cast<std::size_t>(b) * static_cast<std::size_t>(batch.source.columns) + static_cast<std::size_t>(t);
        const bool needs = batch.alignment[at] >= 0;
        (needs ? needed : elsewhere) += layer.length(sums);
        ++(needs ? needed_count : elsewhere_count);
      }
    }
    if (needed_count > 0 && elsewhere_count > 0 && needed > 0)
      readings.number("silence",
                      elsewhere / static_cast<double>(elsewhere_count) / (needed / static_cast<double>(needed_count)));
  }
};

const Register<Probe> silence(
    "silence", "length of the attention output if no position is needed, relative to positions that need one",
    [] { return std::make_unique<Silence>(); });

}  // namespace

}  // namespace fovea
