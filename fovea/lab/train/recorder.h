// RunReadings and AttentionRecorder: write the results of probes, and attention, into the record of a run (room
// lab/train). The Evaluator calls them.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "fovea/data/batch.h"
#include "fovea/lab/record/held_name.h"
#include "fovea/lab/record/record.h"
#include "fovea/lab/spec/train_settings.h"
#include "fovea/probe/probe.h"

namespace fovea {

class RunReadings : public Readings {
 public:
  explicit RunReadings(RunRecord& record) : record_(record) {}

  void start_evaluation(std::int64_t step);  // one made again at the same step replaces the one before
  // Whose the numbers and arrays that follow are: a probe's, or, without a name, the training's own. Two with one name
  // are refused: wrong_input at the first evaluation, failure later.
  void set_source(std::string probe) { source_ = std::move(probe); }
  void number(const std::string& name, double value) override;
  void array(const std::string& name, const std::vector<Index>& shape, std::span<const float> values) override;

 private:
  using Sources = std::map<std::string, std::string>;  // of this evaluation, by the name of a number or array
  void claim(Sources& sources, const std::string& name) const;

  RunRecord& record_;
  std::int64_t step_ = -1;
  std::string source_;
  Sources of_numbers_, of_arrays_;
};

// What probes say of a model while its attention is held, beside what they say of it as it attends by itself: numbers
// have names of their own (lab/record/held_name.h), and arrays are not kept twice.
class HeldReadings : public Readings {
 public:
  explicit HeldReadings(Readings& all) : all_(all) {}

  void number(const std::string& name, double value) override { all_.number(held_name(name), value); }
  void array(const std::string&, const std::vector<Index>&, std::span<const float>) override {}

 private:
  Readings& all_;
};

// Decides how much of attention is kept.
class AttentionRecorder {
 public:
  AttentionRecorder(const ProbeSettings& probe, std::int64_t steps);

  bool wants(bool first, bool last) const { return keep_ > 0 && (first || last || evaluation_ % every_ == 0); }
  void count_evaluation() { ++evaluation_; }
  int examples() const { return static_cast<int>(keep_); }

  // What a run must keep to go on later.
  std::array<std::int64_t, 3> memory() const { return {keep_, every_, evaluation_}; }
  void remember(const std::array<std::int64_t, 3>& memory) {
    keep_ = memory[0];
    every_ = std::max<std::int64_t>(1, memory[1]);
    evaluation_ = memory[2];
  }

  // Attention of the kept examples, the further maps of layers and heads and the answers with it, and at the first
  // evaluation what they are.
  // `rows`: the tokens that rows stand for, if they stand for tokens.
  void record(const Batch& batch, const Tokens& rows, const Outcome<float>& outcome, bool first, bool last,
              Readings& readings);
  // The same examples' attention under a hold.
  void record_held(const Cube<const float>& attention, Readings& readings) const;

 private:
  void record_answers(const Batch& batch, const Outcome<float>& outcome, Readings& readings) const;
  void record_attention(const std::string& name, const Cube<const float>& attention, Readings& readings) const;

  std::int64_t keep_, evaluations_;
  std::int64_t every_ = 1, evaluation_ = 0;
};

}  // namespace fovea
