// Examples without their copies: of those whose input and output are the same, word for word, the first.
#pragma once

#include <vector>

#include "fovea/data/bag_source.h"

namespace fovea {

class DistinctBags final : public BagSource {
 public:
  // Goes through all of the source once, which must outlive it.
  DistinctBags(const BagSource& source, Team& team, const Progress& progress = {});

  std::int64_t copies() const { return source_.size() - distinct_; }

  Outputs outputs_are() const override { return source_.outputs_are(); }
  int inputs() const override { return source_.inputs(); }
  int outputs() const override { return source_.outputs(); }
  std::string input_word(int id) const override { return source_.input_word(id); }
  std::string output_word(int id) const override { return source_.output_word(id); }
  std::int64_t size() const override { return distinct_; }
  std::vector<std::string> cut(std::string_view text) const override { return source_.cut(text); }
  void each(Team& team, const Visit& visit, const Progress& progress = {}) const override;

 private:
  const BagSource& source_;
  std::vector<std::int64_t> numbers_;  // of each example of the source, -1 for a copy
  std::int64_t distinct_ = 0;
};

}  // namespace fovea
