// UpdateEngine: the interface of another program that computes the loss of an update and its gradients (room
// lab/train). engine_gradients.h calls it; lab/engine/python_engine.h implements it. Batches, parameters, optimiser,
// interventions, probes and checkpoints stay in the training loop. Messages are safetensors (io/safetensors.h), one
// question and one answer. engine_gradients.cpp lists them.
#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "fovea/base/error/error.h"
#include "fovea/io/safetensors.h"

namespace fovea {

// The engine cannot be started: a failure before training, so that no run is stored.
class EngineMissing : public Error {
 public:
  EngineMissing(Message what, Remedy remedy) : Error(Kind::failure, std::move(what), std::move(remedy), {}) {}
};

// What an engine is to one run, on one thread.
class EngineLink {
 public:
  virtual ~EngineLink() = default;
  // Sends a message and waits for the answer. Throws wrong_input or failure if the engine cannot be had.
  virtual TensorFile ask(std::span<const Tensor> tensors, const std::map<std::string, std::string>& metadata) = 0;
};

// Several threads may ask for links at once.
class UpdateEngine {
 public:
  virtual ~UpdateEngine() = default;
  virtual std::unique_ptr<EngineLink> link(const std::string& engine) = 0;
};

}  // namespace fovea
