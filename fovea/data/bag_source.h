// BagSource: examples as bags, i.e. the words of the input and of the output, in no order (room data). Predictions
// (theory/prediction, theory/cooccurrence.h) read it. While attention is uniform, a model can distinguish nothing
// else. Read-only.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fovea/base/team.h"
#include "fovea/data/task.h"

namespace fovea {

// One example: ids of its words as they stand, and of its outputs: the words of the answer, or its one class.
struct BagPair {
  std::int64_t number = 0;  // of the example, from 0
  std::span<const int> input, output;
};

class BagSource {
 public:
  enum class Outputs { classes, words };
  // Called from several threads at once, `worker` telling them apart: 0 … team.threads()-1.
  using Visit = std::function<void(int worker, const BagPair& pair)>;
  using Progress = std::function<void(std::int64_t done, std::int64_t of)>;  // of one pass over the examples

  virtual ~BagSource() = default;

  virtual Outputs outputs_are() const = 0;
  virtual int inputs() const = 0;  // input ids are 0 … inputs()-1
  virtual int outputs() const = 0;
  virtual std::string input_word(int id) const = 0;
  virtual std::string output_word(int id) const = 0;
  virtual std::int64_t size() const = 0;  // examples

  // A text of somebody's own, cut into words as those of the examples are (of inputs or outputs).
  virtual std::vector<std::string> cut(std::string_view text) const { return split_at_whitespace(text); }

  // Every example once, with the same number in every pass; in no order, so what a visitor adds up must not depend on
  // it.
  virtual void each(Team& team, const Visit& visit, const Progress& progress = {}) const = 0;
};

// The training examples of a task: all of them where they are finite, else the first `fresh` ones. The tokens that open
// and close every sequence are left out. Throws wrong_input where the task does not give tokens. The task must outlive
// it.
std::unique_ptr<BagSource> task_bags(const Task& task, std::int64_t fresh);

}  // namespace fovea
