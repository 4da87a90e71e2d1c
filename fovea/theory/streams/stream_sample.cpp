#include "fovea/theory/streams/stream_sample.h"

#include <algorithm>

#include "fovea/base/error/error.h"

namespace fovea {

StreamSample::StreamSample(const Task& task, std::int64_t sequences) : shape_(task.shape()) {
  if (shape_.kind != Kind::token_streams)
    throw wrong_input("lags need token streams, and the task gives " + kind_name(shape_.kind),
                      "use a task of token streams");
  if (sequences < 1) throw wrong_input("a prediction needs at least one sequence", "draw more");
  const std::int64_t finite = task.examples(Split::train);
  if (finite > 0) sequences = std::min(sequences, finite);
  // Of finite data one epoch is read, an example a batch, so that none is seen twice.
  const std::int64_t size = finite > 0 ? 1 : std::min<std::int64_t>(64, sequences);
  Batch batch;
  for (std::int64_t first = 0; first < sequences; first += size) {
    task.batch(Split::train, static_cast<std::uint64_t>(first / size), static_cast<int>(size), batch);
    const std::int64_t rows = std::min<std::int64_t>(batch.size, sequences - first);
    for (int row = 0; row < rows; ++row) {
      for (int t = 0; t < batch.source.lengths[static_cast<std::size_t>(row)]; ++t) {
        const int asked = t < batch.target.columns ? batch.target.at(row, t) : -1;
        const auto at = static_cast<std::size_t>(row) * static_cast<std::size_t>(batch.target.columns) +
                        static_cast<std::size_t>(t);
        source_.push_back(batch.source.at(row, t));
        target_.push_back(asked);
        alignment_.push_back(asked < 0 || batch.alignment.empty() ? -1 : batch.alignment[at]);
        asked_ += asked >= 0;
      }
      starts_.push_back(static_cast<std::int64_t>(source_.size()));
    }
  }
}

}  // namespace fovea
