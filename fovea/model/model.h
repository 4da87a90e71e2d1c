// A model turns a batch into an outcome, and the outcome into gradients. It owns its parameters and knows which of them
// are attention's. It knows nothing of files, tasks or who called it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "fovea/base/registry.h"
#include "fovea/base/settings.h"
#include "fovea/data/batch.h"
#include "fovea/data/task.h"
#include "fovea/nn/compute.h"
#include "fovea/nn/parameters.h"

namespace fovea {

// Who decides where attention goes in a pass.
enum class Attend {
  learned,  // the model's own scores
  uniform,  // the same weight on everything present
  truth,    // batch.alignment or batch.marked (uniform over the marked); rows without truth stay learned
};

struct Pass {
  bool training = false;  // dropout on, batch statistics in use
  Attend attend = Attend::learned;
  std::uint64_t seed = 0;  // dropout draws from Stream(seed, "dropout", step, layer)
  std::uint64_t step = 0;
};

// What a pass gave. Views live in the compute arena until it is reset.
template <class T>
struct Outcome {
  double loss = 0;   // mean over rows (or over points)
  Matrix<T> scores;  // (rows, classes): a row per example, or per target word (B*T rows, batch-major); 2 classes may be
                     // one column: the logit of class 1
  std::span<const int> answers;  // (rows) right class of each row, -1 where there is none
  Cube<T> attention;             // (B, rows per example, positions); 0 on padding; empty for a model without attention
  Matrix<T> predictions;         // points: (queries, value width)
};

template <class T>
class HasInfluence;
template <class T>
class GeneratesText;

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

  virtual bool has_beta() const { return false; }

  // The fewest examples that an update can be made from.
  virtual int least_batch() const { return 1; }

  // Called once after the settings are read: declares all parameters for this task. Throws wrong_input where settings
  // contradict each other or the task. The caller finishes and initialises the set.
  virtual void build(const TaskShape& shape, ParameterSet<T>& parameters) = 0;

  // The batch must outlive backward(). Arrays come from compute.arena.
  virtual Outcome<T> forward(Compute& compute, const Batch& batch, const Pass& pass) = 0;

  // Adds d loss / d parameter to the gradients, for the last forward (of a training pass).
  virtual void backward(Compute& compute) = 0;

  // β: how much each position alone speaks for the right answer, (B, rows per example, positions), for the last
  // forward. Empty where the model has none: where has_beta() says no.
  virtual Cube<T> beta(Compute&) { return {}; }

  // What the model holds of each source position, (B, positions, width), for the last forward. Empty where it reads no
  // words.
  virtual Cube<T> states(Compute&) { return {}; }

  // What some models can be asked beyond a pass (model/optional_queries.h): nullptr where this one cannot.
  virtual HasInfluence<T>* as_influence() { return nullptr; }
  virtual GeneratesText<T>* as_generator() { return nullptr; }
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
