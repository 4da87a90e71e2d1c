// Weights that a run has from another one: found by the store, checked when the model is there, and put in at their
// step. What is taken depends on the other run's hash alone, and so does the run's own hash.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "fovea/lab/intervention.h"
#include "fovea/lab/spec.h"
#include "fovea/nn/parameters.h"

namespace fovea {

class Store;

// Has the transplants of a spec name runs by their hash where they are named by their number. Throws wrong_input where
// the store has no such run, or not its weights.
void find_transplants(RunSpec& spec, const Store& store);

template <class T>
class Transplants {
 public:
  // Reads what is asked for from the folder of weights (lab/store_weights.h); throws wrong_input where a run is not
  // there, or has nothing of that name and shape.
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
