// Makes batches from dicts of arrays, which a task or an estimator in Python gives (folder python/src). applying.cpp,
// observing.cpp, own_task.cpp and texts.cpp of this folder call it. Arrays are copied.
//
//   labelled_tokens   source (B,L) whole numbers, -1 behind a row's end; labels (B); marked (B,L) if it is known
//   token_pairs       source, target (B,T); alignment (B,T) if it is known, -1 for none
//   labelled_vectors  items (B,D); labels
//   labelled_bags     items (B,N,D); lengths (B), else all N are present; labels
//   points            keys (N,D), values (N,V), queries (M,D); answers (M,V) if they are known
#pragma once

#include <pybind11/pybind11.h>

#include <string>

#include "fovea/data/batch.h"
#include "fovea/data/task.h"

namespace fovea::python {

namespace py = pybind11;

// Arrays are copied into the batch. Throws wrong_input for a missing part, a wrong shape or dtype, a token or label
// that the shape does not have; `owner` names who gave it.
void fill_batch(const TaskShape& shape, const py::dict& parts, const std::string& owner, Batch& batch);

Kind kind_of(const std::string& name);
TaskShape shape_of(const py::dict& facts);
py::dict facts_of(const TaskShape& shape);  // of its sizes, all of them

}  // namespace fovea::python
