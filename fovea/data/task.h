// A task gives batches (room data). A batch is a pure function of (seed, split, step), so batches can be made in any
// order. The trainer, the evaluator and predictions read tasks; a task reads only its settings, its seed and its
// files.
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

// The sizes that a model needs to be built for a task.
struct TaskShape {
  Kind kind = Kind::labelled_tokens;
  int vocab = 0;           // source tokens are 0 .. vocab-1 (special tokens included)
  int target_vocab = 0;    // token_pairs, token_streams: target tokens are 0 .. target_vocab-1; tagged_tokens: tags
  int features = 0;        // tagged_tokens: features are 0 .. features-1
  int start_token = -1;    // token_pairs: first input of the decoder
  int end_token = -1;      // token_pairs: last token of source and target
  int unknown_token = -1;  // token of all words outside the vocabulary
  int classes = 0;         // labels are 0 .. classes-1
  int width = 0;           // numbers per item, vector or key
  int value_width = 0;     // points: numbers per value
  int query_width = 0;     // points: numbers per query, if it differs from a key
  int most_items = 0;      // bags: the largest bag; points: those of each example, 0 if a batch is one set
  int longest = 0;         // token_streams: the largest number of positions
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

  // Called when the spec of a new run is completed, after its settings are read. Settings that name something outside
  // the spec (a corpus) get its digest too, so that one spec always means the same data.
  virtual void pin() {}

  // Called once after the settings are read, before anything else. Checks settings against each other (throws
  // wrong_input) and makes what all batches share.
  virtual void prepare(std::uint64_t seed) = 0;

  virtual TaskShape shape() const = 0;

  // Fills `batch` with `size` examples. Training batches of different steps are fresh draws, or follow shuffled epochs
  // of finite data. For validation and test, `step` counts slices: a finite split ends with smaller (then empty)
  // batches. The function is const and has no hidden state: several threads can call it with different batches.
  virtual void batch(Split split, std::uint64_t step, int size, Batch& batch) const = 0;

  // Examples in a split; 0 when every batch is fresh.
  virtual std::int64_t examples(Split) const { return 0; }

  // Readable names of a token of the source (or target), of a class, of a feature.
  virtual std::string word(int token) const { return std::to_string(token); }
  virtual std::string target_word(int token) const { return word(token); }
  virtual std::string class_name(int label) const { return std::to_string(label); }

  // For tasks whose targets people wrote (data/text/reference_text.h); otherwise nullptr.
  virtual const WrittenTargets* written_targets() const { return nullptr; }

  // For tasks with known predictions without attention (data/ladder.h); otherwise nullptr.
  virtual const Ladder* ladder() const { return nullptr; }

  // For tasks whose keys are a map of the queries (data/two_spaces.h); otherwise nullptr.
  virtual const TwoSpaces* two_spaces() const { return nullptr; }

  // For tasks with a law from which more is computed (data/tasks/exact/laws.h); otherwise nullptr.
  virtual const RegressionLaw* regression_law() const { return nullptr; }
  virtual const SparseLaw* sparse_law() const { return nullptr; }

  // For tasks on memory accesses: predictions of tables (data/prefetchers.h); otherwise nullptr.
  virtual const Prefetchers* prefetchers() const { return nullptr; }

  // Splits a user's text into words (of source or target), as the task splits its own texts. Unknown words are
  // included.
  virtual std::vector<std::string> cut(std::string_view text) const { return split_at_whitespace(text); }
};

}  // namespace fovea
