// Probe `parents`: whether the first layer finds the tree of streams that have one (task `causal-tree`) (room
// probe/exact). The Evaluator (lab/train) calls it at each evaluation; it changes nothing. The right positions of a
// position that does not ask are its parent:
//
//   parent_points_right    share of the positions with a parent whose row of layer 1 is largest there
//   parent_weight   mean weight there
//   parent_chance   the weight of uniform rows there                                       at the first evaluation
//   parent_predicted    share of those whose parent the data alone predict                 at the first evaluation
//                   (theory/exact/causal_tree.h), from 50 000 training streams
#include "fovea/model/right_positions.h"
#include "fovea/probe/position_rows.h"
#include "fovea/theory/exact/causal_tree.h"

namespace fovea {

namespace {

class Parents final : public Probe {
 public:
  void prepare(const TaskShape& shape, bool model_attends, std::uint64_t) override {
    need_attention(model_attends, "parents");
    need_kind(shape.kind, Kind::token_streams, "parents");
  }

  void measure(const Evaluation& evaluation, Readings& readings) override {
    const Outcome<float>& outcome = evaluation.outcome;
    const Cube<const float> map = outcome.further.empty() ? outcome.attention : outcome.further.front().weights;
    std::int64_t positions = 0, found = 0;
    double weight = 0, chance = 0;
    each_child(evaluation.batch, [&](int b, int i, int parent) {
      const std::span<const float> row = map[b][i].flat().first(static_cast<std::size_t>(i) + 1);
      ++positions;
      found += argmax(row) == parent;
      weight += static_cast<double>(row[static_cast<std::size_t>(parent)]);
      chance += 1.0 / (i + 1);
    });
    if (positions == 0)
      throw wrong_input("probe 'parents' needs positions with one known parent",
                        "use task 'causal-tree', or remove the probe");
    const auto share = [&](double sum) { return sum / static_cast<double>(positions); };
    readings.number("parent_points_right", share(static_cast<double>(found)));
    readings.number("parent_weight", share(weight));
    if (!evaluation.first) return;
    readings.number("parent_chance", share(chance));
    const std::vector<ParentGuess> guesses = guess_parents(StreamSample(evaluation.task, 50'000));
    std::int64_t named = 0;
    each_child(evaluation.batch, [&](int, int i, int parent) {
      named += static_cast<std::size_t>(i) < guesses.size() && guesses[static_cast<std::size_t>(i)].parent == parent;
    });
    readings.number("parent_predicted", share(static_cast<double>(named)));
  }

 private:
  // visit(example, position, parent) of positions that do not ask and have one right position.
  template <class Visit>
  static void each_child(const Batch& batch, Visit visit) {
    const RightPositions right = right_positions(batch);
    for (int b = 0; b < batch.size; ++b)
      for (int i = 1; i < batch.source.lengths[static_cast<std::size_t>(b)]; ++i) {
        const std::span<const int> positions = right.of(Index{b} * batch.source.columns + i);
        if (batch.target.at(b, i) < 0 && positions.size() == 1) visit(b, i, positions.front());
      }
  }
};

const Register<Probe> parents("parents", "whether the first layer finds the parent of each position",
                              [] { return std::make_unique<Parents>(); });

}  // namespace

}  // namespace fovea
