#include "fovea/lab/record/access_prediction_json.h"

namespace fovea {

Json access_prediction_json(const AccessPrediction& p) {
  const Estimate interval = p.interval();
  Json json{{"trained_on", p.trained_on},
            {"asked", p.asked},
            {"fitted", {p.fitted.first, p.fitted.last}},
            {"scored", {p.scored.first, p.scored.last}},
            {"expected", p.expected()},
            {"interval", {interval.low, interval.high}},
            {"enough", p.enough()},
            {"told", p.told.both},
            {"told_page", p.told.page},
            {"told_offset", p.told.offset},
            {"in_window", p.in_window.both},
            {"new_pages", p.new_pages}};
  for (const TableScore& table : p.tables) json["tables"][table.name] = table.both;
  return json;
}

}  // namespace fovea
