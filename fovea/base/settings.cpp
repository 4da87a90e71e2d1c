#include "fovea/base/settings.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "fovea/base/error/names.h"

namespace fovea {

namespace {

std::string range_text(std::int64_t least, std::int64_t most) {
  if (most == Fields::no_limit || most == std::numeric_limits<int>::max()) return fmt::format("{} or more", least);
  return fmt::format("{} to {}", least, most);
}

std::string range_text(double least, double most) {
  if (std::isinf(least) && std::isinf(most)) return "finite";
  if (std::isinf(most)) return fmt::format("{} or more", least);
  if (std::isinf(least)) return fmt::format("{} or less", most);
  return fmt::format("{} to {}", least, most);
}

// "1000", of 1e3; empty if the value is no whole number with a point or an exponent.
std::string whole_text(const Value& value) {
  const double* const real = value.as<double>();
  return real && std::trunc(*real) == *real && std::abs(*real) < 1e15 ? fmt::format("{:.0f}", *real) : "";
}

const std::array<std::string, 2> flags{"false", "true"};

// Sets `out`, or says what it must be.
Message take_integer(const Value& value, std::int64_t least, std::int64_t most, std::int64_t& out) {
  const auto* x = value.as<std::int64_t>();
  if (!x) return message("an integer, {}", range_text(least, most));
  if (*x > most) return message("{} to {}", least, most);
  if (*x < least) return range_text(least, most);
  out = *x;
  return {};
}

Message take_number(const Value& value, double least, double most, double& out) {
  double x = 0;
  if (const auto* real = value.as<double>()) x = *real;
  else if (const auto* whole = value.as<std::int64_t>()) x = static_cast<double>(*whole);
  else return message("a number, {}", range_text(least, most));
  if (!std::isfinite(x) && (std::isinf(least) || std::isinf(most))) return "finite";
  if (!std::isfinite(x) || x < least || x > most) return range_text(least, most);
  out = x;
  return {};
}

template <class Element, class Take>
Message take_list(const Value& value, const std::string& wanted, std::vector<Element>& out, Take take) {
  const auto* list = value.as<ValueList>();
  if (!list) return wanted;
  std::vector<Element> elements;
  for (const Value& item : *list) {
    Element element{};
    if (const Message wrong = take(item, element); !wrong.empty()) return message("{}, each {}", wanted, wrong);
    elements.push_back(std::move(element));
  }
  out = std::move(elements);
  return {};
}

std::string one_of(const std::vector<std::string>& known) { return fmt::format("one of: {}", fmt::join(known, ", ")); }

// "adam, adamw or sgd"
std::string any_of(const std::vector<std::string>& known) {
  std::string text;
  for (std::size_t i = 0; i < known.size(); ++i)
    text += (i == 0 ? "" : i + 1 < known.size() ? ", " : " or ") + known[i];
  return text;
}

// The name of a setting as a person writes it: "train.steps", "task.vocab", "probe.toy-flow.level".
std::string full_name(const std::string& owner, const std::string& key) {
  const std::size_t blank = owner.find(' ');
  if (blank == std::string::npos) return owner + '.' + key;
  const std::string section = owner.substr(0, blank);
  if (section == "task" || section == "model") return section + '.' + key;
  if (owner.ends_with(fmt::format("'{}'", key))) return fmt::format("'{}'", key);  // the kind of an intervention
  if (section == "probe") return fmt::format("probe.{}.{}", owner.substr(blank + 2, owner.size() - blank - 3), key);
  return fmt::format("'{}' of {}", key, owner);
}

// schedules "cosine" and "linear"
std::string quoted(std::string what, const std::vector<std::string>& names) {
  if (names.size() > 1) what += 's';
  for (std::size_t i = 0; i < names.size(); ++i)
    what += fmt::format("{}\"{}\"", i == 0 ? " " : i + 1 < names.size() ? ", " : " and ", names[i]);
  return what;
}

template <class Element, class Make>
Value list_value(const std::vector<Element>& elements, Make make) {
  ValueList list;
  for (const Element& element : elements) list.push_back({make(element), {}});
  return {std::move(list), {}};
}

}  // namespace

std::vector<std::string> choices_in(std::string_view kind) {
  constexpr std::string_view front = "one of: ", between = ", ";
  std::vector<std::string> words;
  if (!kind.starts_with(front)) return words;
  for (kind.remove_prefix(front.size()); !kind.empty();) {
    const std::size_t end = kind.find(between);
    words.emplace_back(kind.substr(0, end));
    kind.remove_prefix(end == kind.npos ? kind.size() : end + between.size());
  }
  return words;
}

void Fields::integer(std::string name, std::int64_t& member, std::int64_t least, std::int64_t most, std::string help) {
  fields_.push_back({std::move(name), "integer, " + range_text(least, most), std::move(help),
                     [&member] { return Value{member, {}}; },
                     [&member, least, most](const Value& value) { return take_integer(value, least, most, member); }});
}

void Fields::integer(std::string name, int& member, std::int64_t least, std::int64_t most, std::string help) {
  const std::int64_t top = std::min<std::int64_t>(most, std::numeric_limits<int>::max());
  fields_.push_back({std::move(name), "integer, " + range_text(least, most), std::move(help),
                     [&member] { return Value{std::int64_t{member}, {}}; },
                     [&member, least, top](const Value& value) {
                       std::int64_t wide = 0;
                       Message wrong = take_integer(value, least, top, wide);
                       if (wrong.empty()) member = static_cast<int>(wide);
                       return wrong;
                     }});
}

void Fields::integer(std::string name, std::optional<std::int64_t>& member, std::int64_t least, std::int64_t most,
                     std::string otherwise, std::string help) {
  fields_.push_back({std::move(name), "integer, " + range_text(least, most), std::move(help),
                     [&member]() -> std::optional<Value> {
                       if (!member) return std::nullopt;
                       return Value{*member, {}};
                     },
                     [&member, least, most](const Value& value) {
                       std::int64_t taken = 0;
                       Message wrong = take_integer(value, least, most, taken);
                       if (wrong.empty()) member = taken;
                       return wrong;
                     },
                     std::move(otherwise)});
}

void Fields::number(std::string name, double& member, double least, double most, std::string help) {
  fields_.push_back({std::move(name), "number, " + range_text(least, most), std::move(help),
                     [&member] { return Value{member, {}}; },
                     [&member, least, most](const Value& value) { return take_number(value, least, most, member); }});
}

void Fields::number(std::string name, std::optional<double>& member, double least, double most, std::string otherwise,
                    std::string help) {
  fields_.push_back({std::move(name), "number, " + range_text(least, most), std::move(help),
                     [&member]() -> std::optional<Value> {
                       if (!member) return std::nullopt;
                       return Value{*member, {}};
                     },
                     [&member, least, most](const Value& value) {
                       double taken = 0;
                       Message wrong = take_number(value, least, most, taken);
                       if (wrong.empty()) member = taken;
                       return wrong;
                     },
                     std::move(otherwise)});
}

void Fields::flag(std::string name, bool& member, std::string help) {
  fields_.push_back({std::move(name), ValueKind::truth, std::move(help), [&member] { return Value{member, {}}; },
                     [&member](const Value& value) -> Message {
                       const auto* x = value.as<bool>();
                       if (!x) return ValueKind::truth;
                       member = *x;
                       return {};
                     }});
}

void Fields::text(std::string name, std::string& member, std::string help) {
  fields_.push_back({std::move(name), "text", std::move(help), [&member] { return Value{member, {}}; },
                     [&member](const Value& value) -> Message {
                       const auto* x = value.as<std::string>();
                       if (!x) return ValueKind::text;
                       member = *x;
                       return {};
                     }});
}

void Fields::integers(std::string name, std::vector<int>& member, std::int64_t least, std::int64_t most,
                      std::string help) {
  const std::int64_t top = std::min<std::int64_t>(most, std::numeric_limits<int>::max());
  fields_.push_back({std::move(name), "list of integers, each " + range_text(least, most), std::move(help),
                     [&member] { return list_value(member, [](int x) { return std::int64_t{x}; }); },
                     [&member, least, top](const Value& value) {
                       return take_list(value, "a list of integers", member, [&](const Value& item, int& out) {
                         std::int64_t wide = 0;
                         Message wrong = take_integer(item, least, top, wide);
                         if (wrong.empty()) out = static_cast<int>(wide);
                         return wrong;
                       });
                     }});
}

void Fields::numbers(std::string name, std::vector<double>& member, std::string help) {
  fields_.push_back({std::move(name), "list of numbers", std::move(help),
                     [&member] { return list_value(member, [](double x) { return x; }); },
                     [&member](const Value& value) {
                       return take_list(value, "a list of numbers", member, [](const Value& item, double& out) {
                         return take_number(item, -HUGE_VAL, HUGE_VAL, out);
                       });
                     }});
}

void Fields::texts(std::string name, std::vector<std::string>& member, std::string help) {
  fields_.push_back({std::move(name), "list of texts", std::move(help),
                     [&member] { return list_value(member, [](const std::string& x) { return x; }); },
                     [&member](const Value& value) {
                       return take_list(value, "a list of texts", member,
                                        [](const Value& item, std::string& out) -> Message {
                                          const auto* x = item.as<std::string>();
                                          if (!x) return ValueKind::text;
                                          out = *x;
                                          return {};
                                        });
                     }});
}

void Fields::open_if_empty(std::string otherwise) {
  Field& field = fields_.back();
  field.otherwise = std::move(otherwise);
  field.get = [get = std::move(field.get)] {
    std::optional<Value> list = get();
    if (list->as<ValueList>()->empty()) list.reset();
    return list;
  };
}

void Fields::only_of(std::string belongs_to, std::function<bool()> applies) {
  Field& field = fields_.back();
  field.belongs_to = std::move(belongs_to);
  field.applies = std::move(applies);
  if (std::optional<Value> now = field.get()) field.usual = std::move(now);
}

std::optional<IdleSetting> Fields::idle() const {
  for (const Field& field : fields_) {
    if (!field.applies || field.applies() || !field.usual) continue;
    const std::optional<Value> now = field.get();
    if (now && now->text() != field.usual->text()) return IdleSetting{field.name, field.belongs_to, *field.usual};
  }
  return std::nullopt;
}

std::string IdleSetting::usual_text() const {
  const double* const real = usual.as<double>();
  return real ? fmt::format("{}", *real) : usual.text();
}

// A member that is none of the choices leaves the setting open, and then the first holds. A choice between true and
// false is written and read as such.
void Fields::choice_of_words(std::string name, Words words, std::string help, void* member,
                             std::optional<int> (*get)(const void*), void (*set)(void*, int)) {
  std::vector<std::string> known;
  for (const auto& [word, number] : words) known.push_back(word);
  const bool flag = std::is_permutation(known.begin(), known.end(), flags.begin(), flags.end());
  fields_.push_back({std::move(name), one_of(known), std::move(help),
                     [words, member, get, flag]() -> std::optional<Value> {
                       const auto found = std::ranges::find(words, get(member), &Words::value_type::second);
                       if (found == words.end()) return std::nullopt;
                       if (flag) return Value{found->first == flags[1], {}};
                       return Value{found->first, {}};
                     },
                     [words, known, member, set, flag](const Value& value) -> Message {
                       const auto* const truth = value.as<bool>();
                       const auto* const word = value.as<std::string>();
                       if (flag && !truth) return ValueKind::truth;
                       const std::string wanted = flag ? flags[*truth] : word ? *word : "";
                       const auto found = std::ranges::find(words, wanted, &Words::value_type::first);
                       if (found == words.end()) return any_of(known);
                       set(member, found->second);
                       return {};
                     },
                     known.front()});
  fields_.back().usual = Value{known.front(), {}};
}

void Fields::parts(const std::string& name, std::string& member, const std::map<std::string, Fields>& parts,
                   std::string help) {
  std::vector<std::string> known, stated;
  for (const auto& [part, own] : parts) known.push_back(part);
  fields_.push_back({name, one_of(known), std::move(help), [&member] { return Value{member, {}}; },
                     [&member, known](const Value& value) -> Message {
                       const auto* const word = value.as<std::string>();
                       if (!word || std::ranges::find(known, *word) == known.end()) return any_of(known);
                       member = *word;
                       return {};
                     }});
  for (const auto& [part, own] : parts)
    for (const Field& field : own.fields_) {
      if (std::ranges::find(stated, field.name) != stated.end()) continue;
      stated.push_back(field.name);
      fields_.push_back(of_parts(field.name, name, member, parts));
    }
}

// The field `name` of all parts that have it, as one. It is set in each of them, as a table may have it before the name
// of the part.
Field Fields::of_parts(const std::string& name, const std::string& of, const std::string& member,
                       const std::map<std::string, Fields>& parts) {
  std::map<std::string, Field> having;
  std::vector<std::string> names;
  for (const auto& [part, own] : parts)
    if (const auto found = std::ranges::find(own.fields_, name, &Field::name); found != own.fields_.end()) {
      having.emplace(part, *found);
      names.push_back(part);
    }
  auto first = std::ranges::find_if(having, [](const auto& one) { return one.second.in_every_spec; });
  const bool in_every_spec = first != having.end();
  if (!in_every_spec) first = having.begin();
  Field field = first->second;
  field.usual = field.get();
  field.only_where_read = !in_every_spec;
  if (having.size() < parts.size()) {
    field.belongs_to = quoted(of, names);
    field.applies = [&member, having] { return having.contains(member); };
  }
  field.get = [&member, having, otherwise = first->second] {
    const auto named = having.find(member);
    return named == having.end() ? otherwise.get() : named->second.get();
  };
  field.set = [having](const Value& value) {
    Message wrong;
    for (const auto& [part, own] : having)
      if (wrong = own.set(value); !wrong.empty()) break;
    return wrong;
  };
  return field;
}

void Fields::read(const ValueTable& table, const std::string& owner, const std::vector<std::string>& reserved) const {
  for (const auto& [key, value] : table) {
    if (std::find(reserved.begin(), reserved.end(), key) != reserved.end()) continue;
    const auto field =
        std::find_if(fields_.begin(), fields_.end(), [&key = key](const Field& f) { return f.name == key; });
    if (field == fields_.end()) {
      std::vector<std::string> names;
      for (const Field& f : fields_) names.push_back(f.name);
      names.insert(names.end(), reserved.begin(), reserved.end());
      throw wrong_input(fmt::format("{} has no setting '{}'", owner, key), suggest_name(key, names), value.location);
    }
    if (const Message wanted = field->set(value); !wanted.empty()) {
      Remedy remedy = field->help.empty() ? Remedy() : "meaning: " + field->help;
      const auto* const word = value.as<std::string>();
      const std::vector<std::string> choices = choices_in(field->kind.text());
      if (word && !choices.empty()) remedy = suggest_name(*word, choices, std::move(remedy));
      if (word && field->kind.text().starts_with("list of texts"))
        remedy = message("write {}", Value{ValueList{{*word, {}}}, {}});
      if (const std::string whole = whole_text(value); !whole.empty() && field->kind.text().starts_with("integer"))
        remedy = fmt::format("write {}, without a point or an exponent", whole);
      throw wrong_input(message("{} must be {}, not {}", full_name(owner, key), wanted, value), remedy, value.location);
    }
  }
}

ValueTable Fields::write() const {
  ValueTable table;
  for (const Field& field : fields_) {
    if (field.only_where_read && field.applies && !field.applies()) continue;
    if (std::optional<Value> value = field.get()) table[field.name] = std::move(*value);
  }
  return table;
}

}  // namespace fovea
