#include "fovea/lab/record/prediction_json.h"

#include <cmath>

namespace fovea {

namespace {

// What labels were found doubtful: texts as their words, by their numbers from 1 on.
Json labels_json(const Prediction& p, const BagSource& source) {
  const LabelCheck& check = p.labels;
  Json doubtful = Json::array();
  for (const DoubtfulLabel& one : check.doubtful)
    doubtful.push_back({{"text", one.number + 1},
                        {"label", source.output_word(one.label)},
                        {"instead", source.output_word(one.instead)},
                        {"log_odds", number_json(one.margin)},
                        {"wrong", number_json(one.wrong)},
                        {"words", doubtful_text(one, source)}});
  return {{"repeats", check.repeats},
          {"accuracy", number_json(check.accuracy)},
          {"majority", number_json(check.majority)},
          {"learned", check.learned},
          {"false_alarms", number_json(check.false_alarms)},
          {"doubtful", std::move(doubtful)}};
}

}  // namespace

Json prediction_json(const Prediction& p, const BagSource& source) {
  Json json{{"examples", p.examples},
            {"copies", p.copies},
            {"sampled", p.sampled},
            {"verdict", verdict_name(p.verdict)},
            {"says", verdict_text(p)},
            {"because", p.because},
            {"leak", leak_text(p, source)},
            {"trust", trust_text(p, source)},
            {"attention_predicted", predicts_attention(p)},
            {"signal", number_json(p.signal)},
            {"error", number_json(p.error)},
            {"outputs", Json::array()}};
  for (const OutputPrediction& output : p.outputs) {
    Json words = Json::array();
    for (const WordLink& link : output.words)
      words.push_back({{"word", source.input_word(link.input)}, {"deviations", number_json(link.surely)}});
    Json candidates = Json::array();
    for (const Candidate& one : output.candidates)
      candidates.push_back({{"word", source.input_word(one.input)},
                            {"here", one.here},
                            {"elsewhere", one.elsewhere},
                            {"deviations", number_json(one.surely)},
                            {"evidence", evidence_name(one.evidence)},
                            {"likely", one.likely},
                            {"settled_by", number_json(std::ceil(one.settled_by))},
                            {"attended", number_json(one.attended)},
                            {"alone", may_give_label(p, output, one)},
                            {"gives_label", gives_label(p, output, one)}});
    Json together = Json::array();
    for (const auto& [a, b] : output.together) together.push_back({source.input_word(a), source.input_word(b)});
    json["outputs"].push_back({{"output", source.output_word(output.output)},
                               {"per_example", output.mean},
                               {"decodable", number_json(output.decodable)},
                               {"error", number_json(output.error)},
                               {"words", words},
                               {"candidates", candidates},
                               {"together", together}});
  }
  json["course"] = {{"knowledge_half", number_json(p.course.knowledge_half)},
                    {"attention_half", number_json(p.course.attention_half)},
                    {"correct_90", number_json(p.course.correct_90)},
                    {"time", p.course.times},
                    {"knowledge", p.course.knowledge},
                    {"attention", p.course.attention},
                    {"correct", p.course.correct}};
  if (!p.course.accuracy.empty()) {
    json["course"]["accuracy_90"] = number_json(p.course.accuracy_90);
    json["course"]["accuracy"] = p.course.accuracy;
    json["course"]["followed"] = p.followed;
    json["course"]["unseen"] = p.unseen;
  }
  for (std::size_t v = 0; v < verdicts; ++v) json["repeated"][verdict_name(static_cast<Verdict>(v))] = p.repeated[v];
  json["labels"] = labels_json(p, source);
  return json;
}

}  // namespace fovea
