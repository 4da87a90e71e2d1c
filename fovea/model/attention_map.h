// The meaning of a model's attention: named maps, and what their rows and columns stand for (room model). Each model
// declares it once. Traces (trace.h), figures, the store and the page read it. A head or a layer is a map, never a
// row.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "fovea/data/batch.h"
#include "fovea/math/view.h"

namespace fovea {

// What a row of a model's maps stands for: (rows per example) in brackets.
enum class AttentionRows {
  example,      // the example itself (1)
  target_word,  // a word of the target (target.columns)
  query,        // a query (queries.columns)
  position,     // a position of the source that attends to those before it (source.columns)
  access,       // an access of a window (source.columns / 3)
  glimpse,      // a look at part of an image, in their order (the model's own number)
};
// And what a column does, which is where attention goes.
enum class AttentionColumns { source_word, item, feature, key, expert, pixel };

struct AttentionMeaning {
  AttentionRows rows = AttentionRows::example;
  AttentionColumns columns = AttentionColumns::source_word;
  bool operator==(const AttentionMeaning&) const = default;
};

// As interfaces for programs name them: "target_word", "source_word".
std::string_view key_of(AttentionRows rows);
std::string_view key_of(AttentionColumns columns);

// That of the models that take such batches.
AttentionMeaning attention_meaning(Kind kind);

// One map: (B, rows per example, columns), 0 on padding. The name is the model's, and lives as long as it.
template <class T>
struct AttentionMap {
  std::string_view name;
  Cube<T> weights;
};

// Throws failure where a map has not the rows and columns that the model says it has.
template <class T>
void check_attention(const AttentionMeaning& meaning, const Batch& batch, std::string_view name, Cube<T> weights);

}  // namespace fovea
