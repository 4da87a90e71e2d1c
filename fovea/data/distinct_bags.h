// DistinctBags: a bag source without its duplicates (room data). The prediction (theory/prediction/prediction.cpp)
// reads it. Of examples with the same input and output, word for word, the first counts. Examples are numbered by a
// hash of their content, so the order of the source changes nothing.
#pragma once

#include <vector>

#include "fovea/data/bag_source.h"

namespace fovea {

class DistinctBags final : public BagSource {
 public:
  // Goes through all of the source once, which must outlive it.
  DistinctBags(const BagSource& source, Team& team, const Progress& progress = {});

  std::int64_t copies() const { return source_.size() - size(); }
  // The number that the source gives to an example.
  std::int64_t source_number(std::int64_t number) const { return first_[static_cast<std::size_t>(number)]; }

  Outputs outputs_are() const override { return source_.outputs_are(); }
  int inputs() const override { return source_.inputs(); }
  int outputs() const override { return source_.outputs(); }
  std::string input_word(int id) const override { return source_.input_word(id); }
  std::string output_word(int id) const override { return source_.output_word(id); }
  std::int64_t size() const override { return std::ssize(first_); }
  std::vector<std::string> cut(std::string_view text) const override { return source_.cut(text); }
  void each(Team& team, const Visit& visit, const Progress& progress = {}) const override;

 private:
  const BagSource& source_;
  std::vector<std::int64_t> numbers_;  // of each example of the source, -1 for a copy
  std::vector<std::int64_t> first_;    // of each example its number in the source
};

}  // namespace fovea
