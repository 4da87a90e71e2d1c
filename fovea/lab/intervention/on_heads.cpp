#include "fovea/lab/intervention/on_heads.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string_view>
#include <typeinfo>

#include "fovea/base/error/error.h"
#include "fovea/base/number_text.h"

namespace fovea {

namespace {

using Pattern = AttentionRule::Pattern;

// "layer.2.head.1", "layer.2", or "" for every head.
std::string heads_name(const ScopedRule& scoped) {
  if (scoped.layer == 0) return "";
  if (scoped.head == 0) return fmt::format("layer.{}", scoped.layer);
  return fmt::format("layer.{}.head.{}", scoped.layer, scoped.head);
}

std::string count_of(int count, const char* what) {
  return count == 1 ? fmt::format("one {}", what) : fmt::format("{} {}s", count, what);
}

bool there_is(const ScopedRule& scoped, const std::vector<int>& heads) {
  if (scoped.layer == 0) return true;
  const auto layer = static_cast<std::size_t>(scoped.layer);
  return layer <= heads.size() && scoped.head <= heads[layer - 1];
}

// "2 layers of one head", or "2 layers of 2 and 1 heads".
std::string heads_text(const std::vector<int>& heads) {
  const bool alike = std::ranges::count(heads, heads.front()) == std::ssize(heads);
  return fmt::format("{} of {}", count_of(static_cast<int>(heads.size()), "layer"),
                     alike ? count_of(heads.front(), "head") : fmt::format("{} heads", fmt::join(heads, " and ")));
}

}  // namespace

void OnHeads::heads_settings(Fields& fields) {
  fields.text("of", heads_, "a head, such as layer.1.head.2, or all heads of a layer: layer.1 (default: all heads)");
  when.settings(fields);
}

void OnHeads::finish(const ValueTable& table) {
  if (heads_.empty()) return;
  std::string_view rest = heads_;
  scoped_.layer = number_after("layer.", rest).value_or(0);
  scoped_.head = number_after(".head.", rest).value_or(0);
  if (heads_ != heads_name(scoped_))
    throw wrong_input(fmt::format("'{}' does not name a head", heads_),
                      "write layer.1.head.2, or layer.1 for all heads of a layer. Layers and heads count from 1",
                      table.at(heads_setting_).location);
}

// A head may be ablated twice, at steps that differ.
void OnHeads::check_beside(const Intervention& earlier) const {
  const auto* const other = dynamic_cast<const OnHeads*>(&earlier);
  if (!other) return;
  check_under(*other);
  other->check_under(*this);
  if (scoped_.rule.ablated || typeid(*this) != typeid(earlier)) return;
  const auto meet = [](int one, int another) { return one == 0 || another == 0 || one == another; };
  if (meet(scoped_.layer, other->scoped_.layer) && meet(scoped_.head, other->scoped_.head))
    refuse_at_one_step(earlier, "change the same head");
}

// Whether this acts on each head, and at each step, that the other acts on.
bool OnHeads::covers(const OnHeads& other) const {
  const auto covers_number = [](int one, int another) { return one == 0 || one == another; };
  return covers_number(scoped_.layer, other.scoped_.layer) && covers_number(scoped_.head, other.scoped_.head) &&
         when.from <= other.when.from && (!when.until || (other.when.until && *other.when.until <= *when.until));
}

// An ablated head gives nothing, and a held one ignores scores. At the truth, rows without a right position follow
// their scores.
void OnHeads::check_under(const OnHeads& other) const {
  const RequestedRule& rule = other.scoped_.rule;
  const bool ignores_scores = rule.pattern != Pattern::learned && rule.pattern != Pattern::truth;
  if (other.covers(*this) && (rule.ablated || (ignores_scores && scoped_.rule.changes_scores())))
    throw wrong_input(fmt::format("{} changes nothing under {}: the same heads are {}", name(), other.name(),
                                  rule.ablated ? "ablated" : "held at a pattern that ignores scores"),
                      "remove one of the two", location);
}

void OnHeads::check(const Capabilities& capabilities) const {
  const RequestedRule& rule = scoped_.rule;
  const Model<float>::Heads& heads = capabilities.heads;
  const bool has_heads = heads.layers() > 0;
  const std::string& model = capabilities.model;
  const bool held = rule.pattern != Pattern::learned;
  const bool any_model_can = rule.pattern == Pattern::uniform || rule.pattern == Pattern::truth;
  const bool of_all = held && scoped_.layer == 0 && any_model_can;
  if (of_all && !has_heads && !capabilities.attends)
    throw wrong_input(fmt::format("attention cannot be held at a pattern, because model '{}' has none here", model),
                      "remove the intervention", location);
  if (held && capabilities.attends && !capabilities.by_score)
    throw wrong_input(
        fmt::format("attention cannot be held at a pattern, because model '{}' always has uniform attention here",
                    model),
        "remove the intervention, or use learned attention", location);
  if (!of_all && !has_heads)
    throw wrong_input(fmt::format("model '{}' has no heads to act on", model),
                      "remove the intervention, or use model transformer", location);
  if (has_heads && !there_is(scoped_, heads.each))
    throw wrong_input(
        fmt::format("there is no {}: model '{}' has {} here", heads_name(scoped_), model, heads_text(heads.each)),
        "name an existing one. Layers and heads count from 1", location);
  if (held && !any_model_can && !heads.causal)
    throw wrong_input(fmt::format("model '{}' has no self-attention", model),
                      "hold attention uniform, or use model transformer", location);
  if (rule.changes_scores() && !heads.causal)
    throw wrong_input(fmt::format("{} changes scores of self-attention, and model '{}' has none", name(), model),
                      "remove the intervention, or use model transformer", location);
  if (of_all && rule.pattern == Pattern::truth && !capabilities.truth)
    throw wrong_input(
        fmt::format("attention cannot be held at the truth: task '{}' has no true positions", capabilities.task),
        "hold attention uniform, or use a task with true positions", location);
  if (rule.reads_right() && !capabilities.truth)
    throw wrong_input("the task does not define the positions that a right answer needs",
                      "hold attention at another pattern, or use a task that defines the positions", location);
}

}  // namespace fovea
