// Watcher: the interface of a program that watches or changes every update of a training (room lab/train). The
// TrainLoop calls it, and Python's callbacks (python/src/watching.h) implement it. A spec cannot express this. A run
// that is only watched has the same bits. A run that is changed belongs to the caller alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "fovea/base/error/value.h"
#include "fovea/data/batch.h"
#include "fovea/model/model.h"

namespace fovea {

// Memory of the training itself, float or double. It is good while `owner` lives: what belongs to one step (attention,
// β) then stays as it is, parameters and gradients go on with the training.
struct StepArray {
  const void* data = nullptr;  // none: there is no such array
  std::vector<Index> shape;
  bool float64 = false;
  std::shared_ptr<const void> owner;
};

// An update in the making: forward and backward are done, the parameters have not moved yet.
class StepView {
 public:
  virtual ~StepView() = default;

  virtual std::int64_t step() const = 0;  // updates done before this one
  virtual std::int64_t of() const = 0;
  virtual double loss() const = 0;
  virtual std::shared_ptr<const Batch> batch() const = 0;
  virtual StepArray attention() = 0;  // (B, rows, positions)
  virtual StepArray beta() = 0;       // the same; computed when it is asked for

  virtual std::size_t parameters() const = 0;
  virtual const std::string& parameter_name(std::size_t i) const = 0;
  virtual StepArray parameter(std::size_t i) = 0;
  virtual StepArray gradient(std::size_t i) = 0;
};

// Called on the thread that trains.
class Watcher {
 public:
  virtual ~Watcher() = default;
  // Asked before each update: stops the run there, as TrainHooks::stop does.
  virtual bool ended() const { return false; }
  // What is done to update `step` beside what the spec declares, as a spec lists it. A contradiction of the two is an
  // error. Asked once, before the evaluation at that moment.
  virtual ValueList interventions(std::int64_t) { return {}; }
  virtual void watch(StepView&) {}
  // Whether watch() does anything.
  virtual bool watches() const { return true; }
};

}  // namespace fovea
