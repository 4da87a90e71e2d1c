// Word vectors of a file as a run's first embeddings: matched to its vocabulary, word by word.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "fovea/data/task.h"
#include "fovea/lab/spec/intervention.h"
#include "fovea/nn/parameters.h"

namespace fovea {

// Has each file named from the root of the file system and by what it holds, where that is left open.
void pin_embeddings(Interventions& interventions);

template <class T>
class Embeddings {
 public:
  // Reads what is asked for, and puts it into the parameters, which must stay where they are. Throws wrong_input where
  // the file is not the one that was pinned, is malformed or of another width, or knows no word of the task; where the
  // model has no such table.
  Embeddings(const std::vector<Embed>& asked, const Task& task, ParameterSet<T>& parameters);

  void keep_frozen() const;  // an update moves every row; those that are frozen are put back

  std::int64_t words() const { return words_; }  // that could have a vector
  double share_found() const { return static_cast<double>(found_) / static_cast<double>(words_); }

 private:
  void put_in(const Embed& embed, const Task& task, ParameterSet<T>& parameters);

  std::vector<std::span<T>> frozen_;  // rows, and one after the other what they hold
  std::vector<T> values_;
  std::int64_t found_ = 0, words_ = 0;
};

}  // namespace fovea
