// TrainState: everything of a training that changes from step to step, to tensors and back (room lab/train). The
// CheckpointKeeper and lab/store/live_runs.cpp use it. Random numbers have no state (base/random.h). Batches and
// interventions are functions of the step. The rest is
//
//   NAME                        the parameters, as the model names them, statistics of batch norm included
//   first_moment NAME           the optimiser's, and second_moment NAME
//   optimizer steps             (2) updates that each group has had
//   course                      (2) loss of the last update, flow time
//   attention                   (3) the memory of the attention recorder
//   probe NAME                  the memory of a probe that has one
//   steps NAME, series NAME     the record so far: a pair for each series,
//   checkpoint STEP/NAME        the weights that train.checkpoints kept so far
//   arrays, array table         and all arrays, one after the other: which name, step, rank and sizes each has
//
// and in the metadata the spec, its hash, when and with what it was made.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "fovea/io/safetensors.h"
#include "fovea/lab/record/record.h"
#include "fovea/lab/spec/train_settings.h"
#include "fovea/lab/train/recorder.h"
#include "fovea/nn/optimizer/optimizer.h"
#include "fovea/nn/parameters.h"

namespace fovea {

// What a checkpoint says of its run, in training when it was written. Throws wrong_input where it says too little.
RunRecord record_of(const TensorFile& checkpoint);
int arithmetic_of(const TensorFile& checkpoint);  // 0 where it says none

template <class T>
struct TrainState {
  ParameterSet<T>& parameters;
  Optimizer<T>& optimizer;
  std::vector<NamedProbe>& probes;
  AttentionRecorder& attention;
  RunRecord& record;  // its steps are the updates done
  double& train_loss;
  double& time;

  // Calls write(tensors, metadata); the tensors' bytes are there until it returns.
  template <class Write>
  void save(Write&& write) const {
    Pieces pieces;
    collect(pieces);
    write(pieces.tensors, pieces.metadata);
  }

  // Throws wrong_input where the file does not fit this run; then nothing but probes' memories has changed, and those
  // are set anew by a first look.
  void restore(const TensorFile& file);

 private:
  struct Pieces {
    std::vector<Tensor> tensors;
    std::map<std::string, std::string> metadata;
    std::vector<double> course;
    std::vector<std::int64_t> attention, array_table;
    std::vector<float> arrays;
    std::vector<std::vector<double>> memories;  // of probes
  };
  void collect(Pieces& pieces) const;
};

}  // namespace fovea
