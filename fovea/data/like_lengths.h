// Divides the examples of several batches into batches of like length, so that little of them is padding (room data).
// The Evaluator (lab/train) calls it for surveys. It is for measurements alone, in which it does not matter which
// examples share a batch. It changes nothing but what `show` changes.
#pragma once

#include <functional>
#include <span>

#include "fovea/data/batch.h"

namespace fovea {

// A batch, and of each of its rows how many examples of all batches came before it.
using ShowBatch = std::function<void(const Batch&, std::span<const int> indices)>;

// Shows the examples of labelled texts or of pairs of texts, `size` at a time: longest source first, among equals
// longest target.
void show_like_lengths(std::span<const Batch> batches, int size, const ShowBatch& show);

}  // namespace fovea
