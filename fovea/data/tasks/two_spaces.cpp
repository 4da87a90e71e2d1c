// Task `two-spaces`: queries and keys from different spaces (room data/tasks). lab/spec makes it by name for a run.
// It reads its settings and seed only.
//
// A position p is drawn from the unit sphere in d_q dimensions. Its query is q = p. Its key in the table is k = A p
// (data/two_spaces.h), with the values sin(3 p_1) … sin(3 p_{d_q}) and noise. Queries and keys therefore cannot be
// compared before A is known: among positions of the sphere, qᵀ(W k) indicates nearness if W is a multiple of A⁺. The
// seed draws the table. Training asks at fresh positions, with noise on the answers. Validation and test ask at fixed
// ones, without.
#include "fovea/data/two_spaces.h"

#include <fmt/format.h>

#include <cmath>
#include <vector>

#include "fovea/base/functions/functions.h"
#include "fovea/base/registry.h"
#include "fovea/data/draw.h"
#include "fovea/data/task.h"

namespace fovea {

namespace {

constexpr std::int64_t most_numbers_of_positions = 1 << 28;

class TwoSpacesTask final : public Task {
 public:
  void settings(Fields& fields) override {
    fields.integer("points", points_, 1, 10'000'000, "pairs of key and value");
    fields.integer("query_width", query_width_, 2, 1000, "numbers in a query, and in a value");
    fields.integer("key_width", key_width_, 1, 1000, "numbers in a key");
    fields.integer("queries", queries_, 1, 10'000'000, "queries in validation and test");
    fields.number("noise", noise_, 0, 1e6, "standard deviation of the noise on values and on training answers");
  }

  void prepare(std::uint64_t seed) override {
    seed_ = seed;
    const int widest = std::max(query_width_, key_width_);
    if (std::int64_t{std::max(points_, queries_)} * widest > most_numbers_of_positions)
      throw wrong_input(
          fmt::format("{} queries of {} numbers do not fit into memory", std::max(points_, queries_), widest),
          fmt::format("task 'two-spaces' takes at most {} numbers", most_numbers_of_positions));
    spaces_ = TwoSpaces::draw(seed, query_width_, key_width_);
    RandomStream positions(seed, "two-spaces.places"), noise(seed, "two-spaces.noise");
    keys_.resize(1, points_, key_width_);
    values_.resize(1, points_, query_width_);
    std::vector<float> position(static_cast<std::size_t>(query_width_));
    for (int i = 0; i < points_; ++i) {
      draw_position(positions, position.data());
      for (int j = 0; j < key_width_; ++j) {
        double sum = 0;
        for (int c = 0; c < query_width_; ++c)
          sum += spaces_.there[static_cast<std::size_t>(j * query_width_ + c)] *
                 static_cast<double>(position[static_cast<std::size_t>(c)]);
        keys_.item(0, i)[j] = static_cast<float>(sum);
      }
      answer(position.data(), &noise, values_.item(0, i));
    }
  }

  TaskShape shape() const override {
    TaskShape shape;
    shape.kind = Kind::points;
    shape.width = key_width_;
    shape.query_width = query_width_;
    shape.value_width = query_width_;
    return shape;
  }

  const TwoSpaces* two_spaces() const override { return &spaces_; }

  void batch(Split split, std::uint64_t step, int size, Batch& batch) const override {
    const bool training = split == Split::train;
    const int asked = training ? size : queries_;
    batch.size = 1;
    batch.items = keys_;
    batch.values = values_;
    batch.queries.resize(1, asked, query_width_);
    batch.answers.resize(1, asked, query_width_);
    for (int i = 0; i < asked; ++i) {
      RandomStream stream =
          example_stream(seed_, "two-spaces", split, training ? step : 0, static_cast<std::uint64_t>(i));
      draw_position(stream, batch.queries.item(0, i));
      answer(batch.queries.item(0, i), training ? &stream : nullptr, batch.answers.item(0, i));
    }
  }

 private:
  void draw_position(RandomStream& stream, float* position) const {
    double squares = 0;
    std::vector<double> p(static_cast<std::size_t>(query_width_));
    while (squares == 0) {  // a direction of all zeros is drawn again
      squares = 0;
      for (double& x : p) {
        x = stream.normal();
        squares += x * x;
      }
    }
    for (std::size_t j = 0; j < p.size(); ++j) position[j] = static_cast<float>(p[j] / std::sqrt(squares));
  }

  void answer(const float* position, RandomStream* noise, float* out) const {
    for (int j = 0; j < query_width_; ++j) {
      const double off = noise ? noise_ * noise->normal() : 0;
      out[j] = static_cast<float>(math::sin(3 * static_cast<double>(position[j])) + off);
    }
  }

  int points_ = 256;
  int query_width_ = 4;
  int key_width_ = 4;
  int queries_ = 512;
  double noise_ = 0.1;

  std::uint64_t seed_ = 0;
  TwoSpaces spaces_;
  Items keys_, values_;
};

const Register<Task> two_spaces_task("two-spaces", "keys and values, asked for by queries of another space",
                                     [] { return std::make_unique<TwoSpacesTask>(); });

}  // namespace

}  // namespace fovea
