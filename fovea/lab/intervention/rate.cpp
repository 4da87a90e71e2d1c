// Intervention `rate`: { rate = 1e-2, of = "attention" }, a group of parameters has a learning rate of its own (room
// lab/intervention). The InterventionSet (lab/train) calls it. It changes the pace of the group, not its parameters.
#include <cmath>

#include "fovea/lab/intervention/groups.h"
#include "fovea/lab/intervention/intervention.h"

namespace fovea {

namespace {

class Rate final : public Intervention {
 public:
  void settings(Fields& fields) override {
    fields.number("rate", rate_, 0, HUGE_VAL, "the learning rate");
    fields.choice("of", group_, group_words, "the parameters with this rate");
    when.settings(fields);
  }
  int rank() const override { return 3; }
  void check_beside(const Intervention& earlier) const override {
    if (const auto* const other = dynamic_cast<const Rate*>(&earlier); other && other->group_ == group_)
      refuse_at_one_step(earlier, "set the rate of one group");
  }
  void check(const Capabilities& capabilities) const override { check_group(group_, capabilities, location); }
  void plan(StepPlan& plan) override { plan.paces.groups[static_cast<std::size_t>(group_)].rate = rate_; }

 private:
  double rate_ = 0;
  Group group_ = Group::attention;
};

const Register<Intervention> rate("rate", "a group of parameters has its own learning rate",
                                  [] { return std::make_unique<Rate>(); });

}  // namespace

}  // namespace fovea
