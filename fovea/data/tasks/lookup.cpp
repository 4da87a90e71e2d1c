// Task `lookup`: a table of key -> value pairs, queried exactly (room data/tasks). lab/spec makes it by name for a
// run. It reads its settings and seed only. As its temperature falls, attention becomes a database lookup.
//
// Keys are random directions of length sqrt(width), values N(0, 1): no key is favoured by its length. The test asks
// for every key once; training and validation ask for keys drawn at random.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "fovea/base/registry.h"
#include "fovea/data/draw.h"
#include "fovea/data/task.h"

namespace fovea {

namespace {

constexpr std::int64_t most_table_numbers = 1 << 28;

class Lookup final : public Task {
 public:
  void settings(Fields& fields) override {
    fields.integer("entries", entries_, 1, 10'000'000, "pairs in the table");
    fields.integer("width", width_, 1, 10'000, "numbers in a key");
    fields.integer("value_width", value_width_, 1, 10'000, "numbers in a value");
  }

  void prepare(std::uint64_t seed) override {
    seed_ = seed;
    if (std::int64_t{entries_} * std::max(width_, value_width_) > most_table_numbers)
      throw wrong_input(fmt::format("a table of {} entries does not fit into memory", entries_),
                        fmt::format("task 'lookup' takes at most {} numbers", most_table_numbers));
    keys_.resize(1, entries_, width_);
    values_.resize(1, entries_, value_width_);
    RandomStream keys(seed, "lookup.keys"), values(seed, "lookup.values");
    std::vector<double> direction(static_cast<std::size_t>(width_));
    for (int i = 0; i < entries_; ++i) {
      double squares = 0;
      while (squares == 0) {  // a direction of all zeros is drawn again
        squares = 0;
        for (double& x : direction) {
          x = keys.normal();
          squares += x * x;
        }
      }
      const double scale = std::sqrt(width_ / squares);
      for (int j = 0; j < width_; ++j)
        keys_.item(0, i)[j] = static_cast<float>(scale * direction[static_cast<std::size_t>(j)]);
    }
    for (float& x : values_.values) x = static_cast<float>(values.normal());
  }

  TaskShape shape() const override {
    TaskShape shape;
    shape.kind = Kind::points;
    shape.width = width_;
    shape.value_width = value_width_;
    return shape;
  }

  void batch(Split split, std::uint64_t step, int size, Batch& batch) const override {
    const int asked = split == Split::test ? entries_ : size;
    batch.size = 1;
    batch.items = keys_;
    batch.values = values_;
    batch.queries.resize(1, asked, width_);
    batch.answers.resize(1, asked, value_width_);
    RandomStream stream = example_stream(seed_, "lookup", split, step, 0);
    for (int j = 0; j < asked; ++j) {
      const int i = split == Split::test ? j : static_cast<int>(stream.integer(static_cast<std::uint64_t>(entries_)));
      std::copy_n(keys_.item(0, i), width_, batch.queries.item(0, j));
      std::copy_n(values_.item(0, i), value_width_, batch.answers.item(0, j));
    }
  }

 private:
  int entries_ = 64;
  int width_ = 16;
  int value_width_ = 4;

  std::uint64_t seed_ = 0;
  Items keys_, values_;
};

const Register<Task> lookup_task("lookup", "a table of keys and values, queried exactly",
                                 [] { return std::make_unique<Lookup>(); });

}  // namespace

}  // namespace fovea
