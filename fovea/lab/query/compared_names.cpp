#include "fovea/lab/query/compared_names.h"

#include <set>
#include <utility>

#include "fovea/base/number_text.h"
#include "fovea/lab/query/expression_node.h"

namespace fovea {

namespace {

using Node = Expression::Node;

bool compares(const Node& node) {
  return node.op == Op::equal || node.op == Op::unequal || node.op == Op::less || node.op == Op::less_equal ||
         node.op == Op::more || node.op == Op::more_equal;
}

void collect_compared(const Node& node, std::vector<ComparedName>& all) {
  using With = ComparedName::With;
  if (compares(node)) {
    for (const auto& [one, other] : {std::pair(0, 1), std::pair(1, 0)}) {
      const Node &name = node.parts[static_cast<std::size_t>(one)], &with = node.parts[static_cast<std::size_t>(other)];
      if (name.op != Op::name) continue;
      if (with.op == Op::number) all.push_back({name.text, With::number, number_text(with.number)});
      if (with.op == Op::text) all.push_back({name.text, With::text, with.text});
      if (with.op == Op::name) all.push_back({name.text, With::name, with.text});
    }
  }
  for (const Node& part : node.parts) collect_compared(part, all);
  for (const Node& condition : node.where) collect_compared(condition, all);
}

}  // namespace

std::vector<ComparedName> compared_names(const Expression& expression) {
  std::vector<ComparedName> all;
  collect_compared(parse_expression(expression.text(), expression.location()), all);
  return all;
}

std::string text_without_quotes(const Expression& expression, std::span<const std::string> texts) {
  const std::set<std::string> names = expression.names();
  const std::string& whole = expression.text();
  for (const std::string& text : texts) {
    if (text.empty()) continue;
    if (names.contains(text)) return text;
    if (text.find('-') == text.npos || text.find(' ') != text.npos) continue;
    // "copy-subset" reads the difference of two names.
    for (std::size_t at = whole.find(text); at != whole.npos; at = whole.find(text, at + 1)) {
      const std::size_t end = at + text.size();
      const bool begins = at == 0 || whole[at - 1] == ' ' || whole[at - 1] == '=';
      if (begins && (end == whole.size() || whole[end] == ' ' || whole[end] == ')')) return text;
    }
  }
  return {};
}

}  // namespace fovea
