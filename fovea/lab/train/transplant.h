// Weights that a run has from another one: found by the store, checked when the model is there, and put in at their
// step. What is taken depends on the other run's hash alone, and so does the run's own hash.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "fovea/lab/record/run_spec.h"
#include "fovea/lab/spec/intervention.h"
#include "fovea/nn/parameters.h"

namespace fovea {

template <class T>
class Transplants {
 public:
  // Reads what is asked for from the folder of weights (lab/train/weight_files.h); throws wrong_input where a run is
  // not there, or has nothing of that name and shape.
  Transplants(const std::vector<Transplant>& asked, const std::filesystem::path& folder, ParameterSet<T>& parameters);

  void put_in(std::int64_t step) const;  // those of this step

 private:
  struct Piece {
    std::int64_t at;
    std::span<T> to;
    std::vector<T> values;
  };
  std::vector<Piece> pieces_;
};

}  // namespace fovea
