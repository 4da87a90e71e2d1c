// EvidenceOf: reads the arrays that the probe `evidence` recorded of a run (room lab/analysis). Measures, example
// views and predicted attention of this room use it. Reads records only.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "fovea/base/error/error.h"
#include "fovea/lab/record/record.h"

namespace fovea {

// One quantity at one look: rows one behind the other.
struct Evidence {
  std::int64_t step = 0;
  std::vector<double> values;
};

// What the rows are: which examples, how long.
struct EvidenceRows {
  std::vector<std::size_t> begins;    // (rows + 1) where each starts in the values
  std::vector<std::size_t> examples;  // (rows) which example each is of
  std::vector<float> source;          // words, example by example: a row's positions are those of its example
  std::vector<float> target, labels;  // words, one a row; or the classes of the examples
  // Where the rows, the positions and the words of an example stand.
  struct Example {
    std::size_t first_row = 0, rows = 0;
    std::size_t first_word = 0, length = 0;  // in `source`
  };
  std::vector<Example> by_example() const;

  std::size_t count() const { return examples.size(); }
  std::size_t example_count() const { return examples.empty() ? 0 : examples.back() + 1; }
  std::span<const double> row(const Evidence& evidence, std::size_t i) const {
    return std::span(evidence.values).subspan(begins[i], begins[i + 1] - begins[i]);
  }
  bool operator==(const EvidenceRows&) const = default;
};

// The error for a run that was trained without the probe.
Error without_evidence(const RunRecord& run);

class EvidenceOf {
 public:
  // Throws wrong_input for a run that has none.
  EvidenceOf(const RunRecord& run, FetchArrays fetch);

  const EvidenceRows& rows() const { return rows_; }
  std::vector<Evidence> all(const std::string& name) const;  // of "alpha", "beta", "delta": a look each, in order
  std::vector<Evidence> answers() const;  // the model's tag of each row at each look; none if rows have no tags

  // The maps of attention that it is of: "attention", whose evidence is "alpha", and further ones NAME: "alpha.NAME".
  std::vector<std::string> maps() const;

 private:
  std::vector<Evidence> looks(const std::string& name, std::size_t count) const;

  std::int64_t run_;
  FetchArrays fetch_;
  EvidenceRows rows_;
};

}  // namespace fovea
