#include "fovea/lab/train/evaluator.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <set>
#include <type_traits>

#include "fovea/data/like_lengths.h"

namespace fovea {

namespace {

// The number of a set of examples. measure() has numbers below surveyed_set.
int set_of(Examples examples) { return static_cast<int>(examples); }
constexpr int surveyed_set = 3;

}  // namespace

template <class T>
Evaluator<T>::Evaluator(Workspace<T>& workspace, const InterventionSet<T>& interventions, ResolvedRun& run,
                        RunRecord& record, TimeSpent* spent)
    : workspace_(workspace),
      interventions_(interventions),
      spec_(record.spec),
      spent_(spent),
      settings_(run.probe().settings),
      probes_(run.probe().probes),
      attention_(settings_, run.train().steps),
      readings_(record) {
  view_parameters();
}

template <class T>
const Batch& Evaluator<T>::first_examples() {
  const Batch& one = workspace_.next_batch(settings_.split, 0, 1);
  const int more = examples_that_show(one);
  const Batch& batch = more == 1 ? one : workspace_.next_batch(settings_.split, 0, more);
  check_evaluated(batch, spec_);
  return batch;
}

template <class T>
template <class P>
void Evaluator<T>::Audience<P>::add(P& probe) {
  probes.push_back(&probe);
  beta |= probe.wants_beta();
  states |= probe.wants_states();
}

template <class T>
void Evaluator<T>::Audiences::add(Probe& probe) {
  if (SurveyProbe* const survey = probe.as_survey()) of_surveys.add(*survey);
  else of(probe.examples()).add(probe);
}

template <class T>
void Evaluator<T>::prepare(const Capabilities& capabilities) {
  attends_ = capabilities.attends;
  prepare_probes(probes_, spec_, workspace_.shape(), capabilities);
  for (const NamedProbe& named : probes_) {
    all_.add(*named.probe);
    if (named.probe->differs_under_hold()) under_hold_.add(*named.probe);
  }
}

template <class T>
void Evaluator<T>::evaluate(const Moment& now) {
  readings_.start_evaluation(now.step);
  if (!now.first()) readings_.number("train_loss", now.train_loss);
  if (now.first())
    for (const auto& [name, share] : interventions_.shares())
      readings_.number(name, static_cast<double>(share.first) / static_cast<double>(share.second));
  Pass pass{false, spec_.seed, static_cast<std::uint64_t>(now.step)};
  read({now, pass, all_, readings_});
  if (now.rules.empty()) return;
  pass.rules = now.rules;
  HeldReadings held(readings_);
  read({now, pass, under_hold_, held});
}

template <class T>
void Evaluator<T>::read(const Reading& reading) {
  const Moment& now = reading.now;
  if (attends_ && attention_.wants(now.first(), now.last)) {
    const Metered metered(spent_ ? &spent_->recorder : nullptr);
    keep_attention(reading);
  }
  const Metered metered(spent_ ? &spent_->probes : nullptr);
  // Numbers that are none are found out even where no probe looks.
  if (reading.pass.rules.empty() || !reading.audiences.of(Examples::fresh).probes.empty())
    measure(reading, Examples::fresh, workspace_.next_batch(settings_.split, slice_at(now.step), settings_.examples));
  if (!reading.audiences.of(Examples::same).probes.empty())
    measure(reading, Examples::same, workspace_.next_batch(settings_.split, 0, settings_.examples));
  if (!reading.audiences.of(Examples::kept).probes.empty() && attention_.wants(now.first(), now.last)) {
    const Batch& kept = kept_examples();
    if (kept.size > 0) measure(reading, Examples::kept, kept);
  }
  if (!reading.audiences.of_surveys.probes.empty()) survey(reading);
}

template <class T>
void Evaluator<T>::keep_attention(const Reading& reading) {
  const Batch& batch = kept_examples();
  if (batch.size == 0) return;
  readings_.set_source({});
  Compute compute = workspace_.fresh_memory();
  const Pass pass = reading.of_streams(set_of(Examples::kept)).pass;
  const Trace<T> trace = workspace_.model().forward(compute, batch, pass);
  check_attention(workspace_.model().attention_meaning(), trace);
  Outcome<float> seen;
  seen.scores = as_float(compute, trace.scores);
  seen.attention = as_float(compute, trace.attention);
  seen.further = as_float(compute, trace.further);
  const bool stream = workspace_.shape().kind == Kind::token_streams;
  const Tokens& rows = stream ? batch.source : batch.target;  // a row of a stream is a position of it
  if (reading.pass.rules.empty())
    attention_.record(batch, rows, seen, reading.now.first(), reading.now.last, reading.readings);
  else attention_.record_held(seen.attention, readings_);
}

// Shows a batch to the probes that want such examples.
template <class T>
void Evaluator<T>::measure(const Reading& reading, Examples which, const Batch& batch) {
  const Audience<Probe>& audience = reading.audiences.of(which);
  show(reading.of_streams(set_of(which)), batch, audience.beta, audience.states,
       [&](Compute&, const Trace<T>&, const Evaluation& evaluation) {
         for (Probe* const probe : audience.probes) {
           set_source(*probe);
           probe->measure(evaluation, reading.readings);
         }
       });
}

// All of the probes that survey are shown as much as the one that wants to see most. Batches of texts of all lengths
// would be mostly padding: they are cut anew, pool by pool, so that examples that a probe may ask passes of its own
// about share no batch with those that come after.
template <class T>
void Evaluator<T>::survey(const Reading& reading) {
  constexpr int size = 32, most_pooled = 64 * size;
  const auto& probes = reading.audiences.of_surveys.probes;
  std::set<int> ends;
  for (const SurveyProbe* probe : probes) ends.insert({probe->count_closely(), probe->count()});
  const Kind kind = workspace_.shape().kind;
  const bool texts = kind == Kind::labelled_tokens || kind == Kind::token_pairs;
  std::vector<Batch> pool;
  std::vector<int> indices;
  std::uint64_t slice = 0;
  Index streams = 0;
  for (int seen = 0; !ends.empty() && seen < *ends.rbegin();) {
    const int first = seen, end = std::min(first + (texts ? most_pooled : 1), *ends.upper_bound(first));
    for (pool.clear(); seen < end; seen += pool.back().size) {
      pool.push_back(workspace_.next_batch(settings_.split, slice++, size));
      if (pool.back().size == 0) break;
    }
    if (seen == first) break;
    const auto show_batch = [&](const Batch& batch, std::span<const int> in_pool) {
      indices.assign(in_pool.begin(), in_pool.end());
      for (int& index : indices) index += first;
      survey_batch(reading.of_streams(surveyed_set, streams), batch, indices);
      streams += batch.size;
    };
    if (texts) {
      show_like_lengths(pool, size, show_batch);
    } else {
      std::vector<int> in_order(static_cast<std::size_t>(pool[0].size));
      std::iota(in_order.begin(), in_order.end(), 0);
      show_batch(pool[0], in_order);
    }
  }
  for (SurveyProbe* const probe : probes) {
    set_source(*probe);
    probe->conclude(reading.readings);
  }
}

template <class T>
void Evaluator<T>::survey_batch(const Reading& reading, const Batch& batch, std::span<const int> indices) {
  const Audience<SurveyProbe>& audience = reading.audiences.of_surveys;
  show(reading, batch, audience.beta, audience.states,
       [&](Compute& compute, const Trace<T>& trace, const Evaluation& evaluation) {
         SurveyBatch at{evaluation, indices, settings_.split};
         const Model<T>& model = workspace_.model();
         if (const auto* const influence = model.as_influence())
           at.influence = [&, influence] {
             return Cube<const float>(as_float(compute, influence->influence(compute, trace)));
           };
         if (const auto* const generator = model.as_generator())
           at.generate = [&, generator](const Search& search) {
             return generator->generate(compute, batch, reading.pass, search);
           };
         if (const auto* const looks = model.as_head_betas())
           at.heads = [&, looks, seen = std::optional<HeadGradients>()]() mutable {
             if (!seen) seen = head_gradients(compute, *looks, batch, reading.pass);
             return *seen;
           };
         const int least = *std::min_element(indices.begin(), indices.end());
         for (SurveyProbe* const probe : audience.probes) {
           if (least >= probe->count()) continue;
           set_source(*probe);
           probe->survey(at, reading.readings);
         }
       });
}

// Gradients are those of this batch until the next update makes its own.
template <class T>
HeadGradients Evaluator<T>::head_gradients(Compute& compute, const HasHeadBetas<T>& model, const Batch& batch,
                                           const Pass& pass) {
  ParameterSet<T>& parameters = workspace_.parameters();
  parameters.clear_gradients(compute.team);
  const std::span<const HeadBeta<T>> looks = model.head_betas(compute, batch, pass);
  HeadGradients seen;
  const auto heads = compute.arena.template take<HeadBeta<float>>(looks.size());
  for (std::size_t i = 0; i < looks.size(); ++i) heads[i] = {looks[i].name, as_float(compute, looks[i].beta)};
  seen.heads = heads;
  if (looks.empty()) return seen;
  for (const Param<T>& p : parameters.all()) {
    if (!p.learns()) continue;
    double square = 0;
    for (const T g : p.gradients()) square += static_cast<double>(g) * static_cast<double>(g);
    seen.gradients.emplace_back(p.name, std::sqrt(square));
  }
  return seen;
}

// What the model makes of a batch.
template <class T>
void Evaluator<T>::show(const Reading& reading, const Batch& batch, bool beta, bool states, const Read& read) {
  const Moment& now = reading.now;
  Compute compute = workspace_.fresh_memory();
  const Model<T>& model = workspace_.model();
  const Trace<T> trace = model.forward(compute, batch, reading.pass);
  if (!std::isfinite(trace.loss)) workspace_.refuse_loss(trace.loss, now.step);
  check_attention(model.attention_meaning(), trace);
  const Cube<T> betas = beta ? model.beta(compute, trace) : Cube<T>();
  const Cube<T> model_states = states ? model.states(compute, trace) : Cube<T>();
  Outcome<float> seen;
  seen.loss = trace.loss;
  seen.answers = trace.answers;
  seen.scores = as_float(compute, trace.scores);
  seen.attention = as_float(compute, trace.attention);
  seen.further = as_float(compute, trace.further);
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
        .beta = as_float(compute, betas),
        .states = as_float(compute, model_states),
        .parameters = views_});
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
void Evaluator<T>::set_source(const Probe& probe) {
  const auto is_it = [&probe](const NamedProbe& named) { return named.probe.get() == &probe; };
  readings_.set_source(std::ranges::find_if(probes_, is_it)->name);
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

template <class T>
std::span<const AttentionMap<float>> Evaluator<T>::as_float(Compute& compute,
                                                            std::span<const AttentionMap<T>> maps) const {
  if constexpr (std::is_same_v<T, float>) {
    return maps;
  } else {
    const auto copies = compute.arena.template take<AttentionMap<float>>(maps.size());
    for (std::size_t i = 0; i < maps.size(); ++i) copies[i] = {maps[i].name, as_float(compute, maps[i].weights)};
    return copies;
  }
}

template class Evaluator<float>;
template class Evaluator<double>;

}  // namespace fovea
