// A task gives batches: a pure function of (seed, split, step), so any batch can be had at any time, in any order.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "fovea/base/settings.h"
#include "fovea/data/batch.h"
#include "fovea/io/whitespace.h"

namespace fovea {

enum class Split { train, validation, test };

// What a model must know to be built for a task.
struct TaskShape {
  Kind kind = Kind::labelled_tokens;
  int vocab = 0;           // source tokens are 0 .. vocab-1 (special tokens included)
  int target_vocab = 0;    // token_pairs, token_streams: target tokens are 0 .. target_vocab-1
  int start_token = -1;    // token_pairs: what the decoder is fed first
  int end_token = -1;      // token_pairs: what closes a sequence, of source and target
  int unknown_token = -1;  // what stands for every word that the vocabulary lacks
  int classes = 0;         // labels are 0 .. classes-1
  int width = 0;           // numbers per item, vector or key
  int value_width = 0;     // points: numbers per value
  int query_width = 0;     // points: numbers per query, where it is not as wide as a key
  int most_items = 0;      // bags: the largest bag; points: those of each example, 0 where a batch is one set of them
  int longest = 0;         // token_streams: the most places
  int counters = 0;        // accesses: counters, pages and offsets are 0 .. counters-1 and so on; the target's too
  int pages = 0, offsets = 0;
};

struct TwoSpaces;
class Prefetchers;
class WrittenTargets;
class Ladder;
class RegressionLaw;
class SparseLaw;

class Task {
 public:
  virtual ~Task() = default;

  virtual void settings(Fields& fields) = 0;

  // Called when the spec of a new run is completed, after its settings are read: what they name that lies outside the
  // spec (a corpus) is put down by its content too, so that one spec is the same data for ever.
  virtual void pin() {}

  // Called once, after the settings are read and before anything else. Checks what one setting says about another
  // (throws wrong_input) and makes what all batches share.
  virtual void prepare(std::uint64_t seed) = 0;

  virtual TaskShape shape() const = 0;

  // Fills `batch` with `size` examples. Training batches of different steps are fresh draws, or follow shuffled epochs
  // where the data are finite. For validation and test, `step` counts slices: a finite split ends with smaller (then
  // empty) batches. Const and free of hidden state: may be called from several threads with different batches.
  virtual void batch(Split split, std::uint64_t step, int size, Batch& batch) const = 0;

  // Examples in a split; 0 when every batch is fresh.
  virtual std::int64_t examples(Split) const { return 0; }

  // How a person reads a token of the source (or target), a class, a feature.
  virtual std::string word(int token) const { return std::to_string(token); }
  virtual std::string target_word(int token) const { return word(token); }
  virtual std::string class_name(int label) const { return std::to_string(label); }

  // Of tasks whose targets were written by people (data/text/reference_text.h); else nullptr.
  virtual const WrittenTargets* written_targets() const { return nullptr; }

  // Of tasks for which what one may know without attention is known (data/ladder.h); else nullptr.
  virtual const Ladder* ladder() const { return nullptr; }

  // Of tasks whose keys are a map of what queries are (data/two_spaces.h); else nullptr.
  virtual const TwoSpaces* two_spaces() const { return nullptr; }

  // Of tasks whose examples follow a law from which more is computed (data/tasks/exact/laws.h); else nullptr.
  virtual const RegressionLaw* regression_law() const { return nullptr; }
  virtual const SparseLaw* sparse_law() const { return nullptr; }

  // Of tasks on memory accesses: what tables predict (data/prefetchers.h); else nullptr.
  virtual const Prefetchers* prefetchers() const { return nullptr; }

  // A text of somebody's own cut into words (of source or target) as the task cuts its texts; those it does not know,
  // too.
  virtual std::vector<std::string> cut(std::string_view text) const { return split_at_whitespace(text); }
};

}  // namespace fovea
