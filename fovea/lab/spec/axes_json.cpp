#include "fovea/lab/spec/axes_json.h"

#include <optional>

#include "fovea/base/error/error.h"
#include "fovea/lab/spec/assembly.h"

namespace fovea {

void add_axes(const RunSpec& spec, Json& json) {
  try {
    if (const std::optional<AttentionMeaning> meaning = attention_meaning(spec))
      json["axes"] = {{"rows", key_of(meaning->rows)}, {"columns", key_of(meaning->columns)}};
  } catch (const Error&) {  // nothing tells
  }
}

}  // namespace fovea
