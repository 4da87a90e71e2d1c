#include "fovea/lab/record/access_prediction_json.h"

namespace fovea {

Json access_prediction_json(const AccessPrediction& p) {
  Json json{{"trained_on", p.trained_on}, {"asked", p.asked},        {"expected", p.expected()}, {"told", p.told},
            {"in_window", p.in_window},   {"new_pages", p.new_pages}};
  for (const TableScore& table : p.tables) json["tables"][table.name] = table.both;
  return json;
}

}  // namespace fovea
