// Named entities as spans of words, and their F1, as the script of the CoNLL shared tasks counts them (room
// data/text).
//
//   precision P = right / said        recall R = right / wanted        F1 = 2 P R / (P + R)
//
// A span that is said is right if a wanted span has the same words and the same type. Over tags O, B-TYPE and I-TYPE, a
// span begins at B-TYPE, and at an I-TYPE behind O, behind another type, or at the start. It ends before the next begin
// and before O. Without a span that is said (or wanted) P (or R) is 0, and without a right one F1 is 0.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace fovea {

struct EntitySpan {
  int begin = 0, end = 0;  // words [begin, end)
  std::string_view type;   // of the tag that it was read from
  bool operator==(const EntitySpan&) const = default;
};

// Of one sentence, in their order. Tags that are neither B-TYPE nor I-TYPE are O.
std::vector<EntitySpan> entity_spans(std::span<const std::string_view> tags);

// Sums over sentences.
struct SpanCounts {
  std::int64_t said = 0, wanted = 0, right = 0;

  void add(std::span<const std::string_view> said_tags, std::span<const std::string_view> wanted_tags);
  double precision() const;
  double recall() const;
  double f1() const;
};

}  // namespace fovea
