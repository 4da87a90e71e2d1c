// Interval: the steps during which an intervention acts (room lab/intervention). intervention.h of this room has one.
// Steps count updates done.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "fovea/base/settings.h"

namespace fovea {

struct Interval {
  std::int64_t from = 0;
  std::optional<std::int64_t> until;  // not included; none: to the end

  void settings(Fields& fields);
  bool contains(std::int64_t step) const { return step >= from && (!until || step < *until); }
  bool meets(const Interval& other) const {
    return (!until || other.from < *until) && (!other.until || from < *other.until);
  }
};

// Throws wrong_input for one that ends before it begins.
void require_interval(const Interval& when, const ValueTable& table, const std::string& owner);

}  // namespace fovea
