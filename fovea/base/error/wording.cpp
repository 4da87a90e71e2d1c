#include "fovea/base/error/wording.h"

#include <fmt/format.h>

namespace fovea {

namespace {

constexpr std::size_t longest_location = 1000;  // bytes

constexpr std::string_view plain_words[] = {
    "",  // a sentence of its own
#define REMEDY(code, plain, program, python) plain,
#include "fovea/base/error/remedies.inc"
#undef REMEDY
};

}  // namespace

std::string Wording::argument(const Value& value) const {
  const std::string* const text = value.as<std::string>();
  return text ? *text : literal(value);
}

std::string Wording::arguments_from(const Remedy& remedy, std::size_t number) const {
  std::string all;
  for (std::size_t i = number; i < remedy.arguments.size(); ++i)
    all += (i > number ? ", " : "") + argument(remedy.arguments[i]);
  return all;
}

std::string Wording::coded(const Remedy& remedy) const {
  std::string_view rest = words(remedy.code);
  if (rest.empty()) rest = plain_words[static_cast<std::size_t>(remedy.code)];
  const auto value = [&remedy](std::size_t number) {
    return number < remedy.arguments.size() ? remedy.arguments[number] : Value{std::string(), {}};
  };
  std::string text;
  for (std::size_t open; (open = rest.find('<')) != std::string_view::npos;) {
    const std::size_t close = rest.find('>', open);
    const std::string_view what = rest.substr(open + 1, close - open - 1);
    text += rest.substr(0, open);
    rest.remove_prefix(close + 1);
    if (what == "all") text += arguments_from(remedy, 0);
    else if (what == "set") text += setting(argument(value(0)), value(1));
    else if (what == "near")
      text += remedy.nearest().empty() ? "" : fmt::format("did you mean '{}'? ", remedy.nearest());
    else if (what == "name") text += entry("name", {"…", {}});
    else if (what == "nearest") {
      const std::string near = remedy.nearest();
      text += near.empty() ? "known are: " + arguments_from(remedy, 1) : fmt::format("did you mean '{}'?", near);
      if (near.empty() && !rest.empty()) text += ';';
    } else {
      text += argument(value(static_cast<std::size_t>(what[0] - '0')));
    }
  }
  return text.append(rest);
}

std::string Wording::setting(const std::string& name, const Value& value) const {
  return fmt::format("{} = {}", name, argument(value));
}

std::string Wording::entry(const std::string& key, const Value& value) const {
  const char* const quote = key.find('.') == std::string::npos ? "" : "\"";
  return fmt::format("{0}{1}{0} = {2}", quote, key, literal(value));
}

std::string Wording::tables(const std::string& key) const { return fmt::format("[[{}]]", key); }

std::string Wording::message(const Message& message) const {
  struct Say {
    const Wording& words;
    std::string operator()(const std::string& text) const { return text; }
    std::string operator()(ValueKind kind) const { return words.kind(kind); }
    std::string operator()(const Value& value) const { return words.literal(value); }
    std::string operator()(const Message::Entry& entry) const { return words.entry(entry.key, entry.value); }
    std::string operator()(const Message::Tables& tables) const { return words.tables(tables.key); }
  };
  std::string text;
  for (const Message::Piece& piece : message.pieces()) text += std::visit(Say{*this}, piece);
  return fit_for_message(text);
}

std::string Wording::remedy(const Remedy& remedy) const {
  return remedy.code == Remedy::Code::sentence ? message(remedy.sentence) : fit_for_message(coded(remedy));
}

std::string Wording::paragraph(const Error& error) const {
  std::string text = cut_in_middle(location(error.location()), longest_location);
  if (!text.empty()) text += ": ";
  text += problem(error) + '.';
  const std::string what_to_do = remedy(error);
  if (what_to_do.empty()) return text;
  text += ' ';
  const std::size_t start = text.size();
  text += what_to_do;
  if (text[start] >= 'a' && text[start] <= 'z') text[start] = static_cast<char>(text[start] - 'a' + 'A');
  if (text.back() != '?' && text.back() != '.') text += '.';
  return text;
}

const Wording& plain_wording() {
  static const Wording wording;
  return wording;
}

bool Message::empty() const {
  for (const Piece& piece : pieces_) {
    const std::string* const text = std::get_if<std::string>(&piece);
    if (!text || !text->empty()) return false;
  }
  return true;
}

std::string Message::text() const { return plain_wording().message(*this); }

std::string Remedy::text() const { return plain_wording().remedy(*this); }

std::string Remedy::nearest() const {
  const bool named = code == Code::did_you_mean || code == Code::find_corpus || code == Code::find_public_corpus;
  const std::string* const name = named && !arguments.empty() ? arguments[0].as<std::string>() : nullptr;
  return name ? *name : std::string();
}

}  // namespace fovea
