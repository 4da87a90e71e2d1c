#include "fovea/lab/intervention/interval.h"

#include <fmt/format.h>

#include "fovea/base/error/error.h"

namespace fovea {

void Interval::settings(Fields& fields) {
  fields.integer("from", from, 0, Fields::no_limit, "the first update that the intervention affects");
  fields.integer("until", until, 0, Fields::no_limit, "the end of training",
                 "the intervention ends before this update");
}

void require_interval(const Interval& when, const ValueTable& table, const std::string& owner) {
  if (when.until && *when.until <= when.from)
    throw wrong_input(fmt::format("{} ends before it begins: from {} until {}", owner, when.from, *when.until),
                      "set until to a number above from", table.at("until").location);
}

}  // namespace fovea
