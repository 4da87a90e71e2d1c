// Task `clamps`: items with labels, and then one of the items again, whose label is asked (room data/tasks/streams).
// lab/spec makes it by name for a run. It reads its settings and seed only.
//
//   item label item label .. query -> label
//
// An example has P different items of `items`, and a different label of `labels` for each. Both are drawn for each
// example, so only the context contains the pairs. Only the last position asks. Labels are the tokens from 0
// up, and items follow them.
//
// There are L labels. The rungs of the ladder predict label j with
//
//   nothing   1 / L
//   bag       1 / P for the labels in the context
//   match     1 for the label after the query's earlier copy
//
// (Singh, Moskovitz, Hill, Chan and Saxe, What needs to go right for an induction head?, 2024.)
#include <fmt/format.h>

#include "fovea/base/registry.h"
#include "fovea/data/draw.h"
#include "fovea/data/ladder.h"
#include "fovea/data/task.h"
#include "fovea/data/tasks/streams/ladder_rows.h"

namespace fovea {

namespace {

class Clamps final : public Task, public Ladder {
 public:
  void settings(Fields& fields) override {
    fields.integer("items", items_, 2, 100'000, "items to draw from");
    fields.integer("labels", labels_, 2, 100'000, "labels to draw from");
    fields.integer("pairs", pairs_, 2, 1000, "items with labels in a source");
  }

  void prepare(std::uint64_t seed) override {
    if (pairs_ > items_ || pairs_ > labels_)
      throw wrong_input(fmt::format("task 'clamps' has {} pairs of {} items and {} labels", pairs_, items_, labels_),
                        "set task.pairs to at most the number of items and of labels");
    seed_ = seed;
  }

  TaskShape shape() const override { return stream_shape(labels_ + items_, labels_, last() + 1); }

  void batch(Split split, std::uint64_t step, int size, Batch& batch) const override {
    begin_streams(batch, size, last() + 1);
    std::vector<int> items(at(pairs_)), labels(at(pairs_));
    batch.scratch.resize(at(std::max(items_, labels_)));
    for (int row = 0; row < size; ++row) {
      RandomStream stream = example_stream(seed_, "clamps", split, step, static_cast<std::uint64_t>(row));
      stream.distinct(items, std::span(batch.scratch).first(at(items_)));
      stream.distinct(labels, std::span(batch.scratch).first(at(labels_)));
      for (int pair = 0; pair < pairs_; ++pair) {
        batch.source.at(row, 2 * pair) = labels_ + items[at(pair)];
        batch.source.at(row, 2 * pair + 1) = labels[at(pair)];
      }
      const int asked = static_cast<int>(stream.integer(static_cast<std::uint64_t>(pairs_)));
      batch.source.at(row, last()) = labels_ + items[at(asked)];
      batch.target.at(row, last()) = labels[at(asked)];
      batch.alignment[at(row) * at(last() + 1) + at(last())] = 2 * asked + 1;
    }
  }

  std::string word(int token) const override {
    return token < labels_ ? fmt::format("label {}", token) : fmt::format("item {}", token - labels_);
  }

  const Ladder* ladder() const override { return this; }
  std::vector<std::string> rungs() const override { return {"nothing", "bag", "match"}; }

  void predict(const Batch& batch, int rung, Matrix<float> probabilities) const override {
    each_asked(batch, probabilities, [&](int b, int t, std::span<float> said) {
      if (rung == 0) return predict_uniform(said, 0, labels_);
      for (int position = 0; position < t; position += 2) {
        const int label = batch.source.at(b, position + 1);
        if (rung == 1) said[at(label)] = 1 / static_cast<float>(pairs_);
        else if (batch.source.at(b, position) == batch.source.at(b, t)) predict_token(said, label);
      }
    });
  }

 private:
  static std::size_t at(int i) { return static_cast<std::size_t>(i); }
  int last() const { return 2 * pairs_; }

  int items_ = 50;
  int labels_ = 5;
  int pairs_ = 2;
  std::uint64_t seed_ = 0;
};

const Register<Task> clamps("clamps", "items with labels, and one item again: which label did it have?",
                            [] { return std::make_unique<Clamps>(); });

}  // namespace

}  // namespace fovea
