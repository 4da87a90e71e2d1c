// Intervention `clamp`: { clamp = "p", at = 0.5, until = 20 }, every number of the parameter p is 0.5 (room
// lab/intervention). The InterventionSet (lab/train) calls it. It writes the parameter, whatever its gradient is,
// from the evaluation at `from` to the one at `until`. After that the parameter moves with the update.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "fovea/base/error/names.h"
#include "fovea/lab/intervention/intervention.h"

namespace fovea {

namespace {

class Clamp final : public Intervention {
 public:
  void settings(Fields& fields) override {
    fields.text("clamp", parameter_, "the parameter that is fixed at one value");
    fields.number("at", value_, -HUGE_VAL, HUGE_VAL, "the value");
    when.settings(fields);
  }
  void finish(const ValueTable& table) override {
    if (!table.contains("at"))
      throw wrong_input(fmt::format("{} has no value", name()),
                        message("add it, as in {}", Message::Entry{"at", {0.5, {}}}), location);
  }
  int rank() const override { return 4; }
  void check_beside(const Intervention& earlier) const override {
    if (const auto* const other = dynamic_cast<const Clamp*>(&earlier); other && other->parameter_ == parameter_)
      refuse_at_one_step(earlier, "clamp one parameter");
  }
  void check(const Capabilities& capabilities) const override {
    if (std::ranges::find(capabilities.parameters, parameter_) == capabilities.parameters.end())
      throw wrong_input(fmt::format("model '{}' has no parameter '{}' here", capabilities.model, parameter_),
                        suggest_name(parameter_, capabilities.parameters), location);
  }
  void before_update(std::int64_t step, ParameterAccess parameters) override { set(step, parameters); }
  void after_update(std::int64_t step, ParameterAccess parameters) override { set(step, parameters); }

 private:
  void set(std::int64_t step, const ParameterAccess& parameters) const {
    if (!when.contains(step)) return;
    parameters.visit([&]<class T>(ParameterSet<T>& set) {
      const auto parameter = std::ranges::find(set.all(), parameter_, &Param<T>::name);
      std::ranges::fill(parameter->values(), static_cast<T>(value_));
    });
  }

  std::string parameter_;
  double value_ = 0;
};

const Register<Intervention> clamp("clamp", "a parameter is fixed at one value",
                                   [] { return std::make_unique<Clamp>(); });

}  // namespace

}  // namespace fovea
