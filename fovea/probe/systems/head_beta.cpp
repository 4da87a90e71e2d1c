// Probe `head-beta`: the positions at which each head of a transformer would help the right answers most, by its β
// (model/optional_queries.h) (room probe/systems). The Evaluator (lab/train) calls it at each evaluation; it changes
// nothing. Of the positions i, weighed by how much their β differ,
//
//   s(J) = Σ_i (mean_(j in J_i) β_ij - mean_(j<=i) β_ij) / Σ_i (max_(j<=i) β_ij - mean_(j<=i) β_ij)
//
// is 1 if J always helps most, and 0 on average if β is unrelated to J. For each head, under the name NAME_lL_hH, and
// under NAME the largest of all heads:
//
//   head_beta_previous    J_i = the position before i
//   head_beta_induction   the positions whose predecessor has the token of i, over the positions that have any
//   head_beta_needed      the positions that a right answer needs, likewise, if the task knows them
#include <map>

#include "fovea/model/right_positions.h"
#include "fovea/probe/head_names.h"
#include "fovea/probe/position_rows.h"
#include "fovea/probe/survey.h"

namespace fovea {

namespace {

// s of one choice of positions.
struct Serving {
  double there = 0, most = 0;

  void add(std::span<const float> row, double mean, std::span<const int> positions) {
    if (positions.empty()) return;
    double sum = 0;
    for (const int j : positions) sum += static_cast<double>(row[static_cast<std::size_t>(j)]);
    there += sum / static_cast<double>(positions.size()) - mean;
    most += static_cast<double>(*std::max_element(row.begin(), row.end())) - mean;
  }
};

class HeadBetaProbe final : public SurveyProbe {
 public:
  void settings(Fields& fields) override { fields.integer("examples", examples_, 1, 1 << 20, "number of examples"); }
  void prepare(const TaskShape& shape, bool model_attends, std::uint64_t) override {
    need_attention(model_attends, "head-beta");
    need_kind(shape.kind, Kind::token_streams, "head-beta");
  }
  int count() const override { return examples_; }

  void survey(const SurveyBatch& at, Readings&) override {
    const HeadGradients seen = at.heads ? at.heads() : HeadGradients{};
    if (seen.heads.empty())
      throw wrong_input("probe 'head-beta' needs a model with heads by layer, and maps that are not too large",
                        "use a transformer and shorter streams, or remove the probe");
    const Batch& batch = at.evaluation.batch;
    const RightPositions right = right_positions(batch);
    for (const HeadBeta<float>& head : seen.heads) {
      std::map<std::string, Serving>& of_head = found_[head_suffix(head.name)];
      for (int b = 0; b < batch.size; ++b)
        for (int i = 1; i < batch.source.lengths[static_cast<std::size_t>(b)]; ++i)
          add_row(batch.source, b, i, head.beta[b][i].flat().first(static_cast<std::size_t>(i) + 1),
                  right.of(Index{b} * batch.source.columns + i), of_head);
    }
  }

  void conclude(Readings& readings) override {
    std::map<std::string, double> best;
    for (const auto& [suffix, servings] : found_)
      for (const auto& [name, serving] : servings) {
        if (serving.most <= 0) continue;
        const double share = serving.there / serving.most;
        readings.number(name + suffix, share);
        const auto [at, first] = best.emplace(name, share);
        at->second = std::max(at->second, share);
      }
    for (const auto& [name, share] : best) readings.number(name, share);
    found_.clear();
  }

 private:
  static void add_row(const Tokens& source, int b, int i, std::span<const float> row, std::span<const int> right,
                      std::map<std::string, Serving>& found) {
    double mean = 0;
    for (const float beta : row) mean += static_cast<double>(beta);
    mean /= static_cast<double>(row.size());
    const int before = i - 1;
    found["head_beta_previous"].add(row, mean, {&before, 1});
    std::vector<int> successors;
    for (int j = 1; j <= i; ++j)
      if (source.at(b, j - 1) == source.at(b, i)) successors.push_back(j);
    found["head_beta_induction"].add(row, mean, successors);
    found["head_beta_needed"].add(row, mean, right);
  }

  int examples_ = 64;
  std::map<std::string, std::map<std::string, Serving>> found_;  // by head, by name
};

const Register<Probe> head_beta("head-beta",
                                "β of each head: the position whose weight would help the right answers most",
                                [] { return std::make_unique<HeadBetaProbe>(); });

}  // namespace

}  // namespace fovea
