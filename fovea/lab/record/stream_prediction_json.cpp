#include "fovea/lab/record/stream_prediction_json.h"

namespace fovea {

Json stream_prediction_json(const StreamPrediction& p) {
  Json json{{"sequences", p.sequences}, {"asked", p.asked},      {"examples", p.examples}, {"hard", p.lags.hard},
            {"rungs", Json::array()},   {"lags", Json::array()}, {"induction", nullptr}};
  json["rungs_of"] = p.last ? "last" : "all";
  json["places"] = p.lags.positions;
  json["hard_places"] = p.lags.hard_positions;
  for (const RungHeight& rung : p.rungs)
    json["rungs"].push_back(
        {{"rung", rung.name}, {"nats", number_json(rung.nats)}, {"error", number_json(rung.error)}});
  for (const Lag& lag : p.lags.lags)
    json["lags"].push_back({{"lag", lag.lag},
                            {"share", number_json(lag.share)},
                            {"chance", number_json(lag.chance)},
                            {"deviations", number_json(lag.deviations)},
                            {"clear", lag.clear},
                            {"places", lag.positions}});
  if (p.induction)
    json["induction"] = {{"places", p.induction->context.positions},
                         {"vocabulary", p.induction->context.vocabulary},
                         {"time", number_json(p.induction->time)},
                         {"shared_time", number_json(p.induction->shared)},
                         {"with_previous", number_json(p.induction->with_previous)},
                         {"with_match", number_json(p.induction->with_match)}};
  if (p.causal)
    json["causal"] = {{"places", p.causal->context.positions},
                      {"vocabulary", p.causal->context.vocabulary},
                      {"event_loss", p.causal->context.level},
                      {"time", number_json(p.causal->time)},
                      {"everywhere_time", number_json(p.causal->everywhere)},
                      {"time_of_twice_the_places", number_json(p.causal->longer)},
                      {"steps", p.causal->rate > 0 ? number_json(p.causal->time / p.causal->rate) : Json()}};
  return json;
}

}  // namespace fovea
