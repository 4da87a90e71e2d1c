// `alpha_beta`: attention α and β of the same few examples at every look, as arrays (examples, rows, positions), for
// who wants to see them move. A row without an answer is 0 in both. At the first look, what the examples are:
// `alpha_source` and `alpha_target` (tokens, -1 for none), `alpha_labels`, and `alpha_truth`, 1 at the positions that
// decide a row's answer.
#include <algorithm>
#include <vector>

#include "fovea/probe/position_rows.h"

namespace fovea {

namespace {

class AlphaBeta : public Probe {
 public:
  void settings(Fields& fields) override { fields.integer("examples", examples_, 1, 1000, "how many are kept"); }
  void prepare(const TaskShape& shape, bool model_attends, std::uint64_t) override {
    need_attention(model_attends, "alpha_beta");
    kind_ = shape.kind;
  }
  bool wants_beta() const override { return true; }
  bool wants_same_examples() const override { return true; }

  void measure(const Look& look, Readings& readings) override {
    const Cube<const float>& alpha = look.outcome.attention;
    if (alpha.empty()) return;
    const Index count = std::min<Index>(static_cast<Index>(examples_), alpha.size(0));
    keep("alpha", alpha, count, readings);
    keep("beta", look.beta, count, readings);
    if (!look.first) return;
    keep_tokens("alpha_source", look.batch.source, count, readings);
    keep_tokens("alpha_target", look.batch.target, count, readings);
    const std::vector<int>& labels = look.batch.labels;
    if (labels.size() >= static_cast<std::size_t>(count))
      readings.array("alpha_labels", {count}, std::vector<float>(labels.begin(), labels.begin() + count));
    keep_truth(look, count, readings);
  }

 private:
  static void keep(const char* name, const Cube<const float>& cube, Index count, Readings& readings) {
    if (cube.empty()) return;
    const auto numbers = static_cast<std::size_t>(count * cube.size(1) * cube.size(2));
    readings.array(name, {count, cube.size(1), cube.size(2)}, {cube.data(), numbers});
  }

  static void keep_tokens(const char* name, const Tokens& tokens, Index count, Readings& readings) {
    if (tokens.ids.empty()) return;
    readings.array(name, {count, tokens.columns},
                   std::vector<float>(tokens.ids.begin(), tokens.ids.begin() + count * tokens.columns));
  }

  void keep_truth(const Look& look, Index count, Readings& readings) const {
    const Index rows = look.outcome.attention.size(1), positions = look.outcome.attention.size(2);
    std::vector<float> truth(static_cast<std::size_t>(count * rows * positions));
    each_row(kind_, look, look.outcome.attention, [&](const PositionRow& row) {
      if (row.example >= count) return;
      float* const at = truth.data() + (row.example * rows + row.row) * positions;
      if (row.aligned >= 0) at[row.aligned] = 1;
      for (std::size_t i = 0; i < row.marked.size(); ++i)
        if (row.marked[i]) at[i] = 1;
    });
    readings.array("alpha_truth", {count, rows, positions}, truth);
  }

  std::int64_t examples_ = 4;
  Kind kind_ = Kind::labelled_tokens;
};

const Register<Probe> alpha_beta("alpha_beta", "attention and β of the same few examples at every look, as arrays",
                                 [] { return std::make_unique<AlphaBeta>(); });

}  // namespace

}  // namespace fovea
