// A model turns a batch into a trace, and the trace into gradients. It holds settings and parameters, knows which of
// them are attention's, and keeps nothing of a call: between updates of the parameters, several threads may use one
// model, each with a Compute of its own. (Two things write to what threads share: a training pass of batch norm moves
// its running statistics, which are parameters, and backward adds to the gradients.) It knows nothing of files, tasks
// or who called it.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "fovea/base/registry.h"
#include "fovea/base/settings.h"
#include "fovea/data/task.h"
#include "fovea/model/trace.h"
#include "fovea/nn/parameters.h"

namespace fovea {

template <class T>
class HasInfluence;
template <class T>
class GeneratesText;
template <class T>
class HasHeadBetas;

template <class T>
class Model {
 public:
  virtual ~Model() = default;

  virtual void settings(Fields& fields) = 0;
  virtual Kind takes() const = 0;

  // What becomes of attention on a batch such as this, as the model is set (known once it is built): there is none to
  // look at, it is even whatever is learned, or it follows scores.
  enum class Attends { no, evenly, by_score };
  virtual Attends attends(const Batch&) const { return Attends::by_score; }

  // The heads that follow a rule of their own (nn/attention/attention_rule.h); none where a model knows only holds of
  // all its attention. One attention map is layer 1, head 1.
  struct Heads {
    int layers = 0, each = 0;
    bool causal = false;  // rows are positions, which attend to themselves and those before
    bool copies = false;  // those of the last layer can copy tokens
  };
  virtual Heads heads() const { return {}; }

  // What the rows and columns of all of its maps stand for.
  virtual AttentionMeaning attention_meaning() const { return fovea::attention_meaning(takes()); }

  virtual bool has_beta() const { return false; }

  // The fewest examples that an update can be made from.
  virtual int least_batch() const { return 1; }

  // Called once after the settings are read: declares all parameters for this task. Throws wrong_input where settings
  // contradict each other or the task. The caller finishes and initialises the set.
  virtual void build(const TaskShape& shape, ParameterSet<T>& parameters) = 0;

  // The trace is good until compute.arena is reset, and the batch must outlive it.
  virtual Trace<T> forward(Compute& compute, const Batch& batch, const Pass& pass) const = 0;

  // Adds d loss / d parameter to the gradients. Once for each trace, of a training pass: it uses arrays of the trace
  // up, but for those of the outcome and those that beta and states read.
  virtual void backward(Compute& compute, const Trace<T>& trace) const = 0;

  // β: how much each position alone speaks for the right answer, (B, rows per example, positions). Empty where the
  // model has none: where has_beta() says no.
  virtual Cube<T> beta(Compute&, const Trace<T>&) const { return {}; }

  // What the model holds of each source position, (B, positions, width). Empty where it reads no words.
  virtual Cube<T> states(Compute&, const Trace<T>&) const { return {}; }

  // What some models can be asked beyond a pass (model/optional_queries.h): nullptr where this one cannot.
  virtual const HasInfluence<T>* as_influence() const { return nullptr; }
  virtual const GeneratesText<T>* as_generator() const { return nullptr; }
  virtual const HasHeadBetas<T>* as_head_betas() const { return nullptr; }
};

// A model's class is a template over the scalar; this registers both precisions.
template <template <class> class M>
struct RegisterModel {
  RegisterModel(const std::string& name, const std::string& summary)
      : float32(name, summary, [] { return std::make_unique<M<float>>(); }),
        float64(name, summary, [] { return std::make_unique<M<double>>(); }) {}
  Register<Model<float>> float32;
  Register<Model<double>> float64;
};

}  // namespace fovea
