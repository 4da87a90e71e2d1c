// Tags of words without a trained model, from the words of the training sentences alone (room theory/prediction).
//
//   majority   of each word the tag that it has most often in training; of equals the first. Unknown words are outside.
//   lexicon    the longest names of training in the sentence, from the left, with their commonest type. Names with an
//              unknown word are left out.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fovea/data/task.h"

namespace fovea {

// A sentence at a time, as views into the task's names of tags.
using VisitTagged = std::function<void(std::span<const int> words, std::span<const int> tags)>;

// Each training sentence of a task of tagged tokens once; of a task without end the first `fresh`.
void each_tagged(const Task& task, std::int64_t fresh, const VisitTagged& visit);

std::vector<std::string> tag_names(const Task& task);

class TagRivals {
 public:
  TagRivals(const Task& task, std::int64_t fresh);

  std::vector<std::string_view> by_majority(std::span<const int> words) const;
  std::vector<std::string_view> by_lexicon(std::span<const int> words) const;

 private:
  std::vector<std::string> tags_;
  std::size_t outside_ = 0;                                 // the tag O
  std::vector<std::size_t> of_word_;                        // by word
  std::map<std::vector<int>, std::string> begin_of_names_;  // words of a name, and the tag of its first
  std::size_t longest_ = 0;                                 // words of a name
};

}  // namespace fovea
