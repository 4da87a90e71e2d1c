// Which rows of a model's attention are held in a pass: where a Pass becomes the rule of an attention layer. In models
// with heads by layer each head has a rule of its own instead: Pass::rule_of, nn/attention/head_rule.h.
#pragma once

#include "fovea/model/trace.h"
#include "fovea/nn/attention/attention.h"

namespace fovea {

// `always_uniform`: the model's own setting.
inline AttentionRule attention_rule(const Batch& batch, const Pass& pass, bool always_uniform = false) {
  if (always_uniform || pass.attend == Attend::uniform) return {true, {}, {}};
  if (pass.attend == Attend::truth) return {false, batch.marked, batch.alignment};
  return {};
}

}  // namespace fovea
