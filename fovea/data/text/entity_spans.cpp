#include "fovea/data/text/entity_spans.h"

#include <algorithm>
#include <cassert>

namespace fovea {

namespace {

double share(std::int64_t part, std::int64_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

}  // namespace

std::vector<EntitySpan> entity_spans(std::span<const std::string_view> tags) {
  std::vector<EntitySpan> spans;
  bool open = false;
  for (std::size_t i = 0; i < tags.size(); ++i) {
    const bool begins = tags[i].starts_with("B-");
    if (!begins && !tags[i].starts_with("I-")) {
      open = false;
      continue;
    }
    const std::string_view type = tags[i].substr(2);
    if (begins || !open || spans.back().type != type) spans.push_back({static_cast<int>(i), 0, type});
    spans.back().end = static_cast<int>(i) + 1;
    open = true;
  }
  return spans;
}

void SpanCounts::add(std::span<const std::string_view> said_tags, std::span<const std::string_view> wanted_tags) {
  assert(said_tags.size() == wanted_tags.size());
  const std::vector<EntitySpan> found = entity_spans(said_tags), there = entity_spans(wanted_tags);
  said += std::ssize(found);
  wanted += std::ssize(there);
  right += std::ranges::count_if(found,
                                 [&](const EntitySpan& span) { return std::ranges::find(there, span) != there.end(); });
}

double SpanCounts::precision() const { return share(right, said); }
double SpanCounts::recall() const { return share(right, wanted); }
double SpanCounts::f1() const { return share(2 * right, said + wanted); }

}  // namespace fovea
