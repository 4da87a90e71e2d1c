// KeptBags: labelled examples in memory, and parts of them (room data). The prediction and its check of labels
// (theory/prediction) use them.
#pragma once

#include <utility>
#include <vector>

#include "fovea/data/bag_source.h"

namespace fovea {

class KeptBags {
 public:
  // Goes through all of the source once, which has classes as its outputs and must outlive it.
  KeptBags(const BagSource& source, Team& team);

  const BagSource& source() const { return source_; }
  std::size_t size() const { return labels_.size(); }
  const std::vector<int>& words(std::size_t example) const { return words_[example]; }
  int label(std::size_t example) const { return labels_[example]; }

  // Deals the examples of each class out to as many folds, in an order drawn for each `repeat`; the fold of each.
  std::vector<int> folds(int count, std::uint64_t repeat) const;

 private:
  const BagSource& source_;
  std::vector<std::vector<int>> words_;
  std::vector<int> labels_;
};

// Those of a number of examples that are `taken`, numbered anew.
class PartOfBags final : public BagSource {
 public:
  PartOfBags(const KeptBags& bags, std::vector<std::size_t> taken) : bags_(bags), taken_(std::move(taken)) {}

  Outputs outputs_are() const override { return Outputs::classes; }
  int inputs() const override { return bags_.source().inputs(); }
  int outputs() const override { return bags_.source().outputs(); }
  std::string input_word(int id) const override { return bags_.source().input_word(id); }
  std::string output_word(int id) const override { return bags_.source().output_word(id); }
  std::int64_t size() const override { return std::ssize(taken_); }
  void each(Team& team, const Visit& visit, const Progress& progress = {}) const override;

 private:
  const KeptBags& bags_;
  std::vector<std::size_t> taken_;
};

}  // namespace fovea
