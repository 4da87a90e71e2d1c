// A model turns a batch into a trace, and the trace into gradients (room model). The trainer, the evaluator, probes
// and the Python package call it. It has settings and parameters, and states which parameters belong to attention. It
// stores nothing of a call: between updates, several threads can use one model, each with its own Compute. (Two
// functions write to shared data: a training pass of batch norm updates its running statistics, which are parameters,
// and backward adds to the gradients.) A model reads no files, and does not depend on tasks or callers.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

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

  // How attention behaves on a batch such as this, with the model's settings (known once it is built): there is none,
  // it is always uniform, or it follows scores.
  enum class Attends { no, evenly, by_score };
  virtual Attends attends(const Batch&) const { return Attends::by_score; }

  // The heads with their own rules (nn/attention/attention_rule.h). Empty for a model that can only hold all of its
  // attention at once. A model with one attention map has layer 1, head 1.
  struct Heads {
    std::vector<int> each;  // of each layer, how many
    bool causal = false;    // rows are positions, which attend to themselves and to earlier positions
    bool copies = false;    // heads of the last layer can copy tokens

    int layers() const { return static_cast<int>(each.size()); }
  };
  virtual Heads heads() const { return {}; }

  // The meaning of rows and columns of all its maps.
  virtual AttentionMeaning attention_meaning() const { return fovea::attention_meaning(takes()); }

  virtual bool has_beta() const { return false; }

  // The smallest number of examples of an update.
  virtual int least_batch() const { return 1; }

  // Called once after the settings are read: declares all parameters for this task. Throws wrong_input if settings
  // contradict each other or the task. The caller finishes and initialises the set.
  virtual void build(const TaskShape& shape, ParameterSet<T>& parameters) = 0;

  // The trace is valid until compute.arena is reset. The batch must outlive it.
  virtual Trace<T> forward(Compute& compute, const Batch& batch, const Pass& pass) const = 0;

  // Adds d loss / d parameter to the gradients. Call it once for each trace of a training pass: it overwrites arrays of
  // the trace, except those of the outcome and those that beta and states read.
  virtual void backward(Compute& compute, const Trace<T>& trace) const = 0;

  // β: the evidence of each position alone for the right answer, (B, rows per example, positions). Empty if has_beta()
  // is false.
  virtual Cube<T> beta(Compute&, const Trace<T>&) const { return {}; }

  // The model's state at each source position, (B, positions, width). Empty for a model that reads no words.
  virtual Cube<T> states(Compute&, const Trace<T>&) const { return {}; }

  // Optional queries beyond a pass (model/optional_queries.h): nullptr if the model does not support one.
  virtual const HasInfluence<T>* as_influence() const { return nullptr; }
  virtual const GeneratesText<T>* as_generator() const { return nullptr; }
  virtual const HasHeadBetas<T>* as_head_betas() const { return nullptr; }
};

// Registers a model, a template over the scalar, in both precisions.
template <template <class> class M>
struct RegisterModel {
  RegisterModel(const std::string& name, const std::string& summary)
      : float32(name, summary, [] { return std::make_unique<M<float>>(); }),
        float64(name, summary, [] { return std::make_unique<M<double>>(); }) {}
  Register<Model<float>> float32;
  Register<Model<double>> float64;
};

}  // namespace fovea
