// The smallest task and model there can be, for tests of the lab. Task 'mark': rows of tokens, label 1 where token 0
// stands in the row. Model 'tiny': a weight per token, averaged over the row with learned, uniform or true attention.
// `before_batch` is told which training batch is about to be made.
#pragma once

#include <algorithm>
#include <atomic>
#include <cmath>
#include <functional>

#include "fovea/base/random.h"
#include "fovea/data/draw.h"
#include "fovea/data/task.h"
#include "fovea/lab/experiment/experiment.h"
#include "fovea/model/model.h"
#include "fovea/probe/probe.h"

namespace fovea::testing_parts {

using Pattern = AttentionRule::Pattern;

inline std::function<void(std::uint64_t step)> before_batch;

class Mark : public Task {
 public:
  void settings(Fields& fields) override {
    fields.integer("vocab", vocab_, 2, 1000, "tokens");
    fields.integer("length", length_, 1, 1000, "tokens a row");
    fields.flag("knows", knows_, "whether batches say where the mark stands");
  }
  void prepare(std::uint64_t seed) override {
    if (length_ > 500) throw wrong_input("rows longer than 500 are not made", "make length smaller");
    seed_ = seed;
  }
  TaskShape shape() const override {
    TaskShape shape;
    shape.kind = Kind::labelled_tokens;
    shape.vocab = vocab_;
    shape.classes = 2;
    return shape;
  }
  void batch(Split split, std::uint64_t step, int size, Batch& batch) const override {
    if (split == Split::train && before_batch) before_batch(step);
    batch.size = size;
    batch.source.resize(size, length_);
    batch.labels.assign(static_cast<std::size_t>(size), 0);
    if (knows_) batch.marked.assign(static_cast<std::size_t>(size * length_), 0);
    for (int b = 0; b < size; ++b) {
      RandomStream stream(seed_, split_name(split), step, static_cast<std::uint64_t>(b));
      const bool positive = stream.integer(2) == 1;
      for (int l = 0; l < length_; ++l)
        batch.source.at(b, l) = 1 + static_cast<int>(stream.integer(static_cast<std::uint64_t>(vocab_ - 1)));
      if (!positive) continue;
      const int position = static_cast<int>(stream.integer(static_cast<std::uint64_t>(length_)));
      batch.source.at(b, position) = 0;
      batch.labels[static_cast<std::size_t>(b)] = 1;
      if (knows_) batch.marked[static_cast<std::size_t>(b * length_ + position)] = 1;
    }
  }

 private:
  int vocab_ = 10, length_ = 5;
  bool knows_ = true;
  std::uint64_t seed_ = 0;
};

// tokens (B,L) -> attention (B,1,L) = softmax(a[x]), score (B,1) = sum of attention * w[x]; logistic loss.
template <class T>
class Tiny : public Model<T> {
 public:
  void settings(Fields& fields) override {
    fields.number("start", start_, -10, 10, "start of the weights");
    fields.number("explode_at", explode_at_, -1, 1e9, "the step at which a gradient is not a number; -1: never");
    fields.flag("attends", attends_, "whether it has attention");
    fields.flag("even", even_, "whether attention is even whatever is learned");
    fields.flag("two_rows", two_rows_, "whether each example gets two rows of attention, which is wrong");
    fields.flag("two_maps", two_maps_, "whether there is a map 'evenly' beside its attention");
    fields.integer("least_batch", least_batch_, 1, 8, "the fewest examples it says it can be trained on");
  }
  Kind takes() const override { return Kind::labelled_tokens; }
  typename Model<T>::Attends attends(const Batch&) const override {
    if (!attends_) return Model<T>::Attends::no;
    return even_ ? Model<T>::Attends::evenly : Model<T>::Attends::by_score;
  }
  int least_batch() const override { return least_batch_; }
  void build(const TaskShape& shape, ParameterSet<T>& parameters) override {
    w_ = &parameters.add("w", {shape.vocab}, Init::constant(start_));
    a_ = attends_ ? &parameters.add("a", {shape.vocab}, Init::constant(0), Group::attention) : nullptr;
  }
  Trace<T> forward(Compute& compute, const Batch& batch, const Pass& pass) const override {
    const Tokens& x = batch.source;
    Trace<T> trace(batch, pass);
    trace.scores = compute.array<T>(x.rows, 1);
    trace.answers = batch.labels;
    const Cube<T> weight = compute.array<T>(x.rows, 1, x.columns);
    double total = 0;
    for (int b = 0; b < x.rows; ++b) {
      T sum = 0, score = 0;
      const bool truth =
          pass.rules.of(1, 1).pattern == Pattern::truth && batch.labels[static_cast<std::size_t>(b)] == 1;
      for (int l = 0; l < x.columns; ++l) {
        T e = attends_ && !even_ && pass.rules.of(1, 1).pattern != Pattern::uniform ? std::exp(a_->value[x.at(b, l)])
                                                                                    : T{1};
        if (truth) e = x.at(b, l) == 0 ? T{1} : T{0};
        weight(b, 0, l) = e;
        sum += e;
      }
      for (int l = 0; l < x.columns; ++l) {
        weight(b, 0, l) /= sum;
        score += weight(b, 0, l) * w_->value[x.at(b, l)];
      }
      trace.scores(b, 0) = score;
      const T signed_score = batch.labels[static_cast<std::size_t>(b)] == 1 ? score : -score;
      total += std::log1p(std::exp(-static_cast<double>(signed_score)));
    }
    trace.loss = total / x.rows;
    if (attends_) trace.attention = weight;
    if (two_rows_) trace.attention = compute.zeros<T>(x.rows, 2, x.columns);
    if (two_maps_) {
      const auto maps = compute.arena.template take<AttentionMap<T>>(1);
      maps[0] = {"evenly", compute.array<T>(x.rows, 1, x.columns)};
      std::ranges::fill(maps[0].weights.flat(), T{1} / static_cast<T>(x.columns));
      trace.further = maps;
    }
    trace.keep(compute, weight);
    return trace;
  }
  void backward(Compute&, const Trace<T>& trace) const override {
    const Tokens& x = trace.batch->source;
    const Cube<T>& weight = trace.template own<Cube<T>>();
    for (int b = 0; b < x.rows; ++b) {
      const T score = trace.scores(b, 0);
      const T slope = (1 / (1 + std::exp(-score)) - static_cast<T>(trace.batch->labels[static_cast<std::size_t>(b)])) /
                      static_cast<T>(x.rows);
      for (int l = 0; l < x.columns; ++l) {
        w_->gradient[x.at(b, l)] += slope * weight(b, 0, l);
        if (attends_ && !even_ && trace.pass.rules.of(1, 1).pattern == Pattern::learned)
          a_->gradient[x.at(b, l)] += slope * weight(b, 0, l) * (w_->value[x.at(b, l)] - score);
      }
    }
    if (explode_at_ >= 0 && static_cast<double>(trace.pass.step) >= explode_at_) w_->gradient[0] = static_cast<T>(NAN);
  }

 private:
  double start_ = 0, explode_at_ = -1;
  bool attends_ = true, even_ = false, two_rows_ = false, two_maps_ = false;
  int least_batch_ = 1;
  Param<T>* w_ = nullptr;
  Param<T>* a_ = nullptr;
};

// Says the evaluation loss, the weight of token 0 and the attention on it.
class Watch : public Probe {
 public:
  void settings(Fields& fields) override { fields.number("scale", scale_, 0, 100, "multiplies what it says"); }
  void prepare(const TaskShape&, bool attends, std::uint64_t) override {
    if (!attends) throw wrong_input("probe 'watch' needs a model that attends", "choose another probe");
  }
  void measure(const Evaluation& look, Readings& readings) override {
    readings.number("loss", scale_ * look.outcome.loss);
    readings.number("weight", scale_ * static_cast<double>(look.parameter("w").values[0]));
    double on_mark = 0;
    int rows = 0;
    for (int b = 0; b < look.batch.size; ++b)
      for (int l = 0; l < look.batch.source.columns; ++l)
        if (look.batch.source.at(b, l) == 0) {
          on_mark += static_cast<double>(look.outcome.attention(b, 0, l));
          ++rows;
        }
    readings.number("on_mark", rows > 0 ? on_mark / rows : NAN);
  }

 private:
  double scale_ = 1;
};

// Ends the run at a look, as a signal would.
inline std::atomic<bool> halted = false;
class Halt : public Probe {
 public:
  void settings(Fields& fields) override { fields.integer("step", step_, 0, Fields::no_limit, "the look it ends at"); }
  void measure(const Evaluation& look, Readings&) override { halted = halted || look.step == step_; }

 private:
  std::int64_t step_ = 0;
};

inline const Register<Task> mark("mark", "is the mark there?", [] { return std::make_unique<Mark>(); });
inline const RegisterModel<Tiny> tiny("tiny", "one weight per token");
inline const Register<Probe> watch("watch", "loss, weight and attention on the mark",
                                   [] { return std::make_unique<Watch>(); });
inline const Register<Probe> halt("halt", "ends the run at one step", [] { return std::make_unique<Halt>(); });

// Sixty updates of the two, watched every twenty, and what else a file may say.
inline Experiment mark_experiment(const std::string& more = {}) {
  return parse_experiment(R"(
task = { name = "mark" }
model = { name = "tiny" }
train = { steps = 60, batch = 16, rate = 0.1 }
probe = { every = 20, names = ["watch"], keep = 2 }
)" + more,
                          "mark.toml");
}

inline RunSpec mark_spec(const std::vector<std::string>& changes, std::uint64_t seed) {
  std::vector<Override> overrides;
  for (const std::string& change : changes) overrides.push_back(parse_override(change));
  return resolve(mark_experiment(), Preset::full, overrides, seed);
}

}  // namespace fovea::testing_parts
