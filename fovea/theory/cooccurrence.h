// Co-occurrence of the words of the input with the outputs, over all of the data (docs/reference/prediction.md)
// (room theory). signal.h, course.h and the candidates of theory/prediction are computed from it. It reads a
// BagSource.
//
//   C_io = Cov(how often i is in the input, how often o is in the output)
//
// While attention is uniform, C is all that a model learns from the data, once its bias has the frequency of each
// output. The slope of the loss by the weight from i to o is then -C_io, up to a factor. docs/reference/prediction.md
// has the steps.
#pragma once

#include <cstdint>
#include <vector>

#include "fovea/data/bag_source.h"

namespace fovea {

// Pairs of words are counted for one input word for every so many examples: among more, chance explains any output.
constexpr int examples_a_word = 4;

struct CooccurrenceOptions {
  int words = 1024;               // the most frequent inputs, and outputs, whose pairs are counted
  std::int64_t sample = 500'000;  // examples whose pairs are counted: drawn where there are more (theory/sample.h)
};

// Second moments of the counts of kept words. A word's rank is its place among the kept ones, by falling frequency.
struct Cooccurrence {
  std::int64_t examples = 0, sampled = 0;
  std::size_t left_out = 0;                     // inputs that are not kept, by examples_a_word
  double input_length = 0, output_length = 0;   // mean over the sample
  std::vector<int> inputs, outputs;             // ids of the kept words, by rank
  std::vector<double> input_mean, output_mean;  // of the counts
  std::vector<double> output_fourth;            // (outputs) fourth central moment of the counts
  std::vector<double> crossed;                  // (inputs, outputs) C
  std::vector<double> among_inputs;             // (inputs, inputs) Cov of two inputs' counts
  std::vector<double> output_variance;          // (outputs)
  std::vector<double> input_with_length;        // (inputs) Cov with the length of the input; likewise:
  std::vector<double> output_with_length;
  double length_variance = 0;

  // For classes alone, over all examples: how often each word stands in each class, (input ids, classes), for the first
  // ids up to ten million counts. Ids of text are given by frequency.
  std::vector<std::int64_t> class_counts;

  std::size_t in() const { return inputs.size(); }
  std::size_t out() const { return outputs.size(); }
  double cross(std::size_t i, std::size_t o) const { return crossed[i * out() + o]; }
  double input_variance(std::size_t i) const { return among_inputs[i * in() + i]; }
  // Mean count of i over the inputs of the outputs o: E[count_i count_o] / E[count_o].
  double given(std::size_t i, std::size_t o) const { return input_mean[i] + cross(i, o) / output_mean[o]; }
  double correlation(std::size_t i, std::size_t o) const;  // 0 where one of them does not vary
};

// Two passes over the source. All sums are of whole numbers, so the result does not depend on the team. Memory is
// bounded by the vocabulary and `words` squared. Throws wrong_input where there is nothing to count.
Cooccurrence measure_cooccurrence(const BagSource& source, Team& team, const CooccurrenceOptions& options = {},
                                  const BagSource::Progress& progress = {});

}  // namespace fovea
