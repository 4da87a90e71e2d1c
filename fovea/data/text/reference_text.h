// WrittenTargets: the interface of tasks whose targets are written text (room data/text). The task `text-translate`
// implements it, and the probe `bleu` reads it.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "fovea/data/task.h"
#include "fovea/data/text/word_alignment.h"

namespace fovea {

class WrittenTargets {
 public:
  virtual ~WrittenTargets() = default;

  // What target tokens say, written as people write it.
  virtual std::string target_text(std::span<const int> tokens) const = 0;
  // An example's target as it was written, before it was cut into tokens. Not kept of training texts.
  virtual std::string written_target(Split split, std::int64_t example) const = 0;

  // The word that each token of an example is a part of, without the end token. Empty if a token spans two words, and
  // of training texts.
  virtual std::span<const int> source_words(Split, std::int64_t) const { return {}; }
  virtual std::span<const int> target_words(Split, std::int64_t) const { return {}; }
  // The alignment that its texts come with; nullptr if they come with none.
  virtual const WordAlignment* alignment(Split, std::int64_t) const { return nullptr; }
};

}  // namespace fovea
