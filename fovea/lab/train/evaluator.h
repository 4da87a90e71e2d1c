// Reads a model at a moment of its training and changes nothing in it:
//
//   batch of a split ──> pass in evaluation mode ──> Evaluation ──> probes ──> record
//                                          └──────> attention of kept examples ──> record
//
// Probes say which examples they want (probe/probe.h). Those that survey a split are shown it in batches, one after the
// other.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <vector>

#include "fovea/base/processor_time.h"
#include "fovea/lab/spec/assembly.h"
#include "fovea/lab/spec/train_settings.h"
#include "fovea/lab/train/intervention_set.h"
#include "fovea/lab/train/recorder.h"
#include "fovea/lab/train/trainer.h"
#include "fovea/lab/train/workspace.h"
#include "fovea/probe/probe.h"
#include "fovea/probe/survey.h"

namespace fovea {

// Where a training stands as it is evaluated.
struct Moment {
  std::int64_t step = 0;  // updates done
  bool last = false;
  double train_loss = 0;  // of the update before
  double time = 0;        // of gradient flow

  bool first() const { return step == 0; }
};

template <class T>
class Evaluator {
 public:
  Evaluator(Workspace<T>& workspace, const InterventionSet<T>& interventions, const TrainSettings& train,
            RunRecord& record, TimeSpent* spent);

  // Prepares the probes. Throws wrong_input where one has nothing to measure.
  void prepare(const Capabilities& capabilities);
  // Throws wrong_input where the split that is looked at has no examples; else returns its first.
  const Batch& first_examples();

  void evaluate(const Moment& now);
  void count() { attention_.count_look(); }  // of what is evaluated again at the same step, the second time counts

  const ProbeSettings& settings() const { return settings_; }
  // What a checkpoint must keep.
  std::vector<NamedProbe>& probes() { return probes_; }
  AttentionRecorder& attention() { return attention_; }

 private:
  // What some probe wants of a kind of examples.
  struct Wants {
    bool shown = false, beta = false, states = false;
    void add(const Probe& probe);
  };
  using Read = std::function<void(Compute&, const Trace<T>&, const Evaluation&)>;

  Wants& wants_of(Examples which) { return wants_[static_cast<std::size_t>(which)]; }
  void keep_attention(const Moment& now);
  void measure(const Moment& now, Examples which, const Batch& batch);
  void survey(const Moment& now);
  void show(const Moment& now, const Batch& batch, const Wants& wants, const Read& read);

  Pass pass_at(std::int64_t step) const;
  std::uint64_t slice_at(std::int64_t step) const;
  const Batch& kept_examples();
  void view_parameters();
  void update_views();
  template <int Rank>
  View<float, Rank> as_float(Compute& compute, const View<T, Rank>& view) const;

  Workspace<T>& workspace_;
  const InterventionSet<T>& interventions_;
  const RunSpec& spec_;
  TimeSpent* spent_;
  ProbeSettings settings_;
  std::vector<NamedProbe> probes_;
  std::vector<SurveyProbe*> surveys_;  // of probes_
  std::array<Wants, 3> wants_;         // by Examples
  Wants survey_wants_;
  AttentionRecorder attention_;
  RunReadings readings_;
  bool attends_ = false;
  std::vector<ParameterView> views_;
  std::vector<float> copies_;  // of the parameters, for probes of a run in double
};

}  // namespace fovea
