#include "fovea/lab/experiment/random_axis.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <string_view>
#include <tuple>
#include <utility>

#include "fovea/base/functions/functions.h"
#include "fovea/base/random.h"
#include "fovea/io/toml_reader.h"
#include "fovea/io/whitespace.h"

namespace fovea {

namespace {

std::optional<double> number(std::string_view text) {
  double x = 0;
  const auto [end, wrong] = std::from_chars(text.data(), text.data() + text.size(), x);
  if (wrong != std::errc() || end != text.data() + text.size() || !std::isfinite(x)) return std::nullopt;
  return x;
}

// "1e-4..1e-2"
std::optional<std::pair<double, double>> ends_of(const std::string& text) {
  const std::size_t dots = text.find("..");
  if (dots == std::string::npos) return std::nullopt;
  const auto low = number(trimmed(std::string_view(text).substr(0, dots))),
             high = number(trimmed(std::string_view(text).substr(dots + 2)));
  if (!low || !high) return std::nullopt;
  return std::pair{*low, *high};
}

}  // namespace

std::vector<std::string> split_list(const std::string& text) {
  std::vector<std::string> items(1);
  int depth = 0;
  char quote = 0;
  for (const char c : text) {
    if (quote) {
      if (c == quote) quote = 0;
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (c == '[' || c == '{') {
      ++depth;
    } else if (c == ']' || c == '}') {
      --depth;
    } else if (c == ',' && depth == 0) {
      items.emplace_back();
      continue;
    }
    items.back() += c;
  }
  for (std::string& item : items) item = std::string(trimmed(item));
  return items;
}

std::optional<RandomAxis> parse_random_axis(const std::string& text, const Location& location) {
  const std::string rule(trimmed(text));
  const std::size_t open = rule.find('(');
  if (open == std::string::npos) return std::nullopt;
  const std::string name(trimmed(std::string_view(rule).substr(0, open)));
  const bool known = name == "one_of" || name == "log" || name == "uniform";
  if (known && rule.find(')') == std::string::npos)
    throw wrong_input(fmt::format("a ')' is missing in '{}'", rule), fmt::format("write {})", rule), location);
  if (rule.back() != ')') return std::nullopt;
  const std::string inside = rule.substr(open + 1, rule.size() - open - 2);
  RandomAxis draw;
  draw.location = location;
  if (name == "one_of") {
    draw.kind = RandomAxis::Kind::one_of;
    for (const std::string& item : split_list(inside)) {
      if (item.empty())
        throw wrong_input(fmt::format("a choice is missing in '{}'", rule), "write it as one_of(a, b, c)", location);
      draw.choices.push_back(parse_value(item, location));
    }
    return draw;
  }
  if (!known) {
    if (inside.find_first_not_of("0123456789.,+-eE ") != std::string::npos) return std::nullopt;  // an expression
    throw wrong_input(fmt::format("'{}' is not a distribution", name),
                      "use log(1e-4..1e-2), uniform(0..0.5) or one_of(linear, mlp)", location);
  }
  draw.kind = name == "log" ? RandomAxis::Kind::log : RandomAxis::Kind::uniform;
  const auto ends = ends_of(inside);
  if (!ends)
    throw wrong_input(fmt::format("'{}' needs two numbers with '..' between them", rule),
                      fmt::format("write it as {}(1e-4..1e-2)", name), location);
  std::tie(draw.low, draw.high) = *ends;
  if (draw.low >= draw.high)
    throw wrong_input(fmt::format("the range '{}' is empty", rule), "write the smaller bound first", location);
  if (draw.kind == RandomAxis::Kind::log && draw.low <= 0)
    throw wrong_input(fmt::format("'{}' begins at {}, which has no logarithm", rule, draw.low),
                      "begin above 0, or write uniform(…)", location);
  return draw;
}

Value drawn(const RandomAxis& draw, const std::string& key, std::uint64_t seed, std::uint64_t number, bool whole) {
  RandomStream stream(seed, "draw", number, purpose_id(key));
  if (draw.kind == RandomAxis::Kind::one_of) return draw.choices[stream.integer(draw.choices.size())];
  const bool log = draw.kind == RandomAxis::Kind::log;
  // A whole number stands for the stretch up to the next one.
  const double low = whole ? std::ceil(draw.low) : draw.low, high = whole ? std::floor(draw.high) + 1 : draw.high;
  const double share = stream.uniform();
  const double x = log ? low * math::pow(high / low, share) : low + (high - low) * share;
  if (whole) return {static_cast<std::int64_t>(std::clamp(std::floor(x), low, high - 1)), draw.location};
  const double rounded = std::strtod(fmt::format("{:.6g}", x).c_str(), nullptr);
  return {std::clamp(rounded, draw.low, draw.high), draw.location};
}

}  // namespace fovea
