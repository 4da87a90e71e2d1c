// Intervention `temperature`: { temperature = 2, of = "layer.1.head.2" } divides the scores of a head by 2 before its
// softmax (room lab/intervention). The InterventionSet (lab/train) calls it. It changes the head's attention rule.
#include <fmt/format.h>

#include "fovea/lab/intervention/on_heads.h"

namespace fovea {

namespace {

class Temperature final : public OnHeads {
 public:
  void settings(Fields& fields) override {
    fields.number("temperature", temperature_, 1e-6, 1e6, "divisor of each score of the head");
    heads_settings(fields);
  }
  void finish(const ValueTable& table) override {
    OnHeads::finish(table);
    if (temperature_ == 1)
      throw wrong_input(fmt::format("{} of 1 changes nothing", name()),
                        "write another number, or remove the intervention", location);
    scoped_.rule.factor = 1 / temperature_;
  }

 private:
  double temperature_ = 1;
};

const Register<Intervention> temperature("temperature", "the scores of a head are divided before its softmax",
                                         [] { return std::make_unique<Temperature>(); });

}  // namespace

}  // namespace fovea
