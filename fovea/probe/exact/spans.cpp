// Probe `spans`: how the heads of a layer attend in streams that ask at their last position and are cut into equal
// spans (room probe/exact). The Evaluator (lab/train) calls it at each evaluation; it changes nothing. The mass of a
// head on a span is the sum of its weights there, mean over examples. Span 1 is the newest.
//
//   span_1_l1_h2     mass of span 1 of layer 1, head 2
//   span_1_least     the least of all heads
//   span_1_most      the largest
//   span_1_heads     how many heads have a mass of 0.9 or more
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "fovea/probe/head_names.h"
#include "fovea/probe/position_rows.h"

namespace fovea {

namespace {

class SpansProbe final : public Probe {
 public:
  void settings(Fields& fields) override { fields.integer("spans", spans_, 1, 100, "spans of a context"); }

  void prepare(const TaskShape& shape, bool model_attends, std::uint64_t) override {
    need_attention(model_attends, "spans");
    need_kind(shape.kind, Kind::token_streams, "spans");
    if (shape.longest < spans_ || shape.longest % spans_ != 0)
      throw wrong_input(fmt::format("probe 'spans' cannot cut {} positions into {} equal spans", shape.longest, spans_),
                        "use another number of spans, or remove the probe");
  }

  void measure(const Evaluation& evaluation, Readings& readings) override {
    const std::span<const AttentionMap<float>> heads = evaluation.outcome.further;
    for (int span = 1; span <= spans_; ++span) {
      std::vector<double> masses;
      for (const AttentionMap<float>& head : heads) {
        masses.push_back(mass_of(head.weights, span));
        readings.number(fmt::format("span_{}{}", span, head_suffix(head.name)), masses.back());
      }
      if (heads.empty()) masses.push_back(mass_of(evaluation.outcome.attention, span));
      readings.number(fmt::format("span_{}_least", span), *std::min_element(masses.begin(), masses.end()));
      readings.number(fmt::format("span_{}_most", span), *std::max_element(masses.begin(), masses.end()));
      readings.number(fmt::format("span_{}_heads", span),
                      static_cast<double>(std::ranges::count_if(masses, [](double mass) { return mass >= 0.9; })));
    }
  }

 private:
  double mass_of(Cube<const float> map, int span) const {
    const Index length = map.size(2) / spans_, begin = (spans_ - span) * length;
    double sum = 0;
    for (Index b = 0; b < map.size(0); ++b)
      for (Index i = begin; i < begin + length; ++i) sum += static_cast<double>(map(b, map.size(1) - 1, i));
    return sum / static_cast<double>(map.size(0));
  }

  int spans_ = 3;
};

const Register<Probe> spans_probe("spans", "weight of each head on each span of the context",
                                  [] { return std::make_unique<SpansProbe>(); });

}  // namespace

}  // namespace fovea
