// Intervention `scale`: { scale = 10, of = "layer.1" }, weights on the positions that a right answer needs are
// multiplied by ten (room lab/intervention). The InterventionSet (lab/train) calls it. It changes the heads'
// attention rule.
#include <fmt/format.h>

#include <cmath>

#include "fovea/lab/intervention/on_heads.h"

namespace fovea {

namespace {

class Scale final : public OnHeads {
 public:
  void settings(Fields& fields) override {
    fields.number("scale", scoped_.rule.scale, 0, HUGE_VAL, "factor of the weights on true positions");
    heads_settings(fields);
  }
  void finish(const ValueTable& table) override {
    OnHeads::finish(table);
    if (scoped_.rule.scale == 1)
      throw wrong_input(fmt::format("{} by 1 changes nothing", name()),
                        "write another number, or remove the intervention", location);
  }
};

const Register<Intervention> scale("scale",
                                   "a head's weights on the positions that a right answer needs are multiplied",
                                   [] { return std::make_unique<Scale>(); });

}  // namespace

}  // namespace fovea
