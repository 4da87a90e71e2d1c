// Task `spans`: contexts of s spans of n tokens each, all tokens drawn uniformly and independently (room
// data/tasks/exact). lab/spec makes it by name for a run. Span 1 is the newest, and counts most. A teacher gives the
// answer to a context x:
//
//   z_y  = sum_i c_i sum_{x_j in span i} Q_i[x_j, y]       c_i = scale ratio^(s-i)
//   p(y) = softmax(z)_y                                    Q_i (V,V) orthogonal, drawn evenly, one for each span
//
// The answer is asked at the last position. Losses and rungs are of p; the target is one draw from it. A rung predicts
// the answer from a set K of spans. It is the mean over the tokens of the other spans:
//
//   p(y | K) = E softmax(z of K + z' of the others)      over `others` contexts, the same for all; of no span the mean
//                                                        over 20 times as many
//
//   nothing, span-s, …, span-1, spans-1-2, …, truth      K empty; each span alone, the oldest first; the newest two,
//                                                        three, …; all
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "fovea/base/error/error.h"
#include "fovea/base/functions/functions.h"
#include "fovea/base/random.h"
#include "fovea/base/registry.h"
#include "fovea/data/draw.h"
#include "fovea/data/ladder.h"
#include "fovea/data/task.h"
#include "fovea/data/tasks/streams/ladder_rows.h"
#include "fovea/data/tasks/streams/markov_chain.h"
#include "fovea/math/vector_math.h"

namespace fovea {

namespace {

constexpr int others = 400;
constexpr int most_difference = 80;  // exp of it is far from overflow

class Spans final : public Task, public Ladder {
 public:
  void settings(Fields& fields) override {
    fields.integer("vocab", vocab_, 2, 200, "tokens");
    fields.integer("spans", spans_, 1, 8, "spans of a context");
    fields.integer("span_length", span_length_, 1, 100, "tokens of a span");
    fields.number("scale", scale_, 0, 20, "strength of the oldest span");
    fields.number("ratio", ratio_, 0.01, 100, "strength of a span / strength of the next older span");
  }

  void prepare(std::uint64_t seed) override {
    seed_ = seed;
    double most = 0;  // the largest difference of logits
    for (int span = 1; span <= spans_; ++span) most += 2 * strength(span) * span_length_;
    if (most > most_difference)
      throw wrong_input(fmt::format("task 'spans' has logits that can differ by {:.0f}", most),
                        fmt::format("use a smaller scale, ratio or span_length: at most {}", most_difference));
    teacher_.assign(at(spans_) * at(vocab_) * at(vocab_), 0.0f);
    for (int span = 1; span <= spans_; ++span) {
      RandomStream stream(seed, "spans.teacher", static_cast<std::uint64_t>(span));
      draw_orthogonal(stream, span);
    }
    RandomStream stream(seed, "spans.others");
    others_.assign(at(others) * at(spans_) * at(vocab_), 0.0f);
    std::vector<int> context(at(length()));
    for (int m = 0; m < others; ++m) {
      for (int& token : context) token = static_cast<int>(stream.integer(at(vocab_)));
      for (int span = 1; span <= spans_; ++span) speak(context, span, of_other(std::span(others_), m, span));
    }
    nothing_.assign(at(vocab_), 0.0f);
    std::vector<float> z(at(vocab_)), p(at(vocab_));
    constexpr int draws = 20 * others;
    for (int m = 0; m < draws; ++m) {
      for (int& token : context) token = static_cast<int>(stream.integer(at(vocab_)));
      distribution(context, z, p);
      add_scaled(1.0f / static_cast<float>(draws), std::span<const float>(p), std::span(nothing_));
    }
  }

  TaskShape shape() const override { return stream_shape(vocab_, vocab_, length()); }

  void batch(Split split, std::uint64_t step, int size, Batch& batch) const override {
    const int last = length() - 1;
    begin_streams(batch, size, length());
    batch.truth.assign(at(size) * at(length()) * at(vocab_), 0.0f);
    std::vector<float> z(at(vocab_));
    std::vector<double> chances(at(vocab_));
    for (int row = 0; row < size; ++row) {
      RandomStream stream = example_stream(seed_, "spans", split, step, static_cast<std::uint64_t>(row));
      for (int t = 0; t <= last; ++t) batch.source.at(row, t) = static_cast<int>(stream.integer(at(vocab_)));
      const std::span<float> truth =
          std::span(batch.truth).subspan((at(row) * at(length()) + at(last)) * at(vocab_), at(vocab_));
      distribution(batch.source.row(row), z, truth);
      std::ranges::copy(truth, chances.begin());
      batch.target.at(row, last) = draw_index(stream, chances);
    }
  }

  const Ladder* ladder() const override { return this; }
  bool answers_are_distributions() const override { return true; }

  std::vector<std::string> rungs() const override {
    std::vector<std::string> names{"nothing"};
    for (int span = spans_; span >= 1 && spans_ > 1; --span) names.push_back(fmt::format("span-{}", span));
    std::string newest = "spans-1";
    for (int span = 2; span < spans_; ++span) names.push_back(newest += fmt::format("-{}", span));
    names.emplace_back("truth");
    return names;
  }

  void predict(const Batch& batch, int rung, Matrix<float> probabilities) const override {
    const std::vector<bool> known = known_at(rung);
    std::vector<float> of_others;  // (others, V) exp of their logits
    if (rung > 0 && std::ranges::count(known, false) > 0) of_others = exponentials(known);
    std::vector<float> z(at(vocab_)), speaks(at(vocab_)), product(at(vocab_));
    each_asked(batch, probabilities, [&](int b, int, std::span<float> said) {
      if (rung == 0) {
        std::ranges::copy(nothing_, said.begin());
        return;
      }
      std::ranges::fill(z, 0.0f);
      for (int span = 1; span <= spans_; ++span)
        if (known[at(span - 1)]) speak(batch.source.row(b), span, z);
      softmax(std::span<const float>(z), std::span(speaks));
      if (of_others.empty()) {
        std::ranges::copy(speaks, said.begin());
        return;
      }
      for (int m = 0; m < others; ++m) {
        const std::span<const float> other = std::span(of_others).subspan(at(m) * at(vocab_), at(vocab_));
        const float all = dot(std::span<const float>(speaks), other);
        for (std::size_t y = 0; y < said.size(); ++y) product[y] = speaks[y] * other[y];
        add_scaled(1.0f / (all * static_cast<float>(others)), std::span<const float>(product), said);
      }
    });
  }

 private:
  static std::size_t at(Index i) { return static_cast<std::size_t>(i); }
  double strength(int span) const { return scale_ * math::pow(ratio_, spans_ - span); }
  int length() const { return spans_ * span_length_; }

  // The logits of a token in a span, of `teacher_`; and of a span of another context, of `others_`.
  template <class Number>
  std::span<Number> of_token(std::span<Number> teacher, int span, int token) const {
    return teacher.subspan((at(span - 1) * at(vocab_) + at(token)) * at(vocab_), at(vocab_));
  }
  template <class Number>
  std::span<Number> of_other(std::span<Number> others, int m, int span) const {
    return others.subspan((at(m) * at(spans_) + at(span - 1)) * at(vocab_), at(vocab_));
  }

  // Rows of normal numbers, each made orthogonal to those before it: evenly drawn.
  void draw_orthogonal(RandomStream& stream, int span) {
    const double c = strength(span);
    std::vector<std::vector<double>> rows(at(vocab_), std::vector<double>(at(vocab_)));
    for (int i = 0; i < vocab_; ++i) {
      std::vector<double>& row = rows[at(i)];
      for (double& x : row) x = stream.normal();
      for (int twice = 0; twice < 2; ++twice)  // the second time for the last digits
        for (int j = 0; j < i; ++j)
          add_scaled(-dot(std::span<const double>(row), std::span<const double>(rows[at(j)])),
                     std::span<const double>(rows[at(j)]), std::span<double>(row));
      const double size = std::sqrt(dot(std::span<const double>(row), std::span<const double>(row)));
      for (double& x : row) x /= size;
      std::ranges::transform(row, of_token(std::span(teacher_), span, i).begin(),
                             [&](double x) { return static_cast<float>(c * x); });
    }
  }

  // Adds what a span of the context says to z.
  void speak(std::span<const int> context, int span, std::span<float> z) const {
    const std::span<const int> tokens = context.subspan(at(spans_ - span) * at(span_length_), at(span_length_));
    for (const int token : tokens) add_scaled(1.0f, of_token(std::span(teacher_), span, token), z);
  }

  void distribution(std::span<const int> context, std::span<float> z, std::span<float> p) const {
    std::ranges::fill(z, 0.0f);
    for (int span = 1; span <= spans_; ++span) speak(context, span, z);
    softmax(std::span<const float>(z), p);
  }

  // Which spans, the newest first, a rung knows.
  std::vector<bool> known_at(int rung) const {
    std::vector<bool> known(at(spans_), rung == static_cast<int>(rungs().size()) - 1);
    if (rung >= 1 && rung <= spans_ && spans_ > 1) known[at(spans_ - rung)] = true;
    for (int span = 1; rung > spans_ && span <= std::min(rung - spans_ + 1, spans_); ++span) known[at(span - 1)] = true;
    return known;
  }

  // exp of the other contexts' logits from the spans that are not known, each divided by its largest.
  std::vector<float> exponentials(const std::vector<bool>& known) const {
    std::vector<float> all(at(others) * at(vocab_), 0.0f);
    for (int m = 0; m < others; ++m) {
      const std::span<float> row = std::span(all).subspan(at(m) * at(vocab_), at(vocab_));
      for (int span = 1; span <= spans_; ++span)
        if (!known[at(span - 1)]) add_scaled(1.0f, of_other(std::span(others_), m, span), row);
      const float most = *std::max_element(row.begin(), row.end());
      for (float& x : row) x -= most;
      exp(std::span<const float>(row), row);
    }
    return all;
  }

  int vocab_ = 20, spans_ = 3, span_length_ = 2;
  double scale_ = 2, ratio_ = 1.7;
  std::uint64_t seed_ = 0;
  std::vector<float> teacher_;  // (spans, V, V), the newest first: c_i Q_i
  std::vector<float> others_;   // (others, spans, V): logits of other contexts, by span
  std::vector<float> nothing_;  // (V)
};

const Register<Task> spans_task("spans", "an answer from spans of a context; newer spans count more",
                                [] { return std::make_unique<Spans>(); });

}  // namespace

}  // namespace fovea
