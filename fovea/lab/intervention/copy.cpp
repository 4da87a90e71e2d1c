// Intervention `copy`: { copy = 4, of = "layer.2" }, heads of the last layer add the tokens that they attend to to
// the logits, with this strength (room lab/intervention). The InterventionSet (lab/train) calls it. It changes the
// heads' attention rule.
#include <fmt/format.h>

#include "fovea/lab/intervention/on_heads.h"

namespace fovea {

namespace {

class CopyTokens final : public OnHeads {
 public:
  void settings(Fields& fields) override {
    fields.number("copy", scoped_.rule.copy, 0, 1e6, "how strongly the head copies the tokens that it attends to");
    heads_settings(fields);
  }
  void finish(const ValueTable& table) override {
    OnHeads::finish(table);
    if (scoped_.layer == 0 || scoped_.rule.copy == 0)
      throw wrong_input(scoped_.layer == 0 ? fmt::format("{} names no layer", name())
                                           : fmt::format("{} by 0 changes nothing", name()),
                        "write a number above 0, and set of to the last layer or one of its heads", location);
  }
  void check(const Capabilities& capabilities) const override {
    OnHeads::check(capabilities);
    const int layers = capabilities.heads.layers();
    if (!capabilities.heads.copies)
      throw wrong_input(fmt::format("heads of model '{}' cannot copy", capabilities.model), "use model transformer",
                        location);
    if (scoped_.layer != layers)
      throw wrong_input(
          fmt::format("{} has no output of tokens: only the last of the {} layers has one", heads_, layers),
          fmt::format("use layer.{}", layers), location);
  }
};

const Register<Intervention> copy("copy", "a head of the last layer copies the tokens that it attends to",
                                  [] { return std::make_unique<CopyTokens>(); });

}  // namespace

}  // namespace fovea
