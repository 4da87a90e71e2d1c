// ExampleView: one example of a run with its words, and the attention, β and influence of each, from the record of
// the probe `evidence` (room lab/analysis). `fovea inspect` and the report shade it (view/terminal/shades.h). Reads
// records only.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "fovea/lab/analysis/evidence.h"
#include "fovea/lab/store/vocabulary_cache.h"

namespace fovea {

struct ExampleView {
  std::int64_t run = 0, step = 0;
  int example = 0;                   // from 1
  std::vector<std::string> source;   // its words
  std::vector<std::string> target;   // of a translation: the right words, the end included; tags of words; else empty
  bool tagged = false;               // the target has the right tag of each word
  std::vector<std::string> answers;  // of tags: the model's; empty in runs that did not record them
  std::string label;                 // of a classification: the right class
  struct Quantity {
    std::string name;                       // "α", "β", "Δ"
    bool log_probability = false;           // β of several classes and of words: 0 is certain
    std::vector<std::vector<double>> rows;  // one, or one a target word; over the source
  };
  std::vector<Quantity> quantities;
  std::string row;                // if only one row was wanted: which, in words
  std::string map = "attention";  // which map of attention α is
  std::vector<std::string> maps;  // all that there are, where there are several
};

// What of it is wanted.
struct ExampleChoice {
  int example = 1;  // counts from 1
  std::string map = "attention";
  std::optional<int> row;            // a target word, or a position of a stream, from 1; none: all of them
  std::optional<std::int64_t> step;  // the last look up to it; none: the last of all
};

// Throws wrong_input for a run without evidence, for an example, a row or a step that it did not look at, and for a map
// that its attention does not have.
ExampleView view_example(const RunRecord& run, const FetchArrays& fetch, const VocabularyCache& kept,
                         const ExampleChoice& choice);

}  // namespace fovea
