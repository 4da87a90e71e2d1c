#include "fovea/lab/train/evaluator.h"

#include <algorithm>
#include <cmath>
#include <type_traits>

namespace fovea {

template <class T>
Evaluator<T>::Evaluator(Workspace<T>& workspace, const InterventionSet<T>& interventions, const TrainSettings& train,
                        RunRecord& record, TimeSpent* spent)
    : workspace_(workspace),
      interventions_(interventions),
      spec_(record.spec),
      spent_(spent),
      probes_(make_probes(spec_.probe, settings_)),
      attention_(settings_, train.steps),
      readings_(record) {
  view_parameters();
}

template <class T>
const Batch& Evaluator<T>::first_examples() {
  const Batch& batch = workspace_.next_batch(settings_.split, 0, 1);
  check_looked_at(batch, spec_);
  return batch;
}

template <class T>
void Evaluator<T>::Wants::add(const Probe& probe) {
  shown = true;
  beta |= probe.wants_beta();
  states |= probe.wants_states();
}

template <class T>
void Evaluator<T>::prepare(const Capabilities& capabilities) {
  attends_ = capabilities.attends;
  prepare_probes(probes_, spec_, workspace_.shape(), capabilities);
  for (const NamedProbe& named : probes_) {
    if (SurveyProbe* const probe = named.probe->as_survey()) {
      surveys_.push_back(probe);
      survey_wants_.add(*probe);
    } else {
      wants_of(named.probe->examples()).add(*named.probe);
    }
  }
}

template <class T>
void Evaluator<T>::evaluate(const Moment& now) {
  readings_.start_look(now.step);
  if (!now.first()) readings_.number("train_loss", now.train_loss);
  if (const auto found = interventions_.embeddings_found(); found && now.first())
    readings_.number("embeddings_found", *found);
  if (attends_ && attention_.wants(now.first(), now.last)) {
    const Metered metered(spent_ ? &spent_->recorder : nullptr);
    keep_attention(now);
  }
  const Metered metered(spent_ ? &spent_->probes : nullptr);
  measure(now, Examples::fresh, workspace_.next_batch(settings_.split, slice_at(now.step), settings_.examples));
  if (wants_of(Examples::same).shown)
    measure(now, Examples::same, workspace_.next_batch(settings_.split, 0, settings_.examples));
  if (wants_of(Examples::kept).shown && attention_.wants(now.first(), now.last)) {
    const Batch& kept = kept_examples();
    if (kept.size > 0) measure(now, Examples::kept, kept);
  }
  if (!surveys_.empty()) survey(now);
}

template <class T>
void Evaluator<T>::keep_attention(const Moment& now) {
  const Batch& batch = kept_examples();
  if (batch.size == 0) return;
  Compute compute = workspace_.fresh_memory();
  const Trace<T> trace = workspace_.model().forward(compute, batch, pass_at(now.step));
  attention_.record(batch, as_float(compute, trace.attention), now.first(), readings_);
}

// Shows a batch to the probes that want such examples.
template <class T>
void Evaluator<T>::measure(const Moment& now, Examples which, const Batch& batch) {
  show(now, batch, wants_of(which), [&](Compute&, const Trace<T>&, const Evaluation& evaluation) {
    for (const NamedProbe& named : probes_)
      if (named.probe->examples() == which) named.probe->measure(evaluation, readings_);
  });
}

// All of the probes that survey are shown as much as the one that wants to see most.
template <class T>
void Evaluator<T>::survey(const Moment& now) {
  constexpr int size = 32;  // of texts of all lengths: larger batches are mostly padding
  int most = 0;
  for (const SurveyProbe* probe : surveys_) most = std::max(most, probe->count());
  for (int seen = 0; seen < most; seen += size) {
    const Batch& batch = workspace_.next_batch(settings_.split, static_cast<std::uint64_t>(seen / size), size);
    if (batch.size == 0) break;
    show(now, batch, survey_wants_, [&](Compute& compute, const Trace<T>& trace, const Evaluation& evaluation) {
      SurveyLook at{evaluation, settings_.split};
      const Model<T>& model = workspace_.model();
      if (const auto* const influence = model.as_influence())
        at.influence = [&, influence] {
          return Cube<const float>(as_float(compute, influence->influence(compute, trace)));
        };
      if (const auto* const generator = model.as_generator())
        at.say = [&, generator](const Search& search) {
          return generator->say(compute, batch, pass_at(now.step), search);
        };
      for (SurveyProbe* probe : surveys_)
        if (seen < probe->count()) probe->survey(at, readings_);
    });
  }
  for (SurveyProbe* probe : surveys_) probe->conclude(readings_);
}

// What the model makes of a batch.
template <class T>
void Evaluator<T>::show(const Moment& now, const Batch& batch, const Wants& wants, const Read& read) {
  Compute compute = workspace_.fresh_memory();
  const Model<T>& model = workspace_.model();
  const Trace<T> trace = model.forward(compute, batch, pass_at(now.step));
  if (!std::isfinite(trace.loss)) workspace_.refuse_loss(trace.loss, now.step);
  Cube<T> beta;
  if (wants.beta) beta = model.beta(compute, trace);
  Cube<T> states;
  if (wants.states) states = model.states(compute, trace);
  Outcome<float> seen;
  seen.loss = trace.loss;
  seen.scores = as_float(compute, trace.scores);
  seen.answers = trace.answers;
  seen.attention = as_float(compute, trace.attention);
  seen.predictions = as_float(compute, trace.predictions);
  update_views();
  read(compute, trace,
       {.step = now.step,
        .first = now.first(),
        .last = now.last,
        .train_loss = now.train_loss,
        .time = now.time,
        .task = workspace_.task(),
        .batch = batch,
        .outcome = seen,
        .beta = as_float(compute, beta),
        .states = as_float(compute, states),
        .parameters = views_});
}

template <class T>
Pass Evaluator<T>::pass_at(std::int64_t step) const {
  return {false, interventions_.attend(step), spec_.seed, static_cast<std::uint64_t>(step)};
}

// Fresh examples have a slice for each step; a finite split is gone through slice by slice, evaluation by evaluation.
template <class T>
std::uint64_t Evaluator<T>::slice_at(std::int64_t step) const {
  const std::int64_t there = workspace_.task().examples(settings_.split);
  if (there == 0) return static_cast<std::uint64_t>(step);
  const std::int64_t slices = std::max<std::int64_t>(1, there / settings_.examples);
  return static_cast<std::uint64_t>(step / settings_.every % slices);
}

// The same few examples at every evaluation, of the test split where it has any.
template <class T>
const Batch& Evaluator<T>::kept_examples() {
  const Batch& batch = workspace_.next_batch(Split::test, 0, attention_.examples());
  return batch.size > 0 ? batch : workspace_.next_batch(Split::validation, 0, attention_.examples());
}

template <class T>
void Evaluator<T>::view_parameters() {
  const ParameterSet<T>& parameters = workspace_.parameters();
  const float* values = nullptr;
  if constexpr (std::is_same_v<T, float>) {
    values = parameters.values().data();
  } else {
    copies_.resize(parameters.values().size());
    values = copies_.data();
  }
  for (const Param<T>& p : parameters.all())
    views_.push_back({p.name,
                      p.shape,
                      p.group,
                      {values + (p.value - parameters.values().data()), static_cast<std::size_t>(p.count())}});
}

template <class T>
void Evaluator<T>::update_views() {
  if constexpr (!std::is_same_v<T, float>) {
    const auto values = workspace_.parameters().values();
    std::copy(values.begin(), values.end(), copies_.begin());
  }
}

template <class T>
template <int Rank>
View<float, Rank> Evaluator<T>::as_float(Compute& compute, const View<T, Rank>& view) const {
  if constexpr (std::is_same_v<T, float>) {
    return view;
  } else {
    if (view.data() == nullptr) return {};
    const std::span<float> copy = compute.arena.template take<float>(static_cast<std::size_t>(view.count()));
    std::transform(view.flat().begin(), view.flat().end(), copy.begin(), [](T x) { return static_cast<float>(x); });
    return {copy.data(), view.shape()};
  }
}

template class Evaluator<float>;
template class Evaluator<double>;

}  // namespace fovea
