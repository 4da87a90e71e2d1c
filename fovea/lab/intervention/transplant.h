// { transplant = 12, of = "attention" }: a group of parameters, "all", or what stands under a name is what it was at
// the end of run 12, once `at` updates are done; under the name `to` here, where that is another one.
//
// A run is written by its number in the store, or by its hash, which is what a spec keeps
// (lab/sweep/find_transplants.h). What is taken depends on that hash alone, and so does the run's own hash.
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
