// Intervention `ablate`: { ablate = "layer.2.head.1", from = 100 }, the output of a head is zero (room
// lab/intervention). The InterventionSet (lab/train) calls it. It changes the head's attention rule.
#include <fmt/format.h>

#include "fovea/lab/intervention/on_heads.h"

namespace fovea {

namespace {

class Ablate final : public OnHeads {
 public:
  Ablate() {
    heads_setting_ = "ablate";
    scoped_.rule.ablated = true;
  }

  void settings(Fields& fields) override {
    fields.text("ablate", heads_,
                "head whose output is set to zero, such as layer.1.head.2; or all heads of a layer: layer.1");
    when.settings(fields);
  }
  void finish(const ValueTable& table) override {
    if (heads_.empty())
      throw wrong_input(fmt::format("{} names no head", name()), "write layer.1.head.2, or layer.1", location);
    OnHeads::finish(table);
  }
};

const Register<Intervention> ablate("ablate", "the output of a head is set to zero",
                                    [] { return std::make_unique<Ablate>(); });

}  // namespace

}  // namespace fovea
