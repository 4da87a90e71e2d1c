// What a task hands to a model. One struct for all systems; a task fills the parts its kind has and leaves the others
// empty. The vectors keep their memory from batch to batch.
#pragma once

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <string>
#include <vector>

#include "fovea/math/view.h"

namespace fovea {

// Which parts of a batch are there. A model says which kind it takes.
enum class Kind {
  labelled_tokens,   // source, labels
  token_pairs,       // source, target
  labelled_vectors,  // items (one per example), labels
  labelled_bags,     // items (several per example), labels
  points,            // keys, values, queries, answers: one set of them, or of each example its own
  token_streams,     // source, target: what to say at each place, of which it and those before it tell
  accesses,          // source: (counter, page, offset) of each access of a window; target: page and offset of the next
};
inline bool has_source(Kind kind) {
  return kind == Kind::labelled_tokens || kind == Kind::token_pairs || kind == Kind::token_streams;
}
inline bool has_target(Kind kind) { return kind == Kind::token_pairs || kind == Kind::token_streams; }
std::string kind_name(Kind kind);  // "labelled token sequences", …

// Token sequences (B, longest), padded with -1 behind each row's length.
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
};

// Real vectors (B, most items, width), zero behind each row's count: in `values`, or, from a task that keeps its
// examples, where they are kept.
struct Items {
  int rows = 0;
  int columns = 0;  // items per example, at most
  int width = 0;
  std::vector<float> values;        // empty where there are lines
  std::vector<const float*> lines;  // (B, most items) or empty; they last as long as the task
  std::vector<int> lengths;

  void resize(int new_rows, int new_columns, int new_width) {
    resize_unset(new_rows, new_columns, new_width);
    std::fill(values.begin(), values.end(), 0.0f);
  }
  // For those who set every value: what is there before means nothing.
  void resize_unset(int new_rows, int new_columns, int new_width) {
    shape(new_rows, new_columns, new_width);
    lines.clear();
    values.resize(static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns) * static_cast<std::size_t>(width));
  }
  // For those who set every line.
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
  std::vector<float> first(int count) const;  // rows, wherever they stand

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
  Tokens target;            // token_pairs: what the decoder must say, end token included; token_streams: what is to be
                            // said at each place of the source, -1 where nothing is asked
  Items items;              // vectors, bags; points: the keys, as one row of n items, or one for each example
  Items values, queries;    // points: as many rows of n values, m queries
  Items answers;            // points: the truth at the queries, where the task knows it
  std::vector<int> labels;  // (B) class of each example, from 0

  // Where the answer stands, for tasks that know it (else empty).
  std::vector<int> alignment;  // token_pairs, token_streams: (B, target.columns) source position of each target word,
                               // -1 for none
  std::vector<std::uint8_t> marked;  // tokens, bags: (B, columns), vectors: (B, width); 1 at the positions, items or
                                     // features that decide the label
  int pattern_width = 0;             // token_streams whose answers need several places: at most so many each
  std::vector<int> pattern;          // (B, target.columns, pattern_width) these places, -1 behind the last
  std::vector<float> truth;          // token_streams whose task knows the distribution that each target was drawn from:
                                     // (B, target.columns, target_vocab), 0 where nothing is asked; only for its ladder

  std::vector<int> scratch;  // for the task that fills the batch; means nothing to anyone else
};

}  // namespace fovea
