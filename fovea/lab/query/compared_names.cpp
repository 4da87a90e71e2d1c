#include "fovea/lab/query/compared_names.h"

#include <algorithm>
#include <optional>
#include <set>

#include "fovea/base/number_text.h"
#include "fovea/lab/query/expression_node.h"

namespace fovea {

namespace {

using Node = Expression::Node;

// The sign of a comparison, as it is written and with its sides swapped.
struct Signs {
  const char *written, *swapped;
};
std::optional<Signs> signs_of(Op op) {
  switch (op) {
    case Op::equal:
      return Signs{"=", "="};
    case Op::unequal:
      return Signs{"!=", "!="};
    case Op::less:
      return Signs{"<", ">"};
    case Op::less_equal:
      return Signs{"<=", ">="};
    case Op::more:
      return Signs{">", "<"};
    case Op::more_equal:
      return Signs{">=", "<="};
    default:
      return std::nullopt;
  }
}

// The name that the node is, or the names and minus signs that stand side by side in the text: "copy-subset". Empty for
// anything else.
std::string word_of(const Node& node, const std::string& whole) {
  if (node.op == Op::name) return node.text;
  if (node.op != Op::subtract) return {};
  const std::string left = word_of(node.parts[0], whole), right = word_of(node.parts[1], whole);
  const std::string word = left + '-' + right;
  const bool side_by_side = whole.compare(static_cast<std::size_t>(node.column - 1), word.size(), word) == 0;
  return !left.empty() && !right.empty() && side_by_side ? word : "";
}

template <class Visit>
void each_node(const Node& node, const Visit& visit) {
  visit(node);
  for (const Node& part : node.parts) each_node(part, visit);
  for (const Node& condition : node.where) each_node(condition, visit);
}

}  // namespace

std::vector<ComparedName> compared_names(const Expression& expression) {
  using With = ComparedName::With;
  std::vector<ComparedName> all;
  each_node(expression.tree(), [&](const Node& node) {
    const std::optional<Signs> signs = signs_of(node.op);
    if (!signs) return;
    for (const bool swapped : {false, true}) {
      const Node &name = node.parts[swapped ? 1 : 0], &with = node.parts[swapped ? 0 : 1];
      const std::string sign = swapped ? signs->swapped : signs->written;
      if (name.op != Op::name) continue;
      const std::string word = word_of(with, expression.text());
      if (with.op == Op::number) all.push_back({name.text, With::number, number_text(with.number), sign});
      else if (with.op == Op::text) all.push_back({name.text, With::text, with.text, sign});
      else all.push_back({name.text, word.empty() ? With::computed : With::name, word, sign});
    }
  });
  return all;
}

std::string text_without_quotes(const Expression& expression, std::span<const std::string> texts) {
  std::set<std::string> words;
  each_node(expression.tree(), [&](const Node& node) { words.insert(word_of(node, expression.text())); });
  const auto found =
      std::ranges::find_if(texts, [&words](const std::string& text) { return !text.empty() && words.contains(text); });
  return found == texts.end() ? "" : *found;
}

}  // namespace fovea
