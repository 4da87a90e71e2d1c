// Task `max-margin`: n sequences of T tokens, each with a query and a label, and a direction that separates labels
// (room data/tasks/exact). lab/spec makes it by name for a run. It reads its settings and seed only.
//
//   x_it, z_i, v   unit vectors of d numbers, evenly over directions       y_i = 1 or -1, evenly
//   value of token t of sequence i:  x_it . v
//
// The x_it are the batch's items, x_it . v its values, z_i its queries, y_i its answers. The sequences are few, and
// they are all of the data: every batch and every split has them. theory/exact/max_margin.h computes where attention
// points after long training.
#include <cmath>
#include <vector>

#include "fovea/base/random.h"
#include "fovea/base/registry.h"
#include "fovea/data/task.h"

namespace fovea {

namespace {

class MaxMargin final : public Task {
 public:
  void settings(Fields& fields) override {
    fields.integer("sequences", sequences_, 1, 1000, "sequences, each with a query and a label");
    fields.integer("tokens", tokens_, 2, 1000, "tokens of a sequence");
    fields.integer("width", width_, 1, 1000, "numbers of a token");
  }

  void prepare(std::uint64_t seed) override {
    RandomStream stream(seed, "max-margin");
    const std::vector<double> direction = unit(stream);
    Batch& all = all_;
    all.size = sequences_;
    all.items.resize(sequences_, tokens_, width_);
    all.values.resize(sequences_, tokens_, 1);
    all.queries.resize(sequences_, 1, width_);
    all.answers.resize(sequences_, 1, 1);
    for (int i = 0; i < sequences_; ++i) {
      *all.answers.item(i, 0) = stream.uniform() < 0.5 ? 1 : -1;
      put(unit(stream), all.queries.item(i, 0));
      for (int t = 0; t < tokens_; ++t) {
        const std::vector<double> token = unit(stream);
        put(token, all.items.item(i, t));
        double value = 0;
        for (std::size_t k = 0; k < token.size(); ++k) value += token[k] * direction[k];
        *all.values.item(i, t) = static_cast<float>(value);
      }
    }
  }

  TaskShape shape() const override {
    TaskShape shape;
    shape.kind = Kind::points;
    shape.width = width_;
    shape.value_width = 1;
    shape.most_items = tokens_;
    return shape;
  }

  void batch(Split, std::uint64_t, int, Batch& batch) const override { batch = all_; }

 private:
  std::vector<double> unit(RandomStream& stream) const {
    std::vector<double> vector(static_cast<std::size_t>(width_));
    double squares = 0;
    for (double& x : vector) {
      x = stream.normal();
      squares += x * x;
    }
    for (double& x : vector) x /= std::sqrt(squares);
    return vector;
  }
  static void put(const std::vector<double>& from, float* to) {
    for (const double x : from) *to++ = static_cast<float>(x);
  }

  int sequences_ = 6, tokens_ = 8, width_ = 10;
  Batch all_;
};

const Register<Task> max_margin_task("max-margin", "a few sequences, each with one token that indicates its label best",
                                     [] { return std::make_unique<MaxMargin>(); });

}  // namespace

}  // namespace fovea
