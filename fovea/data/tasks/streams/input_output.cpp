#include "fovea/data/tasks/streams/input_output.h"

#include "fovea/base/functions/functions.h"
#include "fovea/data/draw.h"

namespace fovea {

void InputOutput::settings(Fields& fields) {
  fields.integer("n", n_, 1, 2000, "numbers in an input, and tokens in its output");
  fields.integer("numbers", numbers_, 2, 2000, "largest number that is drawn for an input, from 1");
}

void InputOutput::prepare(std::uint64_t seed) { seed_ = seed; }

TaskShape InputOutput::shape() const { return stream_shape(most_value() + 2, most_value() + 2, 2 * n_); }

void InputOutput::batch(Split split, std::uint64_t step, int size, Batch& batch) const {
  const int positions = 2 * n_, width = pattern_width();
  batch.size = size;
  batch.source.resize(size, positions);
  batch.target.resize(size, positions);
  batch.pattern_width = width;
  batch.pattern.assign(at(size) * at(positions) * at(width), -1);
  batch.alignment.clear();
  batch.scratch.resize(at(2 * n_));
  const std::span<int> x(batch.scratch.data(), at(n_)), y(batch.scratch.data() + n_, at(n_));
  for (int row = 0; row < size; ++row) {
    RandomStream stream = example_stream(seed_, name_, split, step, static_cast<std::uint64_t>(row));
    for (int& number : x) number = 1 + static_cast<int>(stream.integer(static_cast<std::uint64_t>(numbers_)));
    make_output(x, y);
    for (int t = 0; t <= positions; ++t) {
      const int token = t < n_ ? x[at(t)] : t == n_ ? most_value() + 1 : y[at(t - n_ - 1)];
      if (t < positions) batch.source.at(row, t) = token;
      if (t > 0) batch.target.at(row, t - 1) = token;
    }
    if (width == 0) continue;
    for (int i = 0; i < n_; ++i) {
      const std::size_t position = at(row) * at(positions) + at(position_of_output(i));
      write_right_positions(i, std::span(batch.pattern).subspan(position * at(width), at(width)));
    }
  }
  if (width == 1) batch.alignment = batch.pattern;
}

std::string InputOutput::word(int token) const { return token == most_value() + 1 ? "<sep>" : std::to_string(token); }

void InputOutput::predict(const Batch& batch, int rung, Matrix<float> probabilities) const {
  std::vector<int> y(at(n_));
  int example = -1;  // whose output y is
  each_asked(batch, probabilities, [&](int b, int t, std::span<float> said) {
    if (t < n_ - 1) return predict_uniform(said, 1, numbers_);
    if (t == n_ - 1) return predict_token(said, most_value() + 1);
    const std::span<const int> x(batch.source.ids.data() + std::ptrdiff_t{b} * batch.source.columns, at(n_));
    if (example != b) make_output(x, y), example = b;
    predict_output(rung, {x, y, batch.source.at(b, t)}, t - n_, said);
  });
}

void InputOutput::predict_sum(int count, std::span<float> said) const {
  const double m = modulus(), r = math::pow(-1 / (m - 1), count);
  for (std::size_t value = 0; value < at(modulus()); ++value)
    said[value] = static_cast<float>((value == 0 ? 1 + (m - 1) * r : 1 - r) / m);
}

}  // namespace fovea
