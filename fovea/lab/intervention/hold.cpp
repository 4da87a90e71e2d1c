// Intervention `hold`: attention is held at a pattern (room lab/intervention). The InterventionSet (lab/train) calls
// it. It changes the heads' attention rule.
//
//   { hold = "uniform", until = 100 }                all attention
//   { hold = "previous", of = "layer.1.head.2" }     single heads
#include "fovea/lab/intervention/on_heads.h"

namespace fovea {

namespace {

using Pattern = AttentionRule::Pattern;

class Hold final : public OnHeads {
 public:
  Hold() { scoped_.rule.pattern = Pattern::uniform; }

  void settings(Fields& fields) override {
    fields.choice("hold", scoped_.rule.pattern, attention_patterns, "the pattern that attention is held at");
    heads_settings(fields);
  }
  void finish(const ValueTable& table) override {
    OnHeads::finish(table);
    const Pattern pattern = scoped_.rule.pattern;
    of_all_ = !table.contains("of") && (pattern == Pattern::uniform || pattern == Pattern::truth);
  }
  // Of all attention, which single heads may be held apart from.
  int rank() const override { return of_all_ ? 0 : OnHeads::rank(); }
  ValueTable write() override {
    ValueTable table = OnHeads::write();
    if (of_all_) table.erase("of");
    return table;
  }
  void check_beside(const Intervention& earlier) const override {
    const auto* const other = dynamic_cast<const Hold*>(&earlier);
    if (other && other->of_all_ != of_all_) return;
    if (other && of_all_) refuse_at_one_step(earlier, "hold attention");
    OnHeads::check_beside(earlier);
  }

 private:
  bool of_all_ = true;
};

const Register<Intervention> hold("hold", "attention is held at a pattern; previous and first need self-attention",
                                  [] { return std::make_unique<Hold>(); });

}  // namespace

}  // namespace fovea
