#include "fovea/base/old_names.h"

#include <algorithm>
#include <mutex>
#include <set>
#include <utility>

namespace fovea {

namespace {

constexpr OldName names[] = {
#define RENAMED(kind, old, now) {NameKind::kind, old, now},
#include "fovea/base/old_names.inc"
#undef RENAMED
};

// The text without a mark and a number at its end, such as "_h2"; all of it if it does not end so.
std::string_view without_number(std::string_view text, std::string_view mark) {
  const std::string_view rest = text.substr(0, text.find_last_not_of("0123456789") + 1);
  return rest.size() < text.size() && rest.ends_with(mark) ? rest.substr(0, rest.size() - mark.size()) : text;
}

// "_l1_h2_held" of "induction_l1_h2_held".
std::string_view suffix_of(NameKind kind, std::string_view name) {
  if (kind != NameKind::metric) return {};
  std::string_view rest = name;
  if (rest.ends_with("_held")) rest.remove_suffix(std::string_view("_held").size());
  const std::string_view layer = without_number(rest, "_h"), bare = without_number(layer, "_l");
  if (bare.size() < layer.size()) rest = bare;
  return name.substr(rest.size());
}

template <class Field>
const OldName* find(NameKind kind, std::string_view name, Field field) {
  for (const OldName& one : names)
    if (one.kind == kind && one.*field == name) return &one;
  return nullptr;
}

struct Reports {
  std::mutex mutex;
  OldNameListener listener;
  std::set<std::string_view> made;
};

Reports& reports() {
  static Reports all;
  return all;
}

}  // namespace

std::span<const OldName> old_names() { return names; }

std::string name_now(NameKind kind, std::string_view name) {
  const std::string_view suffix = suffix_of(kind, name);
  const OldName* const found = find(kind, name.substr(0, name.size() - suffix.size()), &OldName::old);
  return found ? std::string(found->now).append(suffix) : std::string(name);
}

std::string first_name(NameKind kind, std::string_view name) {
  const std::string_view suffix = suffix_of(kind, name);
  const OldName* const found = find(kind, name.substr(0, name.size() - suffix.size()), &OldName::now);
  return found ? std::string(found->old).append(suffix) : std::string(name);
}

std::string with_names(const std::string& expression, std::string (*name_of)(NameKind, std::string_view)) {
  constexpr std::string_view first = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_";
  constexpr std::string_view others = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789.";
  std::string text;
  for (std::size_t at = 0, end = 0; at < expression.size(); at = end) {
    end = at + 1;
    if (first.find(expression[at]) != first.npos) {
      end = std::min(expression.find_first_not_of(others, at), expression.size());
      text += name_of(NameKind::metric, std::string_view(expression).substr(at, end - at));
      continue;
    }
    if (expression[at] == '\'' || expression[at] == '"')  // what is quoted is no name
      if (const std::size_t close = expression.find(expression[at], end); close != std::string::npos) end = close + 1;
    text.append(expression, at, end - at);
  }
  return text;
}

std::string report_old_name(NameKind kind, std::string_view name) {
  const std::string_view suffix = suffix_of(kind, name);
  const OldName* const found = find(kind, name.substr(0, name.size() - suffix.size()), &OldName::old);
  if (!found) return std::string(name);
  OldNameListener listener;
  {
    const std::scoped_lock lock(reports().mutex);
    if (reports().made.insert(found->old).second) listener = reports().listener;
  }
  if (listener) listener(*found);
  return std::string(found->now).append(suffix);
}

void listen_for_old_names(OldNameListener listener) {
  const std::scoped_lock lock(reports().mutex);
  reports().listener = std::move(listener);
}

}  // namespace fovea
