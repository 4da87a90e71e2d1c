#include "fovea/view/terminal/attention_axes.h"

#include "fovea/lab/spec/assembly.h"

namespace fovea {

namespace {

std::string across(AttentionColumns columns) {
  switch (columns) {
    case AttentionColumns::source_word:
      return "its words across";
    case AttentionColumns::item:
      return "its items across";
    case AttentionColumns::feature:
      return "its features across";
    case AttentionColumns::key:
      return "keys across";
    case AttentionColumns::expert:
      return "experts across";
    case AttentionColumns::pixel:
      return "pixels across, row by row";
  }
  return {};
}

}  // namespace

std::string attention_axes(const RunSpec& spec) {
  const std::optional<AttentionMeaning> meaning = attention_meaning(spec);
  if (!meaning) return "rows down, columns across";
  switch (meaning->rows) {
    case AttentionRows::example:
      return across(meaning->columns);
    case AttentionRows::target_word:
      return "outputs down, inputs across";
    case AttentionRows::query:
      return "queries down, " + across(meaning->columns);
    case AttentionRows::position:
      return "positions down, attended positions across";
    case AttentionRows::access:
      return "accesses down, " + across(meaning->columns);
    case AttentionRows::glimpse:
      return "glimpses down, " + across(meaning->columns);
  }
  return {};
}

}  // namespace fovea
