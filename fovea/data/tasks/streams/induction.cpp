// Task `induction`: a source of T tokens, of which the last, the query, has occurred once before (room
// data/tasks/streams). lab/spec makes it by name for a run. It reads its settings and seed only. The answer is the
// token that followed the earlier copy. Only the last position asks.
//
//   .. q a .. q -> a
//
// The T-1 tokens before the query are distinct, if there are so many; else they are drawn evenly, but for the copy of
// the query, which is alone. The copy is anywhere except in the two last positions of the source, so another token
// follows it.
//
// There are V tokens, and the source has n_j tokens j. The rungs of the ladder predict token j with
//
//   nothing     1 / V
//   bag         n_j / (T-2), but 0 for the query: all positions but those of the query can be the answer's alike
//   induction   1 for the token after the query's earlier copy
#include <fmt/format.h>

#include <algorithm>

#include "fovea/base/registry.h"
#include "fovea/data/draw.h"
#include "fovea/data/ladder.h"
#include "fovea/data/task.h"
#include "fovea/data/tasks/streams/ladder_rows.h"

namespace fovea {

namespace {

class Induction final : public Task, public Ladder {
 public:
  void settings(Fields& fields) override {
    fields.integer("vocab", vocab_, 2, 100'000, "tokens to draw from");
    fields.integer("length", length_, 3, 10'000, "tokens in a source, the query included");
  }

  void prepare(std::uint64_t seed) override { seed_ = seed; }

  TaskShape shape() const override { return stream_shape(vocab_, vocab_, length_); }

  void batch(Split split, std::uint64_t step, int size, Batch& batch) const override {
    begin_streams(batch, size, length_);
    batch.scratch.resize(at(vocab_));
    const int last = length_ - 1;
    for (int row = 0; row < size; ++row) {
      RandomStream stream = example_stream(seed_, "induction", split, step, static_cast<std::uint64_t>(row));
      const std::span<int> tokens(&batch.source.at(row, 0), at(length_));
      const int copy = static_cast<int>(stream.integer(static_cast<std::uint64_t>(length_ - 2)));
      if (vocab_ >= last) {
        stream.distinct(tokens.first(at(last)), batch.scratch);
      } else {
        const int query = static_cast<int>(stream.integer(static_cast<std::uint64_t>(vocab_)));
        for (int& token : tokens) {
          token = static_cast<int>(stream.integer(static_cast<std::uint64_t>(vocab_ - 1)));
          token += token >= query;
        }
        tokens[at(copy)] = query;
      }
      tokens[at(last)] = tokens[at(copy)];
      batch.target.at(row, last) = tokens[at(copy + 1)];
      batch.alignment[at(row) * at(length_) + at(last)] = copy + 1;
    }
  }

  const Ladder* ladder() const override { return this; }
  std::vector<std::string> rungs() const override { return {"nothing", "bag", "induction"}; }

  void predict(const Batch& batch, int rung, Matrix<float> probabilities) const override {
    each_asked(batch, probabilities, [&](int b, int t, std::span<float> said) {
      if (rung == 0) return predict_uniform(said, 0, vocab_);
      const int query = batch.source.at(b, t);
      for (int s = 0; s < t; ++s) {
        const int token = batch.source.at(b, s);
        if (rung == 1 && token != query) said[at(token)] += 1 / static_cast<float>(length_ - 2);
        if (rung == 2 && token == query) predict_token(said, batch.source.at(b, s + 1));
      }
    });
  }

 private:
  static std::size_t at(int i) { return static_cast<std::size_t>(i); }

  int vocab_ = 64;
  int length_ = 16;
  std::uint64_t seed_ = 0;
};

const Register<Task> induction("induction", "what followed the only earlier copy of the last token?",
                               [] { return std::make_unique<Induction>(); });

}  // namespace

}  // namespace fovea
