// Intervention `transplant`: { transplant = 12, of = "attention" } (room lab/intervention). The InterventionSet
// (lab/train) calls it once `at` updates are done. It copies a group of parameters, "all", or the parameters under a
// name from the end of run 12, under the name `to` here if it differs.
//
// A spec names a run by its number in the store, or by its hash, which the stored spec has
// (lab/sweep/find_transplants.h). The copied weights depend on that hash alone, and so does the run's own hash.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "fovea/lab/intervention/intervention.h"

namespace fovea {

class Transplant final : public Intervention {
 public:
  std::string run, of = "all";

  void settings(Fields& fields) override;
  void rewrite(ValueTable& table) const override;
  void finish(const ValueTable& table) override;
  int rank() const override { return 5; }
  void check_beside(const Intervention& earlier) const override;
  bool needs_preparation() const override { return true; }
  // Reads what is taken. Throws wrong_input where the run's weights are not there, or have nothing of that name and
  // shape.
  void prepare(const Preparation& preparation) override;
  void put_in(std::int64_t step, ParameterAccess parameters) override;

 private:
  std::string to_;  // of, or the name in this model
  std::int64_t at_ = 0;
  struct Piece {
    std::size_t parameter;  // its number in the set
    std::vector<double> values;
  };
  std::vector<Piece> pieces_;
};

}  // namespace fovea
