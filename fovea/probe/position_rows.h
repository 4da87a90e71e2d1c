// Visits the rows of attention and of β that a probe measures per position (room probe). Most probes of this room and
// of probe/systems call it. Reads the evaluation; changes nothing.
#pragma once

#include <algorithm>
#include <span>
#include <string>

#include "fovea/probe/probe.h"

namespace fovea {

// One row of attention or β over the positions that are present, and where its answer stands.
struct PositionRow {
  int example = 0, row = 0;
  std::span<const float> values;         // over the positions present
  int aligned = -1;                      // of tasks with targets: the true position; -1: none, or not known
  std::span<const std::uint8_t> marked;  // others: 1 at positions that decide the label; empty: the task does not say
};

// How many positions of an example are present; to a position of a stream only those up to itself are.
inline Index positions_present(Kind kind, const Batch& batch, Index example, Index most) {
  const auto at = static_cast<std::size_t>(example);
  if (has_source(kind)) return batch.source.lengths[at];
  if (kind == Kind::labelled_bags) return batch.items.lengths[at];
  return most;  // features and keys are all there
}

// visit(PositionRow) for each row of `cube` (B, rows per example, positions) that counts: of token pairs those whose
// answer counts, of streams those where something is asked.
template <class Visit>
void each_row(Kind kind, const Evaluation& evaluation, Cube<const float> cube, Visit&& visit) {
  if (cube.empty()) return;
  const Batch& batch = evaluation.batch;
  const Index rows = cube.size(1), most = cube.size(2);
  const bool targets = has_target(kind), streams = kind == Kind::token_streams;
  for (Index b = 0; b < cube.size(0); ++b) {
    const auto present = static_cast<std::size_t>(positions_present(kind, batch, b, most));
    for (Index t = 0; t < rows; ++t) {
      const auto number = static_cast<std::size_t>(b * rows + t);
      if (targets && number < evaluation.outcome.answers.size() && evaluation.outcome.answers[number] < 0) continue;
      const std::size_t reached = streams ? std::min(present, static_cast<std::size_t>(t) + 1) : present;
      PositionRow row{
          static_cast<int>(b), static_cast<int>(t), std::span(cube.data() + (b * rows + t) * most, reached), -1, {}};
      if (targets && !batch.alignment.empty()) row.aligned = batch.alignment[number];
      if (!targets && !batch.marked.empty()) {
        row.marked = std::span(batch.marked).subspan(static_cast<std::size_t>(b * most), present);
      }
      visit(row);
    }
  }
}

// The first of the largest.
inline int argmax(std::span<const float> values) {
  return static_cast<int>(std::max_element(values.begin(), values.end()) - values.begin());
}

// For prepare() of probes that read attention.
inline void need_attention(bool model_attends, const std::string& probe) {
  if (!model_attends) {
    throw wrong_input("probe '" + probe + "' measures attention, and the model has none",
                      "use a model that attends, or remove the probe");
  }
}
inline void need_kind(Kind kind, Kind wanted, const std::string& probe) {
  if (kind != wanted) {
    throw wrong_input("probe '" + probe + "' measures " + kind_name(wanted) + ", and the task gives " + kind_name(kind),
                      "remove the probe");
  }
}

}  // namespace fovea
