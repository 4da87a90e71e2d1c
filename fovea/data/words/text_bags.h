// Bags of words from files of text, read as a stream (room data/words). `fovea predict` (apps/cli/predict.cpp) makes
// predictions from them. Memory is bounded by the vocabulary, of which the most frequent million words are kept.
// Labelled texts are split as classifiers read them (data/words/words.h). The words of sentences and their
// translations are separated by spaces.
#pragma once

#include <memory>

#include "fovea/data/bag_source.h"
#include "fovea/data/text/text_reader.h"

namespace fovea {

// Texts with a label each, or with a translation each: whichever the source names. Reads it once now, and once more for
// each pass over the bags. Throws wrong_input as TextReader does, and where there is one class, or more than 1000. A
// malformed line stops the reading, whatever the source says of bad ones: every pass must see the same examples.
std::unique_ptr<BagSource> text_bags(const TextSource& source, Team& team, const BagSource::Progress& progress = {});

}  // namespace fovea
