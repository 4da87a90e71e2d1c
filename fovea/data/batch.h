// Batch: the data that a task passes to a model (room data). Tasks fill it. Models, probes and the evaluator read it.
// One struct serves all systems: a task fills the parts of its kind, and leaves the others empty. The vectors keep
// their memory from batch to batch.
#pragma once

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <string>
#include <vector>

#include "fovea/math/view.h"

namespace fovea {

// The parts that a batch has. A model states which kind it needs.
enum class Kind {
  labelled_tokens,   // source, labels
  token_pairs,       // source, target
  labelled_vectors,  // items (one per example), labels
  labelled_bags,     // items (several per example), labels
  points,            // keys, values, queries, answers: one set of them, or one set for each example
  token_streams,     // source, target: the answer at each position, which depends on this and earlier positions
  tagged_tokens,     // source, target: the tag of each position, which depends on all of them; features
  accesses,          // source: (counter, page, offset) of each access of a window; target: page and offset of the next
};
inline bool has_source(Kind kind) {
  return kind == Kind::labelled_tokens || kind == Kind::token_pairs || kind == Kind::token_streams ||
         kind == Kind::tagged_tokens;
}
inline bool has_target(Kind kind) {
  return kind == Kind::token_pairs || kind == Kind::token_streams || kind == Kind::tagged_tokens;
}
std::string kind_name(Kind kind);  // "labelled token sequences", …

// Token sequences (B, longest), padded with -1 after each row's end.
struct Tokens {
  int rows = 0;
  int columns = 0;
  std::vector<int> ids;
  std::vector<int> lengths;

  void resize(int new_rows, int new_columns) {
    rows = new_rows;
    columns = new_columns;
    ids.assign(static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns), -1);
    lengths.assign(static_cast<std::size_t>(rows), columns);
  }
  int& at(int row, int column) {
    return ids[static_cast<std::size_t>(row) * static_cast<std::size_t>(columns) + static_cast<std::size_t>(column)];
  }
  int at(int row, int column) const {
    return ids[static_cast<std::size_t>(row) * static_cast<std::size_t>(columns) + static_cast<std::size_t>(column)];
  }
  // The tokens of a row, without its padding.
  std::span<int> row(int row) { return std::span(ids).subspan(begin(row), length(row)); }
  std::span<const int> row(int row) const { return std::span(ids).subspan(begin(row), length(row)); }

 private:
  std::size_t begin(int row) const { return static_cast<std::size_t>(row) * static_cast<std::size_t>(columns); }
  std::size_t length(int row) const { return static_cast<std::size_t>(lengths[static_cast<std::size_t>(row)]); }
};

// Real vectors (B, most items, width), zero after each row's count. They are in `values`, or, if the task stores its
// examples, in the task's memory.
struct Items {
  int rows = 0;
  int columns = 0;  // largest number of items of an example
  int width = 0;
  std::vector<float> values;        // empty where there are lines
  std::vector<const float*> lines;  // (B, most items) or empty; valid as long as the task
  std::vector<int> lengths;

  void resize(int new_rows, int new_columns, int new_width) {
    resize_unset(new_rows, new_columns, new_width);
    std::fill(values.begin(), values.end(), 0.0f);
  }
  // For callers that set every value: the earlier content is undefined.
  void resize_unset(int new_rows, int new_columns, int new_width) {
    shape(new_rows, new_columns, new_width);
    lines.clear();
    values.resize(static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns) * static_cast<std::size_t>(width));
  }
  // For callers that set every line.
  void resize_lines(int new_rows, int new_columns, int new_width) {
    shape(new_rows, new_columns, new_width);
    values.clear();
    lines.resize(static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns));
  }
  float* item(int row, int column) {
    assert(lines.empty());
    return values.data() + number(row, column) * static_cast<std::size_t>(width);
  }
  const float* item(int row, int column) const {
    return lines.empty() ? const_cast<Items*>(this)->item(row, column) : lines[number(row, column)];
  }
  std::vector<float> first(int count) const;  // rows, from either storage

 private:
  std::size_t number(int row, int column) const {
    return static_cast<std::size_t>(row) * static_cast<std::size_t>(columns) + static_cast<std::size_t>(column);
  }
  void shape(int new_rows, int new_columns, int new_width) {
    rows = new_rows;
    columns = new_columns;
    width = new_width;
    lengths.assign(static_cast<std::size_t>(rows), columns);
  }
};

struct Batch {
  int size = 0;  // examples

  Tokens source;
  Tokens target;            // token_pairs: the output of the decoder, end token included; token_streams: the answer
                            // at each position of the source, -1 if there is no question; tagged_tokens: the tags
  Items items;              // vectors, bags; points: the keys, as one row of n items, or one for each example
  Items values, queries;    // points: as many rows of n values, m queries
  Items answers;            // points: the truth at the queries, if the task has it
  std::vector<int> labels;  // (B) class of each example, from 0

  int feature_width = 0;      // tagged_tokens: features of each word besides its token, such as its ending
  std::vector<int> features;  // (B, source.columns, feature_width), -1 on padding

  // The positions that determine the answer, for tasks that know them (otherwise empty).
  std::vector<int> alignment;  // token_pairs, token_streams: (B, target.columns) source position of each target word,
                               // -1 for none
  std::vector<std::uint8_t> marked;  // tokens, bags: (B, columns), vectors: (B, width); 1 at the positions, items or
                                     // features that determine the label
  int pattern_width = 0;             // token_streams whose answers need several positions: the most for one answer
  std::vector<int> pattern;          // (B, target.columns, pattern_width) these positions, -1 after the last
  std::vector<float> truth;          // token_streams with a known distribution of each target:
                                     // (B, target.columns, target_vocab), 0 without a question; its ladder reads it

  std::vector<int> scratch;  // for the task that fills the batch; no other part reads it
};

}  // namespace fovea
