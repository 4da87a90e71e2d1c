// Intervention `freeze`: { freeze = "attention", from = 10 }, a group of parameters ("attention" or "body") does not
// move (room lab/intervention). The InterventionSet (lab/train) calls it. It marks them in the plan of the step, and
// the optimizer leaves them out. Parameters can also be named by their owner, such as "qk.2" (owner.h).
#include <fmt/format.h>

#include <algorithm>

#include "fovea/base/error/names.h"
#include "fovea/lab/intervention/groups.h"
#include "fovea/lab/intervention/intervention.h"
#include "fovea/lab/intervention/owner.h"

namespace fovea {

namespace {

class Freeze final : public Intervention {
 public:
  void settings(Fields& fields) override {
    fields.text("freeze", of_,
                "the parameters that do not change: \"attention\", \"body\", a circuit such as qk.2, or a name and all "
                "names under it");
    when.settings(fields);
  }
  int rank() const override { return 2; }
  void check(const Capabilities& capabilities) const override {
    if (const auto group = group_of(of_)) return check_group(*group, capabilities, location);
    const std::vector<std::string>& parameters = capabilities.parameters;
    if (std::ranges::any_of(parameters, [&](const std::string& one) { return belongs_to(one, of_); })) return;
    std::vector<std::string> known = owners_of(parameters);
    known.insert(known.begin(), {"attention", "body"});
    throw wrong_input(fmt::format("model '{}' has no parameters '{}' to freeze", capabilities.model, of_),
                      suggest_name(of_, known), location);
  }
  std::string frozen_name() const override { return group_of(of_) ? std::string() : of_; }
  void plan(StepPlan& plan) override {
    if (const auto group = group_of(of_)) plan.paces.groups[static_cast<std::size_t>(*group)].frozen = true;
    else plan.frozen.push_back(of_);
  }

 private:
  std::string of_ = "attention";
};

const Register<Intervention> freeze("freeze", "parameters do not change for some steps",
                                    [] { return std::make_unique<Freeze>(); });

}  // namespace

}  // namespace fovea
