// Probe `unigram-flow`: a unigram gate in training beside the gradient flow of its data (docs/reference/toy-gate.md,
// the general form) (room probe/systems). The Evaluator (lab/train) calls it at each evaluation; it changes nothing.
// At the first one it reads the start from the parameters. The data are the task's training sequences, or a sample if
// they are infinite.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "fovea/math/logistic.h"
#include "fovea/probe/position_rows.h"
#include "fovea/theory/toy_gate.h"
#include "fovea/theory/unigram_gate.h"

namespace fovea {

namespace {

constexpr ToyVariant toy_gate{ToyVariant::Gate::bounded, ToyVariant::Loss::logistic};

// What the flow is the flow of.
struct Corpus {
  LabelledBags bags;
  // For each bag that has any: the share of each distinct token that decides the label, 1 or 0 as a rule.
  std::vector<std::pair<std::size_t, std::vector<double>>> marked;
};

class UnigramFlow : public Probe {
 public:
  void settings(Fields& fields) override {
    fields.integer("sequences", sequences_, 1, 1'000'000, "sequences whose flow is followed, or all there are");
    fields.number("attention_rate", attention_rate_, 0, 1e6,
                  "rate of the attention logits, relative to the other parameters");
    fields.number("tau", tau_, 0, 64, "flow time at which descent is compared, in sixteenths; 0: it is not");
    fields.number("tolerance", tolerance_, 1e-14, 1e-2, "largest error of a step of the integration");
  }

  void prepare(const TaskShape& shape, bool, std::uint64_t) override {
    need_kind(shape.kind, Kind::labelled_tokens, "unigram-flow");
    if (tau_ * 16 != std::floor(tau_ * 16))
      throw wrong_input(fmt::format("probe 'unigram-flow': tau = {} is not a multiple of 1/16", tau_),
                        fmt::format("take {}", std::ceil(tau_ * 16) / 16));
    vocab_ = shape.vocab;
  }

  void measure(const Evaluation& evaluation, Readings& readings) override {
    const FlowState trained = read_state(evaluation);
    if (!corpus_) corpus_ = read_corpus(evaluation.task);
    if (evaluation.first) {
      start_ = flow_ = trained;
      flow_time_ = 0;
      measure_theory(readings);
    }
    follow(evaluation.time);
    double distance = 0, sum = 0, before = 0, size = 1;
    for (std::size_t i = 0; i < trained.size(); ++i) distance = std::max(distance, std::abs(trained[i] - flow_[i]));
    for (std::size_t i = words(); i < 2 * words(); ++i) {
      sum += flow_[i];
      before += start_[i];
      size += std::abs(flow_[i]);
    }
    readings.number("tau", evaluation.time);
    readings.number("flow_distance", distance);
    readings.number("loss_flow", unigram_loss(corpus_->bags, flow_));
    readings.number("invariant_sum_drift", std::abs(sum - before) / size);
    if (!corpus_->marked.empty()) {
      readings.number("attention_on_truth_flow", attention_on_answer());
      readings.number("knowledge_flow", knowledge());
    }
    if (is_toy_gate()) compare_with_toy_gate(readings);
  }

  std::vector<double> memory() const override {
    std::vector<double> all{flow_time_};
    all.insert(all.end(), start_.begin(), start_.end());
    all.insert(all.end(), flow_.begin(), flow_.end());
    return all;
  }
  bool remember(std::span<const double> memory) override {
    if (memory.size() != 1 + 4 * words() && memory.size() != 3 + 4 * words()) return false;
    const auto half = memory.begin() + static_cast<std::ptrdiff_t>(1 + memory.size() / 2);
    flow_time_ = memory[0];
    start_.assign(memory.begin() + 1, half);
    flow_.assign(half, memory.end());
    return true;
  }

 private:
  std::size_t words() const { return static_cast<std::size_t>(vocab_); }

  FlowState read_state(const Evaluation& evaluation) const {
    FlowState state;
    for (const char* name : {"beta", "a"})
      for (const ParameterView& view : evaluation.parameters)
        if (view.name == name && view.values.size() == words())
          state.insert(state.end(), view.values.begin(), view.values.end());
    const bool whole = state.size() == 2 * words();
    for (const ParameterView& view : evaluation.parameters)
      if (view.name == "bias") state.insert(state.end(), view.values.begin(), view.values.end());
    if (!whole)
      throw wrong_input("probe 'unigram-flow' measures the unigram gate alone",
                        "use model 'unigram-gate', or remove the probe");
    return state;
  }

  Corpus read_corpus(const Task& task) const {
    const std::int64_t there = task.examples(Split::train);
    // Where there is no end of sequences, others than those trained on.
    const Split split = there > 0 ? Split::train : Split::test;
    Batch batch;
    task.batch(split, 0, static_cast<int>(there > 0 ? std::min(there, sequences_) : sequences_), batch);
    Corpus corpus{LabelledBags(vocab_), {}};
    for (int row = 0; row < batch.size; ++row) {
      const auto length = static_cast<std::size_t>(batch.source.lengths[static_cast<std::size_t>(row)]);
      const std::size_t first = static_cast<std::size_t>(row) * static_cast<std::size_t>(batch.source.columns);
      const std::span<const int> tokens = std::span(batch.source.ids).subspan(first, length);
      corpus.bags.add(tokens, batch.labels[static_cast<std::size_t>(row)]);
      if (batch.marked.empty()) continue;
      const std::span<const std::uint8_t> marks = std::span(batch.marked).subspan(first, length);
      std::vector<double> shares;
      for (const int token : corpus.bags.tokens(corpus.bags.size() - 1)) {
        double marked = 0, all = 0;
        for (std::size_t l = 0; l < length; ++l)
          if (tokens[l] == token) all += 1, marked += marks[l];
        shares.push_back(marked / all);
      }
      if (std::ranges::any_of(shares, [](double share) { return share > 0; }))
        corpus.marked.emplace_back(corpus.bags.size() - 1, std::move(shares));
    }
    return corpus;
  }

  void follow(double time) {
    if (time <= flow_time_) return;
    const double times[] = {time - flow_time_};
    flow_ = unigram_flow(corpus_->bags, flow_, times, attention_rate_, {.tolerance = tolerance_}).front();
    flow_time_ = time;
  }

  // Mean weight on what decides the label, over the sequences that have any.
  double attention_on_answer() const {
    double sum = 0;
    for (const auto& [bag, shares] : corpus_->marked) {
      const std::vector<double> weights = unigram_attention(corpus_->bags, bag, flow_);
      for (std::size_t i = 0; i < shares.size(); ++i) sum += weights[i] * shares[i];
    }
    return sum / static_cast<double>(corpus_->marked.size());
  }

  // The probability of the right class if all attention is on what decides it, as of the probe `knowledge`.
  double knowledge() const {
    double sum = 0, all = 0;
    for (const auto& [bag, shares] : corpus_->marked) {
      const double sign = corpus_->bags.label(bag) == 1 ? 1 : -1;
      for (std::size_t i = 0; i < shares.size(); ++i) {
        sum += shares[i] * logistic(sign * flow_[static_cast<std::size_t>(corpus_->bags.tokens(bag)[i])]);
        all += shares[i];
      }
    }
    return sum / all;
  }

  // What is known before any training.
  void measure_theory(Readings& readings) const {
    FlowState slope(start_.size());
    unigram_slope(corpus_->bags, start_, slope);
    const auto most = [](std::span<const double> values) {
      double largest = 0;
      for (const double x : values) largest = std::max(largest, std::abs(x));
      return largest;
    };
    readings.number("beta_slope_start", most(std::span(slope).first(words())));
    readings.number("attention_slope_start", most(std::span(slope).subspan(words(), words())));
    if (tau_ == 0) return;
    const DescentOrder order = unigram_descent_order(corpus_->bags, start_, tau_, attention_rate_);
    readings.number("descent_distance_from_flow", order.distances.back());
    if (std::isfinite(order.order)) readings.number("descent_order", order.order);
  }

  // {0,0} negative and {0,1} positive, the logits at half the rate: then it is the toy gate, at half its pace
  // (docs/reference/toy-gate.md).
  bool is_toy_gate() const {
    const LabelledBags& bags = corpus_->bags;
    return vocab_ == 2 && start_.size() == 4 && attention_rate_ == 0.5 && bags.size() == 2 && bags.label(0) == 0 &&
           bags.label(1) == 1 && bags.tokens(0).size() == 1 && bags.tokens(0)[0] == 0 && bags.tokens(1).size() == 2 &&
           bags.counts(1)[0] == 1 && bags.counts(1)[1] == 1;
  }

  void compare_with_toy_gate(Readings& readings) const {
    const ToyPoint start{start_[0], start_[1], start_[3] - start_[2]};
    const double times[] = {flow_time_ / 2};
    const ToyPoint toy = toy_flow(toy_gate, start, times).front();
    readings.number("p_toy_gate", toy_attention(toy_gate, toy));
    readings.number("toy_gate_distance", std::max({std::abs(flow_[0] - toy.beta0), std::abs(flow_[1] - toy.beta1),
                                                   std::abs(flow_[3] - flow_[2] - toy.gate)}));
  }

  std::int64_t sequences_ = 1000;
  double attention_rate_ = 1, tau_ = 0.75, tolerance_ = 1e-13;
  int vocab_ = 0;
  std::optional<Corpus> corpus_;
  FlowState start_, flow_;
  double flow_time_ = 0;
};

const Register<Probe> unigram_flow_probe("unigram-flow", "the unigram gate next to the gradient flow of its data",
                                         [] { return std::make_unique<UnigramFlow>(); });

}  // namespace

}  // namespace fovea
