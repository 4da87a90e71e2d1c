// The Evaluator measures a model at a step of its training, and changes nothing. The TrainLoop and the Python package
// call it (room lab/train).
//
//   batch of a split ──> pass in evaluation mode ──> Evaluation ──> probes ──> record
//                                          └──────> attention of stored examples ──> record
//
// Probes state which examples they need (probe/probe.h). Probes that survey a split get it in batches, one after the
// other. While attention is held, everything is measured a second time under the hold, for the probes whose numbers
// differ then (lab/record/held_name.h).
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
  double train_loss = 0;      // of the update before
  double time = 0;            // of gradient flow
  AttentionRules rules = {};  // in force

  bool first() const { return step == 0; }
};

template <class T>
class Evaluator {
 public:
  Evaluator(Workspace<T>& workspace, const InterventionSet<T>& interventions, ResolvedRun& run, RunRecord& record,
            TimeSpent* spent);

  // Prepares the probes. Throws wrong_input where one has nothing to measure.
  void prepare(const Capabilities& capabilities);
  // Throws wrong_input where the evaluated split has no examples; else returns its first.
  const Batch& first_examples();

  void evaluate(const Moment& now);
  // Called after each evaluation that does not end the run.
  void count() { attention_.count_evaluation(); }

  const ProbeSettings& settings() const { return settings_; }
  // What a checkpoint must keep.
  std::vector<NamedProbe>& probes() { return probes_; }
  AttentionRecorder& attention() { return attention_; }

 private:
  // Probes that are shown the same, and what some of them wants to see.
  template <class P>
  struct Audience {
    std::vector<P*> probes;
    bool beta = false, states = false;
    void add(P& probe);
  };
  struct Audiences {
    std::array<Audience<Probe>, 3> by_examples;
    Audience<SurveyProbe> of_surveys;

    Audience<Probe>& of(Examples which) { return by_examples[static_cast<std::size_t>(which)]; }
    void add(Probe& probe);
  };
  // A reading of the model: by whom, of passes of which kind, and where what they say goes.
  struct Reading {
    const Moment& now;
    Pass pass;
    Audiences& audiences;
    Readings& readings;

    // The same, of streams that have the numbers `first` .. in this set of examples: noise is drawn by the number.
    Reading of_streams(int set, Index first = 0) const {
      Reading own = *this;
      own.pass.rules.first_stream = (std::int64_t{set} << 32) + first;
      return own;
    }
  };
  using Read = std::function<void(Compute&, const Trace<T>&, const Evaluation&)>;

  void read(const Reading& reading);
  void keep_attention(const Reading& reading);
  void measure(const Reading& reading, Examples which, const Batch& batch);
  void survey(const Reading& reading);
  void survey_batch(const Reading& reading, const Batch& batch, std::span<const int> indices);
  HeadGradients head_gradients(Compute& compute, const HasHeadBetas<T>& model, const Batch& batch, const Pass& pass);
  void show(const Reading& reading, const Batch& batch, bool beta, bool states, const Read& read);

  std::uint64_t slice_at(std::int64_t step) const;
  const Batch& kept_examples();
  void set_source(const Probe& probe);  // of what is read next
  void view_parameters();
  void update_views();
  template <int Rank>
  View<float, Rank> as_float(Compute& compute, const View<T, Rank>& view) const;
  std::span<const AttentionMap<float>> as_float(Compute& compute, std::span<const AttentionMap<T>> maps) const;

  Workspace<T>& workspace_;
  const InterventionSet<T>& interventions_;
  const RunSpec& spec_;
  TimeSpent* spent_;
  const ProbeSettings& settings_;
  std::vector<NamedProbe>& probes_;
  Audiences all_, under_hold_;  // of probes_
  AttentionRecorder attention_;
  RunReadings readings_;
  bool attends_ = false;
  std::vector<ParameterView> views_;
  std::vector<float> copies_;  // of the parameters, for probes of a run in double
};

}  // namespace fovea
