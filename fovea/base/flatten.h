// Lists the settings of nested tables under dotted names (room base). Experiments, the store, comparisons and the
// server call it. Reads the tables; changes nothing.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "fovea/base/error/value.h"

namespace fovea {

// Every value of `table` that is no table itself, in the order of the tables; "train.rate" is `rate` of the table
// `train`, and `prefix` stands in front of all. The values are those of `table`, which must outlive them.
std::vector<std::pair<std::string, const Value*>> flatten(const ValueTable& table, const std::string& prefix = {});

}  // namespace fovea
