// Parses the text of an Expression (expression.h) by recursive descent, one function a level (room lab/query):
//
//   either     = both ("or" both)*
//   both       = negation ("and" negation)*
//   negation   = "not" negation | comparison
//   comparison = sum (("<" | "<=" | ">" | ">=" | "=" | "!=") sum)?
//   sum        = product (("+" | "-") product)*
//   product    = factor (("*" | "/") factor)*
//   factor     = "-" factor | number | text | name | call | "(" either ")"
//   call       = name "(" either ("," either)* ("|" either)? ")"
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <string_view>
#include <utility>

#include "fovea/base/error/names.h"
#include "fovea/base/old_names.h"
#include "fovea/lab/query/expression_mistakes.h"
#include "fovea/lab/query/expression_node.h"

namespace fovea {

namespace {

constexpr std::size_t longest = 4000;  // characters
constexpr int deepest = 200;           // nested parentheses, functions and signs

std::string sort_name(Sort sort) {
  switch (sort) {
    case Sort::number:
      return "a number";
    case Sort::condition:
      return "a condition";
    case Sort::text:
      return "a text";
    case Sort::any:
      break;
  }
  return "a value";
}

using Node = Expression::Node;

class Parser {
 public:
  Parser(const std::string& text, const Location& location) : text_(text), location_(location) {}

  Node whole() {
    if (text_.size() > longest)
      throw wrong_input(fmt::format("the expression has {} characters", text_.size()),
                        fmt::format("shorten it to at most {}", longest), location_);
    Node node = either();
    if (at_ < text_.size())
      fail(fmt::format("'{}' is not expected here", token_at(text_, at_)),
           rest_remedy(text_, at_, comparison_, node.sort == Sort::condition));
    return node;
  }

 private:
  [[noreturn]] void fail(const std::string& what, const Remedy& remedy, int column = 0) const {
    const std::size_t here = column > 0 ? static_cast<std::size_t>(column) : at_ + 1;
    throw wrong_input(fmt::format("in the expression '{}', column {}: {}", text_, here, what), remedy, location_);
  }

  void refuse_foreign_operator() {
    skip_blanks();
    const auto foreign = foreign_operator(std::string_view(text_).substr(at_));
    if (foreign) fail(fmt::format("there is no operator '{}'", foreign->written), std::string(foreign->remedy));
  }

  int here() const { return static_cast<int>(at_) + 1; }

  void skip_blanks() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\n')) ++at_;
  }

  bool take(std::string_view symbol) {
    skip_blanks();
    if (text_.compare(at_, symbol.size(), symbol) != 0) return false;
    at_ += symbol.size();
    return true;
  }

  bool take_word(std::string_view word) {
    skip_blanks();
    const std::size_t end = at_ + word.size();
    if (text_.compare(at_, word.size(), word) != 0) return false;
    if (end < text_.size() && (is_letter(text_[end]) || is_digit(text_[end]) || text_[end] == '.')) return false;
    at_ = end;
    return true;
  }

  void require(const Node& node, Sort wanted, const std::string& of) const {
    if (node.sort == Sort::any || node.sort == wanted) return;
    fail(fmt::format("{} takes {}, not {}", of, sort_name(wanted), sort_name(node.sort)),
         wanted == Sort::condition ? "write a comparison, as in 'accuracy >= 0.9'"
         : wanted == Sort::text    ? "write a text in quotes"
                                   : "use a metric or a number",
         node.column);
  }

  static Node join(Op op, Sort sort, Node left, Node right) {
    Node node;
    node.op = op;
    node.sort = sort;
    node.column = left.column;
    node.parts.reserve(2);
    node.parts.push_back(std::move(left));
    node.parts.push_back(std::move(right));
    return node;
  }

  static Node wrap(Op op, Sort sort, int column, Node inner) {
    Node node;
    node.op = op;
    node.sort = sort;
    node.column = column;
    node.parts.push_back(std::move(inner));
    return node;
  }

  Node both_sides(Op op, Sort takes, Sort gives, const std::string& of, Node left, Node right) {
    require(left, takes, of);
    require(right, takes, of);
    // Each joint makes the tree a level deeper, and whoever walks it goes down all of them.
    if (++joints_ > deepest) fail("it has too many parts", fmt::format("use at most {} operators", deepest));
    return join(op, gives, std::move(left), std::move(right));
  }

  Node either() {
    Node node = both();
    while (take_word("or"))
      node = both_sides(Op::or_, Sort::condition, Sort::condition, "'or'", std::move(node), both());
    return node;
  }

  Node both() {
    Node node = negation();
    while (take_word("and"))
      node = both_sides(Op::and_, Sort::condition, Sort::condition, "'and'", std::move(node), negation());
    return node;
  }

  Node negation() {
    skip_blanks();
    const int column = here();
    if (!take_word("not")) return comparison();
    const Deeper deeper(*this);
    Node inner = negation();
    require(inner, Sort::condition, "'not'");
    return wrap(Op::not_, Sort::condition, column, std::move(inner));
  }

  Node comparison() {
    Node left = sum();
    static constexpr std::pair<const char*, Op> symbols[] = {
        {"<=", Op::less_equal}, {">=", Op::more_equal}, {"!=", Op::unequal}, {"==", Op::equal},
        {"<", Op::less},        {">", Op::more},        {"=", Op::equal}};
    for (const auto& [symbol, op] : symbols) {
      if (!take(symbol)) continue;
      comparison_ = {left.op == Op::name ? left.text : "x", op == Op::equal ? "=" : symbol};
      Node right = sum();
      if (op == Op::equal || op == Op::unequal) {
        if (left.sort != Sort::any) require(right, left.sort, fmt::format("'{}'", symbol));
        return join(op, Sort::condition, std::move(left), std::move(right));
      }
      return both_sides(op, Sort::number, Sort::condition, fmt::format("'{}'", symbol), std::move(left),
                        std::move(right));
    }
    return left;
  }

  Node sum() {
    Node node = product();
    for (;;) {
      if (take("+")) node = both_sides(Op::add, Sort::number, Sort::number, "'+'", std::move(node), product());
      else if (take("-"))
        node = both_sides(Op::subtract, Sort::number, Sort::number, "'-'", std::move(node), product());
      else return node;
    }
  }

  Node product() {
    Node node = factor();
    for (;;) {
      refuse_foreign_operator();
      if (take("*")) node = both_sides(Op::multiply, Sort::number, Sort::number, "'*'", std::move(node), factor());
      else if (take("/")) node = both_sides(Op::divide, Sort::number, Sort::number, "'/'", std::move(node), factor());
      else return node;
    }
  }

  Node factor() {
    const Deeper deeper(*this);
    skip_blanks();
    const int column = here();
    if (at_ == text_.size()) fail("a value is missing", "write a metric, a setting or a number");
    if (take("-")) {
      Node inner = factor();
      require(inner, Sort::number, "'-'");
      return wrap(Op::negate, Sort::number, column, std::move(inner));
    }
    if (take("(")) {
      Node node = either();
      if (!take(")")) fail("a ')' is missing", fmt::format("close the '(' of column {}", column));
      return node;
    }
    const char c = text_[at_];
    if (c == '"' || c == '\'') return quoted(c);
    if (is_digit(c) || c == '.') return literal();
    if (is_letter(c)) return word();
    fail(fmt::format("'{}' is not expected here", token_at(text_, at_)),
         c == '!' ? "write 'not'" : "write a metric, a setting or a number");
  }

  Node quoted(char quote) {
    Node node;
    node.op = Op::text;
    node.sort = Sort::text;
    node.column = here();
    const std::size_t end = text_.find(quote, at_ + 1);
    if (end == std::string::npos) fail("the text has no closing quote", fmt::format("close the text with {}", quote));
    node.text = text_.substr(at_ + 1, end - at_ - 1);
    at_ = end + 1;
    return node;
  }

  Node literal() {
    Node node;
    node.column = here();
    const char* const begin = text_.data() + at_;
    const auto [end, wrong] = std::from_chars(begin, text_.data() + text_.size(), node.number);
    if (wrong != std::errc()) fail("this number is too large", "write it as 0.95 or 1e-3");
    at_ += static_cast<std::size_t>(end - begin);
    if (const auto range = range_remedy(text_, at_, comparison_)) fail("a condition has no range", *range);
    if (at_ < text_.size() && (is_letter(text_[at_]) || text_[at_] == '.'))
      fail("a number and a word touch", "write the number alone, or an operator between them");
    return node;
  }

  Node word() {
    const int column = here();
    const std::size_t begin = at_;
    while (at_ < text_.size() && (is_letter(text_[at_]) || is_digit(text_[at_]) || text_[at_] == '.')) ++at_;
    const std::string name = text_.substr(begin, at_ - begin);
    skip_blanks();
    if (at_ < text_.size() && text_[at_] == '(') return call(name, column);
    Node node;
    node.column = column;
    if (name == "true" || name == "false") {
      node.op = Op::truth;
      node.sort = Sort::condition;
      node.number = name == "true" ? 1 : 0;
    } else if (name == "infinity") {
      node.number = std::numeric_limits<double>::infinity();
    } else if (name == "and" || name == "or" || name == "not") {
      fail(fmt::format("'{}' is not expected here", name), "write a condition on both sides of it", column);
    } else {
      if (name.back() == '.')
        fail(fmt::format("the name '{}' ends in a dot", name), "write it as 'task.vocab'", column);
      if (find_function(name)) fail(fmt::format("'{}' is a function", name), fmt::format("write {}(…)", name), column);
      if (const auto percent = percent_of_steps_to(name)) {
        if (*percent < 1 || *percent > 100)
          fail(fmt::format("there is no '{}'", name), "write steps_to_1 to steps_to_100, as in steps_to_90", column);
        return steps_to(name, *percent, column);
      }
      if (const auto truth = lower_truth(name))
        fail(fmt::format("there is no value '{}'", name), fmt::format("write {}", *truth), column);
      node = name_node(name, column);
    }
    return node;
  }

  static Node name_node(const std::string& name, int column) {
    Node node;
    node.op = Op::name;
    node.sort = Sort::any;
    node.column = column;
    node.text = report_old_name(name.find('.') == std::string::npos ? NameKind::metric : NameKind::setting, name);
    return node;
  }

  Node steps_to(const std::string& name, int percent, int column) {
    require_shallow_series(column);
    Node bound;
    bound.number = percent / 100.0;
    bound.column = column;
    Node node = wrap(Op::step_of, Sort::number, column,
                     join(Op::more_equal, Sort::condition, name_node("accuracy", column), std::move(bound)));
    node.reach = Reach::series;
    node.text = name;
    return node;
  }

  // Each level of series in series multiplies the work by the length of a series.
  void require_shallow_series(int column) const {
    if (inside_series_ > 1) fail("functions of series are nested too deeply", "use at most two levels", column);
  }

  Node call(const std::string& name, int column) {
    const Function* const function = find_function(name);
    if (!function) fail(fmt::format("there is no function '{}'", name), suggest_name(name, function_names()), column);
    if (function->reach == Reach::runs) {
      if (inside_runs_ > 0)
        fail(fmt::format("'{}' is inside another function over runs", name), "use one at a time", column);
      if (inside_series_ > 0)
        fail(fmt::format("'{}' is over runs and inside a function of one run's series", name), "swap the two functions",
             column);
    }
    if (function->reach == Reach::series) require_shallow_series(column);
    int& inside = function->reach == Reach::runs ? inside_runs_ : inside_series_;
    const int change = function->reach == Reach::plain ? 0 : 1;
    inside += change;
    Node node;
    node.op = function->op;
    node.sort = function->gives;
    node.reach = function->reach;
    node.column = column;
    take("(");
    skip_blanks();
    if (at_ < text_.size() && text_[at_] == ')')
      fail(fmt::format("'{}' has no argument", name), fmt::format("write {}({})", name, arguments_of(*function)),
           column);
    do {
      node.parts.push_back(either());
      if (function->takes == Sort::text && node.parts.back().op != Op::text)
        fail(fmt::format("'{}' takes a text in quotes", name), fmt::format("write {}(\"good\")", name), column);
      if (function->op == Op::as_trained && node.parts.back().op != Op::name)
        fail("'as_trained' takes the name of a metric", "write as_trained(accuracy)", column);
      const bool read_over_steps = function->op == Op::at || function->op == Op::step_of_rise;
      if (read_over_steps && node.parts.size() == 1 && node.parts.front().op == Op::number)
        fail(fmt::format("the first value of '{}' is a metric, not a number", name),
             fmt::format("write {}({})", name, arguments_of(*function)), node.parts.front().column);
      require(node.parts.back(), function->takes, fmt::format("'{}'", name));
    } while (take(","));
    if (take("|")) {
      if (function->reach != Reach::runs) fail("only functions over runs take a '|'", "drop it", column);
      skip_blanks();
      const std::size_t condition = at_;
      node.where.push_back(either());
      require(node.where.back(), Sort::condition, "'|'");
      node.text = text_.substr(condition, at_ - condition);
    }
    if (!take(")")) fail("a ')' is missing", fmt::format("close the '(' of '{}'", name));
    const auto begin = static_cast<std::size_t>(column - 1);
    const bool as_written = function->op == Op::tagged || function->op == Op::as_trained;
    if (function->reach == Reach::series || as_written) node.text = text_.substr(begin, at_ - begin);
    inside -= change;
    const int given = static_cast<int>(node.parts.size());
    if (given < function->least_arguments || given > function->most_arguments)
      fail(fmt::format("'{}' takes {} {} {}, not {}", name,
                       function->least_arguments == function->most_arguments ? "exactly" : "at least",
                       function->least_arguments, function->least_arguments == 1 ? "value" : "values", given),
           fmt::format("write {}({})", name, arguments_of(*function)), column);
    return node;
  }

  // What a function is called with, for people.
  static std::string arguments_of(const Function& function) {
    if (function.op == Op::at) return "METRIC, STEP), as in at(loss, 100";
    if (function.op == Op::step_of_rise) return "METRIC, SHARE), as in step_of_rise(accuracy, 0.5";
    const bool condition = function.takes == Sort::condition;
    if (function.least_arguments == 1)
      return condition ? "CONDITION" : function.takes == Sort::text ? "\"TAG\"" : "METRIC";
    return function.most_arguments == 2 ? "METRIC, METRIC" : "METRIC, METRIC, …";
  }

  struct Deeper {
    explicit Deeper(Parser& parser) : parser_(parser) {
      if (++parser_.depth_ > deepest)
        parser_.fail("the expression is nested too deeply", fmt::format("use at most {} levels", deepest));
    }
    Deeper(const Deeper&) = delete;
    Deeper& operator=(const Deeper&) = delete;
    ~Deeper() { --parser_.depth_; }
    Parser& parser_;
  };

  const std::string& text_;
  const Location& location_;
  std::size_t at_ = 0;
  int depth_ = 0;
  int joints_ = 0;
  ReadComparison comparison_;  // the last one
  int inside_runs_ = 0;
  int inside_series_ = 0;
};

}  // namespace

Expression::Node parse_expression(const std::string& text, const Location& location) {
  return Parser(text, location).whole();
}

}  // namespace fovea
