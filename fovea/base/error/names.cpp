#include "fovea/base/error/names.h"

#include <algorithm>
#include <cctype>
#include <numeric>

namespace fovea {

namespace {

constexpr std::size_t longest_compared = 200;

// Letters to change, add, drop or swap with a neighbour (optimal string alignment), case apart.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return std::tolower(static_cast<unsigned char>(c)); };
  std::vector<std::size_t> before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  std::iota(last.begin(), last.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const bool same = lower(a[i - 1]) == lower(b[j - 1]);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (same ? 0 : 1)});
      if (i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) && lower(a[i - 2]) == lower(b[j - 1]))
        row[j] = std::min(row[j], before[j - 2] + 1);
    }
    std::swap(before, last);
    std::swap(last, row);
  }
  return last[b.size()];
}

// Whether a part of the name begins with the word: "subset" of copy-subset, "rate" of train.rate_at.
bool has_part(const std::string& name, std::string_view word) {
  for (std::size_t at = name.find(word); at != std::string::npos; at = name.find(word, at + 1))
    if (at == 0 || name[at - 1] == '-' || name[at - 1] == '_' || name[at - 1] == '.') return true;
  return false;
}

}  // namespace

std::vector<std::string> nearest_names(std::string_view word, std::span<const std::string> candidates) {
  std::vector<std::string> best;
  if (word == "gpu" && std::ranges::find(candidates, "cuda") != candidates.end())
    return {"cuda"};                                // a letter off "cpu"
  if (word.size() > longest_compared) return best;  // no slip of the hand; and every letter of it would be compared
  // Of a word of one letter, any other letter would be near.
  const std::size_t limit = word.size() < 2 ? 1 : std::max<std::size_t>(1, word.size() / 3) + 1;
  std::size_t best_distance = limit;
  for (const std::string& candidate : candidates) {
    const std::size_t distance = word.size() >= 4 && has_part(candidate, word) ? 1 : edit_distance(word, candidate);
    if (distance < best_distance) {
      best_distance = distance;
      best.clear();
    }
    if (distance == best_distance && distance < limit) best.push_back(candidate);
  }
  return best;
}

std::string nearest_name(std::string_view word, std::span<const std::string> candidates) {
  const std::vector<std::string> near = nearest_names(word, candidates);
  return near.empty() ? "" : near.front();
}

Remedy suggest_name(std::string_view word, std::span<const std::string> candidates) {
  Remedy known(Remedy::Code::choose_from, {});
  for (const std::string& name : candidates) known.arguments.push_back({name, {}});
  return suggest_name(word, candidates, candidates.empty() ? "none is known" : std::move(known));
}

Remedy suggest_name(std::string_view word, std::span<const std::string> candidates, Remedy otherwise) {
  std::string near = nearest_name(word, candidates);
  return near.empty() ? std::move(otherwise) : Remedy::did_you_mean(std::move(near));
}

Remedy suggest_name(Remedy::Code code, std::string_view word, std::span<const std::string> candidates) {
  Remedy remedy(code, {{nearest_name(word, candidates), {}}});
  for (const std::string& name : candidates) remedy.arguments.push_back({name, {}});
  return remedy;
}

}  // namespace fovea
