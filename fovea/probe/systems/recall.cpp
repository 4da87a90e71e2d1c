// Probe `recall`: what the matrices of a transformer of two layers, a head each, have stored (room probe/systems).
// The Evaluator (lab/train) calls it at each evaluation; it changes nothing. Each matrix is tested alone as an
// associative memory: the share of questions whose right answer has the largest score. With embeddings e, positions
// p, the unembedding g and, of layer l, queries Q_l (1 if the positions are queries themselves), keys K_l and values
// and output OV_l:
//
//   output_recalled           over tokens v:      g_w · OV_2 e_v is largest at w = v: the attended token is the answer
//   previous_token_recalled   over positions t:   Q_1 p_t · K_1 p_s, s <= t, is largest at s = t - 1, t >= 1
//   match_recalled            over tokens v:      Q_2 e_v · K_2 OV_1 e_w is largest at w = v: tokens that followed v
//
// The last one is over the tokens at which the examples of the evaluation ask something.
//
// These are ranks. By size, NAME_weight is the mean over the same questions of the right answer's softmax. The scores
// of output_recalled are taken as they are: the softmax is the probability of the right token by this memory alone.
// The other two are divided by √d, as in attention.
//
// Biases have no part in it; models with norms, mlps, other layers or more heads are refused.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "fovea/base/functions/functions.h"
#include "fovea/probe/position_rows.h"
#include "fovea/probe/systems/own_matrix.h"

namespace fovea {

namespace {

// x Wᵀ, row by row.
OwnMatrix times(Matrix<const float> x, Matrix<const float> w) { return product(plain(x), transposed(w)); }

class Recall final : public Probe {
 public:
  void prepare(const TaskShape& shape, bool model_attends, std::uint64_t) override {
    need_attention(model_attends, "recall");
    need_kind(shape.kind, Kind::token_streams, "recall");
  }

  bool differs_under_hold() const override { return false; }
  void measure(const Evaluation& evaluation, Readings& readings) override {
    require_covered(evaluation);
    const Matrix<const float> e = matrix(evaluation, "embedding"), p = matrix(evaluation, "position");
    const Matrix<const float> g = matrix(evaluation, "unembedding");
    OwnMatrix seen = through(evaluation, 2, e), shown = through(evaluation, 1, e);
    const double scale = 1 / std::sqrt(static_cast<double>(e.size(1)));
    if (g.size(0) == e.size(0)) give("output_recalled", recall_itself(times(seen.view(), g).view(), {}, 1), readings);
    OwnMatrix key = times(p, matrix(evaluation, "layer.1.key"));
    give("previous_token_recalled", previous_token_recalled(asked(evaluation, 1, p, key.view()).view(), scale),
         readings);
    OwnMatrix match = times(shown.view(), matrix(evaluation, "layer.2.key"));
    give("match_recalled",
         recall_itself(asked(evaluation, 2, e, match.view()).view(), asking(evaluation.batch, e.size(0)), scale),
         readings);
  }

 private:
  // Of questions: how many have the largest score at the right answer, and its softmax.
  struct Recalled {
    double right = 0, weight = 0, questions = 0;

    void ask(std::span<const float> scores, Index answer, double scale) {
      const auto at = static_cast<std::size_t>(answer);
      const float most = *std::max_element(scores.begin(), scores.end());
      double all = 0;
      for (const float score : scores) all += math::exp(scale * static_cast<double>(score - most));
      right += argmax(scores) == answer;
      weight += math::exp(scale * static_cast<double>(scores[at] - most)) / all;
      ++questions;
    }
  };
  static void give(const std::string& name, const Recalled& recalled, Readings& readings) {
    readings.number(name, recalled.right / std::max(recalled.questions, 1.0));
    readings.number(name + "_weight", recalled.weight / std::max(recalled.questions, 1.0));
  }

  static const ParameterView* find(const Evaluation& evaluation, const std::string& name) {
    return find_parameter(evaluation.parameters, name + ".weight");
  }

  static Matrix<const float> matrix(const Evaluation& evaluation, const std::string& name) {
    const ParameterView* const found = find(evaluation, name);
    if (!found)
      throw wrong_input(fmt::format("probe 'recall' reads '{}.weight', which the model does not have", name),
                        "remove the probe, or use a transformer of two layers with learned positions");
    return Matrix<const float>(found->values.data(), found->shape[0], found->shape[1]);
  }

  // The equations are those of two layers of a head each, without norms and mlps.
  static void require_covered(const Evaluation& evaluation) {
    const ParameterView* const key = find(evaluation, "layer.2.key");
    const bool covered = key && key->shape[0] == key->shape[1] && !find(evaluation, "layer.3.value") &&
                         !find(evaluation, "norm") && !find(evaluation, "layer.1.mlp.0") &&
                         evaluation.outcome.further.size() == 2;
    if (!covered)
      throw wrong_input(
          "probe 'recall' needs a transformer of two layers with one head each, without norms and mlps",
          "remove the probe, or set model.layers to 2, model.heads to 1, model.norm to \"none\" and model.mlp to 0");
  }

  // OV_l x for each row x.
  static OwnMatrix through(const Evaluation& evaluation, int layer, Matrix<const float> x) {
    OwnMatrix v = times(x, matrix(evaluation, fmt::format("layer.{}.value", layer)));
    return times(v.view(), matrix(evaluation, fmt::format("layer.{}.output", layer)));
  }

  // Scores of every question (a row of x) with every key.
  static OwnMatrix asked(const Evaluation& evaluation, int layer, Matrix<const float> x, Matrix<const float> keys) {
    const std::string name = fmt::format("layer.{}.query", layer);
    if (!find(evaluation, name)) return times(x, keys);
    OwnMatrix queries = times(x, matrix(evaluation, name));
    return times(queries.view(), keys);
  }

  // 1 for tokens at which something is asked.
  static std::vector<bool> asking(const Batch& batch, Index tokens) {
    std::vector<bool> asks(static_cast<std::size_t>(tokens), false);
    for (std::size_t i = 0; i < batch.source.ids.size(); ++i)
      if (batch.target.ids[i] >= 0) asks[static_cast<std::size_t>(batch.source.ids[i])] = true;
    return asks;
  }

  // Of these rows (empty: all), those whose largest score is their own.
  static Recalled recall_itself(Matrix<const float> scores, const std::vector<bool>& rows, double scale) {
    Recalled recalled;
    for (Index row = 0; row < scores.size(0); ++row)
      if (rows.empty() || rows[static_cast<std::size_t>(row)]) recalled.ask(scores[row].flat(), row, scale);
    return recalled;
  }

  // Of the rows behind the first, those whose largest score, among rows up to them, is that of the one before.
  static Recalled previous_token_recalled(Matrix<const float> scores, double scale) {
    Recalled recalled;
    for (Index row = 1; row < scores.size(0); ++row)
      recalled.ask(scores[row].flat().first(static_cast<std::size_t>(row + 1)), row - 1, scale);
    return recalled;
  }
};

const Register<Probe> recall(
    "recall", "the associations that a transformer of two layers has stored: output, previous token, match",
    [] { return std::make_unique<Recall>(); });

}  // namespace

}  // namespace fovea
