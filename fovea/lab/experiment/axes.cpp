#include "fovea/lab/experiment/axes.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <set>

#include "fovea/base/flatten.h"
#include "fovea/io/toml_reader.h"
#include "fovea/lab/experiment/experiment.h"

namespace fovea {

namespace {

constexpr std::int64_t longest_axis = 1000000;

std::optional<std::int64_t> whole_number(std::string_view text) {
  std::int64_t number = 0;
  const auto [end, wrong] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (wrong != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

bool is_decimal(std::string_view text) {
  double number = 0;
  const auto [end, wrong] = std::from_chars(text.data(), text.data() + text.size(), number);
  return wrong == std::errc() && end == text.data() + text.size();
}

// "0..19": both ends belong to it; "[0]..[19]": each is the one number of a list. Nothing where the text is not a
// range.
std::optional<std::vector<Value>> range_of(const std::string& text, const Location& location) {
  const std::size_t dots = text.find("..");
  if (dots == std::string::npos) return std::nullopt;
  std::string_view low = std::string_view(text).substr(0, dots), high = std::string_view(text).substr(dots + 2);
  const auto bracketed = [](std::string_view end) { return end.starts_with('[') && end.ends_with(']'); };
  const bool lists = bracketed(low) && bracketed(high);
  if (lists) {
    low = low.substr(1, low.size() - 2);
    high = high.substr(1, high.size() - 2);
  }
  const auto from = whole_number(low), to = whole_number(high);
  if (is_decimal(low) && is_decimal(high) && !(from && to))
    throw wrong_input(fmt::format("the range '{}' is not of integers", text),
                      fmt::format("write the values, as in {0},{1}, or a distribution: uniform({0}..{1})", low, high),
                      location);
  if (!from || !to) return std::nullopt;
  if (*to < *from)
    throw wrong_input(fmt::format("the range '{}' runs backwards", text),
                      lists ? fmt::format("write [{}]..[{}]", *to, *from) : fmt::format("write {}..{}", *to, *from),
                      location);
  if (static_cast<std::uint64_t>(*to) - static_cast<std::uint64_t>(*from) >= static_cast<std::uint64_t>(longest_axis))
    throw wrong_input(fmt::format("the range '{}' is too long", text),
                      fmt::format("shorten it: an axis has at most {} values", longest_axis), location);
  std::vector<Value> values;
  for (std::int64_t i = *from; i <= *to; ++i)
    values.push_back(lists ? Value{ValueList{{i, location}}, location} : Value{i, location});
  return values;
}

// "task.vocab = 60" cut at the sign.
std::pair<std::string, std::string> key_and_rest(const std::string& words, const Location& location) {
  const std::size_t sign = words.find('=');
  const auto is_blank = [](char c) { return c == ' '; };
  std::string key = words.substr(0, sign);
  std::erase_if(key, is_blank);
  if (sign == std::string::npos || key.empty())
    throw wrong_input(fmt::format("'{}' sets nothing", words),
                      "write it as key=value without spaces, as in task.vocab=60", location);
  return {key, words.substr(sign + 1)};
}

}  // namespace

std::vector<Override> settings_of(const std::string& key, const Value& value) {
  const auto* const settings = value.as<ValueTable>();
  if (key != cases_key || !settings) return {{key, value}};
  std::vector<Override> all;
  for (const auto& [name, one] : flatten(*settings)) all.push_back({name, *one});
  return all;
}

Override parse_override(const std::string& words) {
  const Location location = Location::setting(words);
  const auto [key, rest] = key_and_rest(words, location);
  return {key, parse_value(rest, location)};
}

// "0,01" is read as 0 and 01, and a number does not begin with 0 and another digit.
void refuse_decimal_comma(const std::vector<std::string>& items, const Location& location) {
  for (std::size_t i = 1; i < items.size(); ++i) {
    const std::string &whole = items[i - 1], &part = items[i];
    const bool digits = part.find_first_not_of("0123456789") == std::string::npos;
    if (part.size() > 1 && part[0] == '0' && digits && whole_number(whole))
      throw wrong_input(fmt::format("'{}' is not a number", part),
                        fmt::format("write a decimal number with a point: {}.{}", whole, part), location);
  }
}

// A run would count as often in what is claimed.
void refuse_twice(const Axis& axis, const Location& location) {
  std::set<std::string> texts;
  for (const Value& value : axis.values)
    if (!texts.insert(value.text()).second)
      throw wrong_input(message("the axis '{}' has {} twice", axis.key, value), "write it once", location);
}

Axis parse_axis(const std::string& words) {
  const Location location = Location::setting(words);
  const auto [key, rest] = key_and_rest(words, location);
  Axis axis{key, {}};
  axis.draw = parse_random_axis(rest, location);
  if (axis.draw) return axis;
  const std::vector<std::string> items = split_list(rest);
  refuse_decimal_comma(items, location);
  for (const std::string& item : items) {
    if (item.empty())
      throw wrong_input(fmt::format("a value is missing in '{}'", words), "write the values as a,b,c or 0..19",
                        location);
    if (auto range = range_of(item, location)) axis.values.insert(axis.values.end(), range->begin(), range->end());
    else axis.values.push_back(parse_value(item, location));
  }
  refuse_twice(axis, location);
  return axis;
}

Axis axis_of(const std::string& key, const Value& values) {
  Axis axis{key, {}};
  if (const auto* list = values.as<ValueList>()) {
    if (static_cast<std::int64_t>(list->size()) > longest_axis)
      throw wrong_input(fmt::format("the axis '{}' is too long", key),
                        fmt::format("shorten it: an axis has at most {} values", longest_axis), values.location);
    axis.values = *list;
    for (const Value& value : axis.values)
      if (key == cases_key && !value.as<ValueTable>())
        throw wrong_input(message("a case is a table of settings, not {} ({})", value.kind(), value),
                          "write it as { \"task.vocab\" = 60, \"train.batch\" = 16 }", value.location);
    refuse_twice(axis, values.location);
  } else if (const auto* text = values.as<std::string>()) {
    axis.draw = parse_random_axis(*text, values.location);
    if (axis.draw) return axis;
    auto range = range_of(*text, values.location);
    if (!range)
      throw wrong_input(fmt::format("'{}' is not a range for the axis '{}'", *text, key),
                        "write it as \"0..19\" or \"log(1e-4..1e-2)\", or the values as a list", values.location);
    axis.values = std::move(*range);
  } else {
    throw wrong_input(message("the axis '{}' must be a list or a range, not {} ({})", key, values.kind(), values),
                      "write it as [1, 2, 3] or \"0..19\"", values.location);
  }
  if (axis.values.empty())
    throw wrong_input(fmt::format("the axis '{}' has no values", key), "add values, or remove the axis",
                      values.location);
  return axis;
}

std::int64_t Experiment::draw_count(Preset preset) const {
  const auto found = quick.find("sweep.draws");
  return preset == Preset::quick && found != quick.end() ? *found->second.as<std::int64_t>() : draws;
}

void Experiment::set_draws(std::int64_t count) {
  draws = count;
  quick.erase("sweep.draws");
}

std::vector<Axis> Experiment::axes(Preset preset) const {
  std::vector<Axis> axes = sweep;
  if (preset == Preset::quick) {
    for (const auto& [key, value] : quick) {
      if (key == "sweep.draws") continue;
      const bool whole_axis = key.starts_with("sweep.");
      const std::string name = whole_axis ? key.substr(6) : key;
      const auto same = std::find_if(axes.begin(), axes.end(), [&name](const Axis& axis) { return axis.key == name; });
      if (!whole_axis) {
        if (same != axes.end()) axes.erase(same);  // the quick form has one value of it
      } else if (same != axes.end()) {
        *same = axis_of(name, value);
      } else {
        axes.push_back(axis_of(name, value));
      }
    }
  }
  std::stable_partition(axes.begin(), axes.end(), [](const Axis& axis) { return axis.key != "seed"; });
  return axes;
}

}  // namespace fovea
