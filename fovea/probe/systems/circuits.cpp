// Probe `circuits`: how the heads of a transformer map words, computed from its parameters (room probe/systems). The
// Evaluator (lab/train) calls it at each evaluation; it changes nothing. For head h of layer l, over the first tokens
// v, w of the vocabulary, with u_v = LN(e_v) of the layer's norm (or e_v) and G the unembedding, its columns weighted
// and centred as the last norm weights and centres:
//
//   OV(v, o) = g_o · O_h V_h u_v          how much attention to v increases the logit of o
//   QK(v, w) = (Q_h u_v + b) · K_h u_w    how much v attends to w, at no distance
//
// and through the heads g of earlier layers m, which may have copied other positions to a position:
//
//   QK(v, w; g) = (Q_h u_v + b) · K_h c(O_g V_g u_w)        c: weighted and centred as the layer's norm does
//
// Norms also divide by lengths, which differ little between tokens. Shares of the tokens v, under the name NAME_lL_hH
// of each head and under NAME the largest of all:
//
//   copies      OV(v, o) is largest at o = v, of tokens that can be answers
//   matches     QK(v, w) is largest at w = v
//   composes    QK(v, w; g) is largest at w = v, for the best g, as in an induction head
//
// At the last evaluation the arrays circuit_ov and circuit_qk are stored of each head, a row for each v.
#include <fmt/format.h>

#include <cmath>
#include <map>

#include "fovea/probe/head_names.h"
#include "fovea/probe/position_rows.h"
#include "fovea/probe/systems/own_matrix.h"

namespace fovea {

namespace {

class Circuits final : public Probe {
 public:
  void settings(Fields& fields) override {
    fields.integer("tokens", tokens_, 2, 2048, "number of tokens of the vocabulary, from the first");
  }
  void prepare(const TaskShape& shape, bool model_attends, std::uint64_t) override {
    need_attention(model_attends, "circuits");
    need_kind(shape.kind, Kind::token_streams, "circuits");
  }
  bool differs_under_hold() const override { return false; }

  void measure(const Evaluation& evaluation, Readings& readings) override {
    parameters_ = evaluation.parameters;
    const Index layers = count_layers(), maps = std::max<Index>(std::ssize(evaluation.outcome.further), 1);
    if (layers == 0 || !find("embedding.weight") || !find("unembedding.weight"))
      throw wrong_input("probe 'circuits' needs the parameters of a transformer",
                        "use a transformer, or remove the probe");
    heads_ = maps / layers;
    best_.clear();
    for (Index layer = 1; layer <= layers; ++layer)
      for (Index head = 0; head < heads_; ++head) measure_head(layer, head, evaluation.last, readings);
    for (const auto& [name, share] : best_) readings.number(name, share);
  }

 private:
  const ParameterView* find(const std::string& name) const { return find_parameter(parameters_, name); }
  const ParameterView* of(Index layer, const char* name) const { return find(fmt::format("layer.{}.{}", layer, name)); }
  Index count_layers() const {
    Index layers = 0;
    while (of(layers + 1, "value.weight")) ++layers;
    return layers;
  }
  Index shown(const ParameterView& table) const { return std::min<Index>(table.shape[0], tokens_); }
  OwnMatrix first_rows(const ParameterView& table) const {
    OwnMatrix rows(shown(table), table.shape[1]);
    std::copy_n(table.values.begin(), rows.values.size(), rows.values.begin());
    return rows;
  }

  // Weighted and centred as the norm of this name does; and with `whole` divided and shifted as well.
  void normalise(OwnMatrix& rows, const std::string& name, bool whole) const {
    const ParameterView* const weight = find(name + ".weight");
    const ParameterView* const bias = find(name + ".bias");
    if (!weight) return;
    for (Index n = 0; n < rows.rows; ++n) {
      const std::span<float> x = rows.view()[n].flat();
      double mean = 0, squares = 0;
      for (const float value : x) mean += static_cast<double>(value);
      mean /= static_cast<double>(x.size());
      for (const float value : x) squares += (static_cast<double>(value) - mean) * (static_cast<double>(value) - mean);
      const double k = whole ? 1 / std::sqrt(squares / static_cast<double>(x.size()) + 1e-5) : 1;
      for (std::size_t i = 0; i < x.size(); ++i) {
        x[i] = static_cast<float>((static_cast<double>(x[i]) - mean) * k) * weight->values[i];
        if (whole && bias) x[i] += bias->values[i];
      }
    }
  }

  OwnMatrix read(Index layer) const {
    OwnMatrix u = first_rows(*find("embedding.weight"));
    normalise(u, fmt::format("layer.{}.norm1", layer), true);
    return u;
  }

  // Queries or keys of a head, for each row; without a matrix the rows themselves.
  OwnMatrix projected(Index layer, Index head, const char* name, const OwnMatrix& u, bool biased) const {
    const ParameterView* const weight = of(layer, fmt::format("{}.weight", name).c_str());
    if (!weight) return u;
    const Index K = weight->shape[0] / heads_, d = u.columns;
    OwnMatrix y = product(plain(u.view()), Operand<float>{weight->values.data() + head * K * d, d, K, d, true});
    const ParameterView* const bias = of(layer, fmt::format("{}.bias", name).c_str());
    if (bias && biased)
      for (Index n = 0; n < y.rows; ++n)
        for (Index k = 0; k < K; ++k) y.view()(n, k) += bias->values[static_cast<std::size_t>(head * K + k)];
    return y;
  }

  // O_h V_h of each row.
  OwnMatrix carried(Index layer, Index head, const OwnMatrix& u) const {
    const Index d = u.columns, U = d / heads_;
    const OwnMatrix v = product(plain(u.view()),
                                Operand<float>{of(layer, "value.weight")->values.data() + head * U * d, d, U, d, true});
    return product(plain(v.view()),
                   Operand<float>{of(layer, "output.weight")->values.data() + head * U, U, d, d, true});
  }

  void measure_head(Index layer, Index head, bool last, Readings& readings) {
    const std::string suffix = head_suffix(fmt::format("layer.{}.head.{}", layer, head + 1));
    const OwnMatrix u = read(layer), asks = projected(layer, head, "query", u, true);
    OwnMatrix said = first_rows(*find("unembedding.weight"));
    OwnMatrix carries = carried(layer, head, u);
    normalise(carries, "norm", false);
    const OwnMatrix ov = product(plain(carries.view()), transposed(said.view())),
                    qk = product(plain(asks.view()), transposed(projected(layer, head, "key", u, false).view()));
    write_scores("copies", suffix, ov, readings);
    write_scores("matches", suffix, qk, readings);
    if (last) {
      readings.array("circuit_ov" + suffix, {ov.rows, ov.columns}, ov.values);
      readings.array("circuit_qk" + suffix, {qk.rows, qk.columns}, qk.values);
    }
    for (Index before = 1; before < layer; ++before)
      for (Index g = 0; g < heads_; ++g) {
        OwnMatrix shows = carried(before, g, read(before));
        normalise(shows, fmt::format("layer.{}.norm1", layer), false);
        write_scores("composes", suffix,
                     product(plain(asks.view()), transposed(projected(layer, head, "key", shows, false).view())),
                     readings, before + 1 == layer && g + 1 == heads_);
      }
  }

  // The share of rows whose own column is the largest. Of several that are told under one name the largest counts.
  void write_scores(const std::string& name, const std::string& suffix, const OwnMatrix& scores, Readings& readings,
                    bool now = true) {
    const Index tokens = std::min(scores.rows, scores.columns);
    Index right = 0;
    for (Index v = 0; v < tokens; ++v) right += argmax(scores.view()[v].flat()) == v;
    const double share = static_cast<double>(right) / static_cast<double>(tokens);
    double& of_head = shares_.emplace(name + suffix, 0.0).first->second;
    of_head = std::max(of_head, share);
    if (!now) return;
    readings.number(name + suffix, of_head);
    double& of_all = best_.emplace(name, 0.0).first->second;
    of_all = std::max(of_all, of_head);
    shares_.erase(name + suffix);
  }

  int tokens_ = 128;
  Index heads_ = 1;
  std::span<const ParameterView> parameters_;
  std::map<std::string, double> shares_, best_;
};

const Register<Probe> circuits("circuits", "how the heads of a transformer map words: copied, matched, composed",
                               [] { return std::make_unique<Circuits>(); });

}  // namespace

}  // namespace fovea
