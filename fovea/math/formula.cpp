#include "fovea/math/formula.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <numbers>

#include "fovea/base/error/names.h"
#include "fovea/base/functions/functions.h"

namespace fovea {

class Formula::Parser {
 public:
  Parser(const std::string& text, const std::vector<std::string>& names, const Location& location,
         std::vector<Step>& steps)
      : text_(text), names_(names), location_(location), steps_(steps) {}

  void all() {
    sum();
    if (skip(); at_ < text_.size()) fail(fmt::format("'{}' is not expected", text_[at_]), "is an operator missing?");
  }

 private:
  // sum = product {(+|-) product}; product = signed {(*|/) signed}; signed = -signed | power; power = atom [^ signed]
  void sum() {
    product();
    for (;;) {
      if (take('+')) product(), put(Op::add);
      else if (take('-')) product(), put(Op::subtract);
      else return;
    }
  }

  void product() {
    signed_number();
    for (;;) {
      if (take('*')) signed_number(), put(Op::multiply);
      else if (take('/')) signed_number(), put(Op::divide);
      else return;
    }
  }

  void signed_number() {
    if (++depth_ > 100) fail("is nested too deeply", "write it with fewer brackets");
    if (take('-')) {
      signed_number();
      put(Op::negate);
    } else {
      atom();
      if (take('^')) signed_number(), put(Op::power);
    }
    --depth_;
  }

  void atom() {
    if (take('(')) {
      sum();
      expect(')');
      return;
    }
    skip();
    const std::size_t begin = at_;
    if (at_ < text_.size() && (is_digit(text_[at_]) || text_[at_] == '.')) {
      double number = 0;
      const auto [end, wrong] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), number);
      if (wrong != std::errc{}) fail("this number cannot be read", "write it as 0.5 or 1e-3");
      at_ = static_cast<std::size_t>(end - text_.data());
      put(Op::number, number);
      return;
    }
    while (at_ < text_.size() && (is_letter(text_[at_]) || (at_ > begin && is_digit(text_[at_])))) ++at_;
    if (at_ == begin)
      fail(at_ < text_.size() ? fmt::format("'{}' is not expected", text_[at_]) : "it ends too early",
           "a number, a name or a bracket is expected here");
    name(text_.substr(begin, at_ - begin), begin);
  }

  void name(const std::string& word, std::size_t begin) {
    struct Function {
      const char* name;
      Op op;
      int arguments;
    };
    static constexpr std::array<Function, 9> functions = {{{"abs", Op::abs, 1},
                                                           {"exp", Op::exp, 1},
                                                           {"log", Op::log, 1},
                                                           {"sqrt", Op::sqrt, 1},
                                                           {"sin", Op::sin, 1},
                                                           {"cos", Op::cos, 1},
                                                           {"tanh", Op::tanh, 1},
                                                           {"min", Op::min, 2},
                                                           {"max", Op::max, 2}}};
    if (const auto known = std::find(names_.begin(), names_.end(), word); known != names_.end()) {
      steps_.push_back({Op::name, 0, static_cast<std::size_t>(known - names_.begin())});
      pending(1);
      return;
    }
    if (word == "pi") return put(Op::number, std::numbers::pi);
    for (const Function& function : functions) {
      if (word != function.name) continue;
      expect('(');
      sum();
      if (function.arguments == 2) {
        expect(',');
        sum();
      }
      expect(')');
      return put(function.op);
    }
    std::vector<std::string> known = names_;
    for (const Function& function : functions) known.emplace_back(function.name);
    at_ = begin;
    fail(fmt::format("there is no '{}'", word), suggest_name(word, known));
  }

  void put(Op op, double number = 0) {
    steps_.push_back({op, number, 0});
    switch (op) {
      case Op::number:
        return pending(1);
      case Op::add:
      case Op::subtract:
      case Op::multiply:
      case Op::divide:
      case Op::power:
      case Op::min:
      case Op::max:
        return pending(-1);
      default:
        return;
    }
  }

  void pending(int change) {
    pending_ += change;
    if (pending_ > static_cast<int>(most_pending)) fail("is nested too deeply", "write it with fewer brackets");
  }

  static bool is_digit(char c) { return c >= '0' && c <= '9'; }
  static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
  void skip() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\n')) ++at_;
  }
  bool take(char c) {
    skip();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  void expect(char c) {
    if (!take(c))
      fail(fmt::format("a '{}' is missing", c), "close every bracket, and give each function its arguments");
  }
  [[noreturn]] void fail(const std::string& what, const Remedy& remedy) const {
    throw wrong_input(fmt::format("the formula '{}' is wrong at its column {}: {}", text_, at_ + 1, what), remedy,
                      location_);
  }

  const std::string& text_;
  const std::vector<std::string>& names_;
  const Location& location_;
  std::vector<Step>& steps_;
  std::size_t at_ = 0;
  int depth_ = 0;
  int pending_ = 0;
};

Formula Formula::parse(const std::string& text, const std::vector<std::string>& names, const Location& location) {
  if (text.size() > 1000)
    throw wrong_input("the formula is longer than 1000 characters", "write a shorter formula", location);
  Formula formula;
  formula.text_ = text;
  Parser(formula.text_, names, location, formula.steps_).all();
  return formula;
}

double Formula::operator()(std::span<const double> values) const {
  std::array<double, most_pending> stack{};
  std::size_t top = 0;  // how many are pending
  const auto two = [&](auto f) {
    --top;
    stack[top - 1] = f(stack[top - 1], stack[top]);
  };
  const auto one = [&](auto f) { stack[top - 1] = f(stack[top - 1]); };
  for (const Step& step : steps_) {
    switch (step.op) {
      case Op::number:
        stack[top++] = step.number;
        break;
      case Op::name:
        stack[top++] = values[step.name];
        break;
      case Op::add:
        two([](double a, double b) { return a + b; });
        break;
      case Op::subtract:
        two([](double a, double b) { return a - b; });
        break;
      case Op::multiply:
        two([](double a, double b) { return a * b; });
        break;
      case Op::divide:
        two([](double a, double b) { return a / b; });
        break;
      case Op::power:
        two([](double a, double b) { return math::pow(a, b); });
        break;
      case Op::min:
        two([](double a, double b) { return b < a || std::isnan(b) ? b : a; });
        break;
      case Op::max:
        two([](double a, double b) { return b > a || std::isnan(b) ? b : a; });
        break;
      case Op::negate:
        one([](double a) { return -a; });
        break;
      case Op::abs:
        one([](double a) { return std::abs(a); });
        break;
      case Op::exp:
        one([](double a) { return math::exp(a); });
        break;
      case Op::log:
        one([](double a) { return math::log(a); });
        break;
      case Op::sqrt:
        one([](double a) { return std::sqrt(a); });
        break;
      case Op::sin:
        one([](double a) { return math::sin(a); });
        break;
      case Op::cos:
        one([](double a) { return math::cos(a); });
        break;
      case Op::tanh:
        one([](double a) { return math::tanh(a); });
        break;
    }
  }
  return stack[0];
}

bool Formula::reads(std::size_t name) const {
  return std::any_of(steps_.begin(), steps_.end(),
                     [name](const Step& step) { return step.op == Op::name && step.name == name; });
}

}  // namespace fovea
