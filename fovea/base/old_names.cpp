#include "fovea/base/old_names.h"

#include <mutex>
#include <regex>
#include <set>
#include <utility>

namespace fovea {

namespace {

constexpr OldName names[] = {
#define RENAMED(kind, old, now) {NameKind::kind, old, now},
#include "fovea/base/old_names.inc"
#undef RENAMED
};

// "_l1_h2_held" of "induction_l1_h2_held".
std::string_view suffix_of(NameKind kind, std::string_view name) {
  static const std::regex suffixes("(_l[0-9]+(_h[0-9]+)?)?(_held)?$");
  std::cmatch match;
  if (kind != NameKind::metric || !std::regex_search(name.data(), name.data() + name.size(), match, suffixes))
    return {};
  return name.substr(static_cast<std::size_t>(match.position()));
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
  static const std::regex part("'[^']*'|\"[^\"]*\"|[A-Za-z_][A-Za-z0-9_.]*");
  std::string text;
  std::size_t end = 0;
  for (std::sregex_iterator at(expression.begin(), expression.end(), part), last; at != last; ++at) {
    const auto begin = static_cast<std::size_t>(at->position());
    text.append(expression, end, begin - end).append(name_of(NameKind::metric, at->str()));
    end = begin + static_cast<std::size_t>(at->length());
  }
  return text.append(expression, end);
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
