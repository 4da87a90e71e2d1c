// OnHeads: base class of the interventions that give heads an attention rule (nn/attention/attention_rule.h) (room
// lab/intervention). Each kind sets its part of the rule before check(). Heads are named "layer.1.head.2", "layer.1"
// for every head of that layer, or "" for all. Layers and heads count from 1. A model with one attention map has
// layer 1, head 1.
#pragma once

#include <string>

#include "fovea/lab/intervention/intervention.h"

namespace fovea {

class OnHeads : public Intervention {
 public:
  void finish(const ValueTable& table) override;
  int rank() const override { return 1; }
  // Refuses two of one kind that act on one head at one step, and one that changes nothing under the other.
  void check_beside(const Intervention& earlier) const override;
  void check(const Capabilities& capabilities) const override;
  bool acts_on_attention() const override { return true; }
  void plan(StepPlan& plan) override { plan.rules.push_back(scoped_); }

 protected:
  // States `of`, from and until.
  void heads_settings(Fields& fields);

  ScopedRule scoped_;
  std::string heads_;                 // as it is written
  std::string heads_setting_ = "of";  // which setting names them

 private:
  bool covers(const OnHeads& other) const;
  void check_under(const OnHeads& other) const;
};

}  // namespace fovea
